#include "dsp/fft_plan.h"

#include "base/log.h"
#include "base/thread.h"

#include <errno.h>
#include <fftw3.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define BACKGROUND_SECONDS 2.0
#define MEASURE_SECONDS 60.0
#define MAX_WISDOM_BYTES (16 << 20)

struct weir_fft_plan {
    fftwf_plan plan;
    bool is_complex;
};

struct weir_fft {
    atomic_uint owners; /* the user, and the measuring thread */
    size_t n;
    bool is_complex;
    char *wisdom_path;
    weir_fft_plan first, better;
    _Atomic(const weir_fft_plan *) current;
};

static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

float *weir_fft_alloc(size_t n_floats)
{
    void *memory = NULL;
    if (n_floats > SIZE_MAX / sizeof(float) - 64) {
        return NULL;
    }
    size_t bytes = (n_floats * sizeof(float) + 63) / 64 * 64;
    return posix_memalign(&memory, 64, bytes ? bytes : 64) ? NULL : memory;
}

void weir_fft_free(float *memory)
{
    free(memory);
}

/* ---- wisdom; all with the planner locked ---- */

static void import_wisdom(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        return; /* not there yet: nothing to say */
    }
    if (!S_ISREG(info.st_mode) || info.st_size > MAX_WISDOM_BYTES ||
        !fftwf_import_wisdom_from_filename(path)) {
        weir_log(WEIR_LOG_NOTICE, "%s: not FFTW wisdom of this version; ignored", path);
        fftwf_forget_wisdom();
    }
}

static bool write_all(int fd, const char *text)
{
    FILE *file = fdopen(fd, "w");
    if (!file) {
        close(fd);
        return false;
    }
    bool written = fputs(text, file) >= 0;
    return fclose(file) == 0 && written;
}

/* The file is replaced in one step; what another process added meanwhile is kept. */
static void export_wisdom(const char *path)
{
    import_wisdom(path);
    char *text = fftwf_export_wisdom_to_string();
    size_t size = strlen(path) + sizeof ".XXXXXX";
    char *temporary = malloc(size);
    bool done = false;
    if (text && temporary) {
        snprintf(temporary, size, "%s.XXXXXX", path);
        int fd = mkstemp(temporary);
        if (fd >= 0) {
            done = write_all(fd, text) && rename(temporary, path) == 0;
            if (!done) {
                unlink(temporary);
            }
        }
    }
    if (!done) {
        weir_log(WEIR_LOG_INFO, "%s: wisdom not kept: %s", path, strerror(errno));
    }
    free(temporary);
    free(text);
}

/* ---- planning; all with the planner locked ---- */

static fftwf_plan plan_on(const weir_fft *fft, float *in, float *out, unsigned flags)
{
    int n = (int)fft->n;
    flags |= FFTW_DESTROY_INPUT;
    return fft->is_complex ? fftwf_plan_dft_1d(n, (fftwf_complex *)in, (fftwf_complex *)out,
                                               FFTW_FORWARD, flags)
                           : fftwf_plan_dft_r2c_1d(n, in, (fftwf_complex *)out, flags);
}

/* Measuring runs transforms on the buffers, so that they must be clean numbers. */
static bool make_plan(weir_fft *fft, weir_fft_plan *plan, unsigned flags, double seconds)
{
    size_t n_floats = 2 * fft->n + 2;
    float *in = weir_fft_alloc(n_floats), *out = weir_fft_alloc(n_floats);
    if (in && out) {
        if (flags == FFTW_MEASURE) {
            memset(in, 0, n_floats * sizeof *in);
            memset(out, 0, n_floats * sizeof *out);
        }
        fftwf_set_timelimit(seconds);
        plan->plan = plan_on(fft, in, out, flags);
        fftwf_set_timelimit(FFTW_NO_TIMELIMIT);
        plan->is_complex = fft->is_complex;
    }
    weir_fft_free(in);
    weir_fft_free(out);
    return plan->plan != NULL;
}

static bool plan_from_wisdom(weir_fft *fft, weir_fft_plan *plan)
{
    if (!fft->wisdom_path) {
        return false;
    }
    import_wisdom(fft->wisdom_path);
    return make_plan(fft, plan, FFTW_MEASURE | FFTW_WISDOM_ONLY, FFTW_NO_TIMELIMIT);
}

