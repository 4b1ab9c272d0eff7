/* A view without a terminal, for tests: of 2048 bins at 2.048 MS/s around 100 MHz. */
#ifndef WEIR_TESTS_VIEW_TESTING_H
#define WEIR_TESTS_VIEW_TESTING_H

#include "display/view_state.h"
#include "tests/check.h"

#define N_FFT 2048
#define RATE_HZ 2.048e6
#define CENTER_HZ 100e6

static inline weir_stream_info make_stream(void)
{
    weir_stream_info stream = {
        .source = "a/long/path/to/some/recording.cu8",
        .description = "raw cu8, 2.048 MS/s",
        .format = {.is_complex = true, .channels = 1},
        .rate_hz = RATE_HZ,
        .center_hz = CENTER_HZ,
        .n_fft = N_FFT,
        .hop = N_FFT / 2,
        .window = "hann",
        .enbw_bins = 1.5,
        .coherent_gain = 0.5,
        .frames_per_spectrum = 40,
        .engine = "cpu",
    };
    weir_scale_init(&stream.scale);
    return stream;
}

static inline weir_view *make_view_of(const weir_stream_info *stream, float low_db, float high_db,
                                      bool is_utf8)
{
    weir_view_config config;
    weir_view *view = NULL;
    weir_error err = {.text = ""};
    weir_view_config_init(&config);
    config.low_db = low_db;
    config.high_db = high_db;
    CHECK_MSG(weir_view_create(&view, &config, stream, &err) == WEIR_OK, "%s", err.text);
    weir_view_set_caps(view, (weir_term_caps){.color = WEIR_COLOR_DIRECT,
                                              .is_utf8 = is_utf8,
                                              .can_scroll = true,
                                              .has_mouse = true});
    return view;
}

/* Line `index`, of that many samples; the traces are the caller's. */
static inline weir_spectrum make_line(const float *power, uint64_t index, uint64_t n_samples)
{
    double bin_hz = RATE_HZ / N_FFT;
    return (weir_spectrum){.power = {power, power, NULL},
                           .n_bins = N_FFT,
                           .start_hz = CENTER_HZ - N_FFT / 2 * bin_hz,
                           .bin_hz = bin_hz,
                           .rate_hz = RATE_HZ,
                           .center_hz = CENTER_HZ,
                           .enbw_bins = 1.5,
                           .full_scale_power = 1.0,
                           .index = index,
                           .first_sample = index * n_samples,
                           .end_sample = index * n_samples + n_samples};
}

static inline double hz_of(size_t bin)
{
    return CENTER_HZ + ((double)bin - N_FFT / 2) * RATE_HZ / N_FFT;
}

#endif
