/* --alert: rules over the spectra of a run, and what they lead to (docs/json.md, weir.alert/1).
 *
 * samples and spectrum are called on one thread, samples first: with them a recording can begin
 * before its alert (capture/backlog.h). Neither waits for a disk, a reader or a command; opening
 * the file of a recording is the one system call among them.
 */
#ifndef WEIR_APP_ALERTS_H
#define WEIR_APP_ALERTS_H

#include "app/settings.h"
#include "base/status.h"
#include "capture/ring.h"
#include "capture/source.h"
#include "display/sink.h"
#include "dsp/spectrum.h"

typedef struct weir_alerts weir_alerts;

typedef struct weir_alerts_config {
    const weir_settings *settings;
    const weir_stream_info *stream; /* borrowed for the alerts' life  */
    const weir_source_info *info;   /* the same                       */
    size_t most_samples;            /* that `samples` shows in one go */
    bool stdout_is_taken;           /* results go there               */
    /* Of a sweep, whose spectra come one range after the other: how long one round through
     * all ranges takes, and how long it may idle after it. 0: this is no sweep. */
    double round_seconds, idle_seconds;
} weir_alerts_config;

/* Checks the rules and all else before a source is opened. */
weir_status weir_alerts_check(const weir_settings *settings, weir_error *err);
/* How long lines may be so that every rule's time is some of them; most_seconds at most. */
double weir_alerts_line_seconds(const weir_settings *settings, double most_seconds);
/* *out is NULL if no rule was given; all other functions take that. */
weir_status weir_alerts_open(weir_alerts **out, const weir_alerts_config *config, weir_error *err);
void weir_alerts_samples(weir_alerts *alerts, const weir_ring_segment *segment,
                         uint64_t first_sample, const void *samples, size_t n_samples);
void weir_alerts_spectrum(weir_alerts *alerts, const weir_spectrum *spectrum);
/* No spectrum to come holds what is before this sample: recordings need not wait for one. */
void weir_alerts_known(weir_alerts *alerts, uint64_t sample);
/* Ends alerts and their recordings. The first error of any. */
weir_status weir_alerts_finish(weir_alerts *alerts, weir_error *err);
void weir_alerts_destroy(weir_alerts *alerts);

#endif
