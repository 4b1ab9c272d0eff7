/* Recordings that have been told to end, until their threads have written the files: then what
 * became of each is said (base/log.h), and the first error kept. One thread's. */
#ifndef WEIR_APP_CLIPS_CLOSING_H
#define WEIR_APP_CLIPS_CLOSING_H

#include "base/status.h"
#include "capture/recorder.h"

enum { WEIR_MOST_CLOSING = 16 };

typedef struct weir_clip {
    weir_recorder *recorder; /* NULL: none */
    char path[512];
    double rate_hz;
} weir_clip;

typedef struct weir_clips_closing {
    const char *who; /* "--alert-record: ", before warnings; or "" */
    weir_clip clips[WEIR_MOST_CLOSING];
    unsigned n;
    weir_status status; /* the first error */
    weir_error err;
} weir_clips_closing;

/* A warning, and the error if it is the first. */
void weir_clips_keep_error(weir_clips_closing *closing, weir_status status, const weir_error *err);
/* Waits for the disk unless the recorder is done; the clip has none then. */
void weir_clips_complete(weir_clips_closing *closing, weir_clip *clip);
/* Ends the recording and takes its recorder over; there must be room. */
void weir_clips_close(weir_clips_closing *closing, weir_clip *clip);
/* Those whose threads are done are let go; none is waited for. */
void weir_clips_tidy(weir_clips_closing *closing);
/* Waits for all. The first error there was. */
weir_status weir_clips_finish(weir_clips_closing *closing, weir_error *err);
/* Without waiting for more than the threads' ends: files that are not complete are taken away. */
void weir_clips_drop(weir_clips_closing *closing);

#endif
