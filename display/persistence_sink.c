/* A persistence spectrum: how often each level was seen at each frequency, of all the spectra
 * of the stream. A picture, whose colour is the logarithm of hits / spectra, from MOST_RARE to
 * always; or, in a file whose name ends in .npy, those parts as an array. */
#include "base/outfile.h"
#include "base/text.h"
#include "display/npy_header.h"
#include "display/picture.h"
#include "display/png_file.h"
#include "display/selection.h"
#include "display/sinks.h"
#include "display/ticks.h"
#include "dsp/band.h"
#include "dsp/persistence.h"
#include "weir_config.h"

#include <endian.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    DEFAULT_WIDTH = 1024,
    DEFAULT_HEIGHT = 480,
    LEAST_SIDE = 16,
    MOST_SIDE = 8000,
    LEFT = 90,
    TOP = 70,
    RIGHT = 24,
    BOTTOM = 60,
    MAX_TICKS = 12,
};
#define MOST_RARE 1e-3

typedef struct persistence_sink {
    weir_sink sink;
    weir_sink_config config;
    const weir_stream_info *stream;
    weir_outfile *file;
    weir_persistence *grid; /* made at the first spectrum */
    weir_axis axis;
    float low_db, high_db;
    float *db;
    size_t n_bins;
    const weir_colormap *colormap;
    weir_colormap *own_colormap; /* a file's; NULL: none */
} persistence_sink;

static void persistence_close(weir_sink *base)
{
    persistence_sink *sink = (persistence_sink *)base;
    weir_outfile_destroy(sink->file);
    weir_persistence_destroy(sink->grid);
    free(sink->db);
    weir_colormap_destroy(sink->own_colormap);
    free(sink);
}

static bool is_array(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcasecmp(path + length - 4, ".npy") == 0;
}

static bool is_side(unsigned pixels)
{
    return pixels == 0 || (pixels >= LEAST_SIDE && pixels <= MOST_SIDE);
}

static weir_status persistence_open(weir_sink **out, const weir_sink_config *config,
                                    const weir_stream_info *stream, weir_error *err)
{
    if (!is_side(config->width) || !is_side(config->height)) {
        return weir_fail(err, WEIR_ERR_USAGE, "a plot of %u x %u pixels: each must be %d to %d",
                         config->width, config->height, LEAST_SIDE, MOST_SIDE);
    }
    if (!WEIR_HAVE_PNG && !is_array(config->path)) {
        return weir_fail(
            err, WEIR_ERR_UNSUPPORTED,
            "%s: pictures need libpng, which this build of weir was made without; .npy "
            "files do not",
            config->path);
    }
    persistence_sink *sink = calloc(1, sizeof *sink);
    if (!sink) {
        return weir_fail(err, WEIR_ERR_NOMEM, "%s: out of memory", config->path);
    }
    sink->config = *config;
    sink->config.width = config->width ? config->width : DEFAULT_WIDTH;
    sink->config.height = config->height ? config->height : DEFAULT_HEIGHT;
    sink->stream = stream;
    weir_status status =
        weir_colormap_named(&sink->colormap, &sink->own_colormap, config->colormap, err);
    status = status == WEIR_OK ? weir_outfile_open(&sink->file, config->path, false, err) : status;
    if (status != WEIR_OK) {
        persistence_close(&sink->sink);
        return status;
    }
    *out = &sink->sink;
    return WEIR_OK;
}

/* What is not given: from well below the median of the first spectrum to above its peak. */
static void choose_levels(persistence_sink *sink, const weir_spectrum *spectrum)
{
    size_t n = sink->n_bins;
    const float *power = spectrum->power[sink->config.trace];
    const weir_scale *scale = &sink->stream->scale;
    float median =
        weir_scale_level_db(scale, spectrum, n / 2, weir_order_statistic(power, 0, n, n / 2));
    float top =
        weir_scale_level_db(scale, spectrum, n / 2, weir_order_statistic(power, 0, n, n - 1));
    sink->low_db = isnan(sink->config.low_db) ? 10 * floorf(median / 10) - 20 : sink->config.low_db;
    sink->high_db = isnan(sink->config.high_db) ? 10 * ceilf(top / 10) + 10 : sink->config.high_db;
    if (!(sink->low_db < sink->high_db)) {
        sink->high_db = sink->low_db + 40;
    }
}

