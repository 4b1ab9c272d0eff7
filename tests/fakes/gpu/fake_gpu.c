#include "tests/fakes/gpu/fake_gpu.h"

#include "cuda/spectrum_kernels.h"
#include "tests/gpu_reference.h"

#include <cuda_runtime_api.h>
#include <stdio.h>

/* ---- memory, and failing ---- */

enum { MAX_BLOCKS = 256, MOST_WAITS = 6 };
/* How much of a piece of memory is spoilt: engines reserve far more than tests use. */
#define SPOILT_BYTES ((size_t)64 << 10)

typedef struct block {
    void *memory;
    size_t bytes;
    bool on_device;
} block;

static struct {
    block blocks[MAX_BLOCKS];
    uint64_t calls, failing_call;
    uint64_t allocations, refused_allocation;
    uint64_t graphs;      /* started                                              */
    size_t n_made_graphs; /* that there are                                       */
    bool no_graphs;
    unsigned waits; /* makes batches overlap, and differently each time */
    bool failed;
    cudaError_t last; /* what cudaGetLastError says */
} gpu;

void fake_gpu_reset(uint64_t failing_call)
{
    gpu.calls = gpu.graphs = 0;
    gpu.failing_call = failing_call;
    gpu.failed = false;
    gpu.last = cudaSuccess;
}

void fake_gpu_refuse(uint64_t allocation)
{
    gpu.allocations = 0;
    gpu.refused_allocation = allocation;
}

void fake_gpu_refuse_graphs(bool refused)
{
    gpu.no_graphs = refused;
}

uint64_t fake_gpu_graphs(void)
{
    return gpu.graphs;
}

size_t fake_gpu_blocks(void)
{
    size_t n = gpu.n_made_graphs;
    for (size_t i = 0; i < MAX_BLOCKS; i++) {
        n += gpu.blocks[i].memory != NULL;
    }
    return n;
}

/* The program is told by the environment: WEIR_FAKE_GPU_FAILS_AT=N. */
__attribute__((constructor)) static void take_environment(void)
{
    const char *at = getenv("WEIR_FAKE_GPU_FAILS_AT");
    fake_gpu_reset(at ? strtoull(at, NULL, 10) : 0);
}

uint64_t fake_gpu_calls(void)
{
    return gpu.calls;
}

bool fake_gpu_has_failed(void)
{
    return gpu.failed;
}

/* Kept until it is asked for, as the runtime does with every call's error. */
static cudaError_t noted(cudaError_t result)
{
    gpu.last = result == cudaSuccess ? gpu.last : result;
    return result;
}

static void spoil(const block *b)
{
    memset(b->memory, 0xff, b->bytes < SPOILT_BYTES ? b->bytes : SPOILT_BYTES);
}

static cudaError_t next_call(void)
{
    gpu.calls++;
    if (!gpu.failed && gpu.failing_call > 0 && gpu.calls >= gpu.failing_call) {
        gpu.failed = true;
        for (size_t i = 0; i < MAX_BLOCKS; i++) {
            if (gpu.blocks[i].on_device) {
                spoil(&gpu.blocks[i]);
            }
        }
    }
    return noted(gpu.failed ? cudaErrorLaunchFailure : cudaSuccess);
}

static cudaError_t allocate(void **memory, size_t bytes, bool on_device)
{
    *memory = NULL;
    if (++gpu.allocations == gpu.refused_allocation) {
        return noted(cudaErrorMemoryAllocation);
    }
    for (size_t i = 0; i < MAX_BLOCKS; i++) {
        block *b = &gpu.blocks[i];
        if (!b->memory) {
            *memory = b->memory = aligned_alloc(256, (bytes + 511) / 256 * 256);
            b->bytes = bytes;
            b->on_device = on_device;
            if (*memory) {
                spoil(b); /* NaN to whoever reads before writing */
            }
            return *memory ? cudaSuccess : cudaErrorMemoryAllocation;
        }
    }
    return cudaErrorMemoryAllocation;
}

static void release(void *memory)
{
    for (size_t i = 0; memory && i < MAX_BLOCKS; i++) {
        if (gpu.blocks[i].memory == memory) {
            gpu.blocks[i] = (block){NULL, 0, false};
            free(memory);
            return;
        }
    }
}

