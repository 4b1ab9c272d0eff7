/* `mic[:NAME|:INDEX]`: a microphone or line input through PortAudio.
 *
 * PortAudio calls back from its own thread, which owns the writer: no lock, no allocation,
 * no system call there. A keeper thread looks every 50 ms whether the stream is alive; it
 * closes a lost one first, so that it and the callback never write at once.
 *
 * `mic:SOURCE.monitor` hears what PulseAudio (or PipeWire's server for it) plays: this
 * PortAudio knows no monitors, but ALSA's device "pulse" takes the source from PULSE_SOURCE.
 * The server takes any rate and converts; PortAudio does not learn of its own, so the server is
 * asked (capture/sound_server.h).
 */
#include "base/log.h"
#include "base/text.h"
#include "base/units.h"
#include "capture/absence.h"
#include "capture/capture.h"
#include "capture/device_options.h"
#include "capture/device_thread.h"
#include "capture/quiet.h"
#include "capture/sound_server.h"
#include "capture/sources.h"
#include "weir_config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAME "mic"

static bool mic_accepts(const char *argument)
{
    return strcmp(argument, NAME) == 0 || strncmp(argument, NAME ":", sizeof NAME) == 0;
}

#if WEIR_HAVE_PORTAUDIO
#include <dlfcn.h>
#include <portaudio.h>

#define MONITOR ".monitor"
#define USUAL_CHANNELS 2
#define WATCH_NS 50000000
#define SILENCE_NS 700000000     /* no callback for so long: lost; noticed within 1 s */
#define FIRST_DATA_NS 8000000000 /* PulseAudio takes 2 s and more to begin            */
#define REOPEN_NS 1000000000
#define BACK_NS 10000000000 /* to open it again after weir stood still */
#define LATENCY_SECONDS 0.1

typedef struct mic {
    weir_source base;
    char wanted[256];
    char device[256]; /* what was found, in full: only that is opened again */
    int device_index; /* tells it from others of the same name              */
    bool retries;
    bool initialized;
    weir_sound_source server; /* rate_hz 0: the device is none, or does not say */
    PaStream *stream;
    PaStreamParameters parameters;

    weir_writer *writer;
    pthread_t keeper;
    bool running;
    atomic_bool stop;
    atomic_int_fast64_t deadline_ns; /* when the next callback must have come */
    atomic_uint_fast64_t overflows;

    /* The callback's own while the stream runs, the keeper's else. */
    double next_time; /* by the stream's clock, of the next sample; 0 unknown */
    int64_t last_data_ns;
    weir_sample_clock clock; /* of what came since the stream was opened */
    weir_absence absence;
} mic;

/* ---- chatter ---- */

static void on_alsa_error(const char *file, int line, const char *function, int error,
                          const char *format, ...)
{
    char text[300];
    va_list args;
    (void)file;
    (void)line;
    (void)error;
    va_start(args, format);
    weir_vsnprintf(text, sizeof text, format, args);
    va_end(args);
    weir_log(WEIR_LOG_INFO, NAME ": ALSA: %s: %s", function, text);
}

static void *alsa_symbol(const char *name)
{
    return dlsym(RTLD_DEFAULT, name);
}

/* ALSA comes with PortAudio, if at all; this program does not link it itself. */
static void silence_alsa(void)
{
    typedef void handler(const char *, int, const char *, int, const char *, ...);
    int (*set_handler)(handler *) = NULL;
    void *symbol = alsa_symbol("snd_lib_error_set_handler");
    memcpy(&set_handler, &symbol, sizeof symbol); /* POSIX's own way from data to function */
    if (set_handler) {
        set_handler(on_alsa_error);
    }
}

/* PortAudio ends the whole program by an assertion if ALSA's configuration names no device:
 * that is looked at before. */
