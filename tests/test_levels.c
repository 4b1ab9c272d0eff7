/* ctest-labels: unit prop
 * dsp/levels.h: sines, squares, DC in several formats; any cutting gives the same. */
#include "dsp/levels.h"
#include "dsp/scale.h"
#include "tests/check.h"

static weir_levels levels_of(const char *format_name, const void *raw, size_t n, unsigned channels,
                             unsigned channel)
{
    weir_sample_format format = {.channels = channels};
    CHECK(weir_format_parse(format_name, &format, NULL) == WEIR_OK);
    weir_level_sums sums;
    weir_level_sums_init(&sums, &format, channel);
    weir_level_sums_add(&sums, raw, n);
    return weir_level_sums_read(&sums);
}

static void test_known_signals(void)
{
    enum { N = 4800 };
    static float x[2 * N];
    for (size_t i = 0; i < N; i++) { /* left: sine of 1 with DC; right: square of 0.5 */
        x[2 * i] = (float)(sin(2 * M_PI * (double)i / 48) * 0.5 + 0.25);
        x[2 * i + 1] = i % 48 < 24 ? 0.5f : -0.5f;
    }
    weir_levels left = levels_of("f32le", x, N, 2, 0), right = levels_of("f32le", x, N, 2, 1);
    CHECK(left.n_samples == N);
    CHECK_NEAR(left.dc_i_fs, 0.25, 1e-7);
    CHECK_NEAR(left.rms_ac_dbfs, -6.0206, 1e-4);
    CHECK_NEAR(left.rms_fs, sqrt(0.125 + 0.0625), 1e-7);
    CHECK_NEAR(left.peak_fs, 0.75, 1e-7);
    CHECK_NEAR(left.lowest_fs, -0.25, 1e-7);
    CHECK_NEAR(left.highest_fs, 0.75, 1e-7);
    CHECK_NEAR(right.crest_factor_db, 0, 1e-9);
    CHECK_NEAR(right.rms_dbfs, 20 * log10(0.5) + 3.0103, 1e-4); /* AES17: a square is +3.01 */
    CHECK_NEAR(right.peak_dbfs, -6.0206, 1e-4);
    weir_levels tone = levels_of("cf32le", x, N, 1, 0); /* as I and Q */
    CHECK_NEAR(tone.dc_i_fs, 0.25, 1e-7);
    CHECK_NEAR(tone.dc_q_fs, 0, 1e-7);
    CHECK_NEAR(tone.peak_fs, sqrt(0.75 * 0.75 + 0.25), 1e-7);
    CHECK_NEAR(tone.rms_dbfs, 10 * log10(0.125 + 0.0625 + 0.25), 1e-5);
    for (size_t i = 0; i < N; i++) {
        x[i] = (float)sin(2 * M_PI * (double)i / 48);
    }
    weir_levels sine = levels_of("f32le", x, N, 1, 0);
    CHECK_NEAR(sine.rms_dbfs, 0, 1e-5);
    CHECK_NEAR(sine.peak_dbfs, 0, 1e-5);
    CHECK_NEAR(sine.crest_factor_db, 3.0103, 1e-4);
}

static void test_silence_and_nothing(void)
{
    float x[4] = {0};
    weir_levels none = levels_of("f32le", x, 0, 1, 0);
    CHECK(none.n_samples == 0 && isnan(none.rms_fs) && isnan(none.dc_i_fs) &&
          isnan(none.crest_factor_db));
    weir_levels silent = levels_of("f32le", x, 4, 1, 0);
    CHECK(silent.rms_dbfs == (double)WEIR_FLOOR_DB && silent.rms_fs == 0 &&
          isnan(silent.crest_factor_db));
}

static void test_cutting_does_not_matter(void)
{
    enum { N = 5000 };
    static unsigned char raw[6 * N];
    check_rng rng = check_rng_fresh();
    for (size_t i = 0; i < sizeof raw; i++) {
        raw[i] = (unsigned char)check_random(&rng);
    }
    static const char *const formats[] = {"cu8", "s16le", "rs24be", "cs8"};
    for (size_t f = 0; f < 4; f++) {
        weir_sample_format format = {.channels = 1};
        CHECK(weir_format_parse(formats[f], &format, NULL) == WEIR_OK);
        weir_levels whole = levels_of(formats[f], raw, N, 1, 0);
        weir_level_sums sums;
        weir_level_sums_init(&sums, &format, 0);
        for (size_t at = 0; at < N;) {
            size_t n = 1 + check_random(&rng) % 1500;
            n = n < N - at ? n : N - at;
            weir_level_sums_add(&sums, raw + at * weir_format_stride_bytes(&format), n);
            at += n;
        }
        weir_levels cut = weir_level_sums_read(&sums);
        CHECK_NEAR(cut.rms_fs, whole.rms_fs, 1e-12);
        CHECK_NEAR(cut.dc_i_fs, whole.dc_i_fs, 1e-12);
        CHECK(cut.peak_fs == whole.peak_fs && cut.lowest_fs == whole.lowest_fs);
    }
}

int main(void)
{
    RUN(test_known_signals);
    RUN(test_silence_and_nothing);
    RUN(test_cutting_does_not_matter);
    return check_finish();
}
