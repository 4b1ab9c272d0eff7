#include "app/transform.h"

#include <math.h>
#include <stdlib.h>

#define DEFAULT_N_FFT 4096
#define RADIO_MEASURE_POINTS 4096
#define AUDIO_MEASURE_POINTS 65536 /* at 48 kHz 0.73 Hz a bin */
#define MOST_N_FFT ((uint64_t)1 << 27)

static weir_status find_window(const weir_settings *settings, const weir_window **window,
                               double *parameter, weir_error *err)
{
    const char *name = settings->window ? settings->window : "hann";
    if (weir_window_parse(name, window, parameter, err) != WEIR_OK) {
        return weir_fail_context(err, "--window");
    }
    return WEIR_OK;
}

/* RBW is the window's equivalent noise bandwidth, which a long window's shape fixes. */
static weir_status size_for_rbw(const weir_settings *settings, double rate_hz, uint64_t *n,
                                weir_error *err)
{
    const weir_window *window;
    double parameter;
    size_t size = 0;
    weir_status status = find_window(settings, &window, &parameter, err);
    if (status == WEIR_OK) {
        status = weir_window_size_for_rbw(window, parameter, rate_hz, settings->rbw_hz, &size, NULL,
                                          err);
        *n = size;
    }
    if (status == WEIR_OK && *n > MOST_N_FFT) {
        status = weir_fail(
            err, WEIR_ERR_USAGE,
            "%g Hz at %g S/s takes %llu points, more than %llu; --span makes do with "
            "fewer",
            settings->rbw_hz, rate_hz, (unsigned long long)*n, (unsigned long long)MOST_N_FFT);
    }
    return status == WEIR_OK ? status : weir_fail_context(err, "--rbw");
}

weir_status weir_transform_size(const weir_settings *settings, double rate_hz, size_t *n_fft,
                                weir_error *err)
{
    uint64_t n = settings->n_fft ? settings->n_fft : DEFAULT_N_FFT;
    if (settings->rbw_hz != 0) {
        if (settings->n_fft) {
            return weir_fail(err, WEIR_ERR_USAGE, "--fft and --rbw both choose N: give one");
        }
        weir_status status = size_for_rbw(settings, rate_hz, &n, err);
        if (status != WEIR_OK) {
            return status;
        }
    }
    if (n < 2 || n > MOST_N_FFT) {
        return weir_fail(err, WEIR_ERR_USAGE, "--fft %llu is outside 2 .. %llu",
                         (unsigned long long)n, (unsigned long long)MOST_N_FFT);
    }
    *n_fft = (size_t)n;
    return WEIR_OK;
}

static size_t hop_of(const weir_settings *settings, size_t n_fft)
{
    if (settings->hop) {
        return (size_t)settings->hop;
    }
    double overlap = isnan(settings->overlap) ? 0.5 : settings->overlap;
    double hop = floor((double)n_fft * (1 - overlap) + 0.5);
    return hop < 1 ? 1 : (size_t)hop;
}

/* A trace with an average of its own: spectra fine enough for it and for the lines. */
static weir_status split_averages(weir_transform *transform, const weir_settings *settings,
                                  double hop_seconds, double default_line_seconds, weir_error *err)
{
    const weir_line_average *line = &settings->average;
    if (settings->trace_average.kind == WEIR_TRACE_AS_LINES) {
        return WEIR_OK;
    }
    if (line->kind == WEIR_AVERAGE_ALL) {
        return weir_fail(
            err, WEIR_ERR_USAGE,
            "--trace-average is apart from lines, of which --average all has one only");
    }
    bool is_timed = line->kind == WEIR_AVERAGE_SECONDS;
    transform->averages = (weir_averages){
        .line_frames = line->kind == WEIR_AVERAGE_FRAMES ? line->frames : 0,
        .line_seconds = is_timed ? line->seconds : default_line_seconds,
        .line_smooth_seconds = settings->smooth_seconds,
        .trace = settings->trace_average,
    };
    transform->frames_per_spectrum = weir_split_frames(&transform->averages, hop_seconds);
    transform->exponential_alpha = 0;
    return WEIR_OK;
}

