#include "app/alert_actions.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "base/words.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define QUEUE 64
#define CHILDREN 4
#define RULES 8
#define BETWEEN_STARTS_S 1.0
#define LAST_CHILDREN_S 2.0
#define POLL_NS 20000000

extern char **environ;

struct weir_alert_actions {
    pthread_t thread;
    bool threaded;
    pthread_mutex_t lock; /* for the queue; held only to copy */
    pthread_cond_t changed;
    weir_alert_post queue[QUEUE];
    unsigned first, n;
    bool closing;
    unsigned long long dropped;

    /* The thread's own: */
    weir_alert_post current;
    int fd;
    bool owns_fd;
    char **argv; /* NULL: no command */
    pid_t children[CHILDREN];
    unsigned n_children;
    double last_start[RULES];
    unsigned long long not_run;
    weir_status status; /* of writing and starting; read after join */
    weir_error err;
};

/* The first thing that goes wrong is told at the end. */
static void keep_error(weir_alert_actions *a, const char *what, int error)
{
    if (a->status == WEIR_OK) {
        a->status = weir_fail(&a->err, WEIR_ERR_IO, "alerts: %s: %s", what, strerror(error));
    }
}

static void write_line(weir_alert_actions *a, const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        ssize_t n = write(a->fd, text, left);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            if (errno != EPIPE) { /* whom nobody reads need not be told */
                keep_error(a, "cannot write", errno);
            }
            return;
        }
        text += n;
        left -= (size_t)n;
    }
}

/* ---- commands ---- */

static void reap(weir_alert_actions *a)
{
    for (unsigned i = 0; i < a->n_children;) {
        pid_t ended = waitpid(a->children[i], NULL, WNOHANG);
        if (ended == 0) {
            i++;
        } else {
            a->children[i] = a->children[--a->n_children];
        }
    }
}

enum { OWN_VARIABLES = 6 };

/* The environment and what the command is to know; one allocation for the list, the texts
 * live in `texts`. */
static char **make_environment(const weir_alert_post *post, char texts[OWN_VARIABLES][1600])
{
    size_t n = 0;
    while (environ[n]) {
        n++;
    }
    char **list = malloc((n + OWN_VARIABLES + 1) * sizeof *list);
    if (!list) {
        return NULL;
    }
    const struct {
        const char *name, *value;
    } own[OWN_VARIABLES] = {{"RULE", post->rule},         {"EVENT", post->event},
                            {"LEVEL_DB", post->level_db}, {"TIME", post->time},
                            {"FILE", post->file},         {"JSON", post->json}};
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        if (strncmp(environ[i], "WEIR_ALERT_", 11) != 0) {
            list[used++] = environ[i];
        }
    }
    for (size_t i = 0; i < OWN_VARIABLES; i++) {
        snprintf(texts[i], 1600, "WEIR_ALERT_%s=%.*s", own[i].name,
                 (int)strcspn(own[i].value, "\n"), own[i].value);
        list[used++] = texts[i];
    }
    list[used] = NULL;
    return list;
}

