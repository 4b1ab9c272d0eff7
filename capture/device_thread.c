#include "capture/device_thread.h"

#include <math.h>
#include <time.h>

#define STEP_NS 20000000

uint64_t weir_samples_in_ns(int64_t ns, double rate_hz)
{
    double samples = (double)ns * 1e-9 * rate_hz;
    return samples >= 1 && samples < 0x1p62 ? (uint64_t)llrint(samples) : 0;
}

bool weir_sleep_unless(const atomic_bool *stop, int64_t ns)
{
    int64_t end = weir_now_ns() + ns;
    for (int64_t left = ns; left > 0 && !atomic_load(stop); left = end - weir_now_ns()) {
        struct timespec step = {.tv_nsec = (long)(left < STEP_NS ? left : STEP_NS)};
        nanosleep(&step, NULL);
    }
    return !atomic_load(stop);
}

bool weir_stood_still(int64_t *last_ns, int64_t most_ns)
{
    int64_t before = *last_ns;
    *last_ns = weir_now_ns();
    return *last_ns - before > most_ns;
}
