#include "app/option_types.h"

#include "base/text.h"
#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- flags and counters ---- */

static weir_status set_flag(const weir_option *option, void *field, const char *text,
                            weir_error *err)
{
    static const char *const yes[] = {"true", "yes", "on", "1", NULL};
    static const char *const no[] = {"false", "no", "off", "0", NULL};
    (void)option;
    for (size_t i = 0; yes[i]; i++) {
        if (!text || strcasecmp(text, yes[i]) == 0) {
            *(bool *)field = true;
            return WEIR_OK;
        }
        if (strcasecmp(text, no[i]) == 0) {
            *(bool *)field = false;
            return WEIR_OK;
        }
    }
    return weir_fail(err, WEIR_ERR_USAGE, "\"%.32s\" is neither true nor false", text);
}

static void get_flag(const weir_option *option, const void *field, char *text, size_t size)
{
    (void)option;
    snprintf(text, size, "%s", *(const bool *)field ? "true" : "");
}

const weir_option_type weir_type_flag = {set_flag, get_flag, false, "false"};

static weir_status set_counted(const weir_option *option, void *field, const char *text,
                               weir_error *err)
{
    (void)option;
    (void)text;
    (void)err;
    ++*(unsigned *)field;
    return WEIR_OK;
}

static void get_nothing(const weir_option *option, const void *field, char *text, size_t size)
{
    (void)option;
    (void)field;
    (void)size;
    text[0] = '\0';
}

const weir_option_type weir_type_counted = {set_counted, get_nothing, false, NULL};

/* ---- text ---- */

static weir_status set_text(const weir_option *option, void *field, const char *text,
                            weir_error *err)
{
    char *copy = strdup(text);
    if (!copy) {
        return weir_fail(err, WEIR_ERR_NOMEM, "--%s: out of memory", option->name);
    }
    free(*(char **)field);
    *(char **)field = copy;
    return WEIR_OK;
}

static void get_text(const weir_option *option, const void *field, char *text, size_t size)
{
    const char *value = *(char *const *)field;
    (void)option;
    snprintf(text, size, "%s", value ? value : "");
}

const weir_option_type weir_type_text = {set_text, get_text, true, NULL};

static weir_status set_outputs(const weir_option *option, void *field, const char *text,
                               weir_error *err)
{
    weir_outputs *outputs = field;
    if (outputs->n == WEIR_MAX_OUTPUTS) {
        return weir_fail(err, WEIR_ERR_USAGE, "more than %d outputs", WEIR_MAX_OUTPUTS);
    }
    weir_status status = set_text(option, &outputs->paths[outputs->n], text, err);
    outputs->n += status == WEIR_OK;
    return status;
}

const weir_option_type weir_type_outputs = {set_outputs, get_nothing, true, NULL};

static weir_status set_pairs(const weir_option *option, void *field, const char *text,
                             weir_error *err)
{
    weir_pairs *pairs = field;
    const char *equals = strchr(text, '=');
    if (!equals || equals == text) {
        return weir_fail(err, WEIR_ERR_USAGE, "\"%.64s\": write KEY=VALUE", text);
    }
    if (pairs->n == WEIR_MAX_DEVICE_OPTIONS) {
        return weir_fail(err, WEIR_ERR_USAGE, "more than %d of them", WEIR_MAX_DEVICE_OPTIONS);
    }
    weir_status status = set_text(option, &pairs->pairs[pairs->n], text, err);
    pairs->n += status == WEIR_OK;
    return status;
}

const weir_option_type weir_type_pairs = {set_pairs, get_nothing, true, NULL};

static weir_status set_gain(const weir_option *option, void *field, const char *text,
                            weir_error *err)
{
    double db;
    if (strcasecmp(text, "auto") != 0 && weir_parse_db(text, &db, NULL) != WEIR_OK) {
        return weir_fail(err, WEIR_ERR_USAGE, "\"%.32s\" is not a gain; write 28.0 or auto", text);
    }
    return set_text(option, field, text, err);
}

const weir_option_type weir_type_gain = {set_gain, get_text, true, NULL};

static weir_status set_texts(const weir_option *option, void *field, const char *text,
                             weir_error *err)
{
    weir_texts *texts = field;
    if (texts->n == WEIR_MAX_OUTPUTS) {
        return weir_fail(err, WEIR_ERR_USAGE, "given more than %d times", WEIR_MAX_OUTPUTS);
    }
    weir_status status = set_text(option, &texts->paths[texts->n], text, err);
    texts->n += status == WEIR_OK;
    return status;
}

const weir_option_type weir_type_texts = {set_texts, get_nothing, true, NULL};

/* ---- numbers ---- */

typedef weir_status parse_double(const char *text, double *value, weir_error *err);

