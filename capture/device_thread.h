/* What the threads of live devices have in common. Internal to capture/. */
#ifndef WEIR_CAPTURE_DEVICE_THREAD_H
#define WEIR_CAPTURE_DEVICE_THREAD_H

#include "base/clock.h"
#include "base/thread.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Samples that pass in a time; 0 for none or a negative one. */
uint64_t weir_samples_in_ns(int64_t ns, double rate_hz);

/* Sleeps in steps of at most 20 ms; false as soon as *stop is set. */
bool weir_sleep_unless(const atomic_bool *stop, int64_t ns);

/* For a watchdog that looks every 20 ms or so: whether more than most_ns passed since it looked
 * last, at *last_ns, which is then now. So the process stood still (Ctrl-Z, a debugger), and that
 * nothing came meanwhile says nothing of the device. */
bool weir_stood_still(int64_t *last_ns, int64_t most_ns);

#endif
