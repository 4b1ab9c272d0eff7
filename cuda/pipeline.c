#include "cuda/pipeline.h"

#include "cuda/batch_graph.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

/* Samples and results of so little are queued with the kernels: one stream less to wait for. */
#define SMALL_BYTES ((size_t)512 << 10)
#define SMALL_RESULT_BYTES ((size_t)64 << 10)
/* Sums of unfinished spectra: of each batch in flight, and of the one before them. */
enum { N_SUMS = WEIR_GPU_SLOTS + 1 };

/* The device's memory for samples ("arena"): new ones go behind the old ones until its end,
 * then the frame at hand moves to the front. A region may be written to when no
 * batch in flight reads it. */
typedef struct slot {
    char *staging;     /* page-locked: samples on their way up    */
    char *host_result; /* page-locked                             */
    float *result;     /* device: lines of each trace, then counts */
    cudaEvent_t copied, computed, done;
    size_t from, end; /* what it reads of the arena, in samples   */
    size_t n_lines;   /* of each trace                            */
    bool small;       /* its samples went by the compute stream   */
    bool as_graph;    /* computed is done                         */
    unsigned sums;    /* where it leaves those                    */
    weir_gpu_graph *graph;
} slot;

struct weir_gpu_pipeline {
    weir_gpu_pipeline_config config;
    weir_gpu_plan *plan;
    size_t sample_bytes, n_bins, n_traces, staging_samples;
    cudaStream_t copy_stream, compute_stream, result_stream;
    slot slots[WEIR_GPU_SLOTS];
    unsigned oldest, in_flight;

    char *arena;
    size_t arena_samples, arena_end; /* where the next sample goes */

    float *rows; /* of groups, before they are reduced */
    float *means;
    char *sums[N_SUMS], *host_sums[N_SUMS]; /* page-locked; those of batches, in turn */
    size_t sums_bytes;
    unsigned newest_sums, retired_sums;
    weir_error no_graphs; /* why not, if they would do */
};

static weir_status check(cudaError_t result, const char *what, weir_error *err)
{
    if (result == cudaSuccess) {
        return WEIR_OK;
    }
    (void)cudaGetLastError(); /* dealt with: no later launch is to blame */
    return weir_fail(err, result == cudaErrorMemoryAllocation ? WEIR_ERR_NOMEM : WEIR_ERR_DEVICE,
                     "CUDA, %s: %s", what, cudaGetErrorString(result));
}

static bool has_trace(const weir_gpu_pipeline *p, weir_trace trace)
{
    return (p->config.traces & WEIR_TRACE_BIT(trace)) != 0;
}

/* The parts of a piece of memory for sums. */
static weir_gpu_sums sums_in(const weir_gpu_pipeline *p, char *memory)
{
    weir_gpu_sums sums = {NULL, NULL, NULL};
    if (has_trace(p, WEIR_TRACE_MEAN)) {
        sums.sum = (double *)(void *)memory;
        memory += p->n_bins * sizeof(double);
    }
    if (has_trace(p, WEIR_TRACE_MAX)) {
        sums.max = (float *)(void *)memory;
        memory += p->n_bins * sizeof(float);
    }
    if (has_trace(p, WEIR_TRACE_MIN)) {
        sums.min = (float *)(void *)memory;
    }
    return sums;
}

/* ---- samples up ---- */

static bool is_page_locked(const void *memory)
{
    struct cudaPointerAttributes attributes;
    if (cudaPointerGetAttributes(&attributes, memory) != cudaSuccess) {
        (void)cudaGetLastError();
        return false;
    }
    return attributes.type == cudaMemoryTypeHost;
}

/* One contiguous piece of samples, in the layout of the plan, into staging memory. */
static void stage(const weir_gpu_pipeline *p, const weir_gpu_source *s, const char *from, size_t n,
                  char *to)
{
    if (s->as_is) {
        memcpy(to, from, n * p->sample_bytes);
    } else {
        weir_format_unpack(s->format, s->channel, from, n, (float *)(void *)to);
    }
}

/* The copy that brings a source's samples to sample `to` of the arena. */
static weir_gpu_copy upload_of(const weir_gpu_pipeline *p, slot *at, const weir_gpu_source *s,
                               size_t to)
{
    const size_t stride = weir_format_stride_bytes(s->format);
    const size_t piece_bytes = s->n_samples * p->sample_bytes;
    const char *from = s->samples;
    weir_gpu_copy copy = {p->arena + to * p->sample_bytes, from, s->n_pieces * piece_bytes};
    if (s->as_is && s->n_pieces == 1 && is_page_locked(from)) {
        return copy;
    }
    for (size_t i = 0; i < s->n_pieces; i++) {
        stage(p, s, from + i * s->piece_step * stride, s->n_samples, at->staging + i * piece_bytes);
    }
    copy.from = at->staging;
    return copy;
}

