/* The framer: which frames start where, which belong to which spectrum, and what
 * becomes of every sample. The bookkeeping common to all engines, without arithmetic
 * on samples: it never looks at them.
 *
 *     weir_framer_push(framer, run, err);
 *     while (weir_framer_next(framer, &piece)) { ... transform, or queue ... }
 *     released = min(first sample of the oldest unfinished piece,
 *                    weir_framer_needed_from(framer)) - run->first_sample;
 *
 * The frames of a spectrum are numbered from 0 and cut into blocks of block_frames
 * (the last block of a spectrum and the last one before a gap may be shorter). Blocks
 * lie the same however the stream is cut into runs, so an engine that sums frames in
 * order within a block, and blocks in order, gives the same bits for every cutting. A
 * piece is a block or, with whole_blocks off, as much of the rest of it as is there.
 *
 * With whole_blocks, memory must hold n_fft + (block_frames - 1) * hop samples before
 * a block can go, so choose block_frames accordingly. Not thread-safe; one engine, one
 * thread. Only create allocates.
 */
#ifndef WEIR_DSP_FRAMER_H
#define WEIR_DSP_FRAMER_H

#include "base/status.h"
#include "dsp/engine.h"
#include "dsp/spectrum.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct weir_framer weir_framer;

/* Consecutive frames of one spectrum and one segment; frame i begins at stream
 * index first_sample + i * hop. */
typedef struct weir_piece {
    uint64_t first_sample;
    size_t n_frames;       /* 0: only ends_spectrum (or nothing new) is said             */
    uint64_t first_frame;  /* number of its first frame within the spectrum              */
    bool begins_spectrum;  /* first_frame is 0                                           */
    bool begins_block;     /* a new partial sum; otherwise it goes on with the last one  */
    bool ends_block;       /* the partial sum is complete (also in a piece of 0 frames)  */
    bool ends_spectrum;    /* the spectrum is complete after this piece: deliver it      */
    bool restarts_average; /* exponential: forget the past; the first frame is the average */
    /* Samples first covered: in frame 0 of the piece its last n_new_first, in the others
     * their last n_new_each. These are the ones to count clipping in, once. */
    size_t n_new_first;
    size_t n_new_each;
    /* All but power[], clipped and nonfinite; as far as known after this piece, so final
     * when ends_spectrum. */
    weir_spectrum spectrum;
} weir_piece;

/* config must have passed weir_engine_check_config; nothing of it is kept but numbers. */
weir_status weir_framer_create(weir_framer **out, const weir_engine_config *config,
                               size_t block_frames, bool whole_blocks, weir_error *err);
void weir_framer_destroy(weir_framer *framer);

/* Makes `to` go on where `from` is, so that what one engine could not finish another can do:
 * both made for the same config, but each cuts blocks its own way; those of `to` begin
 * anew here. Without allocation. */
void weir_framer_copy(weir_framer *to, const weir_framer *from);
/* Frames that the unfinished spectrum has; 0: there is none. */
uint64_t weir_framer_open_frames(const weir_framer *framer);
/* Exponential: false until a frame has begun the average that goes on. */
bool weir_framer_has_average(const weir_framer *framer);

/* Takes note of what is in memory now. A run continues the last one if its segment,
 * rate and centre are the same, it begins at or before needed_from and nothing seen
 * is missing at its end; the same run may be pushed again. A run that does not continue
 * begins a segment; samples of an older one that no piece covered yet become its tail.
 * Every piece must have been taken before the next segment is pushed.
 * WEIR_ERR_USAGE: impossible rate or centre. WEIR_ERR_INTERNAL: samples of this segment
 * that are still needed are gone. */
weir_status weir_framer_push(weir_framer *framer, const weir_run *run, weir_error *err);

/* No more runs: the last segment and spectrum end, lost_at_end is booked. Pieces that
 * were held back for whole_blocks come out now, so the last run must still be readable. A
 * second flush, with no run pushed between, does nothing. */
void weir_framer_flush(weir_framer *framer, uint64_t lost_at_end);

/* No frame comes out any more: what no piece has covered yet, and what is still pushed, becomes
 * the tail of its segment. Losses are booked as before; the open spectrum ends as ever. */
void weir_framer_give_up(weir_framer *framer);

/* The next piece of work, in order; false when there is none now. Books its samples. */
bool weir_framer_next(weir_framer *framer, weir_piece *piece);

/* No sample before this stream index will be in a later piece; never beyond the end
 * of the last run. */
uint64_t weir_framer_needed_from(const weir_framer *framer);

/* The engine reports the counts of the samples it was told to count. */
void weir_framer_add_counts(weir_framer *framer, uint64_t clipped, uint64_t nonfinite);

/* Everything booked so far. n_gaps: segments with samples lost before them, and one
 * for losses at the end. In flight = received - transformed - skipped - lost - tail. */
void weir_framer_totals(const weir_framer *framer, weir_totals *totals);

#endif