static weir_status check_limits(const weir_limits *limits, double value, const char *text,
                                weir_error *err)
{
    if (!limits || value > limits->least || (value == limits->least && !limits->is_above)) {
        return WEIR_OK;
    }
    return weir_fail(err, WEIR_ERR_USAGE, "\"%.32s\" is too little; %s", text, limits->right);
}

static weir_status set_double(const weir_option *option, double *field, const char *text,
                              parse_double *parse, weir_error *err)
{
    double value = 0;
    weir_status status = parse(text, &value, err);
    if (status == WEIR_OK) {
        status = check_limits(option->limits, value, text, err);
    }
    if (status == WEIR_OK) {
        *field = value;
    }
    return status;
}

static weir_status set_hz(const weir_option *option, void *field, const char *text, weir_error *err)
{
    return set_double(option, field, text, weir_parse_hz, err);
}

static weir_status set_seconds(const weir_option *option, void *field, const char *text,
                               weir_error *err)
{
    return set_double(option, field, text, weir_parse_seconds, err);
}

static weir_status set_number(const weir_option *option, void *field, const char *text,
                              weir_error *err)
{
    return set_double(option, field, text, weir_parse_number, err);
}

static weir_status set_db(const weir_option *option, void *field, const char *text, weir_error *err)
{
    return set_double(option, field, text, weir_parse_db, err);
}

static void get_double(const weir_option *option, const void *field, char *text, size_t size)
{
    double value = *(const double *)field;
    (void)option;
    if (value == 0 || !isfinite(value)) {
        text[0] = '\0';
        return;
    }
    weir_snprintf(text, size, "%.17g", value);
    char shorter[32];
    weir_snprintf(shorter, sizeof shorter, "%.15g", value);
    double back = 0;
    if (weir_parse_number(shorter, &back, NULL) == WEIR_OK && back == value) {
        snprintf(text, size, "%s", shorter);
    }
}

static void get_double_or_nan(const weir_option *option, const void *field, char *text, size_t size)
{
    if (*(const double *)field == 0) {
        snprintf(text, size, "0");
    } else {
        get_double(option, field, text, size);
    }
}

const weir_option_type weir_type_seconds_or_nan = {set_seconds, get_double_or_nan, true, NULL};
const weir_option_type weir_type_hz = {set_hz, get_double, true, "0"};
const weir_option_type weir_type_seconds = {set_seconds, get_double, true, "0"};
const weir_option_type weir_type_number = {set_number, get_double, true, "0"};
const weir_option_type weir_type_db = {set_db, get_double, true, "0"};

static weir_status set_count(const weir_option *option, void *field, const char *text,
                             weir_error *err)
{
    uint64_t value = 0;
    weir_status status = weir_parse_count(text, &value, err);
    if (status == WEIR_OK) {
        status = check_limits(option->limits, (double)value, text, err);
    }
    if (status == WEIR_OK) {
        *(uint64_t *)field = value;
    }
    return status;
}

static void get_count(const weir_option *option, const void *field, char *text, size_t size)
{
    uint64_t value = *(const uint64_t *)field;
    (void)option;
    snprintf(text, size, "%" PRIu64, value);
    if (value == 0) {
        text[0] = '\0';
    }
}

const weir_option_type weir_type_count = {set_count, get_count, true, "0"};

/* ---- one of a list ---- */

static weir_status set_choice(const weir_option *option, void *field, const char *text,
                              weir_error *err)
{
    char list[256] = "";
    for (int i = 0; option->choices[i]; i++) {
        if (strcasecmp(text, option->choices[i]) == 0) {
            *(int *)field = i;
            return WEIR_OK;
        }
        weir_list_add(list, sizeof list, "%s", option->choices[i]);
    }
    return weir_fail(err, WEIR_ERR_USAGE, "\"%.32s\" is not one of %s", text, list);
}

static void get_choice(const weir_option *option, const void *field, char *text, size_t size)
{
    int value = *(const int *)field;
    snprintf(text, size, "%s", value ? option->choices[value] : "");
}

const weir_option_type weir_type_choice = {set_choice, get_choice, true, NULL};

/* ---- overlap, speed, average ---- */

/* "50%" or "0.5". */
static weir_status parse_part(const char *text, double *value, weir_error *err)
{
    char number[64];
    size_t length = strlen(text);
    bool percent = length > 0 && text[length - 1] == '%';
    snprintf(number, sizeof number, "%.*s", (int)(length - percent), text);
    weir_status status = weir_parse_number(number, value, err);
    *value = percent && status == WEIR_OK ? *value / 100 : *value;
    return status;
}

static weir_status set_overlap(const weir_option *option, void *field, const char *text,
                               weir_error *err)
{
    double value = 0;
    (void)option;
    if (parse_part(text, &value, err) != WEIR_OK) {
        return weir_fail(err, WEIR_ERR_USAGE, "\"%.32s\" is no part of a whole; write 50%% or 0.5",
                         text);
    }
    if (!(value >= 0 && value < 1)) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "%s is outside 0 %% .. 99.99 %% (0.5 and 50%% mean the same)", text);
    }
    *(double *)field = value;
    return WEIR_OK;
}