/* Before stream writes to [from, end) of the arena: whoever still reads there, and with
 * moving set whoever's samples may not be there yet. */
static weir_status wait_for_others(weir_gpu_pipeline *p, size_t from, size_t end, bool moving,
                                   cudaStream_t stream, weir_error *err)
{
    for (unsigned i = 0; i < p->in_flight; i++) {
        const slot *s = &p->slots[(p->oldest + i) % WEIR_GPU_SLOTS];
        if ((s->from < end && from < s->end) || (moving && s->small)) {
            cudaEvent_t computed = s->as_graph ? s->done : s->computed;
            weir_status status = check(cudaStreamWaitEvent(stream, computed, 0), "waiting", err);
            if (status) {
                return status;
            }
        }
    }
    return WEIR_OK;
}

/* Finds room for n new samples behind the kept ones. *first: where the first frame is. */
static weir_status make_room(weir_gpu_pipeline *p, size_t n_kept, size_t n, size_t *first,
                             cudaStream_t stream, weir_error *err)
{
    weir_status status = WEIR_OK;
    *first = p->arena_end - n_kept;
    if (p->arena_end + n > p->arena_samples) {
        status = wait_for_others(p, 0, n_kept, true, stream, err);
        if (!status && n_kept > 0) {
            status =
                check(cudaMemcpyAsync(p->arena, p->arena + *first * p->sample_bytes,
                                      n_kept * p->sample_bytes, cudaMemcpyDeviceToDevice, stream),
                      "moving samples", err);
        }
        *first = 0;
        p->arena_end = n_kept;
    }
    return status ? status : wait_for_others(p, p->arena_end, p->arena_end + n, false, stream, err);
}

/* Where the batch's samples go: *first is its first frame, *up what has to be copied. */
static weir_status place_samples(weir_gpu_pipeline *p, slot *at, const weir_gpu_work *work,
                                 size_t *first, weir_gpu_copy *up, weir_error *err)
{
    const size_t n = work->source.n_samples * work->source.n_pieces;
    at->small = p->in_flight == 0 && n * p->sample_bytes <= SMALL_BYTES;
    weir_status status =
        make_room(p, work->n_kept, n, first, at->small ? p->compute_stream : p->copy_stream, err);
    *up = (weir_gpu_copy){NULL, NULL, 0};
    if (!status && n > 0) {
        *up = upload_of(p, at, &work->source, p->arena_end);
    }
    p->arena_end += n;
    at->from = *first;
    at->end = p->arena_end;
    return status;
}

static weir_status bring_samples(weir_gpu_pipeline *p, slot *at, const weir_gpu_copy *up,
                                 weir_error *err)
{
    cudaStream_t stream = at->small ? p->compute_stream : p->copy_stream;
    weir_status status = WEIR_OK;
    if (up->bytes > 0) {
        status = check(cudaMemcpyAsync(up->to, up->from, up->bytes, cudaMemcpyHostToDevice, stream),
                       "copying samples", err);
    }
    if (!status && !at->small) {
        status = check(cudaEventRecord(at->copied, p->copy_stream), "recording", err);
    }
    if (!status && !at->small) {
        status = check(cudaStreamWaitEvent(p->compute_stream, at->copied, 0), "waiting", err);
    }
    return status;
}

/* ---- kernels ---- */

static weir_gpu_batch batch_of(const weir_gpu_pipeline *p, const slot *at,
                               const weir_gpu_work *work, size_t first)
{
    return (weir_gpu_batch){
        .raw = p->arena + first * p->sample_bytes,
        .hop = p->config.hop,
        .n_frames = work->n_frames,
        .group = p->config.group,
        .per_spectrum = p->config.per_spectrum,
        .phase = work->phase,
        .mean = p->config.direct,
        .rows = p->config.direct ? at->result : p->rows,
    };
}

/* Behind the lines. */
static uint32_t *counts_in(const weir_gpu_pipeline *p, const slot *at)
{
    return (uint32_t *)(void *)(at->result + at->n_lines * p->n_traces * p->n_bins);
}

