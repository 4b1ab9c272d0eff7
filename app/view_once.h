/* weir view --once and --png: the view's picture without a terminal. Main thread. */
#ifndef WEIR_APP_VIEW_ONCE_H
#define WEIR_APP_VIEW_ONCE_H

#include "app/settings.h"
#include "base/status.h"
#include "display/view.h"

/* Runs the source until --duration, its end, or the waterfall is full. */
weir_status weir_view_once(const weir_settings *settings, const weir_view_config *view_config,
                           const char *source, weir_error *err);

#endif
