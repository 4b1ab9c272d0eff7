#include "capture/control.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

static weir_status change(const weir_control *c, weir_control_set *set, void *device, double value,
                          weir_error *err)
{
    if (!c->is_there(device)) {
        return weir_fail(err, WEIR_ERR_DEVICE, "%s: the device is lost at the moment",
                         c->source->info.name);
    }
    weir_retune_begin(c->retune);
    weir_status status = set(device, value, err);
    const weir_tuned *now = c->tuned;
    weir_retune_end(c->retune, now->rate_hz, now->center_hz, now->settle_seconds);
    return status;
}

weir_status weir_control_change(const weir_control *control, void *device, const char *key,
                                double value, weir_error *err)
{
    const weir_control_key *at = control->keys;
    while (at->key && strcmp(at->key, key) != 0) {
        at++;
    }
    if (!at->key) {
        return weir_fail(err, WEIR_ERR_USAGE, "%s: \"%s\" cannot be changed while it runs",
                         control->source->class_->name, key);
    }
    pthread_mutex_lock(control->lock);
    weir_status status = change(control, at->set, device, value, err);
    pthread_mutex_unlock(control->lock);
    return status;
}

const char *weir_gain_text(double gain_db, char text[32])
{
    weir_snprintf(text, 32, "gain %.1f dB", gain_db);
    return isnan(gain_db) ? "automatic gain" : text;
}
