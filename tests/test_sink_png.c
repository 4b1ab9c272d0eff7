/* ctest-labels: unit
 * Pictures, decoded again: a tone's pixel, gaps, text chunks, bounded memory, failing outputs.
 * With a folder's name: writes example pictures there, to be looked at. */
#include "display/colormap.h"
#include "display/picture.h"
#include "tests/sink_testing.h"

#include "weir_config.h"

#if WEIR_HAVE_PNG

#include <png.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LEFT = WEIR_PICTURE_LEFT, TOP = WEIR_PICTURE_TOP };

/* ---- spectra to look at ---- */

static float power[1 << 16];

/* Averaged noise: a gamma variate of k degrees, from a table made once. */
static float noise(check_rng *rng)
{
    static float table[4096];
    if (table[0] == 0.0f) {
        check_rng own = check_rng_from(1);
        for (int i = 0; i < 4096; i++) {
            double sum = 0.0;
            for (int k = 0; k < 8; k++) {
                sum -= log(1.0 - check_uniform(&own));
            }
            table[i] = (float)(sum / 8.0);
        }
    }
    return table[check_random(rng) % 4096];
}

static void add_tone(size_t n_bins, double bin, double level_db)
{
    for (long k = (long)bin - 2; k <= (long)bin + 3; k++) {
        double off = (double)k - bin;
        double hann = fabs(off) < 1e-9 ? 1.0
                      : fabs(fabs(off) - 1) < 1e-9
                          ? 0.5
                          : sin(M_PI * off) / (M_PI * off) / (1 - off * off);
        if (k >= 0 && k < (long)n_bins) {
            power[k] += (float)(pow(10.0, level_db / 10.0) * hann * hann);
        }
    }
}

static void fill_example(size_t n_bins, double t, check_rng *rng)
{
    for (size_t k = 0; k < n_bins; k++) {
        double tilt = -95.0 - 15.0 * (double)k / (double)n_bins;
        power[k] = (float)pow(10.0, tilt / 10.0) * noise(rng);
    }
    double n = (double)n_bins;
    add_tone(n_bins, 0.1 * n, -30.0);
    add_tone(n_bins, 0.2 * n, -55.0);
    add_tone(n_bins, 0.3 * n, -70.0);
    add_tone(n_bins, n * (0.55 + 0.1 * sin(0.7 * t)), -45.0);
    add_tone(n_bins, n * fmod(0.05 * t, 1.0), -60.0);
    if (fmod(t, 3.0) < 0.4) {
        for (size_t k = (size_t)(0.75 * n); k < (size_t)(0.85 * n); k++) {
            power[k] += 1e-7f * noise(rng);
        }
    }
}

static void write_example(const char *folder, const char *name, const weir_stream_info *stream,
                          unsigned n_spectra, weir_sink_config config)
{
    char path[256];
    check_rng rng = check_rng_from(7);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    config.path = path;
    weir_sink *sink = sink_open("png", &config, stream);
    uint64_t shift = 0;
    for (unsigned i = 0; i < n_spectra; i++) {
        weir_spectrum s = sink_spectrum(stream, i, power);
        if (i == n_spectra / 3 && n_spectra > 1) {
            s.lost_before = s.first_sample / 4;
            shift = s.lost_before;
        }
        s.first_sample += shift;
        s.end_sample += shift;
        fill_example(s.n_bins, (double)s.first_sample / s.rate_hz, &rng);
        sink_write(sink, &s);
    }
    sink_finish(sink, &(weir_totals){0});
}

static void write_examples(const char *folder)
{
    weir_sink_config config;
    weir_sink_config_init(&config);
    weir_stream_info audio = sink_stream(), iq = sink_iq_stream();
    audio.source = "talk.wav";
    audio.n_fft = 4096;
    audio.hop = 2048;
    audio.frames_per_spectrum = 1;
    audio.enbw_bins = 1.5;
    write_example(folder, "audio.png", &audio, 470, config);
    write_example(folder, "short.png", &audio, 12, config);
    write_example(folder, "empty.png", &audio, 0, config);
    audio.frames_per_spectrum = 0;
    write_example(folder, "graph.png", &audio, 1, config);
    iq.source = "fm-broadcast.cu8";
    iq.n_fft = 8192;
    iq.hop = 8192;
    iq.frames_per_spectrum = 64;
    config.colormap = "inferno";
    write_example(folder, "iq.png", &iq, 3000, config);
    config.colormap = "classic";
    config.width = 400;
    config.height = 300;
    config.title = "A title too long for a picture as small as this one, so it is cut";
    write_example(folder, "small.png", &iq, 3000, config);
}

