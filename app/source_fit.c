#include "app/source_fit.h"

#include "app/device_pairs.h"
#include "app/options.h"
#include "base/text.h"
#include "capture/source.h"

#include <string.h>

static const struct {
    const char *option;
    weir_source_takes bit;
} rules[] = {
    {"format", WEIR_TAKES_FORMAT},     {"rate", WEIR_TAKES_RATE}, {"center", WEIR_TAKES_CENTER},
    {"channels", WEIR_TAKES_CHANNELS}, {"iq", WEIR_TAKES_IQ},     {"checksum", WEIR_TAKES_CHECKSUM},
    {"speed", WEIR_TAKES_SPEED},
};
enum { N_RULES = sizeof rules / sizeof rules[0] };

/* A source that this build lacks says so itself when it is opened. */
static bool takes(const weir_source_class *class_, const weir_option *option)
{
    if (option->group & WEIR_GROUP_DEVICE) {
        return weir_device_option_taken(class_, option->name);
    }
    for (size_t i = 0; i < N_RULES; i++) {
        if (strcmp(rules[i].option, option->name) == 0) {
            return (class_->takes & rules[i].bit) != 0;
        }
    }
    return true;
}

static bool any_takes(const weir_option *option, int n_sources, char *const *sources)
{
    for (int i = 0; i < n_sources; i++) {
        const weir_source_class *class_ = weir_source_class_of(sources[i]);
        if (!class_ || class_->missing || takes(class_, option)) {
            return true;
        }
    }
    return false;
}

static weir_status refuse(const weir_option *option, const char *source, weir_error *err)
{
    char list[200] = "", shown[200];
    const weir_source_class *class_;
    for (size_t i = 0; (class_ = weir_source_class_at(i)); i++) {
        bool hands_on = class_->takes == WEIR_TAKES_ALL; /* fault: what its source takes */
        if (takes(class_, option) && !hands_on) {
            weir_list_add(list, sizeof list, "%s", class_->name);
        }
    }
    return weir_fail(err, WEIR_ERR_USAGE, "--%s does not apply to %s; these sources take it: %s",
                     option->name, weir_printable(shown, sizeof shown, source), list);
}

weir_status weir_source_fit(const weir_settings *settings, int n_sources, char *const *sources,
                            weir_error *err)
{
    const weir_option *option;
    for (size_t i = 0; n_sources > 0 && (option = weir_option_at(i)); i++) {
        if (weir_option_typed(settings, option->name) && !any_takes(option, n_sources, sources)) {
            return refuse(option, sources[0], err);
        }
    }
    return WEIR_OK;
}