static weir_status begin(persistence_sink *sink, const weir_spectrum *spectrum, weir_error *err)
{
    sink->n_bins = spectrum->n_bins;
    sink->db = malloc(sink->n_bins * sizeof *sink->db);
    if (!sink->db) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory for %zu levels", sink->n_bins);
    }
    double low = weir_spectrum_low_hz(spectrum), high = weir_spectrum_high_hz(spectrum);
    sink->axis.low_hz = isnan(sink->config.low_hz) ? low : sink->config.low_hz;
    sink->axis.high_hz = isnan(sink->config.high_hz) ? high : sink->config.high_hz;
    choose_levels(sink, spectrum);
    weir_persistence_config config = {
        .axis = sink->axis,
        .n_columns = sink->config.width,
        .n_levels = sink->config.height,
        .low_db = sink->low_db,
        .high_db = sink->high_db,
        .decay_s = sink->config.decay_s,
    };
    return weir_persistence_create(&sink->grid, &config, err);
}

static weir_status persistence_write(weir_sink *base, const weir_spectrum *spectrum,
                                     weir_error *err)
{
    persistence_sink *sink = (persistence_sink *)base;
    weir_status status = weir_trace_check(spectrum, sink->config.trace, err);
    if (status == WEIR_OK && !sink->grid) {
        status = begin(sink, spectrum, err);
    }
    if (status == WEIR_OK && spectrum->n_bins > sink->n_bins) {
        status = weir_fail(err, WEIR_ERR_UNSUPPORTED,
                           "the number of bins changed from %zu to %zu; one picture has one axis",
                           sink->n_bins, spectrum->n_bins);
    }
    if (status != WEIR_OK) {
        return status;
    }
    weir_scale_trace_db(&sink->stream->scale, spectrum, sink->config.trace, sink->db);
    weir_persistence_add(sink->grid, spectrum, sink->db);
    return WEIR_OK;
}

/* What is written: hits / spectra, or with a decay what glows. The caller's to free; NULL: no
 * memory. */
static float *take_layer(const persistence_sink *sink, weir_error *err)
{
    size_t n = (size_t)sink->config.width * sink->config.height;
    float *layer = calloc(n, sizeof *layer);
    if (!layer) {
        (void)weir_fail(err, WEIR_ERR_NOMEM, "out of memory for %zu cells", n);
        return NULL;
    }
    if (sink->grid && sink->config.decay_s > 0) {
        memcpy(layer, weir_persistence_glow(sink->grid), n * sizeof *layer);
    } else if (sink->grid) {
        weir_persistence_density(sink->grid, layer);
    }
    return layer;
}

/* ---- drawing ---- */

#if WEIR_HAVE_PNG

static uint8_t ink_of(float density)
{
    if (!(density > 0)) {
        return WEIR_INK_EMPTY;
    }
    double position = 1 - log10(fmax((double)density, MOST_RARE)) / log10(MOST_RARE);
    return (uint8_t)lround(position * (WEIR_INK_LEVELS - 1));
}

static weir_status draw_cells(const persistence_sink *sink, weir_canvas *canvas, weir_error *err)
{
    size_t width = sink->config.width, height = sink->config.height;
    float *density = take_layer(sink, err);
    if (!density) {
        return err->status;
    }
    for (size_t x = 0; x < width; x++) {
        for (size_t y = 0; y < height; y++) {
            weir_canvas_set(canvas, LEFT + (int)x, TOP + (int)(height - 1 - y),
                            ink_of(density[x * height + y]));
        }
    }
    free(density);
    return WEIR_OK;
}

static void draw_axes(const persistence_sink *sink, weir_canvas *canvas)
{
    weir_tick ticks[MAX_TICKS];
    char unit[8], name[32];
    int width = (int)sink->config.width, height = (int)sink->config.height;
    double span_hz = sink->axis.high_hz - sink->axis.low_hz;
    size_t n = weir_ticks_hz(sink->axis.low_hz, sink->axis.high_hz, MAX_TICKS / 2, ticks, unit);
    for (size_t i = 0; i < n; i++) {
        int x = LEFT + (int)((ticks[i].value - sink->axis.low_hz) / span_hz * (width - 1));
        weir_canvas_fill(canvas, x, TOP + height, 1, 5, WEIR_INK_FRAME);
        weir_canvas_text(canvas, x - weir_text_width(ticks[i].label) / 2, TOP + height + 8,
                         WEIR_INK_TEXT, ticks[i].label);
    }
    weir_canvas_text(canvas, LEFT, TOP + height + 30, WEIR_INK_FAINT_TEXT, unit);
    double span_db = (double)sink->high_db - (double)sink->low_db;
    n = weir_ticks_db((double)sink->low_db, (double)sink->high_db, MAX_TICKS, ticks);
    for (size_t i = 0; i < n; i++) {
        double part = (ticks[i].value - (double)sink->low_db) / span_db;
        int y = TOP + (int)((1 - part) * (height - 1));
        weir_canvas_fill(canvas, LEFT - 5, y, 5, 1, WEIR_INK_FRAME);
        weir_canvas_text(canvas, LEFT - 9 - weir_text_width(ticks[i].label),
                         y - WEIR_TEXT_CAPITALS / 2, WEIR_INK_TEXT, ticks[i].label);
    }
    weir_canvas_text(canvas, 8, TOP - 24, WEIR_INK_FAINT_TEXT,
                     weir_scale_unit(&sink->stream->scale, name, sizeof name));
}