/* ---- reading pictures ---- */

typedef struct decoded {
    png_uint_32 width, height;
    png_bytep rgb;
    png_structp png;
    png_infop info;
} decoded;

static decoded decode(const char *path)
{
    decoded d = {0};
    FILE *file = fopen(path, "rb");
    CHECK_MSG(file != NULL, "no file %s", path);
    if (!file) {
        exit(check_finish());
    }
    d.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    d.info = png_create_info_struct(d.png);
    png_init_io(d.png, file);
    png_read_info(d.png, d.info);
    d.width = png_get_image_width(d.png, d.info);
    d.height = png_get_image_height(d.png, d.info);
    png_set_palette_to_rgb(d.png);
    png_read_update_info(d.png, d.info);
    d.rgb = malloc((size_t)d.width * d.height * 3);
    for (png_uint_32 y = 0; y < d.height; y++) {
        png_read_row(d.png, d.rgb + (size_t)y * d.width * 3, NULL);
    }
    png_read_end(d.png, d.info);
    fclose(file);
    return d;
}

static void free_decoded(decoded *d)
{
    png_destroy_read_struct(&d->png, &d->info, NULL);
    free(d->rgb);
}

/* The pixel at a place in the plot area. */
static weir_rgb plot_pixel(const decoded *d, unsigned x, unsigned y)
{
    png_bytep p = d->rgb + ((size_t)(TOP + y) * d->width + LEFT + x) * 3;
    return (weir_rgb){p[0], p[1], p[2]};
}

static const char *text_of(const decoded *d, const char *key)
{
    png_textp texts;
    int n = png_get_text(d->png, d->info, &texts, NULL);
    for (int i = 0; i < n; i++) {
        if (strcmp(texts[i].key, key) == 0) {
            return texts[i].text;
        }
    }
    return NULL;
}

/* 224 colours stand for the map: half a step of one, times the map's steepest slope
 * (turbo's and viridis' below 6/255 per step), and a hundredth of a dB of the memory. */
static void check_color(weir_rgb is, const weir_colormap *map, double position, const char *what)
{
    weir_rgb want = weir_colormap_at_position(map, (float)position);
    CHECK_MSG(abs(is.r - want.r) <= 4 && abs(is.g - want.g) <= 4 && abs(is.b - want.b) <= 4,
              "%s: %d %d %d, expected %d %d %d", what, is.r, is.g, is.b, want.r, want.g, want.b);
}

static weir_sink_config picture_config(char *path, size_t size, const char *name)
{
    weir_sink_config config;
    weir_sink_config_init(&config);
    config.path = sink_path(path, size, name);
    config.low_db = -100.0f;
    config.high_db = 0.0f;
    unlink(path);
    return config;
}

/* ---- tests ---- */

static void flat(size_t n_bins, double level_db, double full_scale)
{
    for (size_t k = 0; k < n_bins; k++) {
        power[k] = (float)(full_scale * pow(10.0, level_db / 10.0));
    }
}

/* 1024 bins in 1024 columns: bin k is column k. */
static void test_tone_has_its_pixel_and_color(void)
{
    char path[128];
    weir_stream_info stream = sink_iq_stream();
    weir_sink_config config = picture_config(path, sizeof path, "tone.png");
    config.height = 100;
    const weir_colormap *map = weir_colormap_at(0);
    weir_sink *sink = sink_open("png", &config, &stream);
    for (unsigned i = 0; i < 100; i++) {
        flat(1024, -80.0, 1.0);
        power[300] = 0.1f; /* -10 dBFS */
        power[400 + i] = 1e-4f;
        weir_spectrum s = sink_spectrum(&stream, i, power);
        sink_write(sink, &s);
    }
    sink_finish(sink, &(weir_totals){0});
    decoded d = decode(path);
    CHECK(d.width > 1024 + LEFT && d.height > 100 + TOP);
    for (unsigned y = 0; y < 100; y++) {
        check_color(plot_pixel(&d, 300, y), map, 0.9, "tone");
        check_color(plot_pixel(&d, 299, y), map, 0.2, "beside the tone");
        check_color(plot_pixel(&d, 400 + y, y), map, 0.6, "sweep");
        check_color(plot_pixel(&d, 399 + y, y), map, 0.2, "beside the sweep");
    }
    free_decoded(&d);
}

