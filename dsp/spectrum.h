/* A spectrum: what an engine hands out, and all that anything after it needs.
 *
 * Everything downstream (dB, units, bands, peaks, masks, colours) is a function
 * of this. Borrowed: valid only during the callback that delivers it; copy what
 * must live longer.
 *
 * Power is linear, in full-scale squared ("FS^2", mean square), spectrum scaling:
 *     power[k] = mean over frames of |X_k|^2 / (sum w)^2, doubled for real input at
 *     every bin but DC and, for even N, N/2
 * which is scipy.signal.welch(scaling='spectrum'). A real sine of amplitude 1 reads
 * 0.5, a complex tone of amplitude 1 reads 1.0: full_scale_power, the 0 dBFS level.
 * Density (FS^2/Hz) is power[k] / (enbw_bins * bin_hz).
 *
 * Bins ascend in frequency: start_hz + k * bin_hz. Complex: N bins from
 * center - floor(N/2) * bin_hz. Real: floor(N/2) + 1 bins from 0 (+ center).
 */
#ifndef WEIR_DSP_SPECTRUM_H
#define WEIR_DSP_SPECTRUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum weir_trace {
    WEIR_TRACE_MEAN, /* mean power, or the exponential average when that is on */
    WEIR_TRACE_MAX,
    WEIR_TRACE_MIN,
    WEIR_TRACE_COUNT
} weir_trace;

#define WEIR_TRACE_BIT(trace) (1u << (trace))

/* Bins that were not measured but drawn between their neighbours, where a receiver's DC is: runs
 * from low_hz to high_hz (centres of the first bin and the last), the next ones step_hz further
 * each, as in a sweep's tunings. n_runs 0: none. The last may reach beyond the spectrum. */
typedef struct weir_made_up {
    double low_hz, high_hz, step_hz;
    size_t n_runs;
} weir_made_up;

typedef struct weir_spectrum {
    const float *power[WEIR_TRACE_COUNT]; /* n_bins each; NULL if not asked for */
    size_t n_bins;
    double start_hz; /* centre of bin 0, absolute */
    double bin_hz;   /* step = rate / N           */
    double rate_hz;
    double center_hz;
    double enbw_bins;
    double coherent_gain;
    double full_scale_power; /* 0.5 real, 1.0 complex: 0 dBFS */

    uint64_t index;        /* 0, 1, 2 ... of the engine                        */
    uint64_t first_sample; /* of the first frame, in the stream                */
    uint64_t end_sample;   /* one past the last frame's last sample            */
    uint64_t n_frames;     /* transforms used                                  */
    uint64_t lost_before;  /* samples lost since the previous spectrum's end   */
    uint64_t lost_inside;  /* samples lost between its frames                  */
    uint64_t clipped;      /* of the samples first covered by these frames     */
    uint64_t nonfinite;    /* likewise                                         */
    int64_t time_unix_ns;  /* wall-clock label of first_sample; INT64_MIN unknown */
    bool is_partial;       /* fewer frames than asked: a gap, retune or the end */
    weir_made_up made_up;  /* none in what an engine hands out                 */
} weir_spectrum;

static inline bool weir_spectrum_same_axis(const weir_spectrum *a, const weir_spectrum *b)
{
    return a->n_bins == b->n_bins && a->start_hz == b->start_hz && a->bin_hz == b->bin_hz;
}

/* Every sample, accounted for:
 * received = transformed + skipped + lost + tail (+ in flight while running). */
typedef struct weir_totals {
    uint64_t received;    /* delivered by the source or reported lost by it   */
    uint64_t transformed; /* covered by at least one frame                    */
    uint64_t skipped;     /* passed over on purpose, hop > N ("sparse")       */
    uint64_t lost;        /* never arrived: overruns, gaps in the recording   */
    uint64_t tail;        /* left at the end of a segment: no frame had them  */
    uint64_t clipped;
    uint64_t nonfinite;
    uint64_t n_frames;
    uint64_t n_spectra;
    uint64_t n_gaps;
} weir_totals;

/* True if the identity above holds with nothing in flight. */
static inline bool weir_totals_balance(const weir_totals *t)
{
    return t->received == t->transformed + t->skipped + t->lost + t->tail;
}

static inline void weir_totals_add(weir_totals *sum, const weir_totals *part)
{
    sum->received += part->received;
    sum->transformed += part->transformed;
    sum->skipped += part->skipped;
    sum->lost += part->lost;
    sum->tail += part->tail;
    sum->clipped += part->clipped;
    sum->nonfinite += part->nonfinite;
    sum->n_frames += part->n_frames;
    sum->n_spectra += part->n_spectra;
    sum->n_gaps += part->n_gaps;
}

#endif