static void draw_words(const persistence_sink *sink, weir_canvas *canvas)
{
    char text[200];
    const char *title = sink->config.title
                            ? sink->config.title
                            : weir_source_name(sink->stream, sink->config.reproducible);
    uint64_t transforms = sink->grid ? weir_persistence_transforms(sink->grid) : 0;
    int width = (int)sink->config.width;
    weir_canvas_text_within(canvas, LEFT, 8, width, WEIR_INK_TEXT, title);
    char lately[40] = "";
    if (sink->config.decay_s > 0) {
        weir_snprintf(lately, sizeof lately, " (fading by e in %g s)", sink->config.decay_s);
    }
    weir_snprintf(text, sizeof text,
                  "how often a level was seen, of %llu spectra%s: dark %g or less, bright always%s",
                  (unsigned long long)transforms, lately, MOST_RARE,
                  sink->stream->made_up.n_runs > 0 ? "; DC interpolated" : "");
    weir_canvas_text_within(canvas, LEFT, 34, width, WEIR_INK_FAINT_TEXT, text);
}

static weir_status write_picture(persistence_sink *sink, weir_error *err)
{
    weir_canvas canvas;
    weir_rgb palette[WEIR_INK_COUNT];
    const weir_png_text texts[] = {{"Software", "weir"}};
    int width = LEFT + (int)sink->config.width + RIGHT;
    int height = TOP + (int)sink->config.height + BOTTOM;
    weir_status status = weir_canvas_init(&canvas, width, height, err);
    if (status != WEIR_OK) {
        return status;
    }
    weir_canvas_fill(&canvas, 0, 0, width, height, WEIR_INK_PAGE);
    status = draw_cells(sink, &canvas, err);
    if (status == WEIR_OK) {
        if (sink->grid) {
            draw_axes(sink, &canvas);
        }
        draw_words(sink, &canvas);
        weir_picture_palette(sink->colormap, palette);
        status = weir_png_write(sink->file, &canvas, palette, WEIR_INK_COUNT, texts, 1, err);
    }
    weir_canvas_deinit(&canvas);
    return status;
}

#else

/* open has refused it */
static weir_status write_picture(persistence_sink *sink, weir_error *err)
{
    return weir_fail(err, WEIR_ERR_INTERNAL, "%s: a picture without libpng", sink->config.path);
}

#endif

/* ---- an array: a row a column of the picture, the lowest level first ---- */

static weir_status write_array(persistence_sink *sink, weir_error *err)
{
    char header[WEIR_NPY_HEADER_BYTES];
    size_t width = sink->config.width, height = sink->config.height;
    float *density = take_layer(sink, err);
    if (!density) {
        return err->status;
    }
    for (size_t i = 0; i < width * height; i++) {
        uint32_t word;
        memcpy(&word, &density[i], sizeof word);
        word = htole32(word);
        memcpy(&density[i], &word, sizeof word);
    }
    weir_npy_header(header, width, height);
    weir_status status = weir_outfile_write(sink->file, header, sizeof header, err);
    if (status == WEIR_OK) {
        status = weir_outfile_write(sink->file, density, width * height * sizeof *density, err);
    }
    free(density);
    return status;
}

static weir_status persistence_finish(weir_sink *base, const weir_totals *totals, weir_error *err)
{
    (void)totals;
    persistence_sink *sink = (persistence_sink *)base;
    weir_status status =
        is_array(sink->config.path) ? write_array(sink, err) : write_picture(sink, err);
    return status == WEIR_OK ? weir_outfile_finish(sink->file, err) : status;
}

const weir_sink_class weir_sink_persistence = {
    .name = "persistence",
    .endings = ".persistence.png",
    .help = "PNG or .npy: how often each level was seen at each frequency",
    .open = persistence_open,
    .write = persistence_write,
    .finish = persistence_finish,
    .close = persistence_close,
};