static bool measure_plan(weir_fft *fft, weir_fft_plan *plan, double seconds)
{
    if (plan_from_wisdom(fft, plan)) {
        return true;
    }
    bool made = make_plan(fft, plan, FFTW_MEASURE, seconds);
    if (made && fft->wisdom_path) {
        export_wisdom(fft->wisdom_path);
    }
    return made;
}

/* ---- the measuring thread ---- */

static void release(weir_fft *fft)
{
    if (atomic_fetch_sub(&fft->owners, 1) != 1) {
        return;
    }
    pthread_mutex_lock(&planner);
    if (fft->first.plan) {
        fftwf_destroy_plan(fft->first.plan);
    }
    if (fft->better.plan) {
        fftwf_destroy_plan(fft->better.plan);
    }
    pthread_mutex_unlock(&planner);
    free(fft->wisdom_path);
    free(fft);
}

static void *measure_main(void *argument)
{
    weir_fft *fft = argument;
    /* On Linux this concerns only the calling thread; if it fails, so be it. */
    (void)setpriority(PRIO_PROCESS, (id_t)gettid(), 10);
    pthread_mutex_lock(&planner);
    bool wanted = atomic_load(&fft->owners) > 1; /* not given up while waiting */
    bool made = wanted && measure_plan(fft, &fft->better, BACKGROUND_SECONDS);
    fftwf_forget_wisdom();
    pthread_mutex_unlock(&planner);
    if (made) {
        atomic_store(&fft->current, &fft->better);
    }
    release(fft);
    return NULL;
}

/* Failing to start it costs speed, nothing else. */
static void start_measuring(weir_fft *fft)
{
    pthread_t thread;
    weir_error err;
    atomic_fetch_add(&fft->owners, 1);
    if (weir_thread_start(&thread, "weir-planner", measure_main, fft, &err) == WEIR_OK) {
        pthread_detach(thread);
    } else {
        atomic_fetch_sub(&fft->owners, 1);
        weir_log(WEIR_LOG_INFO, "no better FFT plan: %s", err.text);
    }
}

/* ---- public ---- */

static bool first_plan(weir_fft *fft, weir_plan_effort effort, bool *measured)
{
    pthread_mutex_lock(&planner);
    fftwf_forget_wisdom();
    bool made = false;
    if (effort == WEIR_PLAN_MEASURE) {
        made = measure_plan(fft, &fft->first, MEASURE_SECONDS);
    } else if (effort == WEIR_PLAN_BACKGROUND) {
        made = plan_from_wisdom(fft, &fft->first);
    }
    *measured = made;
    fftwf_forget_wisdom();
    if (!made) {
        made = make_plan(fft, &fft->first, FFTW_ESTIMATE, FFTW_NO_TIMELIMIT);
    }
    pthread_mutex_unlock(&planner);
    return made;
}

weir_status weir_fft_create(weir_fft **out, size_t n, bool is_complex, weir_plan_effort effort,
                            const char *wisdom_path, weir_error *err)
{
    *out = NULL;
    weir_fft *fft = calloc(1, sizeof *fft);
    if (!fft) {
        goto fail;
    }
    atomic_init(&fft->owners, 1);
    fft->n = n;
    fft->is_complex = is_complex;
    if (wisdom_path && !(fft->wisdom_path = strdup(wisdom_path))) {
        goto fail;
    }
    bool measured;
    if (!first_plan(fft, effort, &measured)) {
        goto fail;
    }
    atomic_init(&fft->current, &fft->first);
    if (effort == WEIR_PLAN_BACKGROUND && !measured) {
        start_measuring(fft);
    }
    *out = fft;
    return WEIR_OK;
fail:
    weir_fft_destroy(fft);
    return weir_fail(err, WEIR_ERR_NOMEM, "out of memory for an FFT of %zu points", n);
}

void weir_fft_destroy(weir_fft *fft)
{
    if (fft) {
        release(fft);
    }
}

const weir_fft_plan *weir_fft_current(const weir_fft *fft)
{
    return atomic_load(&fft->current);
}

void weir_fft_execute(const weir_fft_plan *plan, float *in, float *out)
{
    if (plan->is_complex) {
        fftwf_execute_dft(plan->plan, (fftwf_complex *)in, (fftwf_complex *)out);
    } else {
        fftwf_execute_dft_r2c(plan->plan, in, (fftwf_complex *)out);
    }
}