static void test_a_colormap_of_a_file(void)
{
    char path[128], map_path[128];
    weir_stream_info stream = sink_iq_stream();
    weir_sink_config config = picture_config(path, sizeof path, "own-map.png");
    weir_error err = {0};
    weir_sink *sink;
    config.height = 100;
    snprintf(map_path, sizeof map_path, "%s.txt", path);
    FILE *file = fopen(map_path, "w");
    CHECK(file && fputs("#102030\n#f0e0d0\n", file) >= 0 && fclose(file) == 0);
    config.colormap = map_path;
    weir_colormap *map;
    CHECK(weir_colormap_load(&map, map_path, &err) == WEIR_OK);
    sink = sink_open("png", &config, &stream);
    for (unsigned i = 0; i < 100; i++) {
        flat(1024, -80.0, 1.0);
        power[300] = 0.1f; /* -10 dBFS */
        weir_spectrum s = sink_spectrum(&stream, i, power);
        sink_write(sink, &s);
    }
    sink_finish(sink, &(weir_totals){0});
    decoded d = decode(path);
    check_color(plot_pixel(&d, 300, 50), map, 0.9, "tone");
    check_color(plot_pixel(&d, 299, 50), map, 0.2, "beside the tone");
    free_decoded(&d);
    weir_colormap_destroy(map);
    CHECK(unlink(map_path) == 0);
    CHECK(weir_sink_open(&sink, weir_sink_class_find("png", path, &err), &config, &stream, &err) ==
          WEIR_ERR_NO_INPUT);
    CHECK(strstr(err.text, map_path));
}

static void test_text_chunks(void)
{
    char path[128];
    weir_stream_info stream = sink_iq_stream();
    stream.source = "na\xc3\xafve.cu8";
    weir_sink_config config = picture_config(path, sizeof path, "texts.png");
    weir_sink *sink = sink_open("png", &config, &stream);
    weir_spectrum s = sink_spectrum(&stream, 0, power);
    sink_write(sink, &s);
    sink_finish(sink, &(weir_totals){0});
    decoded d = decode(path);
    CHECK_STR(text_of(&d, "Title"), stream.source);
    CHECK_STR(text_of(&d, "Software"), "weir " WEIR_VERSION);
    CHECK_STR(text_of(&d, "Centre frequency"), "100.3 MHz");
    CHECK_STR(text_of(&d, "Sample rate"), "2.4 MHz");
    CHECK_STR(text_of(&d, "Start time"), "2025-11-30T12:00:00.123Z");
    CHECK_STR(text_of(&d, "Settings"), "N 1024, hann, RBW 3.52 kHz, overlap 50 %, 10 averages, "
                                       "levels in dBFS (full-scale tone: 0)");
    free_decoded(&d);

    stream = sink_stream();
    stream.hop = 2048;
    stream.frames_per_spectrum = 0;
    stream.made_up.n_runs = 1;
    stream.center_hz = 7e6;
    stream.time_unix_ns = INT64_MIN;
    stream.scale.offset_db = 94.25;
    strcpy(stream.scale.unit, "dB SPL");
    stream.scale.weighting = WEIR_WEIGHT_A;
    config.title = "Another title";
    sink = sink_open("png", &config, &stream);
    sink_finish(sink, &(weir_totals){0});
    d = decode(path);
    CHECK_STR(text_of(&d, "Title"), "Another title");
    CHECK_STR(text_of(&d, "Source"), "made up");
    CHECK(text_of(&d, "Start time") == NULL);
    CHECK_STR(text_of(&d, "Description"), "WAV, s16, 1 channel, 48 kHz, centre 7 MHz");
    CHECK_STR(text_of(&d, "Settings"), "N 1024, hann, RBW 70.3 Hz, sparse, hop 2048, all averaged, "
                                       "DC interpolated, levels in dB SPL(A) (full-scale sine: "
                                       "+94.25)");
    free_decoded(&d);
}

