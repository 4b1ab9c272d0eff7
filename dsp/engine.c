#include "dsp/engine.h"

#include <math.h>

static weir_status check_format(const weir_engine_config *config, weir_error *err)
{
    const weir_sample_format *format = &config->format;
    if ((unsigned)format->scalar >= WEIR_SCALAR_COUNT) {
        return weir_fail(err, WEIR_ERR_USAGE, "format: no scalar has the number %d",
                         (int)format->scalar);
    }
    if (format->channels < 1 || format->channels > 65535) {
        return weir_fail(err, WEIR_ERR_USAGE, "format: %u channels; 1 to 65535 are possible",
                         format->channels);
    }
    size_t bits = 8 * weir_scalar_bytes(format->scalar);
    if (format->valid_bits > (weir_scalar_is_float(format->scalar) ? 0 : bits)) {
        return weir_fail(err, WEIR_ERR_USAGE, "format: %u valid bits in a scalar of %zu bits",
                         format->valid_bits, bits);
    }
    if (config->channel >= format->channels) {
        return weir_fail(err, WEIR_ERR_USAGE, "channel: there is no channel %u of %u (from 0)",
                         config->channel, format->channels);
    }
    return WEIR_OK;
}

bool weir_engine_corrects_iq(const weir_engine_config *config)
{
    const double(*m)[2] = config->iq_matrix;
    bool is_given = m[0][0] != 0 || m[0][1] != 0 || m[1][0] != 0 || m[1][1] != 0;
    return config->format.is_complex && is_given;
}

static weir_status check_iq(const weir_engine_config *config, weir_error *err)
{
    const double(*m)[2] = config->iq_matrix;
    double determinant = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    bool is_finite = isfinite(config->iq_offset[0]) && isfinite(config->iq_offset[1]);
    if (weir_engine_corrects_iq(config) && !(is_finite && fabs(determinant) > 1e-9)) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "iq_matrix: its determinant is %g, so I and Q cannot be told apart",
                         determinant);
    }
    return WEIR_OK;
}

static weir_status check_window(const weir_engine_config *config, weir_error *err)
{
    if (!config->window) {
        return weir_fail(err, WEIR_ERR_USAGE, "window: no coefficients given");
    }
    double sum = 0, sum_squares = 0;
    for (size_t i = 0; i < config->n_fft; i++) {
        if (!isfinite(config->window[i])) {
            return weir_fail(err, WEIR_ERR_USAGE, "window: coefficient %zu is not finite", i);
        }
        sum += config->window[i];
        sum_squares += config->window[i] * config->window[i];
    }
    /* The sum is the gain that levels are divided by. */
    double largest_gain = sqrt(sum_squares * (double)config->n_fft);
    if (!isfinite(largest_gain) || !(fabs(sum) > 1e-9 * largest_gain)) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "window: its coefficients sum to %g, so no level can be told from it",
                         sum);
    }
    return WEIR_OK;
}

static weir_status check_sizes(const weir_engine_config *config, weir_error *err)
{
    if (config->n_fft < 2 || config->n_fft > WEIR_MAX_FFT) {
        return weir_fail(err, WEIR_ERR_USAGE, "n_fft: %zu is not between 2 and %zu", config->n_fft,
                         WEIR_MAX_FFT);
    }
    if (config->hop < 1 || config->hop > WEIR_MAX_HOP) {
        return weir_fail(err, WEIR_ERR_USAGE, "hop: %zu is not between 1 and %zu", config->hop,
                         WEIR_MAX_HOP);
    }
    return WEIR_OK;
}

static weir_status check_traces(const weir_engine_config *config, weir_error *err)
{
    if (config->traces == 0 || config->traces >= WEIR_TRACE_BIT(WEIR_TRACE_COUNT)) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "traces: %#x; at least one of mean, max and min, and nothing else",
                         config->traces);
    }
    if (!(config->exponential_alpha >= 0 && config->exponential_alpha <= 1)) {
        return weir_fail(err, WEIR_ERR_USAGE, "exponential_alpha: %g is not between 0 (off) and 1",
                         config->exponential_alpha);
    }
    if (!config->on_spectrum) {
        return weir_fail(err, WEIR_ERR_USAGE, "on_spectrum: no function takes the spectra");
    }
    return WEIR_OK;
}

weir_status weir_engine_check_config(const weir_engine_config *config, weir_error *err)
{
    static weir_status (*const checks[])(const weir_engine_config *, weir_error *) = {
        check_format, check_sizes, check_window, check_traces, check_iq};
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        weir_status status = checks[i](config, err);
        if (status) {
            return status;
        }
    }
    return WEIR_OK;
}

weir_status weir_engine_push(weir_engine *engine, const weir_run *run, size_t *released,
                             weir_error *err)
{
    return engine->class_->push(engine, run, released, err);
}

bool weir_engine_busy(const weir_engine *engine)
{
    return engine->class_->busy(engine);
}

weir_status weir_engine_flush(weir_engine *engine, uint64_t lost_at_end, weir_error *err)
{
    return engine->class_->flush(engine, lost_at_end, err);
}

void weir_engine_totals(const weir_engine *engine, weir_totals *totals)
{
    engine->class_->totals(engine, totals);
}

const weir_engine_state *weir_engine_state_after_failure(const weir_engine *engine)
{
    return engine->class_->state ? engine->class_->state(engine) : NULL;
}

const char *weir_engine_describe(const weir_engine *engine)
{
    return engine->class_->describe(engine);
}

void weir_engine_destroy(weir_engine *engine)
{
    if (engine) {
        engine->class_->destroy(engine);
    }
}
