/* The CUDA engine: the framer's pieces, gathered into batches for the GPU's pipeline.
 *
 * A batch is consecutive blocks of frames of one segment, perhaps with the end of a
 * spectrum after them. The framer keeps blocks whole, so every sum is made of the same
 * blocks in the same order however the stream is cut. Three ways to a spectrum:
 *
 *   direct   mean of at most a block of frames: the kernels' row is the spectrum
 *   long     mean of more: rows of blocks are added up in double
 *   lines    anything else: a row a frame, reduced bin by bin
 *
 * Batches adapt: what is there goes at once, in pieces of a third (so that copies and
 * kernels overlap) of at most BATCH_BYTES, or more for large transforms. A small batch alone is
 * waited for: that is quicker than coming back for it.
 *
 * Samples are released when the batch they belong to has come back, with what it left of an
 * unfinished spectrum, not when they have been copied: if the GPU fails, another engine can
 * go on from the first unreleased sample and those sums, with the framer as it was
 * before the oldest batch that did not come back. */
#include "cuda/engine_cuda.h"

#include "cuda/pipeline.h"
#include "dsp/framer.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_BYTES ((size_t)8 << 20)
#define LARGEST_BATCH_BYTES ((size_t)32 << 20)
#define LEAST_BATCH_BYTES ((size_t)256 << 10)
#define WAITED_BYTES ((size_t)64 << 10)
#define RESULT_BYTES ((size_t)16 << 20)
#define ROW_BYTES ((size_t)64 << 20)
/* Of the stream, in a block of more than a frame: 16 frames of 8192 points with 50 % overlap,
 * or three transforms. The caller's ring must hold a block (engine_cuda.h). */
#define BLOCK_SAMPLES ((size_t)72 << 10)
enum { BLOCK_TRANSFORMS = 3 };
enum { SHORT_BLOCK_FRAMES = 16, LONG_BLOCK_FRAMES = 64, MAX_PIECES = 8192 };

/* A spectrum that a batch ends: what to deliver when it comes back. */
typedef struct entry {
    weir_spectrum spectrum;
    size_t rows_end;           /* rows of the batch that belong to it or earlier ones */
    weir_sample_counts counts; /* those the GPU does not count                        */
} entry;

typedef struct batch {
    weir_gpu_work work;
    weir_framer *before; /* the framer, when the batch was begun */
    entry *entries;
    size_t n_entries, n_rows, n_samples;
    weir_sample_counts host_counts; /* of rows after the last entry */
    uint64_t first_sample, segment; /* what it still needs of the caller's memory */
    bool closed;                    /* nothing may follow in this batch           */
    bool whole;                     /* its last piece ended a spectrum            */
} batch;

typedef struct cuda_engine {
    weir_engine base;
    weir_sample_format format;
    unsigned channel;
    int device;
    size_t n_fft, hop, device_hop, sample_bytes, stride_bytes;
    uint64_t frames_per_spectrum;
    bool direct, as_is, has_average;
    size_t block_frames, max_samples, max_rows, max_spectra;
    weir_on_spectrum *on_spectrum;
    void *user;

    weir_framer *framer;
    weir_gpu_pipeline *pipeline;
    batch batches[WEIR_GPU_SLOTS];
    unsigned oldest; /* batch in flight */
    entry *entries;

    weir_run run; /* the last one */
    bool has_run;
    uint64_t on_device_end, on_device_segment; /* samples already there */
    weir_sample_counts counts;                 /* of the spectrum at hand */
    weir_error failure;
    const batch *unsent; /* the batch that could not be submitted */
    weir_framer *state_framer;
    weir_engine_state state; /* after a failure */
    char description[512];
} cuda_engine;

/* ---- results ---- */

/* Adds up what was counted in rows from .. end-1, and on the host. */
static void take_counts(cuda_engine *e, const weir_gpu_result *result, size_t from, size_t end,
                        weir_sample_counts counts)
{
    for (size_t row = from; e->as_is && row < end; row++) {
        counts.clipped += result->counts[2 * row];
        counts.nonfinite += result->counts[2 * row + 1];
    }
    e->counts.clipped += counts.clipped;
    e->counts.nonfinite += counts.nonfinite;
    weir_framer_add_counts(e->framer, counts.clipped, counts.nonfinite);
}