/* Ten spectra, forty rows' worth lost, ten spectra: the gap is as long as it was. */
static void test_gap_is_drawn_with_its_length(void)
{
    char path[128];
    weir_stream_info stream = sink_iq_stream();
    weir_sink_config config = picture_config(path, sizeof path, "gap.png");
    config.height = 60; /* one pixel per row */
    uint64_t row_samples = stream.hop * stream.frames_per_spectrum;
    weir_sink *sink = sink_open("png", &config, &stream);
    flat(1024, -50.0, 1.0);
    for (unsigned i = 0; i < 20; i++) {
        weir_spectrum s = sink_spectrum(&stream, i < 10 ? i : i + 40, power);
        s.lost_before = i == 10 ? 40 * row_samples : 0;
        sink_write(sink, &s);
    }
    sink_finish(sink, &(weir_totals){0});
    decoded d = decode(path);
    weir_rgb gap = weir_colormap_at_position(weir_colormap_at(0), NAN);
    for (unsigned y = 0; y < 60; y++) {
        weir_rgb is = plot_pixel(&d, 500, y);
        bool is_gap = is.r == gap.r && is.g == gap.g && is.b == gap.b;
        CHECK_MSG(is_gap == (y >= 10 && y < 50), "row %u is %s gap", y, is_gap ? "a" : "no");
        if (!is_gap) {
            check_color(is, weir_colormap_at(0), 0.5, "between gaps");
        }
        weir_rgb mark = plot_pixel(&d, 1024 + 5, y); /* beside the plot */
        CHECK((mark.r > 200) == (y >= 10 && y < 50));
    }
    free_decoded(&d);
}

/* A burst in one of 100000 spectra stays at its level, in bounded memory. */
static void test_long_stream(void)
{
    char path[128];
    weir_stream_info stream = sink_iq_stream();
    weir_sink_config config = picture_config(path, sizeof path, "long.png");
    struct rusage before, after;
    weir_sink *sink = sink_open("png", &config, &stream);
    getrusage(RUSAGE_SELF, &before);
    flat(1024, -80.0, 1.0);
    const unsigned n_spectra = 100000, burst = 71234;
    for (unsigned i = 0; i < n_spectra; i++) {
        power[77] = i == burst ? 1e-2f : 1e-8f;
        weir_spectrum s = sink_spectrum(&stream, i, power);
        sink_write(sink, &s);
    }
    sink_finish(sink, &(weir_totals){0});
    getrusage(RUSAGE_SELF, &after);
    long grown_kib = after.ru_maxrss - before.ru_maxrss;
    printf("# grew by %ld KiB\n", grown_kib);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    CHECK_MSG(grown_kib < 20 * 1024, "grew by %ld KiB", grown_kib);
#endif
    decoded d = decode(path);
    unsigned height = WEIR_PICTURE_MAX_ROWS, found = 0;
    CHECK(d.height > height && d.height < height + 300);
    for (unsigned y = 0; y < height; y++) {
        if (plot_pixel(&d, 77, y).r > 100) { /* viridis: red only near its top */
            check_color(plot_pixel(&d, 77, y), weir_colormap_at(0), 0.8, "burst");
            CHECK_NEAR((double)y / height, (double)burst / n_spectra, 1.0 / 1000);
            found++;
        }
    }
    CHECK(found == 1);
    free_decoded(&d);
}

static void test_one_spectrum_is_a_graph(void)
{
    char path[128];
    weir_stream_info stream = sink_iq_stream();
    stream.frames_per_spectrum = 0;
    weir_sink_config config = picture_config(path, sizeof path, "graph.png");
    config.height = 500;
    flat(1024, -80.0, 1.0);
    power[300] = 0.1f; /* -10 dBFS: 10 % from the top */
    weir_sink *sink = sink_open("png", &config, &stream);
    weir_spectrum s = sink_spectrum(&stream, 0, power);
    sink_write(sink, &s);
    sink_finish(sink, &(weir_totals){0});
    decoded d = decode(path);
    weir_rgb palette[WEIR_INK_COUNT];
    weir_picture_palette(weir_colormap_at(0), palette);
    weir_rgb curve = palette[WEIR_INK_CURVE];
    unsigned top[1024];
    for (unsigned x = 0; x < 1024; x++) {
        for (top[x] = 0; top[x] < 500; top[x]++) {
            weir_rgb is = plot_pixel(&d, x, top[x]);
            if (is.r == curve.r && is.g == curve.g && is.b == curve.b) {
                break;
            }
        }
    }
    CHECK_NEAR(top[300], 50, 1.5);
    CHECK_NEAR(top[100], 400, 1.5);
    CHECK_NEAR(top[900], 400, 1.5);
    free_decoded(&d);
}

