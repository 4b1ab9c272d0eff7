/* The source contract and registry: where samples come from.
 *
 * One file per source and one row in the table of source.c. A source delivers raw
 * samples as its device or file has them; it never converts what an engine can read.
 *
 * Pull sources (files, pipes, the synthesizer) implement read; the capture thread
 * (capture.h) calls it with memory inside the ring and does pacing, loops and limits.
 * Live devices implement start and push through a weir_writer (capture.h) from their
 * own callback. Exactly one of the two is set.
 *
 * All functions but interrupt are called from one thread at a time; control also while
 * read runs in another.
 */
#ifndef WEIR_CAPTURE_SOURCE_H
#define WEIR_CAPTURE_SOURCE_H

#include "base/printable.h"
#include "base/status.h"
#include "dsp/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_UNKNOWN_SAMPLES UINT64_MAX
#define WEIR_UNKNOWN_TIME INT64_MIN

/* What the user said about the input; a field left at its default is asked of the
 * metadata, then of the file name. */
typedef struct weir_source_options {
    const char *format;   /* weir_format_parse name, or NULL               */
    double rate_hz;       /* 0: not given                                  */
    double center_hz;     /* NAN: not given                                */
    unsigned channels;    /* 0: not given (raw files: 1)                   */
    int iq;               /* two-channel audio file: 1 as I/Q, 0 as channels, -1 by metadata */
    bool verify_checksum; /* SigMF core:sha512; of other files: nothing    */
    bool must_verify;     /* ... and they are refused                      */
    /* Devices (gain, ppm ...): "key=value" pairs, NULL-terminated, or NULL. */
    const char *const *device_options;
} weir_source_options;

void weir_source_options_init(weir_source_options *options);

typedef struct weir_annotation {
    uint64_t first_sample;
    uint64_t n_samples;     /* 0 unknown */
    double low_hz, high_hz; /* NAN unknown */
    const char *label;
} weir_annotation;

typedef struct weir_source_info {
    char name[256];        /* the argument, printable: escapes neutralised        */
    char description[256]; /* "WAV, s16, 2 channels, 48 kHz"                       */
    weir_sample_format format;
    double rate_hz;       /* what the device chose                               */
    double center_hz;     /* of the first segment; 0 for audio                   */
    uint64_t n_samples;   /* WEIR_UNKNOWN_SAMPLES for pipes and devices          */
    int64_t time_unix_ns; /* of sample 0; WEIR_UNKNOWN_TIME                      */
    bool is_live;         /* the producer must not wait                          */
    bool can_seek;
    const weir_annotation *annotations; /* owned by the source; sorted by sample  */
    size_t n_annotations;
} weir_source_info;

/* What one read delivers: samples of one segment. Zeroed by the caller. */
typedef struct weir_read {
    size_t n_samples;     /* 0 with WEIR_OK: end of the stream (lost_before: at it), unless ... */
    bool is_away;         /* ... the device is away, and waited for: lost_before so far, read on */
    bool new_segment;     /* a gap, retune or rate change lies before them       */
    uint64_t lost_before; /* with new_segment                                    */
    double rate_hz;       /* with new_segment                                    */
    double center_hz;     /* with new_segment                                    */
    int64_t time_unix_ns; /* with new_segment; WEIR_UNKNOWN_TIME                 */
} weir_read;

typedef struct weir_source weir_source;
struct weir_writer;
struct weir_mapping;

/* One device that could be opened: the argument that opens it, what it is, and what it can
 * do (may be empty). */
typedef void weir_device_found(void *user, const char *argument, const char *what,
                               const char *abilities);

/* What a source makes something of, of what a user can say about the input. What none takes is
 * the user's mistake (app/source_fit.h), and passed over here. */
typedef enum weir_source_takes {
    WEIR_TAKES_FORMAT = 1 << 0,
    WEIR_TAKES_RATE = 1 << 1,
    WEIR_TAKES_CENTER = 1 << 2,
    WEIR_TAKES_CHANNELS = 1 << 3,
    WEIR_TAKES_IQ = 1 << 4,
    WEIR_TAKES_CHECKSUM = 1 << 5,
    WEIR_TAKES_SPEED = 1 << 6,  /* its samples can come slower or faster than they were made */
    WEIR_TAKES_DEVICE = 1 << 7, /* device_options */
    WEIR_TAKES_TUNING = WEIR_TAKES_RATE | WEIR_TAKES_CENTER | WEIR_TAKES_DEVICE,
    WEIR_TAKES_RECIPE = WEIR_TAKES_FORMAT | WEIR_TAKES_RATE | WEIR_TAKES_CENTER |
                        WEIR_TAKES_CHANNELS | WEIR_TAKES_SPEED,
    WEIR_TAKES_ALL = (1 << 8) - 1,
} weir_source_takes;

