#include "app/corrections.h"

#include "base/units.h"
#include "dsp/window.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void weir_corrections_init_axis(weir_corrections *corrections, const weir_settings *settings)
{
    *corrections = (weir_corrections){
        .axis = {.ppm = settings->ppm, .offset_hz = settings->transverter_hz},
    };
}

static weir_status measure_main_lobe(const char *name, size_t n_fft, double *bins, weir_error *err)
{
    weir_window_sketch sketch;
    weir_status status = weir_window_draw(&sketch, name, n_fft, err);
    *bins = sketch.figures.main_lobe_bins;
    free(sketch.coefficients);
    return status;
}

weir_status weir_corrections_init_dc(weir_corrections *corrections, int dc, const char *window,
                                     size_t n_fft, size_t n_bins, weir_error *err)
{
    corrections->interpolates_dc = dc == WEIR_DC_INTERPOLATE;
    corrections->halves_zero =
        corrections->zoom && weir_zoom_stage_tuning_at(corrections->zoom, 0).is_real;
    if (!corrections->interpolates_dc && !corrections->halves_zero) {
        return WEIR_OK;
    }
    corrections->n_bins = n_bins;
    corrections->copies = calloc(n_bins * WEIR_TRACE_COUNT, sizeof *corrections->copies);
    if (!corrections->copies) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory for %zu bins", n_bins);
    }
    return corrections->interpolates_dc
               ? measure_main_lobe(window, n_fft, &corrections->main_lobe_bins, err)
               : WEIR_OK;
}

/* The receiver's DC is not at the centre of a zoomed band. */
static weir_spectrum around_dc(const weir_corrections *c, const weir_spectrum *in)
{
    weir_spectrum s = *in;
    if (c->zoom) {
        s.center_hz = weir_zoom_stage_tuning_at(c->zoom, in->first_sample).center_hz;
    }
    return s;
}

/* The zoom of a real input shows two of each component, and at 0 Hz, where both are one, four
 * times its power instead of twice: that bin is not doubled, as without a zoom. */
static void halve_zero(weir_zoom_tuning tuning, const weir_spectrum *s, float *power)
{
    double bin = round((tuning.low_hz - s->start_hz) / s->bin_hz);
    if (bin >= 0 && bin < (double)s->n_bins) {
        power[(size_t)bin] /= 2;
    }
}

static weir_made_up run_of(const weir_spectrum *s, weir_bin_range range)
{
    double first = s->start_hz + (double)range.first * s->bin_hz;
    return (weir_made_up){.low_hz = first,
                          .high_hz = first + ((double)range.count - 1) * s->bin_hz,
                          .n_runs = range.count > 0};
}

static void correct_zero(weir_corrections *c, weir_spectrum *s)
{
    weir_spectrum receiver = around_dc(c, s);
    if (c->interpolates_dc) {
        s->made_up = run_of(s, weir_dc_bins(&receiver, c->main_lobe_bins));
    }
    for (int t = 0; t < WEIR_TRACE_COUNT; t++) {
        if (!s->power[t]) {
            continue;
        }
        float *copy = c->copies + (size_t)t * c->n_bins;
        memcpy(copy, s->power[t], s->n_bins * sizeof *copy);
        if (c->interpolates_dc) {
            weir_interpolate_dc(&receiver, c->main_lobe_bins, copy);
        }
        if (c->halves_zero) {
            halve_zero(weir_zoom_stage_tuning_at(c->zoom, s->first_sample), s, copy);
        }
        s->power[t] = copy;
    }
}

static void number_by_input(const weir_corrections *c, weir_spectrum *s)
{
    s->first_sample = weir_zoom_stage_position(c->zoom, s->first_sample);
    s->end_sample = weir_zoom_stage_position(c->zoom, s->end_sample);
    s->rate_hz *= (double)weir_zoom_stage_decimation(c->zoom);
}

/* To the bins that there still are. */
static void cut_made_up(weir_spectrum *s)
{
    double last_hz = s->start_hz + ((double)s->n_bins - 1) * s->bin_hz, slack_hz = s->bin_hz / 2;
    weir_made_up *m = &s->made_up;
    if (m->high_hz < s->start_hz - slack_hz || m->low_hz > last_hz + slack_hz) {
        *m = (weir_made_up){0};
    }
    m->low_hz = m->n_runs > 0 ? fmax(m->low_hz, s->start_hz) : 0;
    m->high_hz = m->n_runs > 0 ? fmin(m->high_hz, last_hz) : 0;
}