static weir_status compute_rows(weir_gpu_pipeline *p, slot *at, const weir_gpu_work *work,
                                weir_gpu_batch *batch, weir_error *err)
{
    weir_status status = WEIR_OK;
    if (p->config.detrend) {
        status = weir_gpu_frame_means(p->plan, batch, p->means, p->compute_stream, err);
        batch->frame_mean = p->means;
    }
    if (!status) {
        status = weir_gpu_power(p->plan, batch, p->compute_stream, err);
    }
    if (!status && p->config.count) {
        status = weir_gpu_count(p->plan, batch, work->n_new_first, counts_in(p, at),
                                p->compute_stream, err);
    }
    return status;
}

static weir_gpu_reduction reduction_of(const weir_gpu_pipeline *p, const slot *at,
                                       const weir_gpu_work *work, uint32_t n_rows)
{
    const uint64_t per = p->config.per_spectrum, group = p->config.group;
    const bool regular = per > 0 && per <= INT32_MAX;
    weir_gpu_reduction r = {
        .rows = p->rows,
        .n_rows = n_rows,
        .n_bins = p->n_bins,
        .rows_per_spectrum = regular ? (uint32_t)((per + group - 1) / group) : 0,
        .row_phase = work->row_phase,
        .closes = work->close_frames > 0,
        .per_spectrum = per,
        .before = sums_in(p, p->sums[p->newest_sums]),
        .after = sums_in(p, p->sums[at->sums]),
        .alpha = p->config.alpha,
        .restart = work->restart,
    };
    float *line = at->result;
    for (int t = 0; t < WEIR_TRACE_COUNT; t++) {
        if (has_trace(p, (weir_trace)t)) {
            r.out[t] = line;
            line += at->n_lines * p->n_bins;
        }
    }
    return r;
}

static weir_status compute(weir_gpu_pipeline *p, slot *at, const weir_gpu_work *work, size_t first,
                           weir_error *err)
{
    weir_gpu_batch batch = batch_of(p, at, work, first);
    uint32_t n_rows = work->n_frames > 0 ? weir_gpu_batch_groups(&batch) : 0;
    weir_status status = WEIR_OK;
    if (n_rows > 0) {
        status = compute_rows(p, at, work, &batch, err);
    }
    if (p->config.direct || status) {
        return status;
    }
    weir_gpu_reduction r = reduction_of(p, at, work, n_rows);
    if (n_rows > 0) {
        status = weir_gpu_reduce(&r, p->compute_stream, err);
        r.before = r.after;
    } else if (work->leaves_sums) {
        status = check(cudaMemcpyAsync(p->sums[at->sums], p->sums[p->newest_sums], p->sums_bytes,
                                       cudaMemcpyDeviceToDevice, p->compute_stream),
                       "moving sums", err);
    }
    if (!status && work->close_frames > 0) {
        for (int t = 0; t < WEIR_TRACE_COUNT; t++) {
            r.out[t] = r.out[t] ? r.out[t] + (at->n_lines - 1) * p->n_bins : NULL;
        }
        status = weir_gpu_reduce_close(&r, work->close_frames, p->compute_stream, err);
    }
    return status;
}

/* ---- batches ---- */

unsigned weir_gpu_pipeline_in_flight(const weir_gpu_pipeline *p)
{
    return p->in_flight;
}

/* Of lines and counts of so many groups. */
static size_t result_bytes(const weir_gpu_pipeline *p, const slot *at, uint32_t n_groups)
{
    const size_t counts = p->config.count ? n_groups * 2 * sizeof(uint32_t) : 0;
    return at->n_lines * p->n_traces * p->n_bins * sizeof(float) + counts;
}

static weir_status bring_results(weir_gpu_pipeline *p, slot *at, const weir_gpu_work *work,
                                 weir_error *err)
{
    const weir_gpu_batch batch = batch_of(p, at, work, 0);
    const size_t bytes =
        result_bytes(p, at, work->n_frames > 0 ? weir_gpu_batch_groups(&batch) : 0);
    const size_t sums_bytes = work->leaves_sums ? p->sums_bytes : 0;
    /* Large results go beside the next batch's kernels. */
    const bool large = bytes + sums_bytes > SMALL_RESULT_BYTES;
    cudaStream_t stream = large ? p->result_stream : p->compute_stream;
    weir_status status = check(cudaEventRecord(at->computed, p->compute_stream), "recording", err);
    if (!status && stream != p->compute_stream) {
        status = check(cudaStreamWaitEvent(stream, at->computed, 0), "waiting", err);
    }
    if (!status && bytes > 0) {
        status = check(
            cudaMemcpyAsync(at->host_result, at->result, bytes, cudaMemcpyDeviceToHost, stream),
            "copying results", err);
    }
    if (!status && sums_bytes > 0) {
        status = check(cudaMemcpyAsync(p->host_sums[at->sums], p->sums[at->sums], sums_bytes,
                                       cudaMemcpyDeviceToHost, stream),
                       "copying sums", err);
    }
    if (!status) {
        status = check(cudaEventRecord(at->done, stream), "recording", err);
    }
    return status;
}

