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

/* What a device is set to, and how long samples are spoilt after a change. */
typedef struct weir_tuned {
    double rate_hz, center_hz;
    double settle_seconds;
} weir_tuned;

typedef struct weir_control {
    const weir_source *source; /* for errors */
    const weir_control_key *keys;
    pthread_mutex_t *lock; /* of the device between whoever reopens it and control */
    weir_retune *retune;
    const weir_tuned *tuned;              /* kept by the functions of keys */
    bool (*is_there)(const void *device); /* with the lock; false: lost at the moment */
} weir_control;

/* Also after a failure the samples around it are not to be trusted, and dropped. */
weir_status weir_control_change(const weir_control *control, void *device, const char *key,
                                double value, weir_error *err);

/* "gain 29.7 dB", or "automatic gain" for NAN: for the description of a device. */
const char *weir_gain_text(double gain_db, char text[32]);

#endif
