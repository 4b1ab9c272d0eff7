/* The engine contract: raw samples in, averaged power spectra out.
 *
 * Two implementations: dsp/engine_cpu.c (FFTW) and cuda/engine_cuda.c. One suite
 * (tests/test_engine.c) holds both to this header.
 *
 * Frames and spectra. One frame is n_fft samples; the next starts hop samples
 * later (hop > n_fft skips samples: "sparse"). A frame never spans the end of a
 * segment (a gap, a retune, a loop seam: a run with `ends` set, or one whose
 * first_sample, rate or centre does not continue the last). frames_per_spectrum
 * frames make a spectrum; a segment's end closes an unfinished one as partial,
 * except that with frames_per_spectrum = 0 ("all") only a change of rate or centre,
 * or the flush, does, and gaps inside are counted in lost_inside.
 * An exponential average goes on over gaps, and starts anew at a change of axis.
 *
 * Same input, same numbers: results do not depend on thread count, on how the
 * stream is cut into runs, or on timing.
 *
 * Memory and threads. All calls come from one thread (the engine has its own
 * workers). create allocates everything; push and flush allocate nothing. The
 * callback runs on the calling thread, inside push or flush, in order.
 * The memory of a run is read in place; samples from *released on must stay
 * readable, unchanged and contiguous with what the next push shows.
 */
#ifndef WEIR_DSP_ENGINE_H
#define WEIR_DSP_ENGINE_H

#include "base/status.h"
#include "dsp/format.h"
#include "dsp/spectrum.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void weir_on_spectrum(void *user, const weir_spectrum *spectrum);

typedef enum weir_plan_effort {
    WEIR_PLAN_ESTIMATE,   /* at once; the same plan, and so the same bits, every time      */
    WEIR_PLAN_BACKGROUND, /* start with ESTIMATE, change to a measured plan when it is ready */
    WEIR_PLAN_MEASURE,    /* measure first (or take wisdom)                                */
} weir_plan_effort;

typedef struct weir_engine_config {
    weir_sample_format format;
    unsigned channel;             /* 0 .. format.channels - 1                       */
    size_t n_fft;                 /* >= 2                                           */
    size_t hop;                   /* >= 1                                           */
    const double *window;         /* n_fft coefficients; copied                     */
    uint64_t frames_per_spectrum; /* K >= 1, or 0: all frames until flush         */
    unsigned traces;              /* WEIR_TRACE_BIT()s; at least one                */
    double exponential_alpha;     /* 0: plain mean of K. (0, 1]: MEAN is E += alpha (P - E)
                                     for every frame, reported every K frames       */
    bool detrend;                 /* subtract each frame's mean before the window   */
    bool iq_swap;                 /* exchange I and Q                               */
    /* IQ imbalance of complex input, before iq_swap: x' = iq_matrix (x - iq_offset), in FS
     * (dsp/correct.h). A matrix of zeros: none. An engine without
     * it: WEIR_ERR_UNSUPPORTED. */
    double iq_matrix[2][2];
    double iq_offset[2];
    unsigned threads;        /* CPU: workers, 0 = one per core                 */
    weir_plan_effort plan;   /* CPU                                            */
    const char *wisdom_path; /* CPU; NULL: none is read or kept                */
    int device;              /* CUDA: device number                            */
    weir_on_spectrum *on_spectrum;
    /* CPU: asked between batches of frames, on the calling thread. From the first true on no
     * frame is transformed any more: what is pushed counts as tail and is released at once. May
     * be NULL: never. */
    bool (*gives_up)(void *user);
    void *user;
} weir_engine_config;

/* What is in memory now: everything not yet released, in one contiguous piece. */
typedef struct weir_run {
    const void *samples;   /* of all channels, interleaved                        */
    size_t n_samples;      /* per channel                                         */
    uint64_t first_sample; /* stream index of samples[0]                          */
    double rate_hz;        /* as the device chose                                 */
    double center_hz;
    uint64_t lost_before;          /* lost just before this segment's first sample; the same
                                      value in every run of the segment                    */
    uint64_t segment;              /* counts up by one at every gap, retune or seam        */
    bool ends;                     /* the segment ends after these samples                 */
    int64_t time_unix_ns;          /* label of the segment's first sample; INT64_MIN unknown */
    uint64_t segment_first_sample; /* stream index that time_unix_ns belongs to    */
} weir_run;