/* The batch as a graph. False: it is not of the kind that one does. */
static bool graph_of(const weir_gpu_pipeline *p, const slot *at, const weir_gpu_work *work,
                     size_t first, const weir_gpu_copy *up, weir_gpu_graph_work *graph)
{
    if (p->config.detrend || work->close_frames > 0 || up->bytes == 0) {
        return false;
    }
    const weir_gpu_batch batch = batch_of(p, at, work, first);
    const uint32_t n_groups = weir_gpu_batch_groups(&batch);
    const size_t bytes = result_bytes(p, at, n_groups);
    const size_t sums_bytes = p->config.direct ? 0 : p->sums_bytes;
    *graph = (weir_gpu_graph_work){
        .copies = {[WEIR_GPU_UP] = *up,
                   [WEIR_GPU_DOWN] = {at->host_result, at->result, bytes},
                   [WEIR_GPU_SUMS_DOWN] = {p->host_sums[at->sums], p->sums[at->sums], sums_bytes}}};
    weir_gpu_launch *kernels = graph->kernels;
    bool fits = bytes > 0 && bytes + sums_bytes <= SMALL_RESULT_BYTES &&
                weir_gpu_power_launch(p->plan, &batch, &kernels[WEIR_GPU_POWER]);
    if (fits && p->config.count) {
        fits = weir_gpu_count_launch(p->plan, &batch, work->n_new_first, counts_in(p, at),
                                     &kernels[WEIR_GPU_COUNT]);
    }
    if (fits && !p->config.direct) {
        const weir_gpu_reduction r = reduction_of(p, at, work, n_groups);
        fits = weir_gpu_reduce_launch(&r, &kernels[WEIR_GPU_REDUCE]);
    }
    return fits;
}

static weir_status start_graph(weir_gpu_pipeline *p, slot *at, const weir_gpu_graph_work *graph,
                               weir_error *err)
{
    at->as_graph = true;
    weir_status status = weir_gpu_graph_start(at->graph, graph, p->compute_stream, err);
    return status ? status : check(cudaEventRecord(at->done, p->compute_stream), "recording", err);
}

/* Samples up, kernels, results down: a batch alone in one go. */
static weir_status start(weir_gpu_pipeline *p, slot *at, const weir_gpu_work *work, weir_error *err)
{
    size_t first = 0;
    weir_gpu_copy up;
    weir_status status = WEIR_OK;
    if (work->n_frames > 0) {
        status = place_samples(p, at, work, &first, &up, err);
        weir_gpu_graph_work graph;
        if (!status && at->small && at->graph && graph_of(p, at, work, first, &up, &graph)) {
            return start_graph(p, at, &graph, err);
        }
        status = status ? status : bring_samples(p, at, &up, err);
    }
    if (!status) {
        status = compute(p, at, work, first, err);
    }
    return status ? status : bring_results(p, at, work, err);
}

weir_status weir_gpu_pipeline_submit(weir_gpu_pipeline *p, const weir_gpu_work *work,
                                     weir_error *err)
{
    slot *at = &p->slots[(p->oldest + p->in_flight) % WEIR_GPU_SLOTS];
    at->n_lines = work->n_spectra;
    at->from = at->end = 0;
    at->small = at->as_graph = false;
    at->sums = (p->newest_sums + 1) % N_SUMS;
    weir_status status = start(p, at, work, err);
    if (!status) {
        p->newest_sums = at->sums;
        p->in_flight++;
    }
    return status;
}

