/* A receiver that is tuned along a range: source -> ring -> engine, one tuning at a time, and
 * the bins of all tunings joined to one spectrum. For `weir sweep`. Main thread only.
 *
 *   open      opens the source and starts the capture
 *   pass      tunes through one plan; the whole spectrum is valid until the next pass
 *   idle      lets samples go by unused, as between passes
 *   finish    stops the source and balances the accounts
 *
 * Samples that come while tuning, settling or idling are counted as skipped:
 * received = transformed + skipped + lost + tail holds.
 */
#ifndef WEIR_APP_SWEEPER_H
#define WEIR_APP_SWEEPER_H

#include "app/settings.h"
#include "capture/ring.h"
#include "capture/source.h"
#include "display/sink.h"
#include "dsp/correct.h"
#include "dsp/spectrum.h"
#include "dsp/sweep_plan.h"

typedef struct weir_sweeper weir_sweeper;

typedef struct weir_sweeper_config {
    const weir_settings *settings; /* borrowed              */
    const char *source;            /* the argument          */
    double rate_hz;                /* asked for; 0: the source's own */
    double bin_hz;                 /* at most; 0: --fft or the default */
    size_t n_fft;                  /* 0: by bin_hz          */
    weir_spike spike;              /* not AUTO              */
    bool removes_dc;               /* each transform's mean */
    weir_axis_correction axis;     /* plans are in the device's frequencies, results true */
    /* Every sample once, in order and before the pass that it is part of ends, those of idle
     * as well. May be NULL. */
    void (*on_samples)(void *user, const weir_ring_segment *segment, uint64_t first_sample,
                       const void *samples, size_t n_samples);
    /* Asked often; true ends a pass, idle or wait. */
    bool (*stopped)(void *user);
    void *user;
} weir_sweeper_config;

weir_status weir_sweeper_open(weir_sweeper **out, const weir_sweeper_config *config,
                              weir_error *err);
/* Rate and transform as they are; the rest of stream info for sinks. Valid until close. */
const weir_stream_info *weir_sweeper_stream(const weir_sweeper *sweeper);
const weir_source_info *weir_sweeper_source(const weir_sweeper *sweeper);
/* The most samples that on_samples shows in one go. */
size_t weir_sweeper_most_samples(const weir_sweeper *sweeper);
/* How long a pass takes, about: what is integrated and thrown away. */
double weir_sweeper_pass_seconds(const weir_sweeper *sweeper, const weir_sweep_plan *plan);
/* The axis that the stream info says: that of the first plan. */
void weir_sweeper_set_axis(weir_sweeper *sweeper, const weir_sweep_plan *plan);
/* *complete: false when it was stopped, or the stream ended; then there is no spectrum. */
weir_status weir_sweeper_pass(weir_sweeper *sweeper, const weir_sweep_plan *plan,
                              weir_spectrum *whole, bool *complete, weir_error *err);
/* Until seconds from now, or the end. */
void weir_sweeper_idle(weir_sweeper *sweeper, double seconds);
bool weir_sweeper_ended(const weir_sweeper *sweeper);
weir_status weir_sweeper_finish(weir_sweeper *sweeper, weir_totals *totals, weir_error *err);
void weir_sweeper_totals(const weir_sweeper *sweeper, weir_totals *totals);
void weir_sweeper_close(weir_sweeper *sweeper); /* NULL-safe */

#endif
