#include "base/units.h"

#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* Reads a plain decimal number ("-12.5e3"); *end is left behind it. False: none there,
 * or one that is not finite (hexadecimal, "inf" and "nan" are not numbers here). */
static bool read_decimal(const char *text, double *value, const char **end)
{
    const char *p = text;
    if (*p == '+' || *p == '-') {
        p++;
    }
    if (!isdigit((unsigned char)*p) && !(*p == '.' && isdigit((unsigned char)p[1]))) {
        return false;
    }
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
        return false;
    }
    char *stop;
    *value = strtod_l(text, &stop, weir_c_locale());
    *end = stop;
    return stop != text && isfinite(*value);
}

static weir_status refuse(weir_error *err, const char *text, const char *what, const char *example)
{
    const char *hint = strchr(text, ',') ? " (the decimal sign is a point)" : "";
    return weir_fail(err, WEIR_ERR_USAGE, "\"%.64s\" is not %s%s; write %s", text, what, hint,
                     example);
}

static double si_factor(char prefix)
{
    static const struct {
        char letter;
        double factor;
    } prefixes[] = {{'k', 1e3}, {'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        if (prefixes[i].letter == prefix) {
            return prefixes[i].factor;
        }
    }
    return 0;
}

static bool is_rate_unit(const char *text)
{
    return !*text || strcasecmp(text, "Hz") == 0 || strcasecmp(text, "S/s") == 0 ||
           strcasecmp(text, "sps") == 0;
}

weir_status weir_parse_hz(const char *text, double *hz, weir_error *err)
{
    static const char what[] = "a frequency or rate";
    static const char example[] = "for example 100.3M, 44.1k, 1090MHz or 2400000";
    double value;
    const char *rest;
    if (!read_decimal(text, &value, &rest)) {
        return refuse(err, text, what, example);
    }
    double factor = si_factor(*rest);
    if (factor > 0) {
        rest++;
    } else {
        factor = 1;
    }
    if (!is_rate_unit(rest) || !isfinite(value * factor)) {
        return refuse(err, text, what, example);
    }
    *hz = value * factor;
    return WEIR_OK;
}

/* "1:02:03.5" -> seconds; false if it has another form. */
static bool read_clock(const char *text, double *seconds)
{
    double sum = 0, part;
    const char *p = text;
    for (int i = 0; i < 3; i++) {
        if (!isdigit((unsigned char)*p) || !read_decimal(p, &part, &p)) {
            return false;
        }
        sum = sum * 60 + part;
        if (!*p) {
            *seconds = sum;
            return i > 0;
        }
        if (*p++ != ':' || part != floor(part)) {
            return false;
        }
    }
    return false;
}

weir_status weir_parse_seconds(const char *text, double *seconds, weir_error *err)
{
    static const struct {
        const char *unit;
        double factor;
    } units[] = {{"", 1},      {"s", 1},  {"sec", 1},  {"ms", 1e-3}, {"us", 1e-6},
                 {"ns", 1e-9}, {"m", 60}, {"min", 60}, {"h", 3600},  {"d", 86400}};
    double value;
    const char *rest;
    if (read_clock(text, &value) && isfinite(value)) {
        *seconds = value;
        return WEIR_OK;
    }
    if (read_decimal(text, &value, &rest) && value >= 0) {
        for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
            if (strcmp(rest, units[i].unit) == 0 && isfinite(value * units[i].factor)) {
                *seconds = value * units[i].factor;
                return WEIR_OK;
            }
        }
    }
    return refuse(err, text, "a time", "for example 1.5s, 200ms, 2m or 1:02:03.5");
}

static weir_status refuse_count(weir_error *err, const char *text)
{
    return refuse(err, text, "a whole number", "for example 4096, 64k, 1Mi or 2^20");
}

weir_status weir_parse_count(const char *text, uint64_t *count, weir_error *err)
{
    if (!isdigit((unsigned char)*text)) {
        return refuse_count(err, text);
    }
    errno = 0;
    char *rest;
    uint64_t value = strtoull(text, &rest, 10);
    if (errno == ERANGE) {
        return refuse_count(err, text);
    }
    uint64_t factor = 1;
    if (*rest == '^' && value == 2 && isdigit((unsigned char)rest[1])) {
        unsigned long exponent = strtoul(rest + 1, &rest, 10);
        if (exponent > 63) {
            return refuse_count(err, text);
        }
        value = UINT64_C(1) << exponent;
    } else if (si_factor(*rest) > 0) {
        factor = (uint64_t)si_factor(*rest++);
        if (*rest == 'i') { /* Ki, Mi, Gi, Ti: powers of 1024 */
            unsigned thousands = (unsigned)lround(log10((double)factor) / 3);
            factor = UINT64_C(1) << (10 * thousands);
            rest++;
        }
    }
    uint64_t product;
    if (*rest || __builtin_mul_overflow(value, factor, &product)) {
        return refuse_count(err, text);
    }
    *count = product;
    return WEIR_OK;
}