/* ---- the runtime ---- */

struct fake_stream {
    int unused;
};

struct fake_event {
    unsigned waits; /* so many queries until it is seen */
};

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaErrorLaunchFailure      ? "unspecified launch failure"
           : error == cudaErrorMemoryAllocation ? "out of memory"
           : error == cudaErrorNotSupported     ? "operation not supported"
                                                : "some error";
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t result = gpu.last;
    gpu.last = cudaSuccess;
    return result;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    *properties = (struct cudaDeviceProp){.major = 9, .multiProcessorCount = 1};
    snprintf(properties->name, sizeof properties->name, "Fake GPU %d", device);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int size, int device)
{
    snprintf(id, (size_t)size, "0000:%02x:00.0", (unsigned)(device + 1));
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    (void)device;
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
    *available = *total = (size_t)1 << 30;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    return allocate(memory, bytes, true);
}

cudaError_t cudaFree(void *memory)
{
    release(memory);
    return cudaSuccess;
}

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    (void)flags;
    return allocate(memory, bytes, false);
}

cudaError_t cudaFreeHost(void *memory)
{
    release(memory);
    return cudaSuccess;
}

cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned flags)
{
    (void)memory, (void)bytes, (void)flags;
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *memory)
{
    (void)memory;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *memory)
{
    (void)memory;
    attributes->type = cudaMemoryTypeUnregistered;
    return cudaSuccess;
}

cudaError_t cudaMemset(void *memory, int value, size_t bytes)
{
    memset(memory, value, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void)kind, (void)stream;
    cudaError_t result = next_call();
    if (result == cudaSuccess) {
        memmove(to, from, bytes);
    }
    return result;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    (void)flags;
    *stream = calloc(1, sizeof **stream);
    return *stream ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    free(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)stream, (void)event, (void)flags;
    return next_call();
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    (void)flags;
    *event = calloc(1, sizeof **event);
    return *event ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    (void)stream;
    gpu.waits = gpu.waits * 1103515245u + 12345u;
    event->waits = (gpu.waits >> 16) % MOST_WAITS;
    return next_call();
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    cudaError_t result = next_call();
    if (result == cudaSuccess && event->waits > 0) {
        event->waits--;
        return noted(cudaErrorNotReady);
    }
    return result;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    event->waits = 0;
    return next_call();
}

/* ---- graphs: nodes are done in the order in which they were added ---- */

enum { MAX_NODES = 8 };

typedef struct kernel_work kernel_work;            /* what a kernel of the fake is told */
typedef void fake_kernel(const kernel_work *work); /* in launches: where its address is */

struct fake_node {
    fake_kernel *kernel; /* NULL: a copy */
    uint64_t work[sizeof((weir_gpu_launch *)0)->values / sizeof(uint64_t)];
    void *to;
    const void *from;
    size_t bytes;
};

/* Executable or not, it is the same one. */
struct fake_graph {
    struct fake_node nodes[MAX_NODES];
    size_t n_nodes;
};

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags)
{
    (void)flags;
    *graph = calloc(1, sizeof **graph);
    gpu.n_made_graphs += *graph != NULL;
    return *graph ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    free(graph);
    gpu.n_made_graphs--;
    return cudaSuccess;
}

/* A node may only wait for earlier ones of its graph. */
static cudaError_t add_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                            size_t n_after)
{
    *node = &graph->nodes[graph->n_nodes];
    for (size_t i = 0; i < n_after; i++) {
        if (after[i] < graph->nodes || after[i] >= *node) {
            abort();
        }
    }
    if (++graph->n_nodes > MAX_NODES) {
        abort();
    }
    return cudaSuccess;
}

static void set_kernel(cudaGraphNode_t node, const struct cudaKernelNodeParams *params)
{
    node->kernel = *(fake_kernel *const *)params->func;
    memcpy(node->work, params->kernelParams[0], sizeof node->work);
}

