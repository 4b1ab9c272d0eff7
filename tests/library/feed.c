/* Uses libweir as a stranger would: samples fed in odd pieces, a gap, measurements, and what is
 * refused. Built by test_library.sh against an installation; exits with the number of failures. */
#include <weir/weir.h>

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RATE 48000
#define N_SAMPLES 100000
#define GAP 777
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "feed.c:%d: not true: %s\n", __LINE__, #condition);                    \
            n_failed++;                                                                            \
        }                                                                                          \
    } while (0)

static int n_failed;

typedef struct seen {
    size_t n_spectra;
    uint64_t lost, frames;
    double hz, level_db, band_db, thd_db, sum_db;
    int stop_after;
} seen;

static int on_spectrum(void *user, weir_analyzer *a, const weir_analyzer_spectrum *s)
{
    seen *to = user;
    weir_analyzer_distortion d = {.struct_size = sizeof d};
    double from_hz, to_hz, noise_db;
    CHECK(s->struct_size >= sizeof *s);
    CHECK(s->n_bins == 1025 && s->start_hz == 0 && fabs(s->bin_hz - RATE / 2048.0) < 1e-9);
    CHECK(strcmp(s->unit, "dB SPL") == 0);
    CHECK(weir_analyzer_peak(a, NAN, NAN, &to->hz, &to->level_db) == WEIR_RESULT_OK);
    CHECK(weir_analyzer_band(a, NAN, NAN, &to->band_db) == WEIR_RESULT_OK);
    CHECK(weir_analyzer_occupied(a, NAN, NAN, 0.9, &from_hz, &to_hz) == WEIR_RESULT_OK);
    CHECK(from_hz < 3010 && to_hz > 2990 && to_hz - from_hz < 200);
    CHECK(weir_analyzer_occupied(a, NAN, NAN, 2, &from_hz, &to_hz) == WEIR_RESULT_USAGE);
    CHECK(weir_analyzer_noise(a, 10000, 20000, &noise_db) == WEIR_RESULT_OK);
    CHECK(noise_db < to->level_db - 60);
    CHECK(weir_analyzer_measure_distortion(a, NAN, NAN, &d) == WEIR_RESULT_OK);
    d.struct_size = 0;
    CHECK(weir_analyzer_measure_distortion(a, NAN, NAN, &d) == WEIR_RESULT_USAGE);
    CHECK(weir_analyzer_feed(a, "", 0) == WEIR_RESULT_USAGE); /* not in here */
    to->thd_db = d.thd_db;
    to->lost += s->lost;
    to->frames += s->n_frames;
    to->n_spectra++;
    return to->stop_after && to->n_spectra >= (size_t)to->stop_after;
}

static weir_analyzer *prepare(seen *to)
{
    static const char *const settings[][2] = {{"fft", "2048"},  {"window", "blackman-harris"},
                                              {"rate", "48k"},  {"offset", "120"},
                                              {"frames", "10"}, {"unit", "dB SPL"}};
    weir_analyzer *a;
    CHECK(weir_analyzer_create(&a) == WEIR_RESULT_OK);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        CHECK(weir_analyzer_set(a, settings[i][0], settings[i][1]) == WEIR_RESULT_OK);
    }
    CHECK(weir_analyzer_begin(a, on_spectrum, to) == WEIR_RESULT_OK);
    return a;
}

/* 3 kHz at half of full scale, -6.02 dBFS; its harmonic 40 dB below. */
static void fill(float *samples)
{
    for (size_t i = 0; i < N_SAMPLES; i++) {
        double phase = 2 * 3.14159265358979323846 * 3000 / RATE * (double)i;
        samples[i] = (float)(0.5 * sin(phase) + 0.005 * sin(2 * phase));
    }
}

static void test_feed(const float *samples)
{
    seen got = {0};
    weir_analyzer *a = prepare(&got);
    weir_analyzer_totals t = {.struct_size = sizeof t};
    for (size_t at = 0, piece = 1; at < N_SAMPLES; at += piece) {
        piece = (piece * 5 + 1) % 9973;
        piece = piece < N_SAMPLES - at ? piece : N_SAMPLES - at;
        CHECK(weir_analyzer_feed(a, samples + at, piece) == WEIR_RESULT_OK);
        if (at < 50000 && at + piece >= 50000) {
            CHECK(weir_analyzer_gap(a, GAP) == WEIR_RESULT_OK);
        }
    }
    CHECK(weir_analyzer_finish(a) == WEIR_RESULT_OK);
    CHECK(weir_analyzer_feed(a, samples, 1) == WEIR_RESULT_USAGE);
    CHECK(strlen(weir_analyzer_error(a)) > 10);
    CHECK(weir_analyzer_get_totals(a, &t) == WEIR_RESULT_OK);
    CHECK(t.received == N_SAMPLES + GAP && t.lost == GAP);
    CHECK(t.received == t.transformed + t.skipped + t.lost + t.tail);
    CHECK(got.n_spectra == t.n_spectra && got.n_spectra >= 9 && got.lost == GAP);
    CHECK(fabs(got.hz - 3000) < 0.5);
    CHECK(fabs(got.level_db - (120 - 6.0206)) < 0.01);
    CHECK(fabs(got.band_db - (120 - 6.0206)) < 0.01); /* the harmonic adds 0.0004 */
    CHECK(fabs(got.thd_db + 40) < 0.05);
    weir_analyzer_destroy(a);
}

