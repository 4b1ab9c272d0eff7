#include "capture/names.h"

#include "capture/source.h"
#include "capture/utc.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <time.h>

enum { MAX_NAME = 512, MAX_WORDS = 32 };

typedef struct words {
    char text[MAX_NAME];
    const char *word[MAX_WORDS];
    unsigned count;
    const char *ending; /* without its dot; "" if there is none */
} words;

/* Words inside a name that say the type of a scalar ("horusb_iq_s16.raw"). */
static const struct {
    const char *name;
    weir_scalar scalar;
} scalar_words[] = {
    {"float32", WEIR_F32LE}, {"f32", WEIR_F32LE},   {"f64", WEIR_F64LE}, {"int16", WEIR_S16LE},
    {"s16", WEIR_S16LE},     {"s16le", WEIR_S16LE}, {"s8", WEIR_S8},     {"u8", WEIR_U8},
};

typedef enum role { ROLE_NONE, ROLE_CENTER, ROLE_RATE } role;

/* A convention is known by the first word; bare numbers then have these roles in turn. */
static const struct {
    const char *prefix;
    const char *iq_word; /* the word that marks I/Q; NULL: such files always are */
    role bare[2];
    bool is_utc;
    bool is_cf32; /* what the word for I/Q also says */
} conventions[] = {
    {"gqrx", "fc", {ROLE_CENTER, ROLE_RATE}, true, true},
    {"SDRSharp", "IQ", {ROLE_CENTER, ROLE_NONE}, true, false},
    {"HDSDR", "RF", {ROLE_NONE, ROLE_NONE}, false, false},
    {"SDRuno", NULL, {ROLE_NONE, ROLE_NONE}, false, false},
    {"baseband", NULL, {ROLE_NONE, ROLE_NONE}, false, false},
    {"sigdigger", "iq", {ROLE_RATE, ROLE_CENTER}, true, false},
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Splits "a/b_c d.e" into b, c, d and the ending e. Dots inside numbers stay. */
static void split(words *w, const char *path)
{
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    size_t length = strnlen(name, MAX_NAME - 1);
    memcpy(w->text, name, length);
    w->text[length] = '\0';
    w->ending = w->text + length;
    char *dot = strrchr(w->text, '.');
    bool is_ending = dot && dot != w->text && isalpha((unsigned char)dot[1]) && !strchr(dot, '_');
    if (is_ending) { /* not the dot of "433.92M" */
        *dot = '\0';
        w->ending = dot + 1;
    }
    w->count = 0;
    bool inside = false;
    for (char *p = w->text; *p; p++) {
        if (*p == '_' || *p == ' ') {
            *p = '\0';
            inside = false;
        } else if (!inside && w->count < MAX_WORDS) {
            w->word[w->count++] = p;
            inside = true;
        }
    }
}

/* Without regard to the case of ASCII letters, whatever the locale. */
static bool same_word(const char *a, const char *b)
{
    for (; *a && *b; a++, b++) {
        char x = *a >= 'A' && *a <= 'Z' ? (char)(*a | 0x20) : *a;
        char y = *b >= 'A' && *b <= 'Z' ? (char)(*b | 0x20) : *b;
        if (x != y) {
            return false;
        }
    }
    return *a == *b;
}

static bool has_word(const words *w, const char *word)
{
    for (unsigned i = 0; i < w->count; i++) {
        if (same_word(w->word[i], word)) {
            return true;
        }
    }
    return false;
}

/* Digits with at most one dot; "" is not a number. Exact to 2^53. */
static const char *take_number(const char *p, double *value)
{
    double sum = 0, scale = 1;
    bool digits = false, dot = false;
    for (;; p++) {
        if (isdigit((unsigned char)*p)) {
            sum = sum * 10 + (*p - '0');
            scale *= dot ? 10 : 1;
            digits = true;
        } else if (*p == '.' && !dot) {
            dot = true;
        } else {
            break;
        }
    }
    *value = sum / scale;
    return digits && isfinite(sum) && isfinite(scale) ? p : NULL;
}

static double prefix_factor(char c)
{
    switch (c) {
    case 'k':
    case 'K':
        return 1e3;
    case 'M':
        return 1e6;
    case 'G':
        return 1e9;
    default:
        return 1;
    }
}

/* "433.92M", "250k", "2M4", "88110kHz", "4Msps": the value and what its unit says. A
 * multiplier alone is a centre when M or G and there is none yet, else a rate. */
static role read_quantity(const char *word, bool have_center, double *value)
{
    const char *p = take_number(word, value);
    if (!p) {
        return ROLE_NONE;
    }
    double factor = prefix_factor(*p), fraction;
    bool multiplied = factor != 1;
    *value *= factor;
    if (multiplied) {
        p++;
        if (isdigit((unsigned char)*p)) { /* 2M4 is 2.4 M */
            const char *begin = p;
            p = take_number(p, &fraction);
            if (!p || memchr(begin, '.', (size_t)(p - begin))) {
                return ROLE_NONE;
            }
            *value += fraction * factor / pow(10, (double)(p - begin));
        }
    }
    if (same_word(p, "hz")) {
        return ROLE_CENTER;
    }
    if (same_word(p, "sps") || same_word(p, "S")) {
        return ROLE_RATE;
    }
    if (*p != '\0' || !multiplied) {
        return ROLE_NONE;
    }
    return factor >= 1e6 && !have_center ? ROLE_CENTER : ROLE_RATE;
}

static void set_role(weir_name_facts *facts, role what, double value)
{
    if (!isfinite(value)) {
        return; /* a few hundred digits */
    }
    if (what == ROLE_CENTER && isnan(facts->center_hz)) {
        facts->center_hz = value;
    } else if (what == ROLE_RATE && facts->rate_hz == 0 && value > 0) {
        facts->rate_hz = value;
    }
}

static bool all_digits(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!isdigit((unsigned char)text[i])) {
            return false;
        }
    }
    return true;
}