static bool alsa_is_usable(void)
{
    int (*update)(void) = NULL;
    int (*search)(void *, const char *, void **) = NULL;
    void *symbols[] = {alsa_symbol("snd_config_update"), alsa_symbol("snd_config_search")};
    void **config = alsa_symbol("snd_config");
    void *devices = NULL;
    if (!symbols[0] || !symbols[1] || !config) {
        return true; /* a PortAudio without ALSA */
    }
    memcpy(&update, &symbols[0], sizeof update);
    memcpy(&search, &symbols[1], sizeof search);
    return update() >= 0 && *config && search(*config, "pcm", &devices) == 0;
}

static weir_status failed(const char *what, PaError error, weir_error *err)
{
    const PaHostErrorInfo *host = Pa_GetLastHostErrorInfo();
    bool has_text =
        error == paUnanticipatedHostError && host && host->errorText && host->errorText[0];
    return weir_fail(err, WEIR_ERR_DEVICE, NAME ": %s: %s", what,
                     has_text ? host->errorText : Pa_GetErrorText(error));
}

static weir_status initialize(mic *m, weir_error *err)
{
    weir_quiet quiet;
    weir_quiet_begin(&quiet);
    silence_alsa();
    bool usable = alsa_is_usable();
    PaError error = usable ? Pa_Initialize() : paNoError;
    weir_quiet_end(&quiet, NAME);
    if (!usable) {
        return weir_fail(err, WEIR_ERR_DEVICE,
                         NAME
                         ": ALSA's configuration cannot be read (~/.asoundrc, /etc/asound.conf "
                         "or ALSA_CONFIG_PATH; -v shows what it said)");
    }
    m->initialized = error == paNoError;
    return m->initialized ? WEIR_OK : failed("PortAudio does not start", error, err);
}

static void terminate(mic *m)
{
    weir_quiet quiet;
    weir_quiet_begin(&quiet);
    if (m->stream) {
        Pa_AbortStream(m->stream);
        Pa_CloseStream(m->stream);
    }
    if (m->initialized) {
        Pa_Terminate();
    }
    weir_quiet_end(&quiet, NAME);
    m->stream = NULL;
    m->initialized = false;
}

/* ---- which device ---- */

static const PaDeviceInfo *input_at(int index)
{
    const PaDeviceInfo *info = Pa_GetDeviceInfo(index);
    return info && info->maxInputChannels > 0 ? info : NULL;
}

#define SERVER_LIST_BYTES 200

static void name_server_source(void *list, const weir_sound_source *source)
{
    char name[128];
    weir_list_add(list, SERVER_LIST_BYTES, "%s", weir_printable(name, sizeof name, source->name));
}

static weir_status refuse_name(const char *wanted, const char *why, weir_error *err)
{
    char list[200] = "", server[SERVER_LIST_BYTES] = "", shown[80], name[64];
    for (int i = 0; i < Pa_GetDeviceCount(); i++) {
        const PaDeviceInfo *info = input_at(i);
        if (info) {
            weir_list_add(list, sizeof list, "%d: %s", i,
                          weir_printable(name, sizeof name, info->name));
        }
    }
    (void)weir_sound_server_list(name_server_source, server, NULL); /* none: nothing is added */
    return weir_fail(err, WEIR_ERR_DEVICE, NAME ": \"%s\" %s; there %s %s%s%s",
                     weir_printable(shown, sizeof shown, wanted), why, list[0] ? "are" : "is",
                     list[0] ? list : "no audio input", server[0] ? "; of the sound server: " : "",
                     server);
}

/* How many inputs' names match; *index is the first. */
static int count_matches(const char *wanted, bool whole, int *index)
{
    int n = 0;
    for (int i = Pa_GetDeviceCount() - 1; i >= 0; i--) {
        const PaDeviceInfo *info = input_at(i);
        bool match = info && (whole ? strcasecmp(info->name, wanted) == 0
                                    : strcasestr(info->name, wanted) != NULL);
        *index = match ? i : *index;
        n += match;
    }
    return n;
}

/* A source that ALSA's device "pulse" was told to take. */
static bool is_of_server(const char *wanted)
{
    const char *told = getenv("PULSE_SOURCE");
    return told && strcmp(told, wanted) == 0;
}