static void set_copy(cudaGraphNode_t node, void *to, const void *from, size_t bytes)
{
    node->to = to;
    node->from = from;
    node->bytes = bytes;
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *after, size_t n_after,
                                   const struct cudaKernelNodeParams *params)
{
    cudaError_t result = add_node(node, graph, after, n_after);
    set_kernel(*node, params);
    return result;
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *after, size_t n_after, void *to,
                                     const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    (void)kind;
    cudaError_t result = add_node(node, graph, after, n_after);
    set_copy(*node, to, from, bytes);
    return result;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags)
{
    (void)flags;
    *exec = gpu.no_graphs ? NULL : graph;
    return noted(gpu.no_graphs ? cudaErrorNotSupported : cudaSuccess);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    (void)exec;
    return cudaSuccess;
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *params)
{
    (void)exec;
    cudaError_t result = next_call();
    if (result == cudaSuccess) {
        set_kernel(node, params);
    }
    return result;
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                               const void *from, size_t bytes,
                                               enum cudaMemcpyKind kind)
{
    (void)exec, (void)kind;
    cudaError_t result = next_call();
    if (result == cudaSuccess) {
        set_copy(node, to, from, bytes);
    }
    return result;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    (void)stream;
    cudaError_t result = next_call();
    gpu.graphs++;
    for (size_t i = 0; result == cudaSuccess && i < exec->n_nodes; i++) {
        const struct fake_node *node = &exec->nodes[i];
        if (node->kernel) {
            node->kernel((const kernel_work *)(const void *)node->work);
        } else {
            memmove(node->to, node->from, node->bytes);
        }
    }
    return result;
}

/* ---- the kernels ---- */

struct kernel_work {
    const weir_gpu_plan *plan;
    weir_gpu_batch batch;
    size_t n_new_first;
    uint32_t *counts;
    weir_gpu_reduction reduction;
};
_Static_assert(sizeof(struct kernel_work) <= sizeof((weir_gpu_launch *)0)->values, "room");

static bool describe_launch(weir_gpu_launch *launch, fake_kernel *const *kernel, kernel_work work)
{
    launch->function = (void *)(uintptr_t)kernel;
    launch->arguments[0] = launch->values;
    memcpy(launch->values, &work, sizeof work);
    return true;
}

struct weir_gpu_plan {
    weir_gpu_plan_config config;
    double *window, *row;
    double complex *work;
    size_t n_bins;
};

static weir_status launched(const char *what, weir_error *err)
{
    cudaError_t result = next_call() == cudaSuccess ? cudaGetLastError() : cudaErrorLaunchFailure;
    return result == cudaSuccess
               ? WEIR_OK
               : weir_fail(err, WEIR_ERR_DEVICE, "CUDA, %s: %s", what, cudaGetErrorString(result));
}

size_t weir_gpu_sample_bytes(weir_gpu_layout layout, bool is_complex)
{
    static const size_t bytes[WEIR_GPU_LAYOUT_COUNT] = {1, 1, 2, 4};
    return bytes[layout] * (is_complex ? 2 : 1);
}

weir_status weir_gpu_plan_create(weir_gpu_plan **out, const weir_gpu_plan_config *config,
                                 weir_error *err)
{
    *out = NULL;
    size_t n = config->n_fft;
    if (n < WEIR_GPU_MIN_FFT || n > WEIR_GPU_MAX_FFT || (n & (n - 1)) != 0) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED, "the fake GPU does not transform %zu points",
                         n);
    }
    weir_gpu_plan *plan = calloc(1, sizeof *plan);
    double *window = malloc(n * sizeof *window), *row = malloc(n * sizeof *row);
    double complex *work = malloc(n * sizeof *work);
    if (!plan || !window || !row || !work) {
        abort();
    }
    memcpy(window, config->window, n * sizeof *window);
    *plan = (weir_gpu_plan){.config = *config, .window = window, .row = row, .work = work};
    plan->config.window = window;
    plan->n_bins = config->is_complex ? n : n / 2 + 1;
    *out = plan;
    return WEIR_OK;
}

void weir_gpu_plan_destroy(weir_gpu_plan *plan)
{
    if (plan) {
        free(plan->window);
        free(plan->row);
        free(plan->work);
        free(plan);
    }
}

size_t weir_gpu_plan_bins(const weir_gpu_plan *plan)
{
    return plan->n_bins;
}

