#include "app/view_sources.h"

#include "app/progress.h"
#include "base/log.h"
#include "base/thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define PATIENCE_SECONDS 2 /* with a source that is being opened when the user quits */
#define WAIT_NS 100000000  /* from one look to the next whether the user wants to leave */

struct weir_view_sources {
    weir_view_sources_config config;
    weir_totals accounts[WEIR_MAX_SOURCES]; /* of all times that it was at work */
    bool was_used[WEIR_MAX_SOURCES];

    pthread_mutex_t lock; /* all below */
    pthread_cond_t changed;
    weir_pipeline *now, *next;
    int index, next_index; /* of the arguments */
    bool has_quit;

    /* The opener: one at a time, joined by who starts the next one. */
    pthread_t opener;
    bool has_opener; /* to be joined */
    bool is_opening;
    int wanted_index;
};

static weir_status open_pipeline(weir_view_sources *s, int index, weir_pipeline **out,
                                 weir_error *err)
{
    weir_pipeline_config config = *s->config.pipeline;
    config.source = s->config.arguments[index];
    return weir_pipeline_open(out, &config, err);
}

static void warn(const weir_error *err)
{
    weir_log(WEIR_LOG_WARNING, "%s", err->text);
}

weir_status weir_view_sources_open(weir_view_sources **out, const weir_view_sources_config *config,
                                   weir_error *err)
{
    *out = NULL;
    weir_view_sources *s = calloc(1, sizeof *s);
    if (!s) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    s->config = *config;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    weir_status status = open_pipeline(s, 0, &s->now, err);
    while (status != WEIR_OK && s->index + 1 < config->n_arguments) {
        warn(err);
        status = open_pipeline(s, ++s->index, &s->now, err);
    }
    s->wanted_index = s->index;
    if (status != WEIR_OK) {
        weir_view_sources_close(s);
        return status;
    }
    *out = s;
    return WEIR_OK;
}

weir_pipeline *weir_view_sources_pipeline(weir_view_sources *s)
{
    return s->now;
}

const char *weir_view_sources_argument(const weir_view_sources *s)
{
    return s->config.arguments[s->index];
}

weir_pipeline *weir_view_sources_hold(weir_view_sources *s)
{
    pthread_mutex_lock(&s->lock);
    return s->now;
}

void weir_view_sources_release(weir_view_sources *s)
{
    pthread_mutex_unlock(&s->lock);
}

/* ---- another source ---- */

static void stop_now(weir_view_sources *s)
{
    weir_pipeline_set_paused(s->now, false);
    weir_pipeline_stop(s->now);
}

static void *opener_thread(void *user)
{
    weir_view_sources *s = user;
    weir_error err = {0};
    weir_pipeline *pipeline = NULL;
    weir_status status = open_pipeline(s, s->wanted_index, &pipeline, &err);
    pthread_mutex_lock(&s->lock);
    if (status == WEIR_OK) {
        s->next = pipeline;
        s->next_index = s->wanted_index;
        stop_now(s);
    } else if (!s->has_quit) {
        warn(&err);
    }
    s->is_opening = false;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* With the lock, while no opener is at work; one before may have to be joined. */
static weir_status start_opener(weir_view_sources *s, int index, weir_error *err)
{
    if (s->has_opener) {
        pthread_join(s->opener, NULL); /* it has let go of the lock, which was its last act */
    }
    s->wanted_index = index;
    weir_status status = weir_thread_start(&s->opener, "weir-opener", opener_thread, s, err);
    s->has_opener = s->is_opening = status == WEIR_OK;
    return status;
}

weir_status weir_view_sources_change(weir_view_sources *s, int steps, weir_error *err)
{
    int n = s->config.n_arguments;
    weir_status status;
    if (n < 2) {
        return weir_fail(err, WEIR_ERR_USAGE, "there is one source; name more after `weir view`");
    }
    pthread_mutex_lock(&s->lock);
    if (s->is_opening || s->next) {
        status = weir_fail(err, WEIR_ERR_USAGE, "%s is still being opened",
                           s->config.arguments[s->wanted_index]);
    } else {
        /* From the one that was tried last, so that one that fails is not tried for ever. */
        int index = ((s->wanted_index + steps) % n + n) % n;
        weir_log(WEIR_LOG_NOTICE, "opening %s", s->config.arguments[index]);
        status = start_opener(s, index, err);
    }
    pthread_mutex_unlock(&s->lock);
    return status;
}

void weir_view_sources_quit(weir_view_sources *s)
{
    pthread_mutex_lock(&s->lock);
    s->has_quit = true;
    stop_now(s);
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

/* ---- the engine's thread ---- */

void weir_view_sources_book(weir_view_sources *s)
{
    weir_totals totals;
    weir_pipeline_totals(s->now, &totals);
    weir_totals_add(&s->accounts[s->index], &totals);
    s->was_used[s->index] = true;
}

static void take_next(weir_view_sources *s)
{
    weir_pipeline *before = s->now;
    pthread_mutex_lock(&s->lock);
    s->now = s->next;
    s->index = s->next_index;
    s->next = NULL;
    if (s->has_quit) {
        stop_now(s);
    }
    pthread_mutex_unlock(&s->lock);
    weir_pipeline_close(before);
}

/* With the lock. By an opener, so that one that does not answer can be left. */
static bool open_following(weir_view_sources *s, int *last)
{
    weir_error err = {0};
    while (*last + 1 < s->config.n_arguments) {
        if (start_opener(s, ++*last, &err) == WEIR_OK) {
            return true;
        }
        warn(&err);
    }
    return false;
}

/* With the lock, which is let go meanwhile. */
static void wait_for_change(weir_view_sources *s)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += WAIT_NS;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&s->changed, &s->lock, &end);
}

static bool is_over(const weir_view_sources *s)
{
    const weir_pipeline_config *pipeline = s->config.pipeline;
    return s->has_quit || !pipeline->on_tick(pipeline->user);
}

bool weir_view_sources_next(weir_view_sources *s, bool goes_on)
{
    int last = s->index;
    bool may_come = true;
    pthread_mutex_lock(&s->lock);
    while (may_come && !s->next && !is_over(s)) {
        if (goes_on && !s->is_opening) {
            may_come = open_following(s, &last);
        } else {
            wait_for_change(s);
        }
    }
    bool has_next = s->next && !is_over(s);
    pthread_mutex_unlock(&s->lock);
    if (has_next) {
        take_next(s);
    }
    return has_next;
}

/* ---- the end ---- */

void weir_view_sources_log_accounts(const weir_view_sources *s)
{
    for (int i = 0; i < s->config.n_arguments; i++) {
        if (s->was_used[i] && s->config.n_arguments > 1) {
            weir_log(WEIR_LOG_NOTICE, "%s:", s->config.arguments[i]);
        }
        if (s->was_used[i]) {
            weir_accounts_log(&s->accounts[i]);
        }
    }
}

static bool opener_lets_go(weir_view_sources *s)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += PATIENCE_SECONDS;
    return !s->has_opener || pthread_timedjoin_np(s->opener, NULL, &end) == 0;
}

bool weir_view_sources_close(weir_view_sources *s)
{
    if (!s) {
        return true;
    }
    if (!opener_lets_go(s)) {
        weir_log(WEIR_LOG_WARNING, "%s is still being opened; not waiting for it",
                 s->config.arguments[s->wanted_index]);
        return false;
    }
    weir_pipeline_close(s->now);
    weir_pipeline_close(s->next);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->changed);
    free(s);
    return true;
}
