#include "capture/control.h"

#include <string.h>

static weir_status change(const weir_control *c, weir_control_set *set, void *device, double value,
                          weir_error *err)
{
    double rate_hz, center_hz, settle_seconds;
    weir_status status = c->check(device, err);
    if (status != WEIR_OK) {
        return status;
    }
    weir_retune_begin(c->retune);
    status = set(device, value, err);
    c->state(device, &rate_hz, &center_hz, &settle_seconds);
    weir_retune_end(c->retune, rate_hz, center_hz, settle_seconds);
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
                         control->name, key);
    }
    pthread_mutex_lock(control->lock);
    weir_status status = change(control, at->set, device, value, err);
    pthread_mutex_unlock(control->lock);
    return status;
}
