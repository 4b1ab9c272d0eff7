#include "dsp/alert.h"

#include "base/units.h"
#include "dsp/band.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_HYSTERESIS_DB 2
#define MOST_WORDS 16

/* ---- the text ---- */

typedef struct words {
    char text[256];
    char *word[MOST_WORDS];
    size_t n, next;
} words;

static weir_status split(words *w, const char *text, weir_error *err)
{
    if (strlen(text) >= sizeof w->text) {
        return weir_fail(err, WEIR_ERR_USAGE, "a rule has less than %zu characters",
                         sizeof w->text);
    }
    strcpy(w->text, text);
    w->n = w->next = 0;
    char *state = NULL;
    for (char *word = strtok_r(w->text, " \t", &state); word;
         word = strtok_r(NULL, " \t", &state)) {
        if (w->n == MOST_WORDS) {
            return weir_fail(err, WEIR_ERR_USAGE, "a rule has at most %d words", MOST_WORDS);
        }
        w->word[w->n++] = word;
    }
    return WEIR_OK;
}

static const char *peek(const words *w)
{
    return w->next < w->n ? w->word[w->next] : "";
}

static bool take_word(words *w, const char *word)
{
    bool is_it = strcmp(peek(w), word) == 0 && w->next < w->n;
    w->next += is_it;
    return is_it;
}

static weir_status parse_name(words *w, weir_alert_rule *rule, weir_error *err)
{
    const char *word = peek(w);
    size_t length = strlen(word);
    if (length < 2 || word[length - 1] != ':') {
        return WEIR_OK;
    }
    if (length > sizeof rule->name) {
        return weir_fail(err, WEIR_ERR_USAGE, "a name has at most %zu characters",
                         sizeof rule->name - 1);
    }
    for (size_t i = 0; i + 1 < length; i++) {
        if (!isalnum((unsigned char)word[i]) && !strchr("_.-", word[i])) {
            return weir_fail(err, WEIR_ERR_USAGE,
                             "a name consists of letters, digits and _ . -, not \"%c\"", word[i]);
        }
        rule->name[i] = word[i];
    }
    w->next++;
    return WEIR_OK;
}

static weir_status parse_band(words *w, weir_alert_rule *rule, weir_error *err)
{
    if (take_word(w, ">") || take_word(w, "<")) {
        w->next--; /* no band: all of the spectrum */
        return WEIR_OK;
    }
    char low[64];
    const char *word = peek(w), *colon = strchr(word, ':');
    if (!colon || colon == word || (size_t)(colon - word) >= sizeof low) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "\"%.32s\": expected a band LO:HI, or > or < and a level", word);
    }
    snprintf(low, sizeof low, "%.*s", (int)(colon - word), word);
    weir_status status = weir_parse_hz(low, &rule->low_hz, err);
    if (status == WEIR_OK) {
        status = weir_parse_hz(colon + 1, &rule->high_hz, err);
    }
    if (status == WEIR_OK && !(rule->high_hz > rule->low_hz)) {
        status =
            weir_fail(err, WEIR_ERR_USAGE, "\"%.64s\": it ends where it begins, or before", word);
    }
    w->next++;
    return status;
}

static weir_status parse_level(words *w, weir_alert_rule *rule, weir_error *err)
{
    rule->is_below = take_word(w, "<");
    if (!rule->is_below && !take_word(w, ">")) {
        return weir_fail(err, WEIR_ERR_USAGE, "\"%.32s\": expected > or <, with spaces around",
                         peek(w));
    }
    if (w->next == w->n) {
        return weir_fail(err, WEIR_ERR_USAGE, "a level is missing at the end: -40 dBFS");
    }
    const char *word = peek(w), *unit = strstr(word, "dB");
    weir_status status = weir_parse_db(word, &rule->level_db, err);
    w->next++;
    if (status == WEIR_OK && !unit && strncmp(peek(w), "dB", 2) == 0) {
        unit = w->word[w->next++];
    }
    if (status == WEIR_OK && unit && strlen(unit) >= sizeof rule->unit) {
        return weir_fail(err, WEIR_ERR_USAGE, "\"%.32s\" is no unit", unit);
    }
    if (status == WEIR_OK && unit) {
        strcpy(rule->unit, unit);
    }
    return status;
}