static void get_overlap(const weir_option *option, const void *field, char *text, size_t size)
{
    double value = *(const double *)field;
    (void)option;
    text[0] = '\0';
    if (!isnan(value)) {
        weir_snprintf(text, size, "%.10g%%", value * 100);
    }
}

const weir_option_type weir_type_overlap = {set_overlap, get_overlap, true, NULL};

static weir_status set_part(const weir_option *option, void *field, const char *text,
                            weir_error *err)
{
    double value = 0;
    (void)option;
    if (parse_part(text, &value, err) != WEIR_OK || !(value >= 0 && value <= 1)) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "\"%.32s\" is not a part of something; write 1%% or 0.01", text);
    }
    *(double *)field = value;
    return WEIR_OK;
}

static void get_part(const weir_option *option, const void *field, char *text, size_t size)
{
    if (*(const double *)field == 0) {
        text[0] = '\0';
    } else {
        get_overlap(option, field, text, size);
    }
}

const weir_option_type weir_type_part = {set_part, get_part, true, "0"};

static weir_status set_speed(const weir_option *option, void *field, const char *text,
                             weir_error *err)
{
    double value = 0;
    (void)option;
    if (strcasecmp(text, "max") != 0) {
        if (weir_parse_number(text, &value, NULL) != WEIR_OK || value <= 0) {
            return weir_fail(err, WEIR_ERR_USAGE,
                             "\"%.32s\" is not a speed; write 1 (real time), 4 or max", text);
        }
    }
    *(double *)field = value;
    return WEIR_OK;
}

static void get_speed(const weir_option *option, const void *field, char *text, size_t size)
{
    double value = *(const double *)field;
    if (value == 0) {
        snprintf(text, size, "max");
    } else {
        get_double(option, field, text, size);
    }
}

const weir_option_type weir_type_speed = {set_speed, get_speed, true, NULL};

static weir_status set_average(const weir_option *option, void *field, const char *text,
                               weir_error *err)
{
    weir_line_average average = {.kind = WEIR_AVERAGE_DEFAULT};
    (void)option;
    if (strcasecmp(text, "all") == 0) {
        average.kind = WEIR_AVERAGE_ALL;
    } else if (weir_parse_count(text, &average.frames, NULL) == WEIR_OK && average.frames > 0) {
        average.kind = WEIR_AVERAGE_FRAMES;
    } else if (weir_parse_seconds(text, &average.seconds, NULL) == WEIR_OK && average.seconds > 0) {
        average.kind = WEIR_AVERAGE_SECONDS;
    } else {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "\"%.32s\" is not an average; write 16 (transforms), 0.5s or all", text);
    }
    *(weir_line_average *)field = average;
    return WEIR_OK;
}

static void get_average(const weir_option *option, const void *field, char *text, size_t size)
{
    const weir_line_average *average = field;
    (void)option;
    switch (average->kind) {
    case WEIR_AVERAGE_FRAMES:
        snprintf(text, size, "%" PRIu64, average->frames);
        break;
    case WEIR_AVERAGE_SECONDS:
        weir_snprintf(text, size, "%.15gs", average->seconds);
        break;
    case WEIR_AVERAGE_ALL:
        snprintf(text, size, "all");
        break;
    case WEIR_AVERAGE_DEFAULT:
        text[0] = '\0';
        break;
    }
}

const weir_option_type weir_type_average = {set_average, get_average, true, NULL};

#define EXPONENTIAL "exp:"

static weir_status set_trace_average(const weir_option *option, void *field, const char *text,
                                     weir_error *err)
{
    weir_trace_average average = {.kind = WEIR_TRACE_AS_LINES};
    bool decays = strncasecmp(text, EXPONENTIAL, strlen(EXPONENTIAL)) == 0;
    const char *time = decays ? text + strlen(EXPONENTIAL) : text;
    (void)option;
    if (strcasecmp(text, "lines") == 0) {
        *(weir_trace_average *)field = average;
        return WEIR_OK;
    }
    average.kind = decays ? WEIR_TRACE_EXPONENTIAL : WEIR_TRACE_MEAN_OF;
    bool counts = !decays && weir_parse_count(text, &average.frames, NULL) == WEIR_OK;
    bool is_good = counts ? average.frames > 0
                          : weir_parse_seconds(time, &average.seconds, NULL) == WEIR_OK &&
                                average.seconds > 0 && isfinite(average.seconds);
    if (!is_good) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "\"%.32s\" is not an average of the trace; write 64 (transforms), 0.5s, "
                         "exp:1s or lines",
                         text);
    }
    *(weir_trace_average *)field = average;
    return WEIR_OK;
}

