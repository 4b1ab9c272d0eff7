#include "app/device_pairs.h"

#include "base/text.h"

#include <assert.h>
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

weir_status weir_device_pairs_make(weir_device_pairs *pairs, const weir_settings *s, bool retries,
                                   weir_error *err)
{
    static const char *const direct[] = {"off", "I", "Q"};
    char ppm[40], bandwidth[40];
    weir_snprintf(ppm, sizeof ppm, "%.9g", s->device_ppm);
    weir_snprintf(bandwidth, sizeof bandwidth, "%.12g", s->tuner_bandwidth_hz);
    retries = s->on_loss == 2 || (s->on_loss == 0 && retries);
    const struct {
        const char *key;
        bool given;
        const char *value;
    } named[] = {
        {"gain", s->gain != NULL, s->gain},
        {"agc", s->agc, "on"},
        {"ppm", s->device_ppm != 0, ppm},
        {"bandwidth", s->tuner_bandwidth_hz != 0, bandwidth},
        {"bias-tee", s->bias_tee, "on"},
        {"direct-sampling", s->direct_sampling > 0, direct[s->direct_sampling]},
        {"offset-tuning", s->offset_tuning, "on"},
        {"antenna", s->antenna != NULL, s->antenna},
        {"on-loss", true, retries ? "retry" : "exit"},
    };
    weir_status status = WEIR_OK;
    *pairs = (weir_device_pairs){.n = 0};
    for (size_t i = 0; i < sizeof named / sizeof named[0] && status == WEIR_OK; i++) {
        if (named[i].given) {
            status = weir_device_pairs_add(pairs, named[i].key, named[i].value, err);
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
    weir_status status = weir_device_pairs_make(&pairs, settings, retries, err);
    if (status == WEIR_OK) {
        options.device_options = weir_device_pairs_list(&pairs);
        status = weir_source_open(out, argument, &options, err);
    }
    weir_device_pairs_free(&pairs);
    return status;
}
