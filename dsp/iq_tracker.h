/* IQ imbalance that is followed while samples pass: a correction that drifts with the receiver.
 *
 * Blocks of a fixed number of samples. Over each of them the correction goes in a straight
 * line from the one before it to the one that all blocks before it ask for (dsp/correct.h),
 * older ones counting less by exp(-t/seconds). So it never jumps, delays nothing, and
 * depends on the samples and where they begin alone: neither on how they are cut into calls
 * nor on when.
 *
 *   accuracy  image rejection of about 10 log10(4 seconds rate) dB in noise, 3 dB more for
 *             each doubling of the time; better for signals that are steady
 *   lag       seconds (and half a block) behind a steady drift
 *
 * A plain value, of one thread; nothing allocates. A sweep keeps one for each tuning, since
 * imbalance changes with frequency.
 */
#ifndef WEIR_DSP_IQ_TRACKER_H
#define WEIR_DSP_IQ_TRACKER_H

#include "dsp/correct.h"

#define WEIR_IQ_TRACK_SECONDS 10.0 /* unless told otherwise */

typedef struct weir_iq_tracker {
    weir_iq_correction now;  /* at the last sample of the block before this one */
    weir_iq_correction next; /* likewise of this block                          */
    weir_iq_stats past;      /* of the blocks before, faded                     */
    weir_iq_stats block;     /* of this one so far                              */
    size_t block_samples;    /* 0: the correction stays as it is                */
    size_t at;               /* samples of this block so far                    */
    double keep;             /* what a block leaves of those before             */
} weir_iq_tracker;

/* A correction that stays. */
void weir_iq_tracker_fix(weir_iq_tracker *tracker, const weir_iq_correction *correction);
/* One that is followed. seen: what is known beforehand, which counts as so many samples of the
 * past; NULL: nothing, and the first block is left as it is. rate_hz, seconds > 0. */
void weir_iq_tracker_follow(weir_iq_tracker *tracker, const weir_iq_stats *seen, double rate_hz,
                            double seconds);

/* A gap, or samples from another place: a block begins. tuned_elsewhere: what is known counts
 * little from here on. */
void weir_iq_tracker_begin(weir_iq_tracker *tracker, bool tuned_elsewhere);

/* Corrects n complex samples in place. */
void weir_iq_tracker_apply(weir_iq_tracker *tracker, float *samples, size_t n_samples);

#endif
