/* Pictures: a spectrogram, time downwards, or the graph of a single spectrum. The spectra of
 * the stream are joined into a bounded number of rows as they come; colours are chosen and
 * everything is drawn at the end. */
#include "display/sinks.h"

#include "weir_config.h"

#if WEIR_HAVE_PNG

#include "base/outfile.h"
#include "base/text.h"
#include "base/units.h"
#include "display/picture.h"
#include "display/png_file.h"
#include "display/selection.h"

#include <math.h>
#include <stdlib.h>

enum { DEFAULT_WIDTH = 1024, LEAST_WIDTH = 16, LEAST_HEIGHT = 16, MOST_SIDE = 60000 };

/* What memory is needed for grows with it: 5 bytes each. */
static const uint64_t most_pixels = (uint64_t)1 << 28;

typedef struct png_sink {
    weir_sink sink;
    weir_sink_config config;
    const weir_stream_info *stream;
    weir_outfile *file;
    weir_spectrogram *spectrogram;
    weir_timeline timeline;
    weir_axis axis; /* high_hz 0: not chosen yet */
    float *columns; /* config.width                                    */
    float *gains;   /* n_bins: from power to 10^(level / 10)           */
    float *scaled;  /* n_bins: power x gain                            */
    size_t n_bins;
    double start_hz, bin_hz; /* what gains belong to */
    const weir_colormap *colormap;
    weir_colormap *own_colormap; /* a file's; NULL: none */
} png_sink;

static void png_close(weir_sink *base)
{
    png_sink *sink = (png_sink *)base;
    weir_outfile_destroy(sink->file);
    weir_spectrogram_destroy(sink->spectrogram);
    free(sink->columns);
    free(sink->gains);
    free(sink->scaled);
    weir_colormap_destroy(sink->own_colormap);
    free(sink);
}

static weir_status check_size(const weir_sink_config *config, weir_error *err)
{
    if ((config->width && config->width < LEAST_WIDTH) || config->width > MOST_SIDE ||
        (config->height && config->height < LEAST_HEIGHT) || config->height > MOST_SIDE) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "a plot of %u x %u pixels: width must be %d to %d, height %d to %d",
                         config->width, config->height, LEAST_WIDTH, MOST_SIDE, LEAST_HEIGHT,
                         MOST_SIDE);
    }
    if ((uint64_t)config->width * config->height > most_pixels) {
        return weir_fail(err, WEIR_ERR_USAGE, "a plot of %u x %u pixels: at most %llu in all",
                         config->width, config->height, (unsigned long long)most_pixels);
    }
    return WEIR_OK;
}

/* Seconds from one spectrum to the next. */
static double spectrum_seconds(const weir_stream_info *stream)
{
    double frames = stream->frames_per_spectrum ? (double)stream->frames_per_spectrum : 1.0;
    return frames * (double)stream->hop / stream->rate_hz;
}

static weir_status set_up(png_sink *sink, weir_error *err)
{
    weir_sink_config *config = &sink->config;
    config->width = config->width ? config->width : DEFAULT_WIDTH;
    size_t rows = config->height ? config->height : WEIR_PICTURE_MAX_ROWS;
    sink->columns = malloc(config->width * sizeof *sink->columns);
    if (!sink->columns) {
        return weir_fail(err, WEIR_ERR_NOMEM, "%s: out of memory", config->path);
    }
    weir_status status =
        weir_spectrogram_create(&sink->spectrogram, config->width, rows, config->reducer,
                                spectrum_seconds(sink->stream), err);
    return status == WEIR_OK ? weir_outfile_open(&sink->file, config->path, false, err) : status;
}

