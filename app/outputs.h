/* Several sinks as one: what -o and --to ask for. Main thread only. */
#ifndef WEIR_APP_OUTPUTS_H
#define WEIR_APP_OUTPUTS_H

#include "app/settings.h"
#include "display/sink.h"

typedef struct weir_outputs_set {
    weir_sink *sinks[WEIR_MAX_OUTPUTS];
    unsigned n;
} weir_outputs_set;

/* Checks the names before anything is opened or read. */
weir_status weir_outputs_check(const weir_settings *settings, const char *default_kind,
                               weir_error *err);
/* One of them is standard output. */
bool weir_outputs_take_stdout(const weir_settings *settings);
/* One that cannot hold spectra of several axes, or NULL; of checked settings. */
const char *weir_outputs_with_one_axis(const weir_settings *settings, const char *default_kind);
/* default_kind: the sink used on standard output when no -o is given. */
weir_status weir_outputs_open(weir_outputs_set *set, const weir_settings *settings,
                              const char *default_kind, const weir_stream_info *stream,
                              weir_error *err);
weir_status weir_outputs_write(weir_outputs_set *set, const weir_spectrum *spectrum,
                               weir_error *err);
weir_status weir_outputs_finish(weir_outputs_set *set, const weir_totals *totals, weir_error *err);
void weir_outputs_close(weir_outputs_set *set);

#endif
