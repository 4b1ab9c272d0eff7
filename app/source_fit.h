/* Whether the sources make something of what was typed about them. Main thread only. */
#ifndef WEIR_APP_SOURCE_FIT_H
#define WEIR_APP_SOURCE_FIT_H

#include "app/settings.h"
#include "base/status.h"

/* Refuses an option on the command line that none of the sources takes: --gain of a file, --speed
 * of a dongle. What a configuration file says is for whatever sources come, and is passed over
 * where it does not apply. */
weir_status weir_source_fit(const weir_settings *settings, int n_sources, char *const *sources,
                            weir_error *err);

#endif