/* Frames of the group that begins with frame f of the batch. */
static uint32_t group_length(const weir_gpu_batch *b, uint32_t f)
{
    uint64_t at = b->phase + f, per = b->per_spectrum ? b->per_spectrum : UINT64_MAX;
    uint64_t within = at % per, room = b->group - within % b->group;
    room = room < per - within ? room : per - within;
    return (uint32_t)(room < b->n_frames - f ? room : b->n_frames - f);
}

uint32_t weir_gpu_batch_groups(const weir_gpu_batch *b)
{
    uint32_t groups = 0;
    for (uint32_t f = 0; f < b->n_frames; f += group_length(b, f)) {
        groups++;
    }
    return groups;
}

static void power(const kernel_work *w)
{
    const weir_gpu_plan *plan = w->plan;
    const weir_gpu_batch *b = &w->batch;
    float *row = b->rows;
    for (uint32_t f = 0; f < b->n_frames; row += plan->n_bins) {
        uint32_t length = group_length(b, f);
        memset(row, 0, plan->n_bins * sizeof *row);
        for (uint32_t i = 0; i < length; i++, f++) {
            reference_power(&plan->config, b->raw, f * b->hop, b->frame_mean != NULL, plan->work,
                            plan->row);
            for (size_t k = 0; k < plan->n_bins; k++) {
                row[k] += (float)(plan->row[k] / (b->mean ? length : 1));
            }
        }
    }
}

static fake_kernel *const power_kernel = power;

weir_status weir_gpu_power(const weir_gpu_plan *plan, const weir_gpu_batch *b, void *stream,
                           weir_error *err)
{
    (void)stream;
    weir_status status = launched("starting a kernel", err);
    if (!status) {
        power(&(kernel_work){.plan = plan, .batch = *b});
    }
    return status;
}

bool weir_gpu_power_launch(const weir_gpu_plan *plan, const weir_gpu_batch *b,
                           weir_gpu_launch *launch)
{
    return describe_launch(launch, &power_kernel, (kernel_work){.plan = plan, .batch = *b});
}

/* The powers' own means do: they are computed from the samples again. */
weir_status weir_gpu_frame_means(const weir_gpu_plan *plan, const weir_gpu_batch *b, float *means,
                                 void *stream, weir_error *err)
{
    (void)plan, (void)b, (void)means, (void)stream;
    return launched("averaging frames", err);
}

static void count_sample(const weir_gpu_plan *plan, const void *raw, size_t at, uint32_t *counts)
{
    const weir_gpu_plan_config *c = &plan->config;
    double low = c->layout == WEIR_GPU_S16 ? -32768 : -128, high = -low - 1;
    bool clipped = false, nonfinite = false;
    for (size_t i = c->is_complex ? 2 * at : at; i <= (c->is_complex ? 2 * at + 1 : at); i++) {
        if (c->layout == WEIR_GPU_F32) {
            float x = ((const float *)raw)[i];
            clipped = clipped || fabsf(x) > 1;
            nonfinite = nonfinite || !isfinite(x);
        } else {
            double x = reference_value(raw, c->layout, 128, i);
            clipped = clipped || x < low + c->clip_codes || x > high - c->clip_codes;
        }
    }
    counts[0] += clipped;
    counts[1] += nonfinite;
}

static void count(const kernel_work *w)
{
    const weir_gpu_batch *b = &w->batch;
    size_t n = w->plan->config.n_fft, each = b->hop < n ? b->hop : n;
    uint32_t *counts = w->counts;
    for (uint32_t f = 0; f < b->n_frames; counts += 2) {
        uint32_t length = group_length(b, f);
        counts[0] = counts[1] = 0;
        for (uint32_t i = 0; i < length; i++, f++) {
            size_t n_new = f == 0 ? w->n_new_first : each;
            for (size_t s = n - n_new; s < n; s++) {
                count_sample(w->plan, b->raw, f * b->hop + s, counts);
            }
        }
    }
}

static fake_kernel *const count_kernel = count;

weir_status weir_gpu_count(const weir_gpu_plan *plan, const weir_gpu_batch *b, size_t n_new_first,
                           uint32_t *counts, void *stream, weir_error *err)
{
    (void)stream;
    weir_status status = launched("counting samples", err);
    if (!status) {
        count(&(kernel_work){
            .plan = plan, .batch = *b, .n_new_first = n_new_first, .counts = counts});
    }
    return status;
}