/* What of --span was received when that was the tuning. */
static void cut(const weir_corrections *c, weir_zoom_tuning tuning, weir_spectrum *s)
{
    const double slack_bins = 1e-6;
    double last = (double)(s->n_bins - 1);
    double low_hz = fmax(tuning.low_hz, s->center_hz - c->span_hz / 2);
    double high_hz = fmin(tuning.high_hz, s->center_hz + c->span_hz / 2);
    double from = ceil((low_hz - s->start_hz) / s->bin_hz - slack_bins);
    double to = floor((high_hz - s->start_hz) / s->bin_hz + slack_bins);
    from = fmin(fmax(from, 0), last);
    to = fmin(fmax(to, from), last);
    for (int t = 0; t < WEIR_TRACE_COUNT; t++) {
        s->power[t] = s->power[t] ? s->power[t] + (size_t)from : NULL;
    }
    s->start_hz += from * s->bin_hz;
    s->n_bins = (size_t)(to - from) + 1;
    cut_made_up(s);
}

void weir_corrections_apply(weir_corrections *corrections, const weir_spectrum *in,
                            weir_spectrum *out)
{
    *out = *in;
    if (corrections->interpolates_dc || corrections->halves_zero) {
        correct_zero(corrections, out);
    }
    if (corrections->zoom) {
        number_by_input(corrections, out);
    }
    if (corrections->zoom && corrections->span_hz > 0) {
        cut(corrections, weir_zoom_stage_tuning_at(corrections->zoom, in->first_sample), out);
    }
    weir_correct_axis(&corrections->axis, out);
}

void weir_corrections_free(weir_corrections *corrections)
{
    free(corrections->copies);
    corrections->copies = NULL;
}

static bool parse_track(const char *text, weir_iq_wish *wish)
{
    size_t n = strlen("track");
    wish->kind = WEIR_IQ_TRACK;
    wish->seconds = WEIR_IQ_TRACK_SECONDS;
    if (strncmp(text, "track", n) != 0 || (text[n] != '\0' && text[n] != ':')) {
        return false;
    }
    return text[n] == '\0' || (weir_parse_seconds(text + n + 1, &wish->seconds, NULL) == WEIR_OK &&
                               wish->seconds > 0 && isfinite(wish->seconds));
}

static bool parse_fixed(const char *text, weir_iq_wish *wish)
{
    char first[64];
    double gain_db, degrees;
    const char *colon = strchr(text, ':');
    wish->kind = WEIR_IQ_FIXED;
    snprintf(first, sizeof first, "%.*s", colon ? (int)(colon - text) : 0, text);
    if (!colon || (size_t)(colon - text) >= sizeof first ||
        weir_parse_db(first, &gain_db, NULL) != WEIR_OK ||
        weir_parse_number(colon + 1, &degrees, NULL) != WEIR_OK || !(fabs(degrees) < 80) ||
        !(fabs(gain_db) < 40)) {
        return false;
    }
    double phase = degrees * M_PI / 180, gain = pow(10, gain_db / 20);
    wish->fixed = (weir_iq_correction){
        .gain = gain,
        .phase_rad = phase,
        .matrix = {{1, 0}, {-tan(phase), 1 / (gain * cos(phase))}},
    };
    return true;
}

weir_status weir_iq_wish_parse(const char *text, weir_iq_wish *wish, weir_error *err)
{
    *wish = (weir_iq_wish){.kind = WEIR_IQ_AUTO};
    if (strcmp(text, "auto") == 0 || parse_track(text, wish) || parse_fixed(text, wish)) {
        return WEIR_OK;
    }
    return weir_fail(err, WEIR_ERR_USAGE,
                     "--iq-correct \"%.64s\" is neither auto nor track, track:TIME, or DB:DEGREES "
                     "(Q against I, as in 0.5:-2; less than 40 dB and 80 degrees)",
                     text);
}
