#include "app/device_pairs.h"

#include "app/options.h"
#include "base/text.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

weir_status weir_device_pairs_add(weir_device_pairs *pairs, const char *key, const char *value,
                                  weir_error *err)
{
    size_t size = strlen(key) + strlen(value) + 2;
    assert(pairs->n < WEIR_MAX_PAIRS);
    char *pair = malloc(size);
    if (!pair) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    weir_snprintf(pair, size, "%s=%s", key, value);
    pairs->pairs[pairs->n++] = pair;
    pairs->pairs[pairs->n] = NULL;
    return WEIR_OK;
}

static weir_status add_user_pair(weir_device_pairs *pairs, const char *pair, weir_error *err)
{
    char key[64];
    const char *equals = strchr(pair, '=');
    weir_snprintf(key, sizeof key, "%.*s", (int)(equals - pair), pair);
    return weir_device_pairs_add(pairs, key, equals + 1, err);
}

/* The options that are keys of devices, and the field that holds each one's value. */
typedef enum pair_kind { PAIR_TEXT, PAIR_FLAG, PAIR_NUMBER, PAIR_PIN } pair_kind;

static const struct pair_row {
    const char *option, *key;
    pair_kind kind;
    size_t offset;
} rows[] = {
    {"gain", "gain", PAIR_TEXT, offsetof(weir_settings, gain)},
    {"agc", "agc", PAIR_FLAG, offsetof(weir_settings, agc)},
    {"device-ppm", "ppm", PAIR_NUMBER, offsetof(weir_settings, device_ppm)},
    {"tuner-bandwidth", "bandwidth", PAIR_NUMBER, offsetof(weir_settings, tuner_bandwidth_hz)},
    {"bias-tee", "bias-tee", PAIR_FLAG, offsetof(weir_settings, bias_tee)},
    {"direct-sampling", "direct-sampling", PAIR_PIN, offsetof(weir_settings, direct_sampling)},
    {"offset-tuning", "offset-tuning", PAIR_FLAG, offsetof(weir_settings, offset_tuning)},
    {"antenna", "antenna", PAIR_TEXT, offsetof(weir_settings, antenna)},
};

static const char *value_of(const struct pair_row *row, const weir_settings *s, char *text,
                            size_t size)
{
    static const char *const pins[] = {"off", "I", "Q"};
    const void *field = (const char *)s + row->offset;
    switch (row->kind) {
    case PAIR_TEXT:
        return *(char *const *)field;
    case PAIR_FLAG:
        return *(const bool *)field ? "on" : "off";
    case PAIR_PIN:
        return pins[*(const int *)field];
    case PAIR_NUMBER:
        weir_snprintf(text, size, "%.12g", *(const double *)field);
        return text;
    }
    return "";
}

bool weir_device_option_taken(const weir_source_class *class_, const char *option)
{
    if (!(class_->takes & WEIR_TAKES_DEVICE) || !class_->device_keys) {
        return (class_->takes & WEIR_TAKES_DEVICE) != 0;
    }
    const char *key = option; /* on-loss */
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        key = strcmp(rows[i].option, option) == 0 ? rows[i].key : key;
    }
    for (size_t i = 0; class_->device_keys[i]; i++) {
        if (strcmp(class_->device_keys[i], key) == 0) {
            return true;
        }
    }
    return strcmp(option, "device-option") == 0; /* its keys are looked at when it is opened */
}

weir_status weir_device_pairs_make(weir_device_pairs *pairs, const weir_settings *s,
                                   const weir_source_class *class_, bool retries, weir_error *err)
{
    retries = s->on_loss == 2 || (s->on_loss == 0 && retries);
    *pairs = (weir_device_pairs){.n = 0};
    weir_status status = weir_device_pairs_add(pairs, "on-loss", retries ? "retry" : "exit", err);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && status == WEIR_OK; i++) {
        char text[40];
        if (weir_option_given(s, rows[i].option) &&
            weir_device_option_taken(class_, rows[i].option)) {
            status = weir_device_pairs_add(pairs, rows[i].key,
                                           value_of(&rows[i], s, text, sizeof text), err);
        }
    }
    for (unsigned i = 0; i < s->device_options.n && status == WEIR_OK; i++) {
        status = add_user_pair(pairs, s->device_options.pairs[i], err);
    }
    return status;
}

const char *const *weir_device_pairs_list(const weir_device_pairs *pairs)
{
    return (const char *const *)pairs->pairs;
}

void weir_device_pairs_free(weir_device_pairs *pairs)
{
    for (unsigned i = 0; i < pairs->n; i++) {
        free(pairs->pairs[i]);
    }
    *pairs = (weir_device_pairs){.n = 0};
}

weir_status weir_settings_open_source(const weir_settings *settings, const char *argument,
                                      bool retries, weir_source **out, weir_error *err)
{
    weir_source_options options;
    weir_device_pairs pairs;
    *out = NULL;
    weir_settings_source_options(settings, &options);
    const weir_source_class *class_ = weir_source_class_of(argument);
    pairs = (weir_device_pairs){.n = 0};
    weir_status status =
        class_ ? weir_device_pairs_make(&pairs, settings, class_, retries, err) : WEIR_OK;
    if (status == WEIR_OK) {
        options.device_options = weir_device_pairs_list(&pairs);
        status = weir_source_open(out, argument, &options, err);
    }
    weir_device_pairs_free(&pairs);
    return status;
}