/* By exact name, then by an unambiguous part of it, then by index. Never another. */
static weir_status find_device(const char *wanted, int *index, weir_error *err)
{
    if (wanted[0] == '\0') {
        *index = Pa_GetDefaultInputDevice();
        return *index >= 0 && input_at(*index)
                   ? WEIR_OK
                   : weir_fail(err, WEIR_ERR_DEVICE, NAME ": there is no audio input");
    }
    int exact = count_matches(wanted, true, index);
    if (exact == 1) {
        return WEIR_OK;
    }
    if (exact == 0 && is_of_server(wanted)) {
        return count_matches("pulse", true, index) == 1
                   ? WEIR_OK
                   : refuse_name(wanted,
                                 "needs ALSA's device \"pulse\" (Debian: "
                                 "libasound2-plugins) and a running sound server",
                                 err);
    }
    int parts = exact ? exact : count_matches(wanted, false, index);
    if (parts == 1) {
        return WEIR_OK;
    }
    uint64_t number = 0;
    if (parts == 0 && wanted[strspn(wanted, "0123456789")] == '\0' &&
        weir_parse_count(wanted, &number, NULL) == WEIR_OK && number < 10000 &&
        input_at((int)number)) {
        *index = (int)number;
        return WEIR_OK;
    }
    return refuse_name(wanted, parts ? "fits several inputs" : "is no audio input", err);
}

/* The same device, after it was lost; false: it is not there. */
static bool find_again(const mic *m, int *index)
{
    const PaDeviceInfo *there = input_at(m->device_index);
    if (there && strcmp(there->name, m->device) == 0) {
        *index = m->device_index;
        return true;
    }
    return count_matches(m->device, true, index) == 1;
}

/* ---- the callback ---- */

/* What an overflow has cost, by the stream's clock. */
static uint64_t overflow_samples(const mic *m, double time, double rate_hz)
{
    double missing = m->next_time > 0 && time > 0 ? (time - m->next_time) * rate_hz : 0;
    return missing > 1 && missing < 0x1p40 ? (uint64_t)llrint(missing) : 1;
}

static void count_absence(mic *m, uint64_t n_samples, int64_t now_ns)
{
    weir_writer_lost(m->writer, weir_absence_more(&m->absence, n_samples, now_ns));
}

static int on_audio(const void *input, void *output, unsigned long n_frames,
                    const PaStreamCallbackTimeInfo *time, PaStreamCallbackFlags flags, void *user)
{
    mic *m = user;
    double rate_hz = m->base.info.rate_hz;
    int64_t now = weir_now_ns();
    (void)output;
    weir_quiet_mark_thread(NAME);
    if (flags & paInputOverflow) {
        uint64_t missing = overflow_samples(m, time->inputBufferAdcTime, rate_hz);
        weir_writer_lost(m->writer, missing);
        weir_sample_clock_lost(&m->clock, missing);
        atomic_fetch_add(&m->overflows, 1);
    }
    if (weir_absence_lasts(&m->absence)) {
        count_absence(m, n_frames, now);
        weir_writer_lost(m->writer, m->absence.counted == 0); /* a gap, however short */
        weir_absence_end(&m->absence);
        weir_sample_clock_start(&m->clock, rate_hz);
    }
    weir_sample_clock_arrived(&m->clock, n_frames, now);
    if (input) {
        weir_writer_push(m->writer, input, n_frames);
    }
    double begin = time->inputBufferAdcTime;
    m->next_time = begin > 0 ? begin + (double)n_frames / rate_hz : 0;
    m->last_data_ns = now;
    atomic_store(&m->deadline_ns, now + SILENCE_NS);
    return paContinue;
}

/* ---- opening ---- */

static const struct {
    weir_scalar scalar;
    PaSampleFormat format;
} formats[] = {{WEIR_S16LE, paInt16}, {WEIR_S24LE, paInt24}, {WEIR_F32LE, paFloat32}};