static void test_same_bytes_every_time(void)
{
    char path[128];
    char *bytes[2];
    size_t sizes[2];
    weir_stream_info stream = sink_stream();
    for (int i = 0; i < 2; i++) {
        weir_sink_config config = picture_config(path, sizeof path, "same.png");
        write_example(sink_folder, "same.png", &stream, 50, config);
        bytes[i] = sink_read_file(path, &sizes[i]);
    }
    CHECK(sizes[0] == sizes[1] && memcmp(bytes[0], bytes[1], sizes[0]) == 0);
    free(bytes[0]);
    free(bytes[1]);
}

/* Silence, no spectra at all, automatic ranges, every reducer and map: all give a picture. */
static void test_odd_streams(void)
{
    char path[128];
    weir_stream_info stream = sink_stream();
    memset(power, 0, sizeof power);
    for (unsigned n_spectra = 0; n_spectra < 4; n_spectra++) {
        for (int reducer = 0; reducer < WEIR_REDUCE_COUNT; reducer++) {
            weir_sink_config config = picture_config(path, sizeof path, "odd.png");
            config.low_db = config.high_db = NAN;
            config.reducer = (weir_reducer)reducer;
            config.width = 200;
            config.colormap = weir_colormap_name(weir_colormap_at((size_t)reducer));
            weir_sink *sink = sink_open("png", &config, &stream);
            weir_error err = {0};
            CHECK(sink_run(sink, &stream, power, n_spectra, &err) == WEIR_OK);
            weir_sink_close(sink);
            decoded d = decode(path);
            CHECK(d.width > 200 && d.height > 300);
            free_decoded(&d);
        }
    }
}

static void test_bad_sizes_are_refused(void)
{
    const struct {
        unsigned width, height;
    } sizes[] = {{1, 0},        {15, 0},    {60001, 0},
                 {0, 15},       {0, 60001}, {4000000000u, 4000000000u},
                 {20000, 20000}};
    weir_stream_info stream = sink_stream();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char path[128];
        weir_error err = {0};
        weir_sink *sink = NULL;
        weir_sink_config config = picture_config(path, sizeof path, "size.png");
        config.width = sizes[i].width;
        config.height = sizes[i].height;
        const weir_sink_class *class_ = weir_sink_class_find("png", NULL, &err);
        CHECK(weir_sink_open(&sink, class_, &config, &stream, &err) == WEIR_ERR_USAGE);
        CHECK(sink == NULL && (strstr(err.text, "width must be 16 to 60000") ||
                               strstr(err.text, "268435456 in all")));
    }
}

static void test_failing_outputs(void)
{
    weir_stream_info stream = sink_stream();
    sink_check_unwritable("png", &stream);
    sink_check_full_disk("png", &stream, power);
    sink_check_closed_pipe("png", &stream, power);
    sink_check_abandoned("png", &stream, power);
    sink_check_missing_trace("png", &stream, power);
    sink_check_no_such_bins("png", &stream, power);
    CHECK(sink_count_files(".weir-") == 0);
}

int main(int argc, char **argv)
{
    if (argc == 2) {
        write_examples(argv[1]);
        return check_failed != 0;
    }
    RUN(test_tone_has_its_pixel_and_color);
    RUN(test_a_colormap_of_a_file);
    RUN(test_text_chunks);
    RUN(test_gap_is_drawn_with_its_length);
    RUN(test_long_stream);
    RUN(test_one_spectrum_is_a_graph);
    RUN(test_same_bytes_every_time);
    RUN(test_odd_streams);
    RUN(test_bad_sizes_are_refused);
    RUN(test_failing_outputs);
    return check_finish();
}

#else

/* Without libpng the row is there, and says what is missing. */
int main(void)
{
    weir_error err = {0};
    weir_sink *sink = NULL;
    weir_sink_config config;
    weir_sink_config_init(&config);
    config.path = "x.png";
    weir_stream_info stream = sink_stream();
    const weir_sink_class *class_ = weir_sink_class_find(NULL, "x.png", &err);
    CHECK(class_ != NULL);
    CHECK(weir_sink_open(&sink, class_, &config, &stream, &err) == WEIR_ERR_UNSUPPORTED);
    CHECK(sink == NULL && strstr(err.text, "libpng") != NULL);
    return check_finish();
}

#endif
