#include "capture/sound_server.h"

#include "base/printable.h"
#include "base/text.h"
#include "weir_config.h"

#include <string.h>

#if WEIR_HAVE_PULSE
#include "capture/device_thread.h"

#include <dlfcn.h>
#include <pulse/pulseaudio.h>

#define LIBRARY "libpulse.so.0"
#define PATIENCE_NS 1000000000

#define FUNCTIONS(X)                                                                               \
    X(mainloop_new)                                                                                \
    X(mainloop_get_api)                                                                            \
    X(mainloop_free)                                                                               \
    X(mainloop_prepare)                                                                            \
    X(mainloop_poll)                                                                               \
    X(mainloop_dispatch)                                                                           \
    X(context_new)                                                                                 \
    X(context_connect)                                                                             \
    X(context_disconnect)                                                                          \
    X(context_unref)                                                                               \
    X(context_get_state)                                                                           \
    X(context_errno)                                                                               \
    X(context_get_server_info)                                                                     \
    X(context_get_source_info_list)                                                                \
    X(operation_get_state)                                                                         \
    X(operation_unref)                                                                             \
    X(strerror)

/* pa_mainloop_new is mainloop_new here, and so on. */
typedef struct pulse {
#define X(name) __typeof__(pa_##name) *name;
    FUNCTIONS(X)
#undef X
} pulse;

typedef struct query {
    pulse pa;
    pa_mainloop *loop;
    pa_context *context;
    int64_t give_up_ns;
    char default_name[256];
    weir_sound_source_found *found;
    void *user;
} query;

/* It stays loaded. */
static weir_status load(pulse *pa, weir_error *err)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL), *symbol = NULL;
    bool good = library != NULL;
#define X(name)                                                                                    \
    symbol = good ? dlsym(library, "pa_" #name) : NULL;                                            \
    good = symbol != NULL;                                                                         \
    memcpy(&pa->name, &symbol, sizeof symbol); /* POSIX's own way from data to function */
    FUNCTIONS(X)
#undef X
    return good ? WEIR_OK : weir_fail(err, WEIR_ERR_UNSUPPORTED, "there is no " LIBRARY);
}

static weir_status no_answer(const query *q, weir_error *err)
{
    int error = q->context ? q->pa.context_errno(q->context) : PA_ERR_CONNECTIONREFUSED;
    return weir_fail(err, WEIR_ERR_DEVICE, "the sound server does not answer: %s",
                     q->pa.strerror(error == PA_OK ? PA_ERR_TIMEOUT : error));
}

/* One turn of the loop; false: the time is over, or the connection is. */
static bool turn(const query *q)
{
    int64_t left_ns = q->give_up_ns - weir_now_ns();
    return left_ns > 0 && q->pa.mainloop_prepare(q->loop, (int)(left_ns / 1000) + 1) >= 0 &&
           q->pa.mainloop_poll(q->loop) >= 0 && q->pa.mainloop_dispatch(q->loop) >= 0 &&
           PA_CONTEXT_IS_GOOD(q->pa.context_get_state(q->context));
}

static bool wait_for(const query *q, pa_operation *operation)
{
    bool done = false, good = operation != NULL;
    while (good && !done) {
        good = turn(q);
        done = q->pa.operation_get_state(operation) == PA_OPERATION_DONE;
    }
    if (operation) {
        q->pa.operation_unref(operation);
    }
    return done;
}

static bool connect_to_server(query *q)
{
    q->give_up_ns = weir_now_ns() + PATIENCE_NS;
    q->loop = q->pa.mainloop_new();
    q->context = q->loop ? q->pa.context_new(q->pa.mainloop_get_api(q->loop), "weir") : NULL;
    bool good =
        q->context && q->pa.context_connect(q->context, NULL, PA_CONTEXT_NOAUTOSPAWN, NULL) >= 0;
    while (good && q->pa.context_get_state(q->context) != PA_CONTEXT_READY) {
        good = turn(q);
    }
    return good;
}

static void disconnect(query *q)
{
    if (q->context) {
        q->pa.context_disconnect(q->context);
        q->pa.context_unref(q->context);
    }
    if (q->loop) {
        q->pa.mainloop_free(q->loop);
    }
}

static void on_server(pa_context *context, const pa_server_info *info, void *user)
{
    query *q = user;
    (void)context;
    weir_snprintf(q->default_name, sizeof q->default_name, "%s",
                  info && info->default_source_name ? info->default_source_name : "");
}

static void on_source(pa_context *context, const pa_source_info *info, int last, void *user)
{
    const query *q = user;
    (void)context;
    if (last || !info) {
        return;
    }
    weir_sound_source source = {.rate_hz = info->sample_spec.rate,
                                .channels = info->sample_spec.channels,
                                .is_monitor = info->monitor_of_sink != PA_INVALID_INDEX,
                                .is_default = strcmp(info->name, q->default_name) == 0};
    weir_snprintf(source.name, sizeof source.name, "%s", info->name);
    weir_snprintf(source.description, sizeof source.description, "%s",
                  info->description ? info->description : "");
    q->found(q->user, &source);
}

weir_status weir_sound_server_list(weir_sound_source_found *found, void *user, weir_error *err)
{
    query q = {.found = found, .user = user};
    if (load(&q.pa, err) != WEIR_OK) {
        return WEIR_ERR_UNSUPPORTED;
    }
    bool good = connect_to_server(&q) &&
                wait_for(&q, q.pa.context_get_server_info(q.context, on_server, &q)) &&
                wait_for(&q, q.pa.context_get_source_info_list(q.context, on_source, &q));
    weir_status status = good ? WEIR_OK : no_answer(&q, err);
    disconnect(&q);
    return status;
}

#else

weir_status weir_sound_server_list(weir_sound_source_found *found, void *user, weir_error *err)
{
    (void)found;
    (void)user;
    return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                     "this build cannot ask a sound server (libpulse was missing)");
}

#endif

typedef struct wanted {
    const char *name;
    weir_sound_source *source;
    bool found;
} wanted;

static void take_if_wanted(void *user, const weir_sound_source *source)
{
    wanted *w = user;
    if (w->name[0] ? strcmp(source->name, w->name) == 0 : source->is_default) {
        *w->source = *source;
        w->found = true;
    }
}

weir_status weir_sound_server_find(const char *name, weir_sound_source *source, weir_error *err)
{
    char shown[100];
    wanted w = {.name = name, .source = source};
    weir_status status = weir_sound_server_list(take_if_wanted, &w, err);
    if (status == WEIR_OK && !w.found) {
        return weir_fail(err, WEIR_ERR_DEVICE, "the sound server has no source \"%s\"",
                         weir_printable(shown, sizeof shown, name));
    }
    return status;
}