static weir_status choose_format(mic *m, const weir_source_options *o, weir_error *err)
{
    weir_sample_format *format = &m->base.info.format;
    *format = (weir_sample_format){.scalar = WEIR_S24LE, .channels = 1};
    weir_status status = o->format ? weir_format_parse(o->format, format, err) : WEIR_OK;
    if (status != WEIR_OK) {
        return status;
    }
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (formats[i].scalar == format->scalar && !format->is_complex) {
            m->parameters.sampleFormat = formats[i].format;
            return WEIR_OK;
        }
    }
    return weir_fail(err, WEIR_ERR_USAGE, NAME ": format \"%s\": s16, s24 and f32 are possible",
                     o->format);
}

/* Two channels as I and Q, for receivers that end in a sound card. */
static weir_status choose_channels(mic *m, const weir_source_options *o, const PaDeviceInfo *device,
                                   weir_error *err)
{
    int most = device->maxInputChannels;
    unsigned usual = most < USUAL_CHANNELS ? (unsigned)most : USUAL_CHANNELS;
    usual = m->server.channels == 1 ? 1 : usual;
    unsigned n = o->iq == 1 ? 2 : o->channels ? o->channels : usual;
    if (n > (unsigned)most || (o->iq == 1 && o->channels != 0 && o->channels != 2)) {
        return weir_fail(err, WEIR_ERR_USAGE, NAME ": %s has %d channel%s, not %u", device->name,
                         most, most == 1 ? "" : "s", n);
    }
    m->parameters.channelCount = (int)n;
    m->base.info.format.is_complex = o->iq == 1;
    m->base.info.format.channels = o->iq == 1 ? 1 : n;
    return WEIR_OK;
}

/* Opens the stream; PortAudio says which rate it really has. */
static weir_status open_stream(mic *m, double rate_hz, weir_error *err)
{
    weir_quiet quiet;
    weir_quiet_begin(&quiet);
    PaError error =
        Pa_OpenStream(&m->stream, &m->parameters, NULL, rate_hz, paFramesPerBufferUnspecified,
                      paClipOff | paDitherOff, on_audio, m);
    weir_quiet_end(&quiet, NAME);
    if (error != paNoError) {
        char what[100];
        m->stream = NULL;
        weir_snprintf(what, sizeof what, "opening at %.0f Hz, %d channel%s", rate_hz,
                      m->parameters.channelCount, m->parameters.channelCount == 1 ? "" : "s");
        return failed(what, error, err);
    }
    return WEIR_OK;
}

/* What the source behind a sound server is like, where the device is one. */
static void ask_server(mic *m, const char *device)
{
    static const char *const servers[] = {"pulse", "default", "pipewire"};
    const char *name = getenv("PULSE_SOURCE");
    weir_error why = {0};
    m->server = (weir_sound_source){.rate_hz = 0};
    for (size_t i = 0; i < sizeof servers / sizeof servers[0]; i++) {
        if (strcmp(device, servers[i]) == 0 &&
            weir_sound_server_find(name ? name : "", &m->server, &why) != WEIR_OK) {
            weir_log(WEIR_LOG_INFO, NAME ": %s", why.text);
        }
    }
}

/* The rate that nothing converts, unless another is asked for. */
static double choose_rate(const mic *m, const weir_source_options *o, const PaDeviceInfo *device)
{
    double own_hz = m->server.rate_hz > 0 ? m->server.rate_hz : device->defaultSampleRate;
    if (o->rate_hz > 0 && m->server.rate_hz > 0 && fabs(own_hz - o->rate_hz) > 0.5) {
        char name[100];
        weir_log(WEIR_LOG_NOTICE, NAME ": the sound server converts %s from %.0f Hz to %.0f Hz",
                 weir_printable(name, sizeof name, m->server.name), own_hz, o->rate_hz);
    }
    return o->rate_hz > 0 ? o->rate_hz : own_hz;
}

