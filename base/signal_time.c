#include "base/signal_time.h"

#include <time.h>

#define AT_ONCE_NS 500000000

int64_t weir_signal_time_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

bool weir_signal_is_another(int64_t first_ns)
{
    return weir_signal_time_ns() - first_ns > AT_ONCE_NS;
}