static void deliver(cuda_engine *e, const batch *b, const weir_gpu_result *result)
{
    size_t row = 0;
    for (size_t i = 0; i < b->n_entries; i++) {
        entry *it = &b->entries[i];
        size_t line = e->direct ? it->rows_end - 1 : i;
        take_counts(e, result, row, it->rows_end, it->counts);
        row = it->rows_end;
        for (int t = 0; t < WEIR_TRACE_COUNT; t++) {
            const float *lines = result->lines[t];
            it->spectrum.power[t] = lines ? lines + line * it->spectrum.n_bins : NULL;
        }
        it->spectrum.clipped = e->counts.clipped;
        it->spectrum.nonfinite = e->counts.nonfinite;
        e->counts = (weir_sample_counts){0, 0};
        e->on_spectrum(e->user, &it->spectrum);
    }
    take_counts(e, result, row, b->n_rows, b->host_counts);
}

/* Delivers what is done; with `wait`, at least the oldest batch. */
static weir_status take_results(cuda_engine *e, bool wait, weir_error *err)
{
    while (weir_gpu_pipeline_in_flight(e->pipeline) > 0) {
        bool done = false;
        weir_gpu_result result;
        weir_status status = weir_gpu_pipeline_poll(e->pipeline, wait, &done, &result, err);
        if (status || !done) {
            return status;
        }
        deliver(e, &e->batches[e->oldest], &result);
        weir_gpu_pipeline_retire(e->pipeline);
        e->oldest = (e->oldest + 1) % WEIR_GPU_SLOTS;
        wait = false;
    }
    return WEIR_OK;
}

/* ---- batches ---- */

static bool counts_as_endless(const cuda_engine *e)
{
    return e->frames_per_spectrum == 0 || e->frames_per_spectrum > INT32_MAX;
}

static bool has_room(const cuda_engine *e, const batch *b, size_t limit)
{
    if (b->closed) {
        return false;
    }
    if (b->n_rows == 0) {
        return true;
    }
    return b->n_samples + e->block_frames * e->device_hop <= limit && b->n_rows < e->max_rows &&
           b->work.n_spectra + 1 < e->max_spectra; /* one may have to be closed, too */
}

/* The first frames of a batch say where it begins. */
static void begin_rows(cuda_engine *e, batch *b, const weir_piece *piece, const weir_run *run)
{
    weir_gpu_work *w = &b->work;
    bool goes_on = e->on_device_segment == run->segment && e->on_device_end > piece->first_sample;
    w->n_kept = goes_on ? (size_t)(e->on_device_end - piece->first_sample) : 0;
    w->n_new_first = piece->n_new_first;
    w->phase = piece->first_frame;
    w->row_phase = (uint32_t)((piece->first_frame + e->block_frames - 1) / e->block_frames);
    if (counts_as_endless(e)) {
        w->row_phase = piece->first_frame > 0;
    }
    w->restart = piece->restarts_average;
    b->first_sample = piece->first_sample;
    b->segment = run->segment;
    size_t from = (size_t)(piece->first_sample - run->first_sample) + w->n_kept;
    w->source = (weir_gpu_source){
        .samples = (const char *)run->samples + from * e->stride_bytes,
        .n_samples = e->n_fft - w->n_kept,
        .n_pieces = 1,
        .piece_step = e->hop,
        .format = &e->format,
        .channel = e->channel,
        .as_is = e->as_is,
    };
}

static void add_frames(cuda_engine *e, batch *b, const weir_piece *piece, const weir_run *run)
{
    weir_gpu_work *w = &b->work;
    if (b->n_rows == 0) {
        begin_rows(e, b, piece, run);
    }
    w->n_frames += (uint32_t)piece->n_frames;
    if (e->hop > e->n_fft) {
        w->source.n_pieces = w->n_frames;
    } else {
        w->source.n_samples = e->n_fft - w->n_kept + (w->n_frames - 1) * e->hop;
    }
    b->n_samples = w->source.n_samples * w->source.n_pieces;
    b->n_rows++;
    e->on_device_end = piece->first_sample + (piece->n_frames - 1) * e->hop + e->n_fft;
    e->on_device_segment = run->segment;
}