static weir_status png_open(weir_sink **out, const weir_sink_config *config,
                            const weir_stream_info *stream, weir_error *err)
{
    weir_status status = check_size(config, err);
    if (status != WEIR_OK) {
        return status;
    }
    png_sink *sink = calloc(1, sizeof *sink);
    if (!sink) {
        return weir_fail(err, WEIR_ERR_NOMEM, "%s: out of memory", config->path);
    }
    sink->config = *config;
    sink->stream = stream;
    status = weir_colormap_named(&sink->colormap, &sink->own_colormap, config->colormap, err);
    status = status == WEIR_OK ? set_up(sink, err) : status;
    if (status != WEIR_OK) {
        png_close(&sink->sink);
        return status;
    }
    *out = &sink->sink;
    return WEIR_OK;
}

/* The frequencies of the picture: those asked for, else those of the first spectrum. */
static void choose_axis(png_sink *sink, double start_hz, double bin_hz, size_t n_bins)
{
    const weir_sink_config *config = &sink->config;
    double steps = (double)(sink->stream->format.is_complex ? n_bins : n_bins - 1);
    sink->axis.low_hz = isnan(config->low_hz) ? start_hz : config->low_hz;
    sink->axis.high_hz = isnan(config->high_hz) ? start_hz + steps * bin_hz : config->high_hz;
    if (!(sink->axis.low_hz < sink->axis.high_hz)) {
        sink->axis.high_hz = sink->axis.low_hz + bin_hz;
    }
}

static weir_status check_overlap(const png_sink *sink, const weir_spectrum *s, weir_error *err)
{
    double low_hz = s->start_hz, high_hz = s->start_hz + (double)(s->n_bins - 1) * s->bin_hz;
    if (sink->axis.low_hz > high_hz + s->bin_hz || sink->axis.high_hz < low_hz - s->bin_hz) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "nothing between %.15g Hz and %.15g Hz: the spectrum covers %.15g Hz to "
                         "%.15g Hz",
                         sink->axis.low_hz, sink->axis.high_hz, low_hz, high_hz);
    }
    return WEIR_OK;
}

static weir_status make_room(png_sink *sink, size_t n_bins, weir_error *err)
{
    if (n_bins <= sink->n_bins) {
        return WEIR_OK;
    }
    float *gains = NULL, *scaled = NULL;
    if (n_bins <= SIZE_MAX / sizeof *gains) {
        gains = malloc(n_bins * sizeof *gains);
        scaled = malloc(n_bins * sizeof *scaled);
    }
    if (!gains || !scaled) {
        free(gains);
        free(scaled);
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory for %zu levels", n_bins);
    }
    free(sink->gains);
    free(sink->scaled);
    sink->gains = gains;
    sink->scaled = scaled;
    return WEIR_OK;
}

/* A level is 10 log10(power) plus a constant of its bin; a picture joins powers, so the constant
 * goes in before. */
static weir_status follow_axis(png_sink *sink, const weir_spectrum *s, weir_error *err)
{
    if (sink->n_bins == s->n_bins && sink->start_hz == s->start_hz && sink->bin_hz == s->bin_hz) {
        return WEIR_OK;
    }
    weir_status status = make_room(sink, s->n_bins, err);
    if (status != WEIR_OK) {
        return status;
    }
    if (sink->n_bins == 0) {
        choose_axis(sink, s->start_hz, s->bin_hz, s->n_bins);
        status = check_overlap(sink, s, err);
        if (status != WEIR_OK) {
            return status;
        }
    }
    sink->n_bins = s->n_bins;
    sink->start_hz = s->start_hz;
    sink->bin_hz = s->bin_hz;
    for (size_t i = 0; i < s->n_bins; i++) {
        float db = weir_scale_level_db(&sink->stream->scale, s, i, 1.0f);
        sink->gains[i] = powf(10.0f, db / 10.0f);
    }
    return WEIR_OK;
}