static weir_status find_and_open(mic *m, const weir_source_options *o, weir_error *err)
{
    int index = -1;
    weir_status status = find_device(m->wanted, &index, err);
    if (status != WEIR_OK) {
        return status;
    }
    const PaDeviceInfo *device = Pa_GetDeviceInfo(index);
    ask_server(m, device->name);
    double rate_hz = choose_rate(m, o, device);
    weir_snprintf(m->device, sizeof m->device, "%s", device->name);
    m->device_index = m->parameters.device = index;
    m->parameters.suggestedLatency = fmax(device->defaultHighInputLatency, LATENCY_SECONDS);
    status = choose_channels(m, o, device, err);
    status = status == WEIR_OK ? open_stream(m, rate_hz, err) : status;
    if (status != WEIR_OK && is_of_server(m->wanted)) {
        return weir_fail_context(err, "%s (pactl list short sources names the monitors)",
                                 m->wanted);
    }
    if (status != WEIR_OK) {
        return status;
    }
    const PaStreamInfo *stream = Pa_GetStreamInfo(m->stream);
    m->base.info.rate_hz = stream ? stream->sampleRate : rate_hz;
    if (fabs(m->base.info.rate_hz - rate_hz) > 0.5) {
        weir_log(WEIR_LOG_NOTICE, NAME ": the device chose %.0f Hz, not %.0f", m->base.info.rate_hz,
                 rate_hz);
    }
    return WEIR_OK;
}

static void describe(mic *m, const char *argument, const weir_source_options *o)
{
    weir_source_info *info = &m->base.info;
    char device[100], source[100], format[32], rate[32];
    const PaDeviceInfo *found = Pa_GetDeviceInfo(m->parameters.device);
    const PaHostApiInfo *api = Pa_GetHostApiInfo(found->hostApi);
    weir_format_si(rate, sizeof rate, info->rate_hz);
    weir_printable(source, sizeof source, m->server.name);
    weir_snprintf(info->description, sizeof info->description,
                  "%s%s%s (%s), %s, %u channel%s, %sHz", source, source[0] ? " by " : "",
                  weir_printable(device, sizeof device, found->name), api ? api->name : "?",
                  weir_format_name(&info->format, format, sizeof format), info->format.channels,
                  info->format.channels == 1 ? "" : "s", rate);
    weir_source_set_live(&m->base, argument, info->rate_hz,
                         info->format.is_complex && !isnan(o->center_hz) ? o->center_hz : 0);
}

static void mic_close(weir_source *source)
{
    mic *m = (mic *)source;
    if (m) {
        terminate(m);
        free(m);
    }
}

static const char *const known_keys[] = {"on-loss", NULL};

static weir_status mic_open(weir_source **out, const char *argument,
                            const weir_source_options *options, weir_error *err)
{
    const char *wanted = argument[strlen(NAME)] ? argument + sizeof NAME : "";
    mic *m = calloc(1, sizeof *m);
    if (!m) {
        return weir_fail(err, WEIR_ERR_NOMEM, NAME ": out of memory");
    }
    m->base.class_ = &weir_source_mic;
    weir_snprintf(m->wanted, sizeof m->wanted, "%s", wanted);
    if (weir_ends_with(wanted, MONITOR) ||
        (wanted[0] && weir_sound_server_find(wanted, &m->server, NULL) == WEIR_OK)) {
        setenv("PULSE_SOURCE", wanted, 1); /* read by ALSA's pulse device; no thread runs yet */
    }
    weir_status status = weir_devopt_check_keys(options, NAME, known_keys, err);
    status = status == WEIR_OK ? weir_devopt_retries(options, NAME, &m->retries, err) : status;
    status = status == WEIR_OK ? choose_format(m, options, err) : status;
    status = status == WEIR_OK ? initialize(m, err) : status;
    status = status == WEIR_OK ? find_and_open(m, options, err) : status;
    if (status != WEIR_OK) {
        mic_close(&m->base);
        return status;
    }
    describe(m, argument, options);
    *out = &m->base;
    return WEIR_OK;
}