typedef struct weir_source_class {
    const char *name;            /* "synth", "file", "rtlsdr"            */
    const char *syntax;          /* "synth:RECIPE"                       */
    const char *help;            /* one line                             */
    const char *(*manual)(void); /* the whole grammar, lines; NULL: nothing more to say */
    /* What this build lacks for it ("RTL-SDR support (...)"), and what does without; NULL: nothing.
     * Otherwise only the names, `accepts` and `devices_title` are there. */
    const char *missing;
    unsigned takes; /* weir_source_takes bits */
    /* With WEIR_TAKES_DEVICE: the keys that it knows, NULL-terminated; NULL: they depend on the
     * device, and open refuses. */
    const char *const *device_keys;
    /* True if this class takes the argument: a prefix ("synth:"), or any file. */
    bool (*accepts)(const char *argument);
    weir_status (*open)(weir_source **out, const char *argument, const weir_source_options *options,
                        weir_error *err);
    void (*close)(weir_source *source); /* NULL-safe */

    /* Pull: writes at most max_samples whole samples at memory. May block on a pipe or
     * socket; interrupt ends that. A new segment starts a new read. Data after an error
     * in the middle (a truncated file) are delivered first, the error then. */
    weir_status (*read)(weir_source *source, void *memory, size_t max_samples, weir_read *result,
                        weir_error *err);
    /* Instead of reads: all samples from one on as memory, described as by a read. May be
     * NULL, and may be refused for one source and not for another (WEIR_ERR_UNSUPPORTED). The
     * caller destroys the mapping. */
    weir_status (*map)(weir_source *source, uint64_t first_sample, struct weir_mapping **out,
                       weir_read *whole, weir_error *err);
    /* Moves to a sample counted over the stored samples; NULL if it cannot. */
    weir_status (*seek)(weir_source *source, uint64_t sample, weir_error *err);

    /* Push: samples go to the writer from the device's own thread until stop. */
    weir_status (*start)(weir_source *source, struct weir_writer *writer, weir_error *err);
    void (*stop)(weir_source *source);

    /* Ends a blocked read soon; any thread, async-signal-safe, any number of times. That
     * read and later ones may report the end or an error, which is ignored. May be NULL. */
    void (*interrupt)(weir_source *source);
    /* Changes a setting while running: "center_hz", "rate_hz", "gain_db" (NAN: automatic),
     * "bandwidth_hz", "ppm", "agc", "bias_tee" (0 or 1), as far as the device has them. The
     * samples that are neither old nor new are counted as lost. NULL: none. */
    weir_status (*control)(weir_source *source, const char *key, double value, weir_error *err);
    /* info.description with what control has changed; any thread. NULL: that holds for ever. */
    void (*describe)(weir_source *source, char *text, size_t size);

    /* For `weir devices`: what there is now. NULL: no devices. */
    const char *devices_title; /* "RTL-SDR dongles" */
    weir_status (*list)(weir_device_found *found, void *user, weir_error *err);
} weir_source_class;

struct weir_source {
    const weir_source_class *class_;
    weir_source_info info;
};

/* Rows in table order, NULL past the end (for help and completions). */
const weir_source_class *weir_source_class_at(size_t index);

/* The class that takes the argument; NULL: none. */
const weir_source_class *weir_source_class_of(const char *argument);

/* Finds the class and opens. Errors name the argument and what would be right. */
weir_status weir_source_open(weir_source **out, const char *argument,
                             const weir_source_options *options, weir_error *err);
void weir_source_close(weir_source *source); /* NULL-safe */

/* For the `open` of a device: fills in what every live source's info has, once the device has said
 * what it chose. Format and description are the source's to say. */
void weir_source_set_live(weir_source *source, const char *argument, double rate_hz,
                          double center_hz);

#endif