static weir_status png_write(weir_sink *base, const weir_spectrum *spectrum, weir_error *err)
{
    png_sink *sink = (png_sink *)base;
    weir_status status = weir_trace_check(spectrum, sink->config.trace, err);
    if (status == WEIR_OK) {
        status = follow_axis(sink, spectrum, err);
    }
    if (status != WEIR_OK) {
        return status;
    }
    const float *power = spectrum->power[sink->config.trace];
    for (size_t i = 0; i < spectrum->n_bins; i++) {
        sink->scaled[i] = power[i] * sink->gains[i];
    }
    weir_reduce_bins(sink->config.reducer, sink->scaled, spectrum->n_bins, spectrum->start_hz,
                     spectrum->bin_hz, &sink->axis, sink->config.width, sink->columns);
    weir_spectrogram_add(sink->spectrogram, weir_timeline_seconds(&sink->timeline, spectrum),
                         (double)spectrum->lost_before / spectrum->rate_hz, sink->columns);
    return WEIR_OK;
}

/* ---- what the picture says ---- */

typedef struct captions {
    char subtitle[400], settings[400], unit[32];
    char rate[40], center[40], start[40];
} captions;

static void describe_averages(const weir_stream_info *stream, char *buffer, size_t size)
{
    if (stream->exponential_alpha > 0.0) {
        weir_snprintf(buffer, size, "exponential average, alpha %.3g", stream->exponential_alpha);
    } else if (stream->frames_per_spectrum == 0) {
        weir_snprintf(buffer, size, "all averaged");
    } else {
        weir_snprintf(buffer, size, "%llu average%s",
                      (unsigned long long)stream->frames_per_spectrum,
                      stream->frames_per_spectrum == 1 ? "" : "s");
    }
}

static void describe_overlap(const weir_stream_info *stream, char *buffer, size_t size)
{
    if (stream->hop > stream->n_fft) {
        weir_snprintf(buffer, size, "sparse, hop %zu", stream->hop);
    } else {
        double part = 1.0 - (double)stream->hop / (double)stream->n_fft;
        weir_snprintf(buffer, size, "overlap %.3g %%", 100.0 * part);
    }
}

/* What the numbers are relative to. */
static void describe_level(const weir_stream_info *stream, const char *unit, char *buffer,
                           size_t size)
{
    const char *tone = stream->format.is_complex ? "tone" : "sine";
    double offset_db = stream->scale.offset_db;
    weir_snprintf(buffer, size, "levels in %s (full-scale %s: %s%.4g%s)", unit, tone,
                  offset_db > 0.0 ? "+" : "", offset_db,
                  stream->scale.curve ? " and calibration curve" : "");
}

static void fill_settings(const png_sink *sink, captions *c)
{
    static const char *const trace_notes[WEIR_TRACE_COUNT] = {"", ", maximum", ", minimum"};
    const weir_stream_info *stream = sink->stream;
    char rbw[32], overlap[40], averages[64], level[128];
    weir_format_si(rbw, sizeof rbw, stream->enbw_bins * stream->rate_hz / (double)stream->n_fft);
    describe_overlap(stream, overlap, sizeof overlap);
    describe_averages(stream, averages, sizeof averages);
    describe_level(stream, c->unit, level, sizeof level);
    weir_snprintf(c->settings, sizeof c->settings, "N %zu, %s, RBW %sHz, %s, %s%s%s, %s",
                  stream->n_fft, stream->window ? stream->window : "", rbw, overlap, averages,
                  trace_notes[sink->config.trace],
                  stream->made_up.n_runs > 0 ? ", DC interpolated" : "", level);
}

static void fill_captions(const png_sink *sink, captions *c)
{
    const weir_stream_info *stream = sink->stream;
    weir_scale_unit(&stream->scale, c->unit, sizeof c->unit);
    weir_format_hz(c->rate, sizeof c->rate, stream->rate_hz, 0.0);
    weir_format_hz(c->center, sizeof c->center, stream->center_hz, 0.0);
    if (stream->time_unix_ns != INT64_MIN) {
        weir_format_utc(c->start, sizeof c->start, stream->time_unix_ns, 3);
    }
    bool has_center = stream->format.is_complex || stream->center_hz != 0.0;
    weir_snprintf(c->subtitle, sizeof c->subtitle, "%s%s%s%s%s",
                  stream->description ? stream->description : "", has_center ? ", centre " : "",
                  has_center ? c->center : "", c->start[0] ? ", from " : "", c->start);
    fill_settings(sink, c);
}

