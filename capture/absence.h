/* A device that is away, in samples: what is missing is counted while it lasts, so that a duration
 * ends also when the device does not come back, and a stop finds it counted up to then.
 *
 *   weir_absence_begin    at the loss; again and again, if nothing came in between
 *   weir_absence_more     now and then, at the first samples, and at a stop: what to count now
 *   weir_absence_end      the first samples are there
 *
 * By the clock, so an estimate (capture/sample_clock.h). Pure functions over the caller's struct,
 * of one thread.
 */
#ifndef WEIR_CAPTURE_ABSENCE_H
#define WEIR_CAPTURE_ABSENCE_H

#include "capture/sample_clock.h"

#include <stdbool.h>

typedef struct weir_absence {
    int64_t since_ns;        /* 0: it is there                   */
    weir_sample_clock clock; /* as it was when the device was lost */
    uint64_t counted;        /* samples, so far                  */
} weir_absence;

/* The last samples came at since_ns. Nothing if it is away already. */
void weir_absence_begin(weir_absence *absence, const weir_sample_clock *clock, int64_t since_ns);
bool weir_absence_lasts(const weir_absence *absence);
/* What is missing until now and was not counted yet; n_samples have just come. 0 if it is there. */
uint64_t weir_absence_more(weir_absence *absence, uint64_t n_samples, int64_t now_ns);
void weir_absence_end(weir_absence *absence);

#endif