static int number(const char *text, int digits)
{
    int sum = 0;
    for (int i = 0; i < digits; i++) {
        sum = sum * 10 + (text[i] - '0');
    }
    return sum;
}

/* YYYYMMDD and HHMMSS or HHMMSSZ */
static bool read_compact_time(const char *date, const char *time, weir_name_facts *facts)
{
    if (strlen(date) != 8 || !all_digits(date, 8) || strlen(time) < 6 || !all_digits(time, 6)) {
        return false;
    }
    bool zulu = strcmp(time + 6, "Z") == 0;
    if (!zulu && time[6] != '\0') {
        return false;
    }
    weir_civil_time c = {.year = number(date, 4), .month = number(date + 4, 2)};
    c.day = number(date + 6, 2);
    c.hour = number(time, 2);
    c.minute = number(time + 2, 2);
    c.second = number(time + 4, 2);
    if (!weir_utc_from_civil(&c, &facts->time_unix_ns)) {
        return false;
    }
    facts->time_is_local = !zulu;
    return true;
}

/* HH-MM-SS and DD-MM-YYYY, SDR++ */
static bool read_dashed_time(const char *time, const char *date, weir_name_facts *facts)
{
    bool shape = strlen(time) == 8 && strlen(date) == 10 && time[2] == '-' && time[5] == '-' &&
                 date[2] == '-' && date[5] == '-' && all_digits(time, 2) &&
                 all_digits(time + 3, 2) && all_digits(time + 6, 2) && all_digits(date, 2) &&
                 all_digits(date + 3, 2) && all_digits(date + 6, 4);
    if (!shape) {
        return false;
    }
    weir_civil_time c = {.year = number(date + 6, 4), .month = number(date + 3, 2)};
    c.day = number(date, 2);
    c.hour = number(time, 2);
    c.minute = number(time + 3, 2);
    c.second = number(time + 6, 2);
    if (!weir_utc_from_civil(&c, &facts->time_unix_ns)) {
        return false;
    }
    facts->time_is_local = true;
    return true;
}

static bool read_time(const char *first, const char *second, weir_name_facts *facts)
{
    return read_compact_time(first, second, facts) || read_dashed_time(first, second, facts);
}

static int find_convention(const words *w)
{
    for (int i = 0; w->count && i < (int)COUNT(conventions); i++) {
        if (same_word(w->word[0], conventions[i].prefix)) {
            return i;
        }
    }
    return -1;
}

static void read_words(const words *w, int convention, weir_name_facts *facts)
{
    unsigned bare = 0;
    for (unsigned i = 0; i < w->count; i++) {
        if (i + 1 < w->count && facts->time_unix_ns == WEIR_UNKNOWN_TIME &&
            read_time(w->word[i], w->word[i + 1], facts)) {
            i++;
            continue;
        }
        double value;
        role what = read_quantity(w->word[i], !isnan(facts->center_hz), &value);
        size_t length = strlen(w->word[i]);
        if (convention >= 0 && bare < 2 && length && all_digits(w->word[i], length)) {
            what = conventions[convention].bare[bare++];
        }
        set_role(facts, what, value);
    }
}

static void read_format(const words *w, weir_name_facts *facts)
{
    facts->format = (weir_sample_format){.channels = 1};
    facts->has_format = weir_format_parse(w->ending, &facts->format, NULL) == WEIR_OK;
    if (facts->has_format) {
        return;
    }
    for (size_t i = 0; i < COUNT(scalar_words); i++) {
        if (has_word(w, scalar_words[i].name)) {
            facts->has_format = true;
            facts->format = (weir_sample_format){scalar_words[i].scalar, facts->is_iq, 1, 0};
            return;
        }
    }
}

void weir_names_parse(const char *path, weir_name_facts *facts)
{
    *facts = (weir_name_facts){.center_hz = NAN, .time_unix_ns = WEIR_UNKNOWN_TIME};
    words w;
    split(&w, path);
    int convention = find_convention(&w);
    facts->is_iq = has_word(&w, "iq");
    read_words(&w, convention, facts);
    if (convention >= 0) {
        const char *iq_word = conventions[convention].iq_word;
        facts->is_iq = facts->is_iq || !iq_word || has_word(&w, iq_word);
        facts->time_is_local = facts->time_is_local && !conventions[convention].is_utc;
    }
    read_format(&w, facts);
    if (!facts->has_format && convention >= 0 && conventions[convention].is_cf32 && facts->is_iq) {
        facts->has_format = true;
        facts->format = (weir_sample_format){WEIR_F32LE, true, 1, 0};
    }
}

int64_t weir_names_local_to_utc(int64_t clock_ns)
{
    time_t clock = (time_t)(clock_ns / 1000000000);
    struct tm parts;
    if (clock_ns == WEIR_UNKNOWN_TIME || !gmtime_r(&clock, &parts)) {
        return WEIR_UNKNOWN_TIME;
    }
    parts.tm_isdst = -1;
    time_t utc = mktime(&parts);
    return utc == (time_t)-1 ? WEIR_UNKNOWN_TIME
                             : (int64_t)utc * 1000000000 + clock_ns % 1000000000;
}