static void get_trace_average(const weir_option *option, const void *field, char *text, size_t size)
{
    const weir_trace_average *average = field;
    const char *prefix = average->kind == WEIR_TRACE_EXPONENTIAL ? EXPONENTIAL : "";
    (void)option;
    if (average->kind == WEIR_TRACE_AS_LINES) {
        snprintf(text, size, "lines");
    } else if (average->frames) {
        snprintf(text, size, "%" PRIu64, average->frames);
    } else {
        weir_snprintf(text, size, "%s%.15gs", prefix, average->seconds);
    }
}

const weir_option_type weir_type_trace_average = {set_trace_average, get_trace_average, true, NULL};

/* ---- ranges ---- */

static weir_status set_range(void *field, const char *text, parse_double *parse,
                             const char *example, weir_error *err)
{
    char low[64];
    const char *colon = strchr(text, ':');
    weir_range range;
    if (!colon || (size_t)(colon - text) >= sizeof low) {
        return weir_fail(err, WEIR_ERR_USAGE, "\"%.64s\" is not a range; write LOW:HIGH, %s", text,
                         example);
    }
    snprintf(low, sizeof low, "%.*s", (int)(colon - text), text);
    weir_status status = parse(low, &range.low, err);
    if (status == WEIR_OK) {
        status = parse(colon + 1, &range.high, err);
    }
    if (status == WEIR_OK && !(range.low < range.high)) {
        status = weir_fail(err, WEIR_ERR_USAGE,
                           "\"%.64s\": the lower end must be below the upper; write LOW:HIGH, %s",
                           text, example);
    }
    if (status == WEIR_OK) {
        *(weir_range *)field = range;
    }
    return status;
}

static weir_status set_range_hz(const weir_option *option, void *field, const char *text,
                                weir_error *err)
{
    (void)option;
    return set_range(field, text, weir_parse_hz, "for example 99M:101M", err);
}

static weir_status set_range_db(const weir_option *option, void *field, const char *text,
                                weir_error *err)
{
    (void)option;
    return set_range(field, text, weir_parse_db, "for example -100:-20", err);
}

static void get_range(const weir_option *option, const void *field, char *text, size_t size)
{
    const weir_range *range = field;
    (void)option;
    text[0] = '\0';
    if (!isnan(range->low)) {
        weir_snprintf(text, size, "%.15g:%.15g", range->low, range->high);
    }
}

const weir_option_type weir_type_range_hz = {set_range_hz, get_range, true, NULL};
const weir_option_type weir_type_range_db = {set_range_db, get_range, true, NULL};

/* ---- tolerances ---- */

typedef weir_status parse_amount(const char *text, double *amount, weir_error *err);

/* "0.5", or "88M:108M=0.5". */
static weir_status parse_tolerance(const char *text, parse_amount *parse, weir_tolerance *tolerance,
                                   weir_error *err)
{
    const char *equals = strchr(text, '='), *amount = equals ? equals + 1 : text;
    weir_range band = {-INFINITY, INFINITY};
    if (equals) {
        char band_text[128];
        snprintf(band_text, sizeof band_text, "%.*s", (int)(equals - text), text);
        weir_status status =
            set_range(&band, band_text, weir_parse_hz, "for example 88M:108M=1", err);
        if (status != WEIR_OK) {
            return status;
        }
    }
    double most = 0;
    weir_status status = parse(amount, &most, err);
    if (status == WEIR_OK && most < 0) {
        return weir_fail(err, WEIR_ERR_USAGE, "a tolerance of %s is below 0", amount);
    }
    *tolerance = (weir_tolerance){band.low, band.high, most};
    return status;
}

static weir_status add_tolerance(weir_tolerance_list *list, const char *text, parse_amount *parse,
                                 weir_error *err)
{
    if (list->n == WEIR_MAX_TOLERANCES) {
        return weir_fail(err, WEIR_ERR_USAGE, "more than %d tolerances", WEIR_MAX_TOLERANCES);
    }
    weir_status status = parse_tolerance(text, parse, &list->rows[list->n], err);
    list->n += status == WEIR_OK;
    return status;
}

static weir_status set_tolerances_db(const weir_option *option, void *field, const char *text,
                                     weir_error *err)
{
    (void)option;
    return add_tolerance(field, text, weir_parse_db, err);
}

static weir_status set_tolerances_hz(const weir_option *option, void *field, const char *text,
                                     weir_error *err)
{
    (void)option;
    return add_tolerance(field, text, weir_parse_hz, err);
}

const weir_option_type weir_type_tolerances_db = {set_tolerances_db, get_nothing, true, NULL};
const weir_option_type weir_type_tolerances_hz = {set_tolerances_hz, get_nothing, true, NULL};
