/* What durations and deadlines are measured with: CLOCK_MONOTONIC, which nobody sets. Its zero is
 * anywhere; for the time of day see capture/utc.h.
 *
 * Any thread, and signal handlers. No system call on Linux, so also where none are allowed (a
 * device's callback).
 */
#ifndef WEIR_BASE_CLOCK_H
#define WEIR_BASE_CLOCK_H

#include <stdint.h>

int64_t weir_now_ns(void);
double weir_now_seconds(void);

#endif