weir_status weir_gpu_pipeline_poll(weir_gpu_pipeline *p, bool wait, bool *done,
                                   weir_gpu_result *result, weir_error *err)
{
    *done = false;
    if (p->in_flight == 0) {
        return WEIR_OK;
    }
    const slot *at = &p->slots[p->oldest];
    cudaError_t state = wait ? cudaEventSynchronize(at->done) : cudaEventQuery(at->done);
    if (state == cudaErrorNotReady) {
        (void)cudaGetLastError(); /* some runtimes take it for an error of the next launch */
        return WEIR_OK;
    }
    weir_status status = check(state, "running a batch", err);
    if (status) {
        return status;
    }
    *done = true;
    *result = (weir_gpu_result){{NULL}, NULL};
    const float *line = (const float *)(const void *)at->host_result;
    for (int t = 0; t < WEIR_TRACE_COUNT; t++) {
        if (has_trace(p, (weir_trace)t)) {
            result->lines[t] = line;
            line += at->n_lines * p->n_bins;
        }
    }
    result->counts = (const uint32_t *)(const void *)line;
    return WEIR_OK;
}

void weir_gpu_pipeline_retire(weir_gpu_pipeline *p)
{
    p->retired_sums = p->slots[p->oldest].sums;
    p->oldest = (p->oldest + 1) % WEIR_GPU_SLOTS;
    p->in_flight--;
}

weir_gpu_sums weir_gpu_pipeline_sums(const weir_gpu_pipeline *p)
{
    return sums_in(p, p->host_sums[p->retired_sums]);
}

/* ---- create ---- */

typedef enum memory_kind { ON_DEVICE, PAGE_LOCKED } memory_kind;

static weir_status reserve(void *pointer, size_t bytes, memory_kind kind, const char *what,
                           weir_error *err)
{
    void **to = pointer;
    cudaError_t result =
        kind == ON_DEVICE ? cudaMalloc(to, bytes) : cudaHostAlloc(to, bytes, cudaHostAllocPortable);
    if (result != cudaErrorMemoryAllocation) {
        return check(result, what, err);
    }
    (void)cudaGetLastError();
    return weir_fail(err, WEIR_ERR_NOMEM, "not enough memory %s for %s (%zu MiB)",
                     kind == ON_DEVICE ? "on the GPU" : "to page-lock", what, bytes >> 20);
}

static weir_status create_slot(weir_gpu_pipeline *p, slot *s, weir_error *err)
{
    const weir_gpu_pipeline_config *c = &p->config;
    const size_t result_bytes = c->max_spectra * p->n_traces * p->n_bins * sizeof(float) +
                                c->max_groups * 2 * sizeof(uint32_t);
    weir_status status = reserve(&s->result, result_bytes, ON_DEVICE, "spectra", err);
    if (!status) {
        status = reserve(&s->host_result, result_bytes, PAGE_LOCKED, "spectra", err);
    }
    if (!status) {
        status =
            reserve(&s->staging, p->staging_samples * p->sample_bytes, PAGE_LOCKED, "samples", err);
    }
    cudaEvent_t *const events[] = {&s->copied, &s->computed, &s->done};
    for (size_t i = 0; !status && i < sizeof events / sizeof *events; i++) {
        status = check(cudaEventCreateWithFlags(events[i], cudaEventDisableTiming), "events", err);
    }
    return status;
}

static weir_status create_streams(weir_gpu_pipeline *p, weir_error *err)
{
    cudaStream_t *const streams[] = {&p->copy_stream, &p->compute_stream, &p->result_stream};
    weir_status status = WEIR_OK;
    for (size_t i = 0; !status && i < sizeof streams / sizeof *streams; i++) {
        status =
            check(cudaStreamCreateWithFlags(streams[i], cudaStreamNonBlocking), "streams", err);
    }
    return status;
}

static weir_status create_rows(weir_gpu_pipeline *p, weir_error *err)
{
    const weir_gpu_pipeline_config *c = &p->config;
    weir_status status = WEIR_OK;
    if (!c->direct) {
        const size_t row_bytes = p->n_bins * sizeof(float);
        status = reserve(&p->rows, c->max_groups * row_bytes, ON_DEVICE, "averages", err);
    }
    if (!status && c->detrend) {
        status = reserve(&p->means, c->max_frames * 2 * sizeof(float), ON_DEVICE, "means", err);
    }
    return status;
}

/* They begin as 0: an exponential average is read before its first row. */
static weir_status create_sums(weir_gpu_pipeline *p, weir_error *err)
{
    const bool has_mean = has_trace(p, WEIR_TRACE_MEAN);
    p->sums_bytes = p->n_bins * sizeof(float) * (p->n_traces + has_mean);
    weir_status status = WEIR_OK;
    for (size_t i = 0; !status && i < N_SUMS && !p->config.direct; i++) {
        status = reserve(&p->sums[i], p->sums_bytes, ON_DEVICE, "averages", err);
        if (!status) {
            status = reserve(&p->host_sums[i], p->sums_bytes, PAGE_LOCKED, "averages", err);
        }
        if (!status) {
            status = check(cudaMemset(p->sums[i], 0, p->sums_bytes), "clearing", err);
        }
    }
    /* The streams do not wait for the default one. */
    return status ? status : check(cudaDeviceSynchronize(), "clearing", err);
}

