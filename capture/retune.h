/* A change of setting while samples flow: what the thread that changes it tells the thread
 * that delivers the samples.
 *
 *   changing thread              delivering thread
 *   weir_retune_begin            weir_retune_start, before the first samples and after a loss
 *   (tells the device)           weir_retune_take, for every block: which of its samples are
 *   weir_retune_end              of the old setting, which of none, which of the new one
 *
 * Samples taken between begin and end, and the settling ones after it, are neither of the old
 * setting nor of the new one: they are dropped, counted as lost, and a new segment starts.
 * When samples were taken is known by capture/sample_clock.h, so that blocks that come late
 * are not taken for the new setting's.
 * Changing threads take turns by their own lock; take is lock-free and never waits.
 */
#ifndef WEIR_CAPTURE_RETUNE_H
#define WEIR_CAPTURE_RETUNE_H

#include "capture/absence.h"
#include "capture/sample_clock.h"
#include "capture/source.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct weir_retune {
    atomic_uint generation; /* odd: a change is going on         */
    atomic_uint arrived;    /* the one that samples have come of */
    /* Since then samples are spoilt, from then on they are good. */
    atomic_int_fast64_t begun_ns, good_ns;
    _Atomic double rate_hz, center_hz;
    /* The delivering thread's own. */
    weir_sample_clock clock;
    bool is_dropping;
    uint64_t spoilt; /* the first sample that is dropped */
} weir_retune;

/* Of one block, in this order: so many to keep, so many to drop; the rest is of the new
 * setting. A block with samples to keep has none of a new setting. */
typedef struct weir_retune_step {
    size_t keep, drop;
    bool changed; /* the rest, and what follows, has this rate and centre */
    double rate_hz, center_hz;
} weir_retune_step;

void weir_retune_begin(weir_retune *retune);
/* What holds from now on, and how long it takes until samples are good. */
void weir_retune_end(weir_retune *retune, double rate_hz, double center_hz, double settle_seconds);

void weir_retune_start(weir_retune *retune, double rate_hz);
weir_retune_step weir_retune_take(weir_retune *retune, size_t n_samples, int64_t now_ns);

/* For sources that are read (source.h): what the samples of the next read have before them. */
typedef struct weir_retune_marks {
    double rate_hz, center_hz;
    uint64_t lost;
    bool new_segment;
    uint64_t lost_after; /* behind the samples in hand: of the read after */
} weir_retune_marks;

/* n are missing before what comes next. */
void weir_retune_lost(weir_retune_marks *marks, uint64_t n_samples);
/* What is missing by now of a device that is away, and was not counted yet, is: n have just come.
 * Nothing missing is no gap. */
void weir_retune_absence(weir_retune_marks *marks, weir_absence *absence, uint64_t n_samples,
                         int64_t now_ns);
/* Takes out of n samples at memory what a change has spoilt; how many are left there. */
size_t weir_retune_cut(weir_retune *retune, weir_retune_marks *marks, void *memory,
                       size_t n_samples, size_t stride_bytes);
/* Reports n samples with their marks, which are then done with. */
void weir_retune_report(weir_retune_marks *marks, size_t n_samples, weir_read *result);

#endif
