/* When samples were taken, by when they arrived.
 *
 * Samples come in blocks, some of them late: the machine was busy, or a network. What came
 * with the least delay says when the others were taken, since they are taken at an even pace.
 * The least delay itself is not known: all are dated late by it. It is looked for in the last
 * 4 to 8 s, so that a device whose rate is a little off, or that lost samples unseen, is
 * dated right again after that.
 *
 * Pure functions over the caller's struct; weir_now_ns's times.
 */
#ifndef WEIR_CAPTURE_SAMPLE_CLOCK_H
#define WEIR_CAPTURE_SAMPLE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct weir_sample_clock {
    double rate_hz;
    uint64_t n_samples;   /* so far                                                         */
    int64_t origin_ns[2]; /* when sample 0 was taken, by what arrived before and since then: */
    int64_t window_ns;
} weir_sample_clock;

void weir_sample_clock_start(weir_sample_clock *clock, double rate_hz);
/* n more have arrived, the last of them now. */
void weir_sample_clock_arrived(weir_sample_clock *clock, uint64_t n_samples, int64_t now_ns);
/* Samples have arrived. Before, it knows of no time, whatever was lost. */
bool weir_sample_clock_runs(const weir_sample_clock *clock);
/* n are missing before those that arrive next. */
void weir_sample_clock_lost(weir_sample_clock *clock, uint64_t n_samples);
/* How many are missing before n that have just come, of those taken until now: an estimate, too
 * high by what these are late. 0 before the first have arrived. */
uint64_t weir_sample_clock_missing(const weir_sample_clock *clock, uint64_t n_samples,
                                   int64_t now_ns);
/* Which sample was taken at a time, counted from the start; the last one if none arrived. */
uint64_t weir_sample_clock_at(const weir_sample_clock *clock, int64_t time_ns);

#endif