/* ---- running ---- */

static weir_status start_stream(mic *m, weir_error *err)
{
    weir_quiet quiet;
    weir_quiet_watch();
    m->next_time = 0;
    atomic_store(&m->deadline_ns, weir_now_ns() + FIRST_DATA_NS);
    weir_quiet_begin(&quiet);
    PaError error = Pa_StartStream(m->stream);
    weir_quiet_end(&quiet, NAME);
    return error == paNoError ? WEIR_OK : failed("the stream does not start", error, err);
}

/* The device list is fixed until PortAudio is started anew. */
static bool reopen(mic *m)
{
    int index = -1;
    weir_error why = {0};
    weir_status status = initialize(m, &why);
    if (status == WEIR_OK && !find_again(m, &index)) {
        status = weir_fail(&why, WEIR_ERR_DEVICE, NAME ": %s is not there", m->device);
    }
    m->parameters.device = index;
    status = status == WEIR_OK ? open_stream(m, m->base.info.rate_hz, &why) : status;
    status = status == WEIR_OK ? start_stream(m, &why) : status;
    if (status != WEIR_OK) {
        weir_log(WEIR_LOG_DEBUG, "%s", why.text);
        terminate(m);
    }
    return status == WEIR_OK;
}

static bool is_lost(mic *m, const char *why)
{
    weir_error err = {0};
    if (!atomic_load(&m->stop)) {
        weir_fail(&err, WEIR_ERR_DEVICE, "%s: input lost: %s", m->base.info.name, why);
        weir_writer_ended(m->writer, &err);
    }
    return false;
}

/* False: this was the end. Where weir stood still (0: it did not) it is no loss of the input's. */
static bool survive_loss(mic *m, int64_t still_since_ns)
{
    bool opened = false;
    bool silent = Pa_IsStreamActive(m->stream) == 1;
    terminate(m); /* the callback has ended: the writer is ours */
    const char *why = silent ? "no data came" : "its stream ended";
    if (still_since_ns) {
        weir_log(WEIR_LOG_WARNING, "%s: weir stood still; it is opened again", m->base.info.name);
    } else if (m->retries) {
        weir_log(WEIR_LOG_WARNING, "%s: input lost: %s; waiting for it", m->base.info.name, why);
    } else {
        return is_lost(m, why);
    }
    weir_absence_begin(&m->absence, &m->clock, still_since_ns ? still_since_ns : m->last_data_ns);
    int64_t until_ns = m->retries ? INT64_MAX : weir_now_ns() + BACK_NS;
    while (!opened && weir_now_ns() < until_ns && weir_sleep_unless(&m->stop, REOPEN_NS)) {
        count_absence(m, 0, weir_now_ns());
        opened = reopen(m);
    }
    if (!opened) {
        return is_lost(m, "it does not open again");
    }
    weir_log(WEIR_LOG_WARNING, "%s: the input is back; the gap is estimated", m->base.info.name);
    return true;
}

static void *keeper_main(void *user)
{
    mic *m = user;
    int64_t last_ns = weir_now_ns();
    while (weir_sleep_unless(&m->stop, WATCH_NS)) {
        bool alive =
            Pa_IsStreamActive(m->stream) == 1 && weir_now_ns() < atomic_load(&m->deadline_ns);
        int64_t before_ns = last_ns;
        bool stood_still = weir_stood_still(&last_ns, SILENCE_NS);
        if (!alive && !survive_loss(m, stood_still ? before_ns : 0)) {
            break;
        }
        last_ns = weir_now_ns(); /* after what it takes to open it again */
    }
    return NULL;
}

static weir_status mic_start(weir_source *source, weir_writer *writer, weir_error *err)
{
    mic *m = (mic *)source;
    m->writer = writer;
    m->last_data_ns = weir_now_ns();
    weir_sample_clock_start(&m->clock, m->base.info.rate_hz);
    atomic_store(&m->stop, false);
    weir_status status = start_stream(m, err);
    status =
        status == WEIR_OK ? weir_thread_start(&m->keeper, "weir-mic", keeper_main, m, err) : status;
    m->running = status == WEIR_OK;
    if (status != WEIR_OK) {
        terminate(m);
    }
    return status;
}

