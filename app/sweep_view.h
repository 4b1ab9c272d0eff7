/* weir sweep --view: every pass is a line of a waterfall in the terminal. The sweep runs in a
 * thread of its own, the terminal is the main thread's. Of several ranges one is shown; a key goes
 * on to another.
 */
#ifndef WEIR_APP_SWEEP_VIEW_H
#define WEIR_APP_SWEEP_VIEW_H

#include "app/settings.h"
#include "base/status.h"
#include "display/sink.h"
#include "dsp/spectrum.h"
#include "dsp/sweep_plan.h"

#include <stdbool.h>

typedef struct weir_sweep_view weir_sweep_view;

typedef struct weir_sweep_view_config {
    const weir_settings *settings;  /* borrowed */
    const weir_stream_info *stream; /* borrowed; its axis does not count */
    const weir_sweep_plan *plans;   /* borrowed */
    unsigned n_plans;
} weir_sweep_view_config;

/* WEIR_ERR_USAGE where there is no terminal. */
weir_status weir_sweep_view_open(weir_sweep_view **out, const weir_sweep_view_config *config,
                                 weir_error *err);
/* Sweep's thread: a pass of a plan. view NULL: nothing happens. */
void weir_sweep_view_push(weir_sweep_view *view, unsigned plan, const weir_spectrum *whole,
                          const weir_totals *totals);
/* The user wants the end. view NULL: false. Any thread. */
bool weir_sweep_view_stopped(const weir_sweep_view *view);
/* Main thread: has sweep run until its end and the user's; then the terminal is as it was. What
 * sweep returned, and the signal that ended it, or 0. */
weir_status weir_sweep_view_run(weir_sweep_view *view,
                                weir_status (*sweep)(void *user, weir_error *err), void *user,
                                int *signal_number, weir_error *err);
void weir_sweep_view_close(weir_sweep_view *view); /* NULL-safe */

#endif
