#include "capture/sample_clock.h"

#include "capture/device_thread.h"

#include <math.h>

#define WINDOW_NS 4000000000
#define NONE INT64_MAX

void weir_sample_clock_start(weir_sample_clock *clock, double rate_hz)
{
    *clock = (weir_sample_clock){.rate_hz = rate_hz, .origin_ns = {NONE, NONE}};
}

void weir_sample_clock_lost(weir_sample_clock *clock, uint64_t n_samples)
{
    clock->n_samples += n_samples;
}

void weir_sample_clock_arrived(weir_sample_clock *clock, uint64_t n_samples, int64_t now_ns)
{
    clock->n_samples += n_samples;
    int64_t origin_ns = now_ns - llrint((double)clock->n_samples / clock->rate_hz * 1e9);
    if (now_ns - clock->window_ns > WINDOW_NS) {
        clock->origin_ns[0] = clock->origin_ns[1];
        clock->origin_ns[1] = NONE;
        clock->window_ns = now_ns;
    }
    clock->origin_ns[1] = origin_ns < clock->origin_ns[1] ? origin_ns : clock->origin_ns[1];
}

static int64_t earliest_ns(const weir_sample_clock *clock)
{
    const int64_t *origin = clock->origin_ns;
    return origin[0] < origin[1] ? origin[0] : origin[1];
}

bool weir_sample_clock_runs(const weir_sample_clock *clock)
{
    return earliest_ns(clock) != NONE;
}

uint64_t weir_sample_clock_missing(const weir_sample_clock *clock, uint64_t n_samples,
                                   int64_t now_ns)
{
    uint64_t due = weir_sample_clock_at(clock, now_ns), there = clock->n_samples + n_samples;
    return due > there ? due - there : 0;
}

uint64_t weir_sample_clock_at(const weir_sample_clock *clock, int64_t time_ns)
{
    return weir_sample_clock_runs(clock)
               ? weir_samples_in_ns(time_ns - earliest_ns(clock), clock->rate_hz)
               : clock->n_samples;
}