/* Not of long batches: they take another way. */
bool weir_gpu_count_launch(const weir_gpu_plan *plan, const weir_gpu_batch *b, size_t n_new_first,
                           uint32_t *counts, weir_gpu_launch *launch)
{
    return b->n_frames < 40 && describe_launch(launch, &count_kernel,
                                               (kernel_work){.plan = plan,
                                                             .batch = *b,
                                                             .n_new_first = n_new_first,
                                                             .counts = counts});
}

/* One row into the sums, of which it is the first if begins. */
static void add_row(const weir_gpu_reduction *r, const float *row, bool begins, bool restarts)
{
    const weir_gpu_sums *s = &r->after;
    for (size_t k = 0; k < r->n_bins; k++) {
        if (s->sum && r->alpha != 0) {
            s->sum[k] = restarts ? row[k] : s->sum[k] + r->alpha * (row[k] - s->sum[k]);
        } else if (s->sum) {
            s->sum[k] = begins ? row[k] : s->sum[k] + row[k];
        }
        if (s->max) {
            s->max[k] = begins ? row[k] : fmaxf(s->max[k], row[k]);
        }
        if (s->min) {
            s->min[k] = begins ? row[k] : fminf(s->min[k], row[k]);
        }
    }
}

static void write_lines(const weir_gpu_reduction *r, const weir_gpu_sums *s, double n, size_t line)
{
    for (size_t k = 0; k < r->n_bins; k++) {
        size_t to = line * r->n_bins + k;
        if (s->sum) {
            r->out[0][to] = (float)(r->alpha == 0 ? s->sum[k] / n : s->sum[k]);
        }
        if (s->max) {
            r->out[1][to] = s->max[k];
        }
        if (s->min) {
            r->out[2][to] = s->min[k];
        }
    }
}

static void copy_sums(const weir_gpu_reduction *r)
{
    if (r->before.sum) {
        memcpy(r->after.sum, r->before.sum, r->n_bins * sizeof(double));
    }
    if (r->before.max) {
        memcpy(r->after.max, r->before.max, r->n_bins * sizeof(float));
    }
    if (r->before.min) {
        memcpy(r->after.min, r->before.min, r->n_bins * sizeof(float));
    }
}

/* All but an average, which goes on. */
static void spoil_sums(const weir_gpu_reduction *r)
{
    if (r->after.sum && r->alpha == 0) {
        memset(r->after.sum, 0xff, r->n_bins * sizeof(double));
    }
    if (r->after.max) {
        memset(r->after.max, 0xff, r->n_bins * sizeof(float));
    }
    if (r->after.min) {
        memset(r->after.min, 0xff, r->n_bins * sizeof(float));
    }
}

static void reduce(const kernel_work *w)
{
    const weir_gpu_reduction *r = &w->reduction;
    copy_sums(r);
    uint32_t done = r->row_phase;
    size_t line = 0;
    for (uint32_t i = 0; i < r->n_rows; i++) {
        add_row(r, r->rows + i * r->n_bins, done == 0, r->restart && i == 0);
        if (++done == r->rows_per_spectrum && !(r->closes && i + 1 == r->n_rows)) {
            write_lines(r, &r->after, (double)r->per_spectrum, line++);
            done = 0;
        }
    }
    if (done == 0) {
        spoil_sums(r); /* nothing is unfinished */
    }
}

static fake_kernel *const reduce_kernel = reduce;

weir_status weir_gpu_reduce(const weir_gpu_reduction *r, void *stream, weir_error *err)
{
    (void)stream;
    weir_status status = launched("reducing rows", err);
    if (!status) {
        reduce(&(kernel_work){.reduction = *r});
    }
    return status;
}

bool weir_gpu_reduce_launch(const weir_gpu_reduction *r, weir_gpu_launch *launch)
{
    return describe_launch(launch, &reduce_kernel, (kernel_work){.reduction = *r});
}

weir_status weir_gpu_reduce_close(const weir_gpu_reduction *r, uint64_t n_frames, void *stream,
                                  weir_error *err)
{
    (void)stream;
    weir_status status = launched("closing a spectrum", err);
    if (!status) {
        write_lines(r, &r->before, (double)n_frames, 0);
    }
    return status;
}