static void count_on_host(const cuda_engine *e, const weir_piece *piece, const weir_run *run,
                          weir_sample_counts *counts)
{
    for (size_t i = 0; i < piece->n_frames; i++) {
        size_t n_new = i == 0 ? piece->n_new_first : piece->n_new_each;
        uint64_t first = piece->first_sample + i * e->hop + e->n_fft - n_new;
        size_t from = (size_t)(first - run->first_sample);
        weir_format_count(&e->format, e->channel,
                          (const char *)run->samples + from * e->stride_bytes, n_new, counts);
    }
}

static void add_piece(cuda_engine *e, batch *b, const weir_piece *piece, const weir_run *run)
{
    bool has_row = piece->n_frames > 0;
    if (has_row) {
        add_frames(e, b, piece, run);
        if (!e->as_is) {
            count_on_host(e, piece, run, &b->host_counts);
        }
    }
    b->whole = piece->ends_spectrum;
    b->work.n_spectra += e->direct ? has_row : piece->ends_spectrum;
    if (!piece->ends_spectrum) {
        return;
    }
    entry *it = &b->entries[b->n_entries++];
    it->spectrum = piece->spectrum;
    it->rows_end = b->n_rows;
    it->counts = b->host_counts;
    b->host_counts = (weir_sample_counts){0, 0};
    if (!has_row || counts_as_endless(e)) {
        b->work.close_frames = e->direct ? 0 : piece->spectrum.n_frames;
        b->closed = true;
    }
}

/* A third of what there is, within bounds. */
static size_t samples_at_once(const cuda_engine *e, const weir_run *run)
{
    size_t third = run->n_samples / 3, least = LEAST_BATCH_BYTES / e->sample_bytes;
    size_t wanted = third > least ? third : least;
    return wanted < e->max_samples ? wanted : e->max_samples;
}

/* Pieces until the framer has no more or the batch is full. False: there were none. */
static bool collect(cuda_engine *e, batch *b, const weir_run *run)
{
    size_t limit = samples_at_once(e, run);
    weir_piece piece;
    weir_framer_copy(b->before, e->framer);
    b->work = (weir_gpu_work){.n_frames = 0};
    b->n_entries = b->n_rows = b->n_samples = 0;
    b->host_counts = (weir_sample_counts){0, 0};
    b->first_sample = UINT64_MAX;
    b->segment = 0;
    b->closed = false;
    b->whole = true;
    bool any = false;
    while (has_room(e, b, limit) && weir_framer_next(e->framer, &piece)) {
        add_piece(e, b, &piece, run);
        any = true;
    }
    /* A row and the end of its spectrum must not part: a short last block is followed by
     * a piece that only ends the spectrum. */
    while (e->direct && !b->whole && weir_framer_next(e->framer, &piece)) {
        add_piece(e, b, &piece, run);
    }
    b->work.leaves_sums = !e->direct && (e->has_average || weir_framer_open_frames(e->framer) > 0);
    return any;
}

static weir_status work(cuda_engine *e, const weir_run *run, weir_error *err)
{
    weir_status status = take_results(e, false, err);
    while (!status) {
        unsigned in_flight = weir_gpu_pipeline_in_flight(e->pipeline);
        if (in_flight == WEIR_GPU_SLOTS) {
            status = take_results(e, true, err);
            continue;
        }
        batch *b = &e->batches[(e->oldest + in_flight) % WEIR_GPU_SLOTS];
        if (!collect(e, b, run)) {
            break;
        }
        status = weir_gpu_pipeline_submit(e->pipeline, &b->work, err);
        e->unsent = status ? b : NULL;
        bool alone = in_flight == 0 && b->n_samples * e->sample_bytes <= WAITED_BYTES;
        if (!status) {
            status = take_results(e, alone, err);
        }
    }
    return status;
}

/* ---- the contract ---- */

/* The oldest sample that some unfinished work stands on. */
static uint64_t needed_from(const cuda_engine *e, const weir_run *run)
{
    uint64_t needed = weir_framer_needed_from(e->framer);
    unsigned in_flight = weir_gpu_pipeline_in_flight(e->pipeline);
    for (unsigned i = 0; i < in_flight; i++) {
        const batch *b = &e->batches[(e->oldest + i) % WEIR_GPU_SLOTS];
        if (b->segment == run->segment && b->first_sample < needed) {
            needed = b->first_sample;
        }
    }
    return needed > run->first_sample ? needed : run->first_sample;
}