static weir_status parse_rest(words *w, weir_alert_rule *rule, weir_error *err)
{
    typedef weir_status parser(const char *text, double *value, weir_error *err);
    const struct {
        const char *word;
        parser *parse;
        double *value;
    } rows[] = {{"for", weir_parse_seconds, &rule->for_seconds},
                {"hysteresis", weir_parse_db, &rule->hysteresis_db},
                {"holdoff", weir_parse_seconds, &rule->holdoff_seconds}};
    while (w->next < w->n) {
        size_t i = 0;
        while (i < 3 && !take_word(w, rows[i].word)) {
            i++;
        }
        if (i == 3) {
            return weir_fail(err, WEIR_ERR_USAGE,
                             "\"%.32s\": expected for TIME, hysteresis DB or holdoff TIME",
                             peek(w));
        }
        weir_status status = rows[i].parse(peek(w), rows[i].value, err);
        w->next++;
        if (status != WEIR_OK) {
            return weir_fail_context(err, "%s", rows[i].word);
        }
    }
    if (!(rule->hysteresis_db >= 0)) {
        return weir_fail(err, WEIR_ERR_USAGE, "hysteresis: it must be 0 dB or more");
    }
    return WEIR_OK;
}

weir_status weir_alert_parse(const char *text, weir_alert_rule *rule, weir_error *err)
{
    words w;
    weir_alert_rule parsed = {
        .low_hz = NAN, .high_hz = NAN, .hysteresis_db = DEFAULT_HYSTERESIS_DB};
    weir_status status = split(&w, text, err);
    if (status == WEIR_OK) {
        status = parse_name(&w, &parsed, err);
    }
    if (status != WEIR_OK) {
        return status;
    }
    parsed.is_peak = take_word(&w, "peak");
    if (!parsed.is_peak && !take_word(&w, "band")) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "\"%.32s\": expected band or peak, as in: band 433.8M:434.0M > -40 dBFS "
                         "for 50ms",
                         peek(&w));
    }
    status = parse_band(&w, &parsed, err);
    if (status == WEIR_OK) {
        status = parse_level(&w, &parsed, err);
    }
    if (status == WEIR_OK) {
        status = parse_rest(&w, &parsed, err);
    }
    if (status == WEIR_OK) {
        *rule = parsed;
    }
    return status;
}

/* ---- levels ---- */

bool weir_alert_sees(const weir_alert_rule *rule, const weir_spectrum *spectrum)
{
    double slack_hz = spectrum->bin_hz * 1e-6;
    return spectrum->n_bins > 0 &&
           (isnan(rule->low_hz) || (rule->low_hz >= weir_spectrum_low_hz(spectrum) - slack_hz &&
                                    rule->high_hz <= weir_spectrum_high_hz(spectrum) + slack_hz));
}

static double highest_bin_db(const weir_spectrum *s, weir_trace trace, const weir_scale *scale,
                             double low_hz, double high_hz)
{
    size_t last = weir_spectrum_bin_at(s, high_hz);
    double highest = (double)WEIR_FLOOR_DB;
    for (size_t k = weir_spectrum_bin_at(s, low_hz); k <= last; k++) {
        highest = fmax(highest, (double)weir_scale_level_db(scale, s, k, s->power[trace][k]));
    }
    return highest;
}