typedef struct weir_engine weir_engine;

/* Checks everything (WEIR_ERR_USAGE names the field) and allocates everything. */
weir_status weir_engine_cpu_create(weir_engine **out, const weir_engine_config *config,
                                   weir_error *err);

/* Transforms every frame that lies whole in the run, beginning where the last push
 * left off. *released gets how many samples from run->samples on are no longer
 * needed (0 .. n_samples): with `ends`, all of them once work on them is done. An
 * asynchronous engine may release later; push the same run again (with more, or
 * nothing, added) until it does. Never waits for samples; may wait for its workers. */
weir_status weir_engine_push(weir_engine *engine, const weir_run *run, size_t *released,
                             weir_error *err);

/* True while a push released less than it could because work is in flight. */
bool weir_engine_busy(const weir_engine *engine);

/* Ends the stream: finishes all work, delivers a partial spectrum if there is one.
 * lost_at_end: lost after the last sample pushed. Afterwards totals balance. */
weir_status weir_engine_flush(weir_engine *engine, uint64_t lost_at_end, weir_error *err);

/* How far an engine had come when it failed, so that another can go on with nothing lost: from
 * the first sample that no push released, with what the unfinished spectrum holds.
 * Lines are in the order and scale of a spectrum's power, and NULL for traces not
 * asked for; mean is the sum over the frames (exponential: the average). They mean
 * nothing where the framer has neither an open spectrum nor an average. */
struct weir_framer;
typedef struct weir_engine_state {
    const struct weir_framer *framer; /* dsp/framer.h */
    const double *mean;
    const float *max, *min;
    weir_sample_counts counts; /* of the unfinished spectrum */
} weir_engine_state;

/* After push or flush has returned WEIR_ERR_DEVICE; valid until destroy. NULL from an engine
 * that cannot tell. */
const weir_engine_state *weir_engine_state_after_failure(const weir_engine *engine);

/* An engine that goes on where another of the same config failed. Push it everything from
 * the first sample not released on; its totals are those of both. */
weir_status weir_engine_cpu_resume(weir_engine **out, const weir_engine_config *config,
                                   const weir_engine_state *state, weir_error *err);

/* Valid at any time from the calling thread; balanced after flush. */
void weir_engine_totals(const weir_engine *engine, weir_totals *totals);

/* "CPU, 2 threads, AVX-512" or "NVIDIA H200 (device 0)". */
const char *weir_engine_describe(const weir_engine *engine);

/* NULL does nothing. Without flush, unfinished spectra are dropped silently. */
void weir_engine_destroy(weir_engine *engine);

/* For implementations: what every engine demands of a config (WEIR_ERR_USAGE names the
 * field and says what would be right). */
#define WEIR_MAX_FFT ((size_t)1 << 28)
#define WEIR_MAX_HOP ((size_t)1 << 40)
weir_status weir_engine_check_config(const weir_engine_config *config, weir_error *err);
/* True if iq_matrix or iq_offset ask for anything: for complex input only. */
bool weir_engine_corrects_iq(const weir_engine_config *config);

/* For implementations: the first member of every engine object. */
typedef struct weir_engine_class {
    const char *name;
    weir_status (*push)(weir_engine *, const weir_run *, size_t *released, weir_error *);
    bool (*busy)(const weir_engine *);
    weir_status (*flush)(weir_engine *, uint64_t lost_at_end, weir_error *);
    void (*totals)(const weir_engine *, weir_totals *);
    const char *(*describe)(const weir_engine *);
    void (*destroy)(weir_engine *);
    const weir_engine_state *(*state)(const weir_engine *); /* NULL: none */
} weir_engine_class;

struct weir_engine {
    const weir_engine_class *class_;
};

#endif
