#include "app/sweep_view.h"

#include "app/view_settings.h"
#include "base/thread.h"
#include "display/view.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct weir_sweep_view {
    weir_sweep_view_config config;
    weir_view *view;
    atomic_bool stop;
    atomic_uint wanted; /* plan */
    unsigned shown;     /* likewise, sweep's thread */
    pthread_mutex_t lock;
    weir_totals totals;

    /* Of run: */
    weir_status (*sweep)(void *user, weir_error *err);
    void *user;
    weir_status status;
    weir_error err;
};

static void read_totals(void *user, weir_totals *totals)
{
    weir_sweep_view *v = user;
    pthread_mutex_lock(&v->lock);
    *totals = v->totals;
    pthread_mutex_unlock(&v->lock);
}

static weir_status change_range(void *user, int steps, weir_error *err)
{
    weir_sweep_view *v = user;
    int n = (int)v->config.n_plans;
    if (n < 2) {
        return weir_fail(err, WEIR_ERR_USAGE, "there is one range; name more with --freq");
    }
    int wanted = (int)atomic_load(&v->wanted) + steps;
    atomic_store(&v->wanted, (unsigned)((wanted % n + n) % n));
    return WEIR_OK;
}

/* What holds for the lines of one plan. A line takes as long as its pass does. */
static weir_stream_info stream_of(const weir_sweep_view *v, unsigned plan)
{
    weir_stream_info stream = *v->config.stream;
    stream.n_bins = v->config.plans[plan].n_bins;
    stream.start_hz = v->config.plans[plan].start_hz;
    stream.bin_hz = v->config.plans[plan].bin_hz;
    return stream;
}

static weir_view_config config_of(weir_sweep_view *v)
{
    weir_view_config config = weir_view_config_of(v->config.settings);
    config.low_hz = config.high_hz = NAN; /* --freq says what there is */
    config.actions =
        (weir_view_actions){.user = v, .totals = read_totals, .change_source = change_range};
    return config;
}

weir_status weir_sweep_view_open(weir_sweep_view **out, const weir_sweep_view_config *config,
                                 weir_error *err)
{
    *out = NULL;
    if (!weir_view_possible()) {
        return weir_fail(err, WEIR_ERR_USAGE, "--view: there is no terminal to draw on");
    }
    weir_sweep_view *v = calloc(1, sizeof *v);
    if (!v) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    v->config = *config;
    pthread_mutex_init(&v->lock, NULL);
    weir_view_config view = config_of(v);
    weir_stream_info stream = stream_of(v, 0);
    weir_status status = weir_view_open(&v->view, &view, &stream, err);
    if (status != WEIR_OK) {
        weir_sweep_view_close(v);
        return status;
    }
    *out = v;
    return WEIR_OK;
}

void weir_sweep_view_push(weir_sweep_view *v, unsigned plan, const weir_spectrum *whole,
                          const weir_totals *totals)
{
    if (!v) {
        return;
    }
    unsigned wanted = atomic_load(&v->wanted);
    weir_error ignored; /* no memory: the range stays */
    if (wanted != v->shown) {
        weir_view_config config = config_of(v);
        weir_stream_info stream = stream_of(v, wanted);
        bool is_done = weir_view_set_source(v->view, &config, &stream, &ignored) == WEIR_OK;
        v->shown = is_done ? wanted : v->shown;
    }
    pthread_mutex_lock(&v->lock);
    v->totals = *totals;
    pthread_mutex_unlock(&v->lock);
    if (plan == v->shown) {
        weir_view_push(v->view, whole);
    }
}

bool weir_sweep_view_stopped(const weir_sweep_view *v)
{
    return v && atomic_load(&v->stop);
}

static void *sweep_thread(void *user)
{
    weir_sweep_view *v = user;
    weir_totals totals;
    v->status = v->sweep(v->user, &v->err);
    read_totals(v, &totals);
    weir_view_end(v->view, &totals, v->status == WEIR_OK ? NULL : &v->err);
    return NULL;
}

weir_status weir_sweep_view_run(weir_sweep_view *v,
                                weir_status (*sweep)(void *user, weir_error *err), void *user,
                                int *signal_number, weir_error *err)
{
    pthread_t thread;
    v->sweep = sweep;
    v->user = user;
    weir_status status = weir_thread_start(&thread, "weir-sweep", sweep_thread, v, err);
    if (status != WEIR_OK) {
        return status;
    }
    *signal_number = weir_view_run(v->view);
    atomic_store(&v->stop, true);
    pthread_join(thread, NULL);
    return v->status == WEIR_OK ? WEIR_OK : weir_fail(err, v->status, "%s", v->err.text);
}

void weir_sweep_view_close(weir_sweep_view *v)
{
    if (v) {
        weir_view_close(v->view);
        pthread_mutex_destroy(&v->lock);
        free(v);
    }
}
