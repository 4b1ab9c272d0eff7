/* What the view's keys change of the transform, step by step. Main thread. */
#ifndef WEIR_APP_VIEW_CHANGES_H
#define WEIR_APP_VIEW_CHANGES_H

#include "app/pipeline.h"
#include "app/settings.h"
#include "display/view.h"

typedef struct weir_view_changes {
    weir_settings wanted; /* the user's, with what was changed; borrows their texts */
    char window[64];
    double rate_hz;
    double line_seconds; /* 0: averages are not changed from what was asked for */
} weir_view_changes;

void weir_view_changes_init(weir_view_changes *changes, const weir_settings *settings,
                            const weir_stream_info *stream);

/* N doubles or halves; the overlap goes through 0, 25, 50, 75, 87.5 %; the window through
 * the table; the averages of lines and of the trace double or halve in time; that of the trace
 * is as the lines, a mean or exponential, in turn. What cannot be had is refused, and what
 * was before stays. */
weir_status weir_view_changes_step(weir_view_changes *changes, weir_pipeline *pipeline,
                                   weir_view_change change, int steps, weir_error *err);

#endif