static void test_stop(const float *samples)
{
    seen got = {.stop_after = 2};
    weir_analyzer *a = prepare(&got);
    CHECK(weir_analyzer_feed(a, samples, N_SAMPLES) == WEIR_RESULT_OK);
    CHECK(weir_analyzer_finish(a) == WEIR_RESULT_OK);
    CHECK(got.n_spectra == 2);
    weir_analyzer_destroy(a);
}

/* A struct as an older program knows it: only as much is written. */
static void test_old_struct(void)
{
    struct {
        size_t struct_size;
        uint64_t received, poison;
    } old = {.struct_size = 2 * sizeof(uint64_t), .poison = 0x5555};
    seen got = {0};
    weir_analyzer *a = prepare(&got);
    CHECK(weir_analyzer_get_totals(a, (weir_analyzer_totals *)(void *)&old) == WEIR_RESULT_OK);
    CHECK(old.received == 0 && old.poison == 0x5555);
    weir_analyzer_destroy(a);
}

static void test_refusals(void)
{
    static const struct {
        const char *key, *value;
    } wrong[] = {{"fft", "many"},   {"window", "hnan"},
                 {"size", "4"},     {"weighting", "B"},
                 {"rate", "48,0k"}, {"format", "s17"},
                 {"offset", ""},    {"unit", "a unit that is far too long"},
                 {"start", "-1"}};
    weir_analyzer *a;
    seen got = {0};
    double value;
    CHECK(weir_analyzer_create(&a) == WEIR_RESULT_OK);
    CHECK(weir_analyzer_error(a)[0] == '\0');
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK(weir_analyzer_set(a, wrong[i].key, wrong[i].value) == WEIR_RESULT_USAGE);
        CHECK(strstr(weir_analyzer_error(a), wrong[i].key));
    }
    CHECK(weir_analyzer_open(a, "no-such-file.wav") == WEIR_RESULT_NO_INPUT);
    CHECK(strstr(weir_analyzer_error(a), "no-such-file.wav"));
    CHECK(weir_analyzer_run(a, on_spectrum, &got) == WEIR_RESULT_USAGE);
    CHECK(weir_analyzer_band(a, 0, 1, &value) == WEIR_RESULT_USAGE);
    CHECK(weir_analyzer_begin(a, on_spectrum, &got) == WEIR_RESULT_USAGE); /* no rate */
    weir_analyzer_destroy(a);
    CHECK(weir_analyzer_create(&a) == WEIR_RESULT_OK);
    weir_analyzer_set(a, "fft", "1");
    CHECK(weir_analyzer_open(a, "synth:seconds=1") == WEIR_RESULT_USAGE);
    weir_analyzer_destroy(a);
    weir_analyzer_destroy(NULL);
}

/* Fewer samples than a transform has: no spectrum, and none of them forgotten. */
static void test_short(const float *samples)
{
    seen got = {0};
    weir_analyzer *a = prepare(&got);
    weir_analyzer_totals t = {.struct_size = sizeof t};
    CHECK(weir_analyzer_feed(a, samples, 2047) == WEIR_RESULT_OK);
    CHECK(weir_analyzer_finish(a) == WEIR_RESULT_OK);
    CHECK(weir_analyzer_get_totals(a, &t) == WEIR_RESULT_OK);
    CHECK(got.n_spectra == 0 && t.received == 2047 && t.tail == 2047 && t.transformed == 0);
    weir_analyzer_destroy(a);
}

static int no_noise(void *user, weir_analyzer *a, const weir_analyzer_spectrum *spectrum)
{
    double level_db;
    (void)spectrum;
    *(int *)user += 1;
    CHECK(weir_analyzer_noise(a, 1.25, 1.5, &level_db) == WEIR_RESULT_USAGE);
    CHECK(strstr(weir_analyzer_error(a), "between 1.25 and 1.5 Hz"));
    return 1;
}

/* A program that lives by its user's locale, where a number is written "0,5". */
static void test_comma_locale(const float *samples)
{
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        printf("not tried with a decimal comma: there is no de_DE.UTF-8\n");
        return;
    }
    char text[16];
    int n_calls = 0;
    weir_analyzer *a;
    snprintf(text, sizeof text, "%.1f", 0.5);
    CHECK(strcmp(text, "0,5") == 0);
    test_feed(samples);
    CHECK(weir_analyzer_create(&a) == WEIR_RESULT_OK);
    CHECK(weir_analyzer_set(a, "window", "kaiser:-2.5") == WEIR_RESULT_USAGE);
    CHECK(strstr(weir_analyzer_error(a), "-2.5"));
    CHECK(weir_analyzer_set(a, "offset", "1,5") == WEIR_RESULT_USAGE);
    CHECK(weir_analyzer_set(a, "rate", "44.1k") == WEIR_RESULT_OK);
    CHECK(weir_analyzer_begin(a, no_noise, &n_calls) == WEIR_RESULT_OK);
    CHECK(weir_analyzer_feed(a, samples, N_SAMPLES) == WEIR_RESULT_OK && n_calls == 1);
    weir_analyzer_destroy(a);
    snprintf(text, sizeof text, "%.1f", 0.5); /* and it is as the program left it */
    CHECK(strcmp(text, "0,5") == 0);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    static float samples[N_SAMPLES];
    fill(samples);
    CHECK(strcmp(weir_version(), WEIR_VERSION_STRING) == 0);
    for (int i = -1; i < 100; i++) {
        CHECK(strlen(weir_result_text((weir_result)i)) > 0);
    }
    test_feed(samples);
    test_stop(samples);
    test_old_struct();
    test_refusals();
    test_short(samples);
    test_comma_locale(samples);
    return n_failed;
}