static int spawn(char **argv, char **environment, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int error = posix_spawnp(pid, argv[0], &files, &attributes, argv, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

static void run_command(weir_alert_actions *a, const weir_alert_post *post)
{
    char texts[OWN_VARIABLES][1600];
    double now = weir_now_seconds(), *last = &a->last_start[post->rule_index % RULES];
    reap(a);
    if (a->n_children == CHILDREN || now - *last < BETWEEN_STARTS_S) {
        a->not_run++;
        return;
    }
    *last = now;
    char **environment = make_environment(post, texts);
    int error = environment ? spawn(a->argv, environment, &a->children[a->n_children]) : ENOMEM;
    free(environment);
    if (error != 0) {
        keep_error(a, a->argv[0], error);
        return;
    }
    a->n_children++;
}

static void wait_for_children(weir_alert_actions *a)
{
    double end = weir_now_seconds() + LAST_CHILDREN_S;
    const struct timespec step = {.tv_nsec = POLL_NS};
    for (reap(a); a->n_children > 0 && weir_now_seconds() < end; reap(a)) {
        nanosleep(&step, NULL);
    }
}

/* ---- the thread ---- */

/* The next post into current; false: the end. While children run it looks after them. */
static bool next_post(weir_alert_actions *a)
{
    pthread_mutex_lock(&a->lock);
    while (a->n == 0 && !a->closing) {
        if (a->n_children > 0) {
            struct timespec until;
            clock_gettime(CLOCK_REALTIME, &until);
            until.tv_sec += 1;
            pthread_cond_timedwait(&a->changed, &a->lock, &until);
            reap(a);
        } else {
            pthread_cond_wait(&a->changed, &a->lock);
        }
    }
    bool any = a->n > 0;
    if (any) {
        a->current = a->queue[a->first];
        a->first = (a->first + 1) % QUEUE;
        a->n--;
    }
    pthread_mutex_unlock(&a->lock);
    return any;
}

static void *thread_main(void *arg)
{
    weir_alert_actions *a = arg;
    while (next_post(a)) {
        write_line(a, a->current.json);
        if (a->argv && a->current.runs_command) {
            run_command(a, &a->current);
        }
    }
    wait_for_children(a);
    return NULL;
}

void weir_alert_actions_post(weir_alert_actions *a, const weir_alert_post *post)
{
    pthread_mutex_lock(&a->lock);
    if (a->n == QUEUE) {
        a->dropped++;
    } else {
        a->queue[(a->first + a->n++) % QUEUE] = *post;
        pthread_cond_signal(&a->changed);
    }
    pthread_mutex_unlock(&a->lock);
}

/* ---- open and close ---- */

static weir_status open_log(weir_alert_actions *a, const weir_alert_actions_config *config,
                            weir_error *err)
{
    a->fd = config->to_stderr ? STDERR_FILENO : STDOUT_FILENO;
    if (!config->log) {
        return WEIR_OK;
    }
    a->fd = open(config->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    a->owns_fd = a->fd >= 0;
    return a->owns_fd ? WEIR_OK
                      : weir_fail(err, WEIR_ERR_CANT_CREATE, "%s: cannot open: %s", config->log,
                                  strerror(errno));
}

static weir_status make_argv(weir_alert_actions *a, const weir_alert_actions_config *config,
                             weir_error *err)
{
    if (!config->command) {
        return WEIR_OK;
    }
    if (!config->shell) {
        return weir_words_split(config->command, &a->argv, err) == WEIR_OK
                   ? WEIR_OK
                   : weir_fail_context(err, "--alert-run");
    }
    size_t length = strlen(config->command) + 1;
    a->argv = malloc(4 * sizeof *a->argv + length);
    if (!a->argv) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    char *command = memcpy(a->argv + 4, config->command, length);
    static char shell[] = "/bin/sh", option[] = "-c";
    a->argv[0] = shell;
    a->argv[1] = option;
    a->argv[2] = command;
    a->argv[3] = NULL;
    return WEIR_OK;
}

static weir_status start_thread(weir_alert_actions *a, weir_error *err)
{
    weir_status status = weir_thread_start(&a->thread, "weir-alerts", thread_main, a, err);
    a->threaded = status == WEIR_OK;
    return status == WEIR_OK ? status : weir_fail_context(err, "alerts");
}

weir_status weir_alert_actions_open(weir_alert_actions **out,
                                    const weir_alert_actions_config *config, weir_error *err)
{
    *out = NULL;
    weir_alert_actions *a = calloc(1, sizeof *a);
    if (!a) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    for (unsigned i = 0; i < RULES; i++) {
        a->last_start[i] = -BETWEEN_STARTS_S;
    }
    weir_status status = make_argv(a, config, err);
    if (status == WEIR_OK) {
        status = open_log(a, config, err);
    }
    if (status == WEIR_OK) {
        status = start_thread(a, err);
    }
    if (status != WEIR_OK) {
        weir_alert_actions_destroy(a);
        return status;
    }
    *out = a;
    return WEIR_OK;
}

static void join(weir_alert_actions *a)
{
    if (!a->threaded) {
        return;
    }
    pthread_mutex_lock(&a->lock);
    a->closing = true;
    pthread_cond_signal(&a->changed);
    pthread_mutex_unlock(&a->lock);
    pthread_join(a->thread, NULL);
    a->threaded = false;
}

weir_status weir_alert_actions_finish(weir_alert_actions *a, weir_error *err)
{
    join(a);
    if (a->dropped) {
        weir_log(WEIR_LOG_WARNING, "%llu alerts came too fast to be told", a->dropped);
    }
    if (a->not_run) {
        weir_log(WEIR_LOG_NOTICE, "the command of %llu alerts was not run: one a second, 4 at once",
                 a->not_run);
    }
    return a->status == WEIR_OK ? WEIR_OK : weir_fail(err, a->status, "%s", a->err.text);
}

void weir_alert_actions_destroy(weir_alert_actions *a)
{
    if (!a) {
        return;
    }
    join(a);
    if (a->owns_fd) {
        close(a->fd);
    }
    free(a->argv);
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->lock);
    free(a);
}