static uint64_t frames_of(const weir_settings *settings, double frames_per_second,
                          double default_line_seconds)
{
    double seconds = default_line_seconds;
    switch (settings->average.kind) {
    case WEIR_AVERAGE_ALL:
        return 0;
    case WEIR_AVERAGE_FRAMES:
        return settings->average.frames;
    case WEIR_AVERAGE_SECONDS:
        seconds = settings->average.seconds;
        break;
    case WEIR_AVERAGE_DEFAULT:
        break;
    }
    double frames = round(seconds * frames_per_second);
    return frames < 1 ? 1 : frames < 0x1p62 ? (uint64_t)frames : UINT64_C(1) << 62;
}

/* One transform stands for a line's worth of them. */
static weir_status take_samples(weir_transform *transform, weir_error *err)
{
    uint64_t frames = transform->frames_per_spectrum;
    if (frames == 0 || frames > WEIR_MAX_HOP / transform->hop) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "--trace sample shows one transform a line: --average must be a time or a "
                         "number of transforms (less than %llu samples)",
                         (unsigned long long)WEIR_MAX_HOP);
    }
    transform->hop *= (size_t)frames;
    transform->frames_per_spectrum = 1;
    return WEIR_OK;
}

weir_status weir_transform_init(weir_transform *transform, const weir_settings *settings,
                                double rate_hz, size_t n_fft, double default_line_seconds,
                                weir_error *err)
{
    const weir_window *window;
    double parameter;
    *transform = (weir_transform){.n_fft = n_fft, .hop = hop_of(settings, n_fft)};
    double frames_per_second = rate_hz / (double)transform->hop;
    transform->frames_per_spectrum = frames_of(settings, frames_per_second, default_line_seconds);
    weir_status status = find_window(settings, &window, &parameter, err);
    if (status == WEIR_OK && settings->trace == WEIR_DETECT_SAMPLE) {
        status = take_samples(transform, err);
    }
    if (settings->smooth_seconds > 0) { /* by the hop that there is now */
        double taken_per_second = rate_hz / (double)transform->hop;
        transform->exponential_alpha = -expm1(-1 / (taken_per_second * settings->smooth_seconds));
    }
    if (status == WEIR_OK) {
        status =
            split_averages(transform, settings, 1 / frames_per_second, default_line_seconds, err);
    }
    if (status != WEIR_OK) {
        return status;
    }
    transform->window = malloc(n_fft * sizeof *transform->window);
    if (!transform->window) {
        return weir_fail(err, WEIR_ERR_NOMEM, "no memory for a window of %zu samples", n_fft);
    }
    status = weir_window_fill(window, parameter, transform->window, n_fft, err);
    if (status != WEIR_OK) {
        weir_transform_free(transform);
        return status;
    }
    weir_window_gain(transform->window, n_fft, &transform->coherent_gain, &transform->enbw_bins);
    return WEIR_OK;
}

void weir_transform_free(weir_transform *transform)
{
    free(transform->window);
    transform->window = NULL;
}

/* The longest even N up to most that --every is a whole number of, at least twice; else most. */
static uint64_t size_for_interval(double interval_samples, uint64_t most)
{
    uint64_t total = interval_samples < 1e15 ? (uint64_t)round(interval_samples) : 0;
    uint64_t first = total / most + 1;
    for (uint64_t m = first < 2 ? 2 : first; m <= 2 * first + 2; m++) {
        if (total % (2 * m) == 0) {
            return total / m;
        }
    }
    return most;
}

void weir_measure_defaults(weir_settings *s, bool is_complex, double rate_hz)
{
    static char for_audio[] = "hft144d", for_radio[] = "blackman-harris";
    bool is_real = !is_complex && s->span_hz == 0;
    bool is_audio = s->what == WEIR_WHAT_AUDIO || (s->what == WEIR_WHAT_AUTO && is_real);
    s->smooth_seconds = 0;
    s->average = (weir_line_average){.kind = WEIR_AVERAGE_FRAMES, .frames = 1};
    s->window = s->window ? s->window : is_audio ? for_audio : for_radio;
    if (!s->n_fft && s->rbw_hz == 0 && s->span_hz == 0) {
        uint64_t usual = is_audio ? AUDIO_MEASURE_POINTS : RADIO_MEASURE_POINTS;
        double interval = s->every_seconds * rate_hz;
        s->n_fft = interval > 0 ? size_for_interval(interval, usual) : usual;
    }
    if (!is_audio && !s->hop && isnan(s->overlap)) {
        s->overlap = 0;
    }
}
