/* The device options of the settings as sources want them: "key=value" texts. */
#ifndef WEIR_APP_DEVICE_PAIRS_H
#define WEIR_APP_DEVICE_PAIRS_H

#include "app/settings.h"
#include "base/status.h"
#include "capture/source.h"

#define WEIR_MAX_PAIRS (WEIR_MAX_DEVICE_OPTIONS + 12)

typedef struct weir_device_pairs {
    char *pairs[WEIR_MAX_PAIRS + 1]; /* NULL-terminated */
    unsigned n;
} weir_device_pairs;

/* Whether sources of a class have this option (--gain ...) of the group WEIR_GROUP_DEVICE. */
bool weir_device_option_taken(const weir_source_class *class_, const char *option);

/* What was given of the options that the class takes: what a configuration file says of dongles
 * is nothing to a microphone. retries: what --on-loss auto means. Also after a failure: free. */
weir_status weir_device_pairs_make(weir_device_pairs *pairs, const weir_settings *settings,
                                   const weir_source_class *class_, bool retries, weir_error *err);
weir_status weir_device_pairs_add(weir_device_pairs *pairs, const char *key, const char *value,
                                  weir_error *err);
/* For weir_source_options.device_options; valid until free. */
const char *const *weir_device_pairs_list(const weir_device_pairs *pairs);
void weir_device_pairs_free(weir_device_pairs *pairs);

/* Opens a source with everything that the settings say of it. */
weir_status weir_settings_open_source(const weir_settings *settings, const char *argument,
                                      bool retries, weir_source **out, weir_error *err);

#endif