static void mic_stop(weir_source *source)
{
    mic *m = (mic *)source;
    atomic_store(&m->stop, true);
    if (!m->running) {
        return;
    }
    m->running = false;
    pthread_join(m->keeper, NULL);
    terminate(m);
    count_absence(m, 0, weir_now_ns());
    uint64_t overflows = atomic_load(&m->overflows);
    if (overflows > 0) {
        weir_log(WEIR_LOG_NOTICE, "%s: %llu input overflow%s; the gaps are estimated",
                 m->base.info.name, (unsigned long long)overflows, overflows == 1 ? "" : "s");
    }
}

/* ---- weir devices ---- */

typedef struct listing {
    weir_device_found *found;
    void *user;
} listing;

static void list_server_source(void *user, const weir_sound_source *source)
{
    const listing *l = user;
    char argument[300], what[400], abilities[100];
    weir_snprintf(argument, sizeof argument, NAME ":%s", source->name);
    weir_snprintf(what, sizeof what, "sound server, %s%s", source->description,
                  source->is_default ? ", its default" : "");
    weir_snprintf(abilities, sizeof abilities, "%u channel%s, %.0f Hz, other rates by conversion",
                  source->channels, source->channels == 1 ? "" : "s", source->rate_hz);
    l->found(l->user, argument, what, abilities);
}

static void list_input(const listing *l, int index, const PaDeviceInfo *info)
{
    char argument[300], what[200], abilities[100];
    const PaHostApiInfo *api = Pa_GetHostApiInfo(info->hostApi);
    weir_snprintf(argument, sizeof argument, NAME ":%s", info->name);
    weir_snprintf(what, sizeof what, "%d, %s%s", index, api ? api->name : "?",
                  index == Pa_GetDefaultInputDevice() ? ", the default" : "");
    weir_snprintf(abilities, sizeof abilities, "up to %d channel%s, %.0f Hz",
                  info->maxInputChannels, info->maxInputChannels == 1 ? "" : "s",
                  info->defaultSampleRate);
    l->found(l->user, argument, what, abilities);
}

static weir_status mic_list(weir_device_found *found, void *user, weir_error *err)
{
    mic m = {0};
    listing l = {.found = found, .user = user};
    weir_status status = initialize(&m, err);
    if (status != WEIR_OK) {
        return status;
    }
    for (int i = 0; i < Pa_GetDeviceCount(); i++) {
        if (input_at(i)) {
            list_input(&l, i, input_at(i));
        }
    }
    terminate(&m);
    (void)weir_sound_server_list(list_server_source, &l, NULL); /* none, or it cannot be asked */
    return WEIR_OK;
}

const weir_source_class weir_source_mic = {
    .name = NAME,
    .syntax = "mic[:NAME|:INDEX|:SOURCE.monitor]",
    .help = "an audio input by name, part of it or index, or what a sound server plays",
    .takes = WEIR_TAKES_TUNING | WEIR_TAKES_FORMAT | WEIR_TAKES_CHANNELS | WEIR_TAKES_IQ,
    .device_keys = known_keys,
    .accepts = mic_accepts,
    .open = mic_open,
    .close = mic_close,
    .start = mic_start,
    .stop = mic_stop,
    .devices_title = "Audio inputs",
    .list = mic_list,
};

#else

const weir_source_class weir_source_mic = {
    .name = NAME,
    .syntax = "mic[:NAME|:INDEX|:SOURCE.monitor]",
    .help = "an audio input (not in this build)",
    .accepts = mic_accepts,
    .missing = "audio input (PortAudio was missing); "
               "arecord -t raw -f S16_LE -r 48000 | weir - -f s16 -r 48k works without",
    .devices_title = "Audio inputs",
};

#endif