weir_status weir_parse_db(const char *text, double *db, weir_error *err)
{
    double value;
    const char *rest;
    if (!read_decimal(text, &value, &rest) || (*rest && strncasecmp(rest, "dB", 2) != 0)) {
        return refuse(err, text, "a level", "for example -40 or -40dBFS");
    }
    *db = value;
    return WEIR_OK;
}

weir_status weir_parse_number(const char *text, double *value, weir_error *err)
{
    double read;
    const char *rest;
    if (!read_decimal(text, &read, &rest) || *rest) {
        return refuse(err, text, "a number", "for example 0.25 or -3e-2");
    }
    *value = read;
    return WEIR_OK;
}

/* Decimals that tell values `step` apart; at most `most`. */
static int decimals_for(double step, int most)
{
    int decimals = 0;
    while (decimals < most && step * (1 + 1e-9) < 1 &&
           fabs(step - round(step)) > 1e-6 * fabs(step)) {
        step *= 10;
        decimals++;
    }
    return decimals;
}

static void cut_trailing_zeros(char *text)
{
    if (!strchr(text, '.')) {
        return;
    }
    char *end = text + strlen(text) - 1;
    while (*end == '0') {
        *end-- = '\0';
    }
    if (*end == '.') {
        *end = '\0';
    }
}

char *weir_format_hz(char *buffer, size_t size, double hz, double step_hz)
{
    static const struct {
        double factor;
        const char *unit;
    } units[] = {{1e9, "GHz"}, {1e6, "MHz"}, {1e3, "kHz"}, {1, "Hz"}};
    size_t u = 0;
    while (u < 3 && fabs(hz) < units[u].factor * (1 - 1e-12)) {
        u++;
    }
    double value = hz / units[u].factor;
    char number[64];
    if (step_hz > 0) {
        int decimals = decimals_for(step_hz / units[u].factor, 12);
        weir_snprintf(number, sizeof number, "%.*f", decimals, value);
    } else {
        weir_snprintf(number, sizeof number, "%.6f", value);
        cut_trailing_zeros(number);
    }
    weir_snprintf(buffer, size, "%s %s", number, units[u].unit);
    return buffer;
}

char *weir_format_si(char *buffer, size_t size, double value)
{
    static const char *const prefixes[] = {"f", "p", "n", "u", "m", "", "k", "M", "G", "T"};
    const int unity = 5, last = 9;
    int index = unity;
    double shown = value;
    /* 999.5 would print as 1000: the next prefix takes over just before. */
    while (fabs(shown) >= 999.5 && index < last) {
        shown /= 1000;
        index++;
    }
    while (shown != 0 && fabs(shown) < 0.9995 && index > 0) {
        shown *= 1000;
        index--;
    }
    int decimals = fabs(shown) < 9.995 ? 2 : fabs(shown) < 99.95 ? 1 : 0;
    if (index == unity && shown == floor(shown)) {
        decimals = 0;
    }
    weir_snprintf(buffer, size, "%.*f %s", decimals, shown, prefixes[index]);
    return buffer;
}

char *weir_format_seconds(char *buffer, size_t size, double seconds, double step_seconds)
{
    int decimals = step_seconds > 0 ? decimals_for(step_seconds, 9) : 3;
    double scale = pow(10, decimals);
    double ticks = round(fabs(seconds) * scale); /* rounded first: never "0:60" */
    double whole = floor(ticks / scale);
    if (!(whole < 0x1p63)) { /* no clock shows that, nor what is no number */
        weir_snprintf(buffer, size, "%.3g s", seconds);
        return buffer;
    }
    double fraction = (ticks - whole * scale) / scale;
    const char *sign = seconds < 0 && ticks > 0 ? "-" : "";
    uint64_t total = (uint64_t)whole;
    uint64_t hours = total / 3600, minutes = total / 60 % 60;
    double rest = (double)(total % 60) + fraction;
    int width = decimals ? 3 + decimals : 2;
    if (hours) {
        weir_snprintf(buffer, size, "%s%" PRIu64 ":%02" PRIu64 ":%0*.*f", sign, hours, minutes,
                      width, decimals, rest);
    } else {
        weir_snprintf(buffer, size, "%s%" PRIu64 ":%0*.*f", sign, minutes, width, decimals, rest);
    }
    return buffer;
}

char *weir_format_utc(char *buffer, size_t size, int64_t unix_ns, int decimals)
{
    const int64_t billion = 1000000000;
    int64_t seconds = unix_ns / billion, ns = unix_ns % billion;
    if (ns < 0) {
        ns += billion;
        seconds--;
    }
    time_t when = (time_t)seconds;
    struct tm parts;
    if (!gmtime_r(&when, &parts)) {
        weir_snprintf(buffer, size, "unknown");
        return buffer;
    }
    char date[40], digits[16];
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &parts);
    weir_snprintf(digits, sizeof digits, "%09" PRId64, ns);
    decimals = decimals < 0 ? 0 : decimals > 9 ? 9 : decimals;
    weir_snprintf(buffer, size, "%s%s%.*sZ", date, decimals ? "." : "", decimals, digits);
    return buffer;
}