/* The oldest batch that did not come back; the last one if all did. */
static const batch *oldest_unfinished(const cuda_engine *e)
{
    bool is_in_flight = weir_gpu_pipeline_in_flight(e->pipeline) > 0;
    return is_in_flight || !e->unsent ? &e->batches[e->oldest] : e->unsent;
}

static void note_state(cuda_engine *e)
{
    weir_totals counted, before;
    weir_gpu_sums sums = weir_gpu_pipeline_sums(e->pipeline);
    weir_framer_copy(e->state_framer, oldest_unfinished(e)->before);
    weir_framer_totals(e->framer, &counted);
    weir_framer_totals(e->state_framer, &before);
    /* Older batches have come back since and brought their counts. */
    weir_framer_add_counts(e->state_framer, counted.clipped - before.clipped,
                           counted.nonfinite - before.nonfinite);
    e->state = (weir_engine_state){.framer = e->state_framer,
                                   .mean = sums.sum,
                                   .max = sums.max,
                                   .min = sums.min,
                                   .counts = e->counts};
}

static const weir_engine_state *cuda_state(const weir_engine *engine)
{
    const cuda_engine *e = (const cuda_engine *)engine;
    return e->state.framer ? &e->state : NULL;
}

/* After an error of the device nothing more comes from it; says so again and again. */
static weir_status fail(cuda_engine *e, weir_error *err)
{
    if (!e->state.framer) {
        note_state(e);
    }
    if (err) {
        *err = e->failure;
    }
    return e->failure.status;
}

static weir_status cuda_push(weir_engine *engine, const weir_run *run, size_t *released,
                             weir_error *err)
{
    cuda_engine *e = (cuda_engine *)engine;
    *released = 0;
    if (e->failure.status) {
        return fail(e, err);
    }
    (void)cudaSetDevice(e->device);
    weir_status status = weir_framer_push(e->framer, run, err);
    if (status) {
        return status;
    }
    e->run = *run;
    e->has_run = true;
    if (work(e, run, &e->failure)) {
        return fail(e, err);
    }
    *released = (size_t)(needed_from(e, run) - run->first_sample);
    return WEIR_OK;
}

static bool cuda_busy(const weir_engine *engine)
{
    const cuda_engine *e = (const cuda_engine *)engine;
    return !e->failure.status && weir_gpu_pipeline_in_flight(e->pipeline) > 0;
}

static weir_status cuda_flush(weir_engine *engine, uint64_t lost_at_end, weir_error *err)
{
    cuda_engine *e = (cuda_engine *)engine;
    (void)cudaSetDevice(e->device);
    weir_framer_flush(e->framer, lost_at_end);
    if (!e->failure.status) {
        (void)work(e, &e->run, &e->failure);
    }
    while (!e->failure.status && weir_gpu_pipeline_in_flight(e->pipeline) > 0) {
        (void)take_results(e, true, &e->failure);
    }
    if (!e->failure.status) {
        return WEIR_OK;
    }
    weir_status status = fail(e, err);
    weir_piece piece;
    while (weir_framer_next(e->framer, &piece)) {
        /* book what will not be transformed any more, so that totals balance */
    }
    return status;
}

static void cuda_totals(const weir_engine *engine, weir_totals *totals)
{
    weir_framer_totals(((const cuda_engine *)engine)->framer, totals);
}

static const char *cuda_describe(const weir_engine *engine)
{
    return ((const cuda_engine *)engine)->description;
}

static void cuda_destroy(weir_engine *engine)
{
    cuda_engine *e = (cuda_engine *)engine;
    if (e->pipeline) {
        (void)cudaSetDevice(e->device);
    }
    weir_gpu_pipeline_destroy(e->pipeline);
    weir_framer_destroy(e->framer);
    weir_framer_destroy(e->state_framer);
    for (size_t i = 0; i < WEIR_GPU_SLOTS; i++) {
        weir_framer_destroy(e->batches[i].before);
    }
    free(e->entries);
    free(e);
}

