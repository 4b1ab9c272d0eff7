#include "capture/device_options.h"

#include "base/text.h"
#include "base/units.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* The text after "key=", or NULL if the pair has another key. */
static const char *value_of(const char *pair, const char *key)
{
    size_t length = strlen(key);
    return strncmp(pair, key, length) == 0 && pair[length] == '=' ? pair + length + 1 : NULL;
}

const char *weir_devopt_text(const weir_source_options *options, const char *key)
{
    const char *found = NULL;
    const char *const *pairs = options->device_options;
    for (size_t i = 0; pairs && pairs[i]; i++) {
        const char *value = value_of(pairs[i], key);
        found = value ? value : found;
    }
    return found;
}

static bool is_known(const char *pair, const char *const *known)
{
    for (size_t i = 0; known[i]; i++) {
        if (value_of(pair, known[i])) {
            return true;
        }
    }
    return false;
}

static weir_status unknown_key(const char *pair, const char *source, const char *const *known,
                               weir_error *err)
{
    char list[300] = "", shown[64];
    for (size_t i = 0; known[i]; i++) {
        weir_list_add(list, sizeof list, "%s", known[i]);
    }
    weir_printable(shown, sizeof shown, pair);
    if (!strchr(pair, '=')) {
        return weir_fail(err, WEIR_ERR_USAGE, "%s: device option \"%s\": write KEY=VALUE", source,
                         shown);
    }
    shown[strcspn(shown, "=")] = '\0';
    return weir_fail(err, WEIR_ERR_USAGE, "%s has no device option \"%s\"; it has: %s", source,
                     shown, list);
}

weir_status weir_devopt_check_keys(const weir_source_options *options, const char *source,
                                   const char *const *known, weir_error *err)
{
    const char *const *pairs = options->device_options;
    for (size_t i = 0; pairs && pairs[i]; i++) {
        if (!is_known(pairs[i], known)) {
            return unknown_key(pairs[i], source, known, err);
        }
    }
    return WEIR_OK;
}

weir_status weir_devopt_choice(const weir_source_options *options, const char *source,
                               const char *key, const char *const *words, int *value,
                               weir_error *err)
{
    char list[200] = "", shown[64];
    const char *text = weir_devopt_text(options, key);
    for (int i = 0; text && words[i]; i++) {
        if (strcasecmp(text, words[i]) == 0) {
            *value = i;
            return WEIR_OK;
        }
        weir_list_add(list, sizeof list, "%s", words[i]);
    }
    return text ? weir_fail(err, WEIR_ERR_USAGE, "%s: %s \"%s\" is not one of %s", source, key,
                            weir_printable(shown, sizeof shown, text), list)
                : WEIR_OK;
}

weir_status weir_devopt_flag(const weir_source_options *options, const char *source,
                             const char *key, bool *value, weir_error *err)
{
    static const char *const words[] = {"off", "on", "no", "yes", "0", "1", "false", "true", NULL};
    int index = *value;
    weir_status status = weir_devopt_choice(options, source, key, words, &index, err);
    *value = index % 2;
    return status;
}

weir_status weir_devopt_retries(const weir_source_options *options, const char *source,
                                bool *retries, weir_error *err)
{
    static const char *const words[] = {"exit", "retry", NULL};
    int index = *retries;
    weir_status status = weir_devopt_choice(options, source, "on-loss", words, &index, err);
    *retries = index == 1;
    return status;
}

typedef weir_status number_parser(const char *text, double *value, weir_error *err);

static weir_status parse(const weir_source_options *options, const char *source, const char *key,
                         number_parser *parser, double *value, weir_error *err)
{
    const char *text = weir_devopt_text(options, key);
    if (text && parser(text, value, err) != WEIR_OK) {
        weir_fail_context(err, "%s: %s", source, key);
        return WEIR_ERR_USAGE;
    }
    return WEIR_OK;
}

weir_status weir_devopt_hz(const weir_source_options *options, const char *source, const char *key,
                           double *value, weir_error *err)
{
    return parse(options, source, key, weir_parse_hz, value, err);
}

weir_status weir_devopt_number(const weir_source_options *options, const char *source,
                               const char *key, double *value, weir_error *err)
{
    return parse(options, source, key, weir_parse_number, value, err);
}

weir_status weir_devopt_seconds(const weir_source_options *options, const char *source,
                                const char *key, double *value, weir_error *err)
{
    return parse(options, source, key, weir_parse_seconds, value, err);
}

weir_status weir_devopt_settle(const weir_source_options *options, const char *source,
                               double *seconds, weir_error *err)
{
    double value = *seconds;
    weir_status status = weir_devopt_seconds(options, source, "settle", &value, err);
    if (status == WEIR_OK && value > 10) {
        return weir_fail(err, WEIR_ERR_USAGE, "%s: settle: at most 10 s, not %g s", source, value);
    }
    *seconds = status == WEIR_OK ? value : *seconds;
    return status;
}

weir_status weir_devopt_gain(const weir_source_options *options, const char *source,
                             const char *key, double *gain_db, weir_error *err)
{
    const char *text = weir_devopt_text(options, key);
    if (text && strcasecmp(text, "auto") == 0) {
        *gain_db = NAN;
        return WEIR_OK;
    }
    return parse(options, source, key, weir_parse_db, gain_db, err);
}
