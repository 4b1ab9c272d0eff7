/* What a sound server (PulseAudio, or PipeWire in its stead) says of its sources, for
 * capture/mic.c: PortAudio sees the server as one device that converts to any rate, and does not
 * learn which rate the source really has.
 *
 * Asks and waits, a second at most; starts no server. libpulse is loaded at the first call, since
 * most runs have no use for it and its many libraries; without it, and in a build without its
 * headers, all of this is WEIR_ERR_UNSUPPORTED. One thread at a time.
 */
#ifndef WEIR_CAPTURE_SOUND_SERVER_H
#define WEIR_CAPTURE_SOUND_SERVER_H

#include "base/status.h"

#include <stdbool.h>

typedef struct weir_sound_source {
    char name[256];
    char description[256];
    double rate_hz;
    unsigned channels;
    bool is_default, is_monitor;
} weir_sound_source;

typedef void weir_sound_source_found(void *user, const weir_sound_source *source);

/* All sources that there are. WEIR_ERR_DEVICE: no server answers. */
weir_status weir_sound_server_list(weir_sound_source_found *found, void *user, weir_error *err);
/* By its exact name; "" is the default source. */
weir_status weir_sound_server_find(const char *name, weir_sound_source *source, weir_error *err);

#endif
