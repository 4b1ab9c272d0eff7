/* Configuration files: every option that may stand in one is a key of the same name.
 *
 *     # weir.conf
 *     config = 1            (the version of this format; must come first)
 *     rate = 2.4M
 *     window = "blackman-harris"
 *     detrend = true
 *
 * Read by libconfuse. Unknown keys and bad values are errors with file and line.
 * Main thread only.
 */
#ifndef WEIR_APP_CONFIG_H
#define WEIR_APP_CONFIG_H

#include "app/settings.h"
#include "base/status.h"

/* Reads one file into settings. WEIR_ERR_CONFIG for what is wrong in it,
 * WEIR_ERR_NO_INPUT if it cannot be opened. */
weir_status weir_config_read(const char *path, weir_settings *settings, weir_error *err);

/* Reads the system's, then the user's file, where they exist. */
weir_status weir_config_read_defaults(weir_settings *settings, weir_error *err);

/* Prints the settings in force as a file that weir_config_read takes. */
void weir_config_dump(const weir_settings *settings);

#endif