double weir_alert_level_db(const weir_alert_rule *rule, const weir_spectrum *spectrum,
                           weir_trace trace, const weir_scale *scale)
{
    double low = isnan(rule->low_hz) ? weir_spectrum_low_hz(spectrum) : rule->low_hz;
    double high = isnan(rule->high_hz) ? weir_spectrum_high_hz(spectrum) : rule->high_hz;
    if (rule->is_peak) {
        return highest_bin_db(spectrum, trace, scale, low, high);
    }
    double power = weir_band_power_fs2(spectrum, trace, scale, low, high);
    return weir_band_level_db(spectrum, scale, power);
}

/* ---- time ---- */

static double seconds_between(const weir_alert *alert, uint64_t from, uint64_t to)
{
    return (double)(to - from) / alert->rate_hz;
}

/* Beyond the level; an active alert holds until the level is back by the hysteresis. */
static bool is_beyond(const weir_alert *alert, double level_db)
{
    double slack = alert->is_active ? alert->rule.hysteresis_db : 0;
    return alert->rule.is_below ? level_db < alert->rule.level_db + slack
                                : level_db > alert->rule.level_db - slack;
}

static void begin_beyond(weir_alert *alert, const weir_spectrum *s, double level_db)
{
    alert->is_beyond = true;
    alert->now = (weir_alert_event){
        .first_sample = s->first_sample, .extreme_db = level_db, .time_unix_ns = s->time_unix_ns};
}

static bool held_off(const weir_alert *alert, uint64_t sample)
{
    return alert->has_begun_before && alert->rule.holdoff_seconds > 0 &&
           seconds_between(alert, alert->last_begin_sample, sample) < alert->rule.holdoff_seconds;
}

static weir_alert_kind report(weir_alert *alert, weir_alert_kind kind, weir_alert_event *event)
{
    alert->now.kind = kind;
    *event = alert->now;
    return kind;
}

static weir_alert_kind end_beyond(weir_alert *alert, weir_alert_event *event)
{
    bool was_active = alert->is_active;
    alert->is_beyond = alert->is_active = false;
    return was_active ? report(alert, WEIR_ALERT_ENDS, event) : WEIR_ALERT_NONE;
}

weir_alert_kind weir_alert_update(weir_alert *alert, const weir_spectrum *spectrum,
                                  weir_trace trace, const weir_scale *scale,
                                  weir_alert_event *event)
{
    if (!weir_alert_sees(&alert->rule, spectrum)) {
        return WEIR_ALERT_NONE;
    }
    double level_db = weir_alert_level_db(&alert->rule, spectrum, trace, scale);
    alert->rate_hz = spectrum->rate_hz;
    if (!alert->is_active && spectrum->lost_before > 0) {
        alert->is_beyond = false;
    }
    if (!is_beyond(alert, level_db)) {
        alert->now.level_db = level_db;
        alert->now.end_sample = spectrum->first_sample;
        alert->now.seconds = alert->is_beyond ? seconds_between(alert, alert->now.first_sample,
                                                                spectrum->first_sample)
                                              : 0;
        return end_beyond(alert, event);
    }
    if (!alert->is_beyond) {
        begin_beyond(alert, spectrum, level_db);
    }
    weir_alert_event *now = &alert->now;
    now->end_sample = spectrum->end_sample;
    now->seconds = seconds_between(alert, now->first_sample, now->end_sample);
    now->level_db = level_db;
    now->extreme_db =
        alert->rule.is_below ? fmin(now->extreme_db, level_db) : fmax(now->extreme_db, level_db);
    if (alert->is_active || now->seconds < alert->rule.for_seconds * (1 - 1e-9) ||
        held_off(alert, now->end_sample)) {
        return WEIR_ALERT_NONE;
    }
    alert->is_active = alert->has_begun_before = true;
    alert->last_begin_sample = now->end_sample;
    return report(alert, WEIR_ALERT_BEGINS, event);
}

weir_alert_kind weir_alert_finish(weir_alert *alert, weir_alert_event *event)
{
    return end_beyond(alert, event);
}
