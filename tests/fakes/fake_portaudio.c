/* A stand-in for PortAudio with one input, "Fake Microphone": s16, one channel, a ramp.
 * FAKE_PORTAUDIO, with commas between:
 *   rate=HZ       the rate it really has, whatever was asked
 *   drop=AT/N     at sample AT, N are missing: paInputOverflow, and the time jumps
 *   stall=AT      from sample AT on no callback comes, but the stream says that it is active
 *   die=AT/MS     at sample AT the stream ends, and there is no input for so long
 *   other         but another one, "Other Microphone", which is the default then */
#include <portaudio.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FRAMES 480

typedef struct stream {
    PaStreamCallback *callback;
    void *user;
    PaStreamInfo info;
    pthread_t thread;
    bool started;
    atomic_bool stop, active;
} stream;

static _Atomic double absent_until;
static _Atomic double last_event = -1; /* the AT of it: each comes once */

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* "key=FIRST/SECOND"; first is -1 if it is not said. */
static void said(const char *key, double *first, double *second)
{
    const char *all = getenv("FAKE_PORTAUDIO");
    const char *at = all ? strstr(all, key) : NULL;
    const char *slash = at ? strchr(at, '/') : NULL;
    *first = at ? atof(at + strlen(key) + 1) : -1;
    *second = slash ? atof(slash + 1) : 0;
}

static void pause_seconds(double seconds)
{
    struct timespec step = {.tv_nsec = (long)(seconds * 1e9)};
    if (seconds > 0) {
        nanosleep(&step, NULL);
    }
}

PaError Pa_Initialize(void)
{
    fprintf(stderr, "fake: chatter\n");
    return paNoError;
}

PaError Pa_Terminate(void)
{
    return paNoError;
}

static bool is_away(void)
{
    return seconds_now() < atomic_load(&absent_until);
}

PaDeviceIndex Pa_GetDeviceCount(void)
{
    double is_said, unused;
    said("other", &is_said, &unused);
    return is_away() && is_said < 0 ? 0 : 1;
}

PaDeviceIndex Pa_GetDefaultInputDevice(void)
{
    return Pa_GetDeviceCount() ? 0 : paNoDevice;
}

const PaDeviceInfo *Pa_GetDeviceInfo(PaDeviceIndex device)
{
    static const PaDeviceInfo info = {.structVersion = 2,
                                      .name = "Fake Microphone",
                                      .maxInputChannels = 1,
                                      .defaultHighInputLatency = 0.05,
                                      .defaultSampleRate = 44100};
    static PaDeviceInfo other;
    other = info;
    other.name = "Other Microphone";
    return device != 0 || Pa_GetDeviceCount() == 0 ? NULL : is_away() ? &other : &info;
}

const PaHostApiInfo *Pa_GetHostApiInfo(PaHostApiIndex api)
{
    static const PaHostApiInfo info = {.structVersion = 1, .name = "fake"};
    return api == 0 ? &info : NULL;
}

const char *Pa_GetErrorText(PaError error)
{
    return error == paNoError ? "" : "fake error";
}

const PaHostErrorInfo *Pa_GetLastHostErrorInfo(void)
{
    return NULL;
}

PaError Pa_OpenStream(PaStream **out, const PaStreamParameters *in, const PaStreamParameters *to,
                      double rate, unsigned long frames, PaStreamFlags flags,
                      PaStreamCallback *callback, void *user)
{
    double real, unused;
    (void)to;
    (void)frames;
    (void)flags;
    said("rate", &real, &unused);
    if (in->sampleFormat != paInt16 || in->channelCount != 1) {
        return paInvalidChannelCount;
    }
    stream *s = calloc(1, sizeof *s);
    s->callback = callback;
    s->user = user;
    s->info = (PaStreamInfo){.structVersion = 1, .sampleRate = real > 0 ? real : rate};
    *out = s;
    return paNoError;
}

const PaStreamInfo *Pa_GetStreamInfo(PaStream *stream_)
{
    return &((stream *)stream_)->info;
}

/* True if the event has come, for the first time. */
static bool is_due(double at, double sample)
{
    return at >= 0 && sample >= at && atomic_exchange(&last_event, at) != at;
}

static void *stream_main(void *user)
{
    stream *s = user;
    uint16_t samples[FRAMES];
    double drop_at, drop_n, stall_at, die_at, away_ms, unused, begun = seconds_now();
    said("drop", &drop_at, &drop_n);
    said("stall", &stall_at, &unused);
    said("die", &die_at, &away_ms);
    for (uint64_t sample = 0; !atomic_load(&s->stop); sample += FRAMES) {
        PaStreamCallbackFlags flags = 0;
        if (is_due(drop_at, (double)sample)) {
            sample += (uint64_t)drop_n;
            flags = paInputOverflow;
        }
        pause_seconds(begun + (double)(sample + FRAMES) / s->info.sampleRate - seconds_now());
        if (is_due(die_at, (double)sample)) {
            atomic_store(&absent_until, seconds_now() + away_ms * 1e-3);
            break;
        }
        if (stall_at >= 0 && (double)sample >= stall_at) {
            pause_seconds(0.01);
            continue;
        }
        for (unsigned i = 0; i < FRAMES; i++) {
            samples[i] = (uint16_t)(sample + i);
        }
        const PaStreamCallbackTimeInfo time = {.inputBufferAdcTime =
                                                   1000 + (double)sample / s->info.sampleRate};
        s->callback(samples, NULL, FRAMES, &time, flags, s->user);
    }
    atomic_store(&s->active, false);
    return NULL;
}

PaError Pa_StartStream(PaStream *stream_)
{
    stream *s = stream_;
    atomic_store(&s->active, true);
    s->started = pthread_create(&s->thread, NULL, stream_main, s) == 0;
    return s->started ? paNoError : paInternalError;
}

PaError Pa_IsStreamActive(PaStream *stream_)
{
    return atomic_load(&((stream *)stream_)->active);
}

PaError Pa_AbortStream(PaStream *stream_)
{
    stream *s = stream_;
    atomic_store(&s->stop, true);
    if (s->started) {
        pthread_join(s->thread, NULL);
    }
    s->started = false;
    return paNoError;
}

PaError Pa_CloseStream(PaStream *stream_)
{
    Pa_AbortStream(stream_);
    free(stream_);
    return paNoError;
}
