#include "capture/absence.h"

#include "capture/device_thread.h"

void weir_absence_begin(weir_absence *absence, const weir_sample_clock *clock, int64_t since_ns)
{
    if (!weir_absence_lasts(absence)) {
        *absence = (weir_absence){.since_ns = since_ns, .clock = *clock};
    }
}

bool weir_absence_lasts(const weir_absence *absence)
{
    return absence->since_ns != 0;
}

/* All that is missing until now. */
static uint64_t missing(const weir_absence *absence, uint64_t n_samples, int64_t now_ns)
{
    if (weir_sample_clock_runs(&absence->clock)) {
        return weir_sample_clock_missing(&absence->clock, n_samples, now_ns);
    }
    /* It was lost before it had begun, in the midst of its first tuning, or has no clock. */
    uint64_t due = weir_samples_in_ns(now_ns - absence->since_ns, absence->clock.rate_hz);
    return due > n_samples ? due - n_samples : 0;
}

uint64_t weir_absence_more(weir_absence *absence, uint64_t n_samples, int64_t now_ns)
{
    if (!weir_absence_lasts(absence)) {
        return 0;
    }
    uint64_t all = missing(absence, n_samples, now_ns);
    uint64_t more = all > absence->counted ? all - absence->counted : 0;
    absence->counted += more;
    return more;
}

void weir_absence_end(weir_absence *absence)
{
    absence->since_ns = 0;
}