/* A graph for each slot, of a batch of one frame, if one does it. Not needed: without them all
 * goes by streams. */
static void create_graphs(weir_gpu_pipeline *p)
{
    const weir_gpu_work work = {.n_frames = 1, .n_new_first = 1, .n_spectra = 1};
    weir_status status = WEIR_OK;
    for (unsigned i = 0; !status && i < WEIR_GPU_SLOTS; i++) {
        slot *at = &p->slots[i];
        const weir_gpu_copy up = {p->arena, at->staging, p->sample_bytes};
        weir_gpu_graph_work graph;
        at->n_lines = 1;
        if (graph_of(p, at, &work, 0, &up, &graph)) {
            status = weir_gpu_graph_create(&at->graph, &graph, &p->no_graphs);
        }
    }
}

const char *weir_gpu_pipeline_without_graphs(const weir_gpu_pipeline *p)
{
    return p->no_graphs.status ? p->no_graphs.text : NULL;
}

weir_status weir_gpu_pipeline_create(weir_gpu_pipeline **out,
                                     const weir_gpu_pipeline_config *config, weir_error *err)
{
    *out = NULL;
    weir_gpu_pipeline *p = calloc(1, sizeof *p);
    if (!p) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory for the GPU's pipeline");
    }
    p->config = *config;
    for (int t = 0; t < WEIR_TRACE_COUNT; t++) {
        p->n_traces += has_trace(p, (weir_trace)t);
    }
    p->sample_bytes = weir_gpu_sample_bytes(config->plan.layout, config->plan.is_complex);
    p->staging_samples = config->max_samples;
    /* Kept samples move to the front without touching themselves, and a few batches fit. */
    p->arena_samples = 2 * config->plan.n_fft + 2 * WEIR_GPU_SLOTS * config->max_samples;
    weir_status status = weir_gpu_plan_create(&p->plan, &config->plan, err);
    if (!status) {
        p->n_bins = weir_gpu_plan_bins(p->plan);
        status = create_streams(p, err);
    }
    if (!status) {
        status = reserve(&p->arena, p->arena_samples * p->sample_bytes, ON_DEVICE, "samples", err);
    }
    if (!status) {
        status = create_rows(p, err);
    }
    if (!status) {
        status = create_sums(p, err);
    }
    for (unsigned i = 0; !status && i < WEIR_GPU_SLOTS; i++) {
        status = create_slot(p, &p->slots[i], err);
    }
    if (status) {
        (void)cudaGetLastError(); /* of the plan; see check */
        weir_gpu_pipeline_destroy(p);
        return status;
    }
    create_graphs(p);
    *out = p;
    return WEIR_OK;
}

static void destroy_slot(slot *s)
{
    enum { EVENTS = 3 };
    cudaEvent_t const events[EVENTS] = {s->copied, s->computed, s->done};
    for (size_t i = 0; i < EVENTS; i++) {
        if (events[i]) {
            cudaEventDestroy(events[i]);
        }
    }
    weir_gpu_graph_destroy(s->graph);
    cudaFree(s->result);
    cudaFreeHost(s->host_result);
    cudaFreeHost(s->staging);
}

void weir_gpu_pipeline_destroy(weir_gpu_pipeline *p)
{
    if (!p) {
        return;
    }
    enum { STREAMS = 3 };
    cudaStream_t const streams[STREAMS] = {p->copy_stream, p->compute_stream, p->result_stream};
    for (size_t i = 0; i < STREAMS; i++) {
        if (streams[i]) {
            cudaStreamSynchronize(streams[i]);
            cudaStreamDestroy(streams[i]);
        }
    }
    for (unsigned i = 0; i < WEIR_GPU_SLOTS; i++) {
        destroy_slot(&p->slots[i]);
    }
    for (size_t i = 0; i < N_SUMS; i++) {
        cudaFree(p->sums[i]);
        cudaFreeHost(p->host_sums[i]);
    }
    cudaFree(p->arena);
    cudaFree(p->rows);
    cudaFree(p->means);
    weir_gpu_plan_destroy(p->plan);
    free(p);
}
