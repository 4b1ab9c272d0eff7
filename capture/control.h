/* Changes a setting of a device while its samples flow: finds the key, takes the device's lock,
 * and tells the delivering thread (capture/retune.h). For the `control` of a source.
 */
#ifndef WEIR_CAPTURE_CONTROL_H
#define WEIR_CAPTURE_CONTROL_H

#include "base/status.h"
#include "capture/retune.h"

#include <pthread.h>

/* Tells the device; called with the lock. */
typedef weir_status weir_control_set(void *device, double value, weir_error *err);

typedef struct weir_control_key {
    const char *key; /* as in weir_source_class.control; NULL ends a table */
    weir_control_set *set;
} weir_control_key;

typedef struct weir_control {
    const char *name; /* of the source, for errors */
    const weir_control_key *keys;
    pthread_mutex_t *lock; /* of the device between whoever reopens it and control */
    weir_retune *retune;
    /* With the lock: an error while the device is lost. */
    weir_status (*check)(const void *device, weir_error *err);
    /* With the lock, after a change: what holds now. */
    void (*state)(const void *device, double *rate_hz, double *center_hz, double *settle_seconds);
} weir_control;

/* Also after a failure the samples around it are not to be trusted, and dropped. */
weir_status weir_control_change(const weir_control *control, void *device, const char *key,
                                double value, weir_error *err);

#endif