static const weir_engine_class cuda_class = {
    .name = "cuda",
    .push = cuda_push,
    .busy = cuda_busy,
    .flush = cuda_flush,
    .totals = cuda_totals,
    .describe = cuda_describe,
    .destroy = cuda_destroy,
    .state = cuda_state,
};

/* ---- create ---- */

/* The scalars that kernels read as they are; all others become floats on the way. */
static const struct {
    weir_scalar scalar;
    weir_gpu_layout layout;
    double bias, unit;
} layouts[] = {
    {WEIR_U8, WEIR_GPU_U8, 127.5, 127.5}, {WEIR_U8_AUDIO, WEIR_GPU_U8, 128, 128},
    {WEIR_S8, WEIR_GPU_S8, 0, 128},       {WEIR_S16LE, WEIR_GPU_S16, 0, 32768},
    {WEIR_F32LE, WEIR_GPU_F32, 0, 1},
};

static size_t clamp(size_t value, size_t low, size_t high)
{
    return value < low ? low : value > high ? high : value;
}

static double choose_layout(cuda_engine *e, weir_gpu_plan_config *plan)
{
    plan->layout = WEIR_GPU_F32;
    plan->is_complex = e->format.is_complex;
    plan->clip_codes = 1;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        if (e->format.channels == 1 && layouts[i].scalar == e->format.scalar) {
            size_t bits = 8 * weir_scalar_bytes(e->format.scalar), valid = e->format.valid_bits;
            plan->layout = layouts[i].layout;
            plan->bias = layouts[i].bias;
            plan->clip_codes = valid > 0 && valid < bits ? 1u << (bits - valid) : 1u;
            e->as_is = true;
            return layouts[i].unit;
        }
    }
    return 1;
}

static void choose_sizes(cuda_engine *e, const weir_engine_config *config, size_t n_bins)
{
    size_t n_traces = 0;
    for (int t = 0; t < WEIR_TRACE_COUNT; t++) {
        n_traces += (config->traces & WEIR_TRACE_BIT(t)) != 0;
    }
    bool sums = config->traces == WEIR_TRACE_BIT(WEIR_TRACE_MEAN) && config->exponential_alpha == 0;
    size_t block = BLOCK_TRANSFORMS * e->n_fft;
    size_t more = ((block > BLOCK_SAMPLES ? block : BLOCK_SAMPLES) - e->n_fft) / e->hop;
    uint64_t k = config->frames_per_spectrum;
    /* Long means of frames that overlap a lot have longer blocks: fewer pieces to keep. */
    size_t most = clamp(4096 / e->hop, SHORT_BLOCK_FRAMES, LONG_BLOCK_FRAMES);
    if (k > 0 && k <= SHORT_BLOCK_FRAMES) {
        most = SHORT_BLOCK_FRAMES;
    }
    e->block_frames = sums ? clamp(1 + more, 1, most) : 1;
    e->direct = sums && k > 0 && k <= e->block_frames;
    /* Each batch brings back what it leaves of a spectrum: a fraction of what it takes up. */
    size_t sums_bytes = e->direct ? 0 : n_bins * sizeof(double);
    size_t bytes = clamp(4 * sums_bytes, BATCH_BYTES, LARGEST_BATCH_BYTES);
    /* Two blocks at least, or the bus waits between batches. */
    size_t block_samples = e->n_fft + 2 * e->block_frames * e->device_hop;
    e->max_samples = clamp(bytes / e->sample_bytes, block_samples, SIZE_MAX);
    size_t line_bytes = n_bins * (n_traces > 0 ? n_traces : 1) * sizeof(float);
    e->max_spectra = clamp(RESULT_BYTES / line_bytes, 2, MAX_PIECES);
    e->max_rows = clamp(ROW_BYTES / (n_bins * sizeof(float)), 1, MAX_PIECES);
    if (e->direct) {
        e->max_rows = e->max_spectra;
    }
}

