#include "base/signal_time.h"
#include "base/clock.h"

#define AT_ONCE_NS 500000000

bool weir_signal_is_another(int64_t first_ns)
{
    return weir_now_ns() - first_ns > AT_ONCE_NS;
}