static weir_status write_picture(png_sink *sink, weir_error *err)
{
    captions c = {0};
    fill_captions(sink, &c);
    const weir_sink_config *config = &sink->config;
    const weir_stream_info *stream = sink->stream;
    const char *source = weir_source_name(stream, config->reproducible);
    weir_picture picture = {.title = config->title ? config->title : weir_source_name(stream, true),
                            .subtitle = c.subtitle,
                            .settings = c.settings,
                            .unit = c.unit,
                            .low_hz = sink->axis.low_hz,
                            .high_hz = sink->axis.high_hz,
                            .width = (int)config->width,
                            .height = (int)config->height,
                            .low_db = config->low_db,
                            .high_db = config->high_db,
                            .colormap = sink->colormap,
                            .spectrogram = sink->spectrogram,
                            .notes = stream->notes,
                            .n_notes = stream->n_notes,
                            .rate_hz = stream->rate_hz};
    const weir_png_text texts[] = {{"Title", picture.title},
                                   {"Software", "weir " WEIR_VERSION},
                                   {"Source", source},
                                   {"Description", c.subtitle},
                                   {"Settings", c.settings},
                                   {"Sample rate", c.rate},
                                   {"Centre frequency", c.center},
                                   {"Start time", c.start}};
    weir_rgb palette[WEIR_INK_COUNT];
    weir_canvas canvas;
    weir_picture_palette(picture.colormap, palette);
    weir_status status = weir_picture_draw(&picture, &canvas, err);
    if (status == WEIR_OK) {
        size_t n_texts = sizeof texts / sizeof texts[0] - (c.start[0] ? 0 : 1);
        status = weir_png_write(sink->file, &canvas, palette, WEIR_INK_COUNT, texts, n_texts, err);
    }
    weir_canvas_deinit(&canvas);
    return status;
}

static weir_status png_finish(weir_sink *base, const weir_totals *totals, weir_error *err)
{
    (void)totals;
    png_sink *sink = (png_sink *)base;
    const weir_stream_info *stream = sink->stream;
    weir_spectrogram_settle(sink->spectrogram);
    if (sink->n_bins == 0) { /* no spectra: the axis that they would have had */
        size_t n_bins;
        double start_hz, bin_hz;
        weir_stream_axis(stream, &n_bins, &start_hz, &bin_hz);
        choose_axis(sink, start_hz, bin_hz, n_bins);
    }
    weir_status status = write_picture(sink, err);
    return status == WEIR_OK ? weir_outfile_finish(sink->file, err) : status;
}

#else

static weir_status png_open(weir_sink **out, const weir_sink_config *config,
                            const weir_stream_info *stream, weir_error *err)
{
    (void)stream;
    *out = NULL;
    return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                     "%s: pictures need libpng, which this build of weir was made without",
                     config->path);
}

/* open has failed: these are never called. */
static weir_status png_write(weir_sink *sink, const weir_spectrum *spectrum, weir_error *err)
{
    (void)sink;
    (void)spectrum;
    return weir_fail(err, WEIR_ERR_INTERNAL, "a picture that was never opened");
}

static weir_status png_finish(weir_sink *sink, const weir_totals *totals, weir_error *err)
{
    (void)sink;
    (void)totals;
    return weir_fail(err, WEIR_ERR_INTERNAL, "a picture that was never opened");
}

static void png_close(weir_sink *sink)
{
    (void)sink;
}

#endif

const weir_sink_class weir_sink_png = {
    .name = "png",
    .endings = ".png",
    .help = WEIR_HAVE_PNG ? "a picture: spectrogram, or the graph of a single spectrum"
                          : "a picture (not in this build: libpng was missing)",
    .open = png_open,
    .write = png_write,
    .finish = png_finish,
    .close = png_close,
};