static weir_status create_pipeline(cuda_engine *e, const weir_engine_config *config,
                                   weir_error *err)
{
    weir_gpu_pipeline_config c = {.hop = e->device_hop};
    double unit = choose_layout(e, &c.plan), sum = 0;
    e->sample_bytes = weir_gpu_sample_bytes(c.plan.layout, c.plan.is_complex);
    size_t n_bins = c.plan.is_complex ? e->n_fft : e->n_fft / 2 + 1;
    choose_sizes(e, config, n_bins);
    double *window = calloc(e->n_fft, sizeof *window);
    if (!window) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory for a window of %zu", e->n_fft);
    }
    for (size_t i = 0; i < e->n_fft; i++) {
        sum += config->window[i];
    }
    for (size_t i = 0; i < e->n_fft; i++) {
        window[i] = config->window[i] / sum / unit;
    }
    c.plan.n_fft = e->n_fft;
    c.plan.window = window;
    c.plan.max_frames =
        (uint32_t)clamp(1 + e->max_samples / e->device_hop, 1, e->max_rows * e->block_frames);
    c.plan.mirror = config->iq_swap && config->format.is_complex;
    c.group = (uint32_t)e->block_frames;
    c.per_spectrum = config->frames_per_spectrum;
    c.traces = config->traces;
    c.alpha = config->exponential_alpha;
    c.detrend = config->detrend;
    c.count = e->as_is;
    c.direct = e->direct;
    c.max_samples = e->max_samples;
    c.max_groups = (uint32_t)e->max_rows;
    c.max_frames = (uint32_t)(e->max_rows * e->block_frames);
    c.max_spectra = (uint32_t)e->max_spectra;
    weir_status status = weir_gpu_pipeline_create(&e->pipeline, &c, err);
    free(window);
    return status;
}

/* The one at work, and copies of it. */
static weir_status create_framers(cuda_engine *e, const weir_engine_config *config, weir_error *err)
{
    weir_status status = weir_framer_create(&e->framer, config, e->block_frames, true, err);
    if (!status) {
        status = weir_framer_create(&e->state_framer, config, e->block_frames, true, err);
    }
    for (size_t i = 0; !status && i < WEIR_GPU_SLOTS; i++) {
        status = weir_framer_create(&e->batches[i].before, config, e->block_frames, true, err);
    }
    return status;
}

static weir_status build(cuda_engine *e, const weir_engine_config *config, weir_error *err)
{
    weir_cuda_device device;
    weir_status status = weir_cuda_device_info(config->device, &device, err);
    if (status) {
        return status;
    }
    e->entries = calloc((size_t)WEIR_GPU_SLOTS * MAX_PIECES, sizeof *e->entries);
    if (!e->entries) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory for the engine");
    }
    for (size_t i = 0; i < WEIR_GPU_SLOTS; i++) {
        e->batches[i].entries = e->entries + i * MAX_PIECES;
    }
    status = create_pipeline(e, config, err);
    if (status) {
        return status;
    }
    const char *why = weir_gpu_pipeline_without_graphs(e->pipeline);
    snprintf(e->description, sizeof e->description, "%s (device %d)%s%s", device.name,
             device.number, why ? ", without CUDA graphs: " : "", why ? why : "");
    return create_framers(e, config, err);
}

weir_status weir_engine_cuda_create(weir_engine **out, const weir_engine_config *config,
                                    weir_error *err)
{
    *out = NULL;
    weir_status status = weir_engine_check_config(config, err);
    if (status) {
        return status;
    }
    if (weir_engine_corrects_iq(config)) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED, "the GPU engine does not correct IQ imbalance");
    }
    cuda_engine *e = calloc(1, sizeof *e);
    if (!e) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory for the engine");
    }
    e->base.class_ = &cuda_class;
    e->format = config->format;
    e->channel = config->channel;
    e->device = config->device;
    e->n_fft = config->n_fft;
    e->hop = config->hop;
    e->device_hop = config->hop < config->n_fft ? config->hop : config->n_fft;
    e->stride_bytes = weir_format_stride_bytes(&config->format);
    e->frames_per_spectrum = config->frames_per_spectrum;
    e->has_average =
        config->exponential_alpha > 0 && (config->traces & WEIR_TRACE_BIT(WEIR_TRACE_MEAN));
    e->on_spectrum = config->on_spectrum;
    e->user = config->user;
    e->on_device_segment = UINT64_MAX;
    status = build(e, config, err);
    if (status) {
        cuda_destroy(&e->base);
        return status;
    }
    *out = &e->base;
    return WEIR_OK;
}
