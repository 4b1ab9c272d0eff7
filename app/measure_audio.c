/* Audio: distortion of a tone, weighted levels, octave bands. */
#include "app/measure_what.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

#define LOWEST_BAND_HZ 25.0

static weir_distortion unknown_distortion(void)
{
    weir_distortion d = {0};
    double *const values[] = {&d.fundamental_hz, &d.fundamental_db,
                              &d.thd_f_percent,  &d.thd_f_db,
                              &d.thd_r_percent,  &d.thd_r_db,
                              &d.thdn_f_percent, &d.thdn_f_db,
                              &d.thdn_r_percent, &d.thdn_r_db,
                              &d.sinad_db,       &d.snr_db,
                              &d.sfdr_db,        &d.spur_hz,
                              &d.enob_bits,      &d.enob_full_scale_bits,
                              &d.noise_db,       &d.excluded_half_width_hz};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        *values[i] = NAN;
    }
    return d;
}

static void list_distortion(weir_report *report, const weir_distortion *d, bool known)
{
    static const char section[] = "Distortion";
    double summed = known ? (double)d->n_harmonics : (double)NAN;
    double left_out = known ? (double)d->n_harmonics_cut : (double)NAN;
    const struct {
        const char *name, *label;
        double value;
        const char *unit;
        unsigned decimals;
    } rows[] = {
        {"fundamental_hz", "fundamental", d->fundamental_hz, "Hz", 3},
        {"fundamental_db", "  level", d->fundamental_db, NULL, 2},
        {"thd_f_percent", "THD, of the fundamental (F)", d->thd_f_percent, "%", 5},
        {"thd_f_db", "", d->thd_f_db, "dB", 2},
        {"thd_r_percent", "THD, of the whole (R)", d->thd_r_percent, "%", 5},
        {"thd_r_db", "", d->thd_r_db, "dB", 2},
        {"thdn_f_percent", "THD+N, of the fundamental (F)", d->thdn_f_percent, "%", 5},
        {"thdn_f_db", "", d->thdn_f_db, "dB", 2},
        {"thdn_r_percent", "THD+N, of the whole (R)", d->thdn_r_percent, "%", 5},
        {"thdn_r_db", "", d->thdn_r_db, "dB", 2},
        {"sinad_db", "SINAD", d->sinad_db, "dB", 2},
        {"snr_db", "SNR", d->snr_db, "dB", 2},
        {"sfdr_db", "SFDR", d->sfdr_db, "dB", 2},
        {"spur_hz", "  largest spur", d->spur_hz, "Hz", 3},
        {"enob_bits", "ENOB", d->enob_bits, "bits", 2},
        {"enob_full_scale_bits", "ENOB, as if at full scale", d->enob_full_scale_bits, "bits", 2},
        {"noise_db", "noise without harmonics", d->noise_db, NULL, 2},
        {"excluded_half_width_hz", "left out on both sides of the tone", d->excluded_half_width_hz,
         "Hz", 3},
        {"n_harmonics", "harmonics summed", summed, "", 0},
        {"n_harmonics_cut", "harmonics left out", left_out, "", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        weir_report_add(report, section, rows[i].name, rows[i].label, rows[i].value, rows[i].unit,
                        rows[i].decimals);
    }
}

static void add_distortion(weir_report *report, const weir_measure_input *in)
{
    const weir_settings *s = in->settings;
    weir_distortion_options options;
    weir_distortion d;
    weir_error err = {0};
    weir_distortion_options_init(&options);
    options.fundamental_hz = s->fundamental_hz;
    options.low_hz = s->range_hz.low;
    options.high_hz = s->range_hz.high;
    options.highest_harmonic = (unsigned)s->harmonics;
    options.main_lobe_bins = in->main_lobe_bins;
    options.lobe = in->lobe;
    bool known = weir_measure_distortion(in->spectrum, WEIR_TRACE_MEAN, &in->stream->scale,
                                         &options, &d, &err) == WEIR_OK;
    if (!known) {
        d = unknown_distortion();
        weir_snprintf(report->note, sizeof report->note, "no distortion figures: %s", err.text);
    }
    list_distortion(report, &d, known);
    report->n_harmonics = d.n_harmonics_kept;
    memcpy(report->harmonics, d.harmonics, d.n_harmonics_kept * sizeof d.harmonics[0]);
}

static void add_sound(weir_report *report, const weir_measure_input *in)
{
    static const char section[] = "Weighted levels";
    static const struct {
        weir_sound_kind kind;
        const char *now_name, *now_label, *max_name, *max_label, *leq_name, *leq_label;
        char weighting;
    } rows[] = {
        {WEIR_SOUND_AF, "laf_db", "LAF, at the end", "lafmax_db", "LAFmax", "laeq_db", "LAeq", 'A'},
        {WEIR_SOUND_AS, "las_db", "LAS, at the end", "lasmax_db", "LASmax", NULL, NULL, 'A'},
        {WEIR_SOUND_CF, "lcf_db", "LCF, at the end", "lcfmax_db", "LCFmax", "lceq_db", "LCeq", 'C'},
        {WEIR_SOUND_CS, "lcs_db", "LCS, at the end", "lcsmax_db", "LCSmax", NULL, NULL, 'C'},
        {WEIR_SOUND_ZF, "lzf_db", "LZF, at the end", "lzfmax_db", "LZFmax", "lzeq_db", "LZeq", 'Z'},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char unit[24];
        weir_sound_level level = weir_sound_read(in->sound, rows[i].kind);
        weir_snprintf(unit, sizeof unit, "%s(%c)", in->stream->scale.unit, rows[i].weighting);
        weir_report_add(report, section, rows[i].now_name, rows[i].now_label, level.now_db, unit,
                        2);
        weir_report_add(report, section, rows[i].max_name, rows[i].max_label, level.max_db, unit,
                        2);
        if (rows[i].leq_name) {
            weir_report_add(report, section, rows[i].leq_name, rows[i].leq_label, level.leq_db,
                            unit, 2);
        }
    }
}

/* All bands that lie wholly below half the rate. */
static void add_bands(weir_report *report, const weir_measure_input *in, unsigned per_octave,
                      const char *name, const char *label)
{
    weir_report_bands *set = &report->bands[report->n_bands++];
    set->name = name;
    set->label = label;
    set->n = weir_octave_bands(per_octave, LOWEST_BAND_HZ, in->stream->rate_hz / 2, set->bands,
                               WEIR_REPORT_BANDS);
    set->n = set->n < WEIR_REPORT_BANDS ? set->n : WEIR_REPORT_BANDS;
    weir_octave_measure(in->spectrum, WEIR_TRACE_MEAN, &in->stream->scale, set->bands, set->n,
                        set->levels);
    while (set->n > 0 && set->levels[set->n - 1].covered < 0.999) {
        set->n--;
    }
    for (size_t i = 0; i < set->n; i++) { /* of a part of a bin nothing is known */
        set->levels[i].level_db = set->levels[i].bins < 1 ? NAN : set->levels[i].level_db;
    }
}

void weir_measure_audio(weir_report *report, const weir_measure_input *in)
{
    add_distortion(report, in);
    add_sound(report, in);
    add_bands(report, in, 1, "octaves", "Octave bands (power of bins; no class claimed)");
    add_bands(report, in, 3, "third_octaves", "1/3-octave bands (power of bins; no class claimed)");
}
