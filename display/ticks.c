#include "display/ticks.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A step is mantissa * 10^exponent with a whole mantissa, so that every mark is a whole
 * multiple of a power of ten and its label has exact digits. */
typedef struct step {
    int mantissa; /* 10, 20, 25, 50 */
    int exponent;
} step;

static const int mantissas[] = {10, 20, 25, 50};

/* Multiples at the very ends of the axis count although rounding may have moved them. */
static const double edge_slack = 1e-9;

/* Finer marks have no use, and their labels would not fit. */
static const int least_exponent = -12;

/* Beyond this whole numbers are no longer exact in a double. */
static const double largest_multiple = 4e15;

static double first_multiple(double low, double size)
{
    return ceil(low / size - edge_slack);
}

static double last_multiple(double high, double size)
{
    return floor(high / size + edge_slack);
}

static double step_size(step s)
{
    return s.exponent < 0 ? s.mantissa / pow(10.0, -s.exponent)
                          : s.mantissa * pow(10.0, s.exponent);
}

static bool axis_is_usable(double low, double high, size_t max_ticks)
{
    return max_ticks > 0 && isfinite(low) && isfinite(high) && low <= high;
}

/* The finest step that puts at most max_ticks marks on the axis. */
static step choose_step(double low, double high, size_t max_ticks)
{
    double span = high > low ? high - low : fmax(fabs(low), 1.0);
    int exponent = (int)floor(log10(span / (double)max_ticks)) - 2;
    exponent = exponent < least_exponent ? least_exponent : exponent;
    for (;; exponent++) {
        for (size_t i = 0; i < sizeof mantissas / sizeof mantissas[0]; i++) {
            step s = {mantissas[i], exponent};
            double size = step_size(s);
            double count = last_multiple(high, size) - first_multiple(low, size) + 1.0;
            if (count <= (double)max_ticks && fmax(fabs(low), fabs(high)) / size < 4e13) {
                return s;
            }
        }
    }
}

/* Writes digits * 10^-decimals: no locale, no rounding. */
static void write_decimal(char *out, size_t size, int64_t digits, int decimals)
{
    char text[48];
    uint64_t magnitude = digits < 0 ? (uint64_t)-digits : (uint64_t)digits;
    int at = (int)sizeof text - 1;
    text[at] = '\0';
    for (int done = 0; magnitude > 0 || done <= decimals; done++) {
        if (done == decimals && decimals > 0) {
            text[--at] = '.';
        }
        text[--at] = (char)('0' + magnitude % 10);
        magnitude /= 10;
    }
    if (digits < 0) {
        text[--at] = '-';
    }
    snprintf(out, size, "%s", text + at);
}

/* One label: multiple * step, in units of 10^unit_exponent. */
static void label_tick(weir_tick *tick, int64_t multiple, step s, int unit_exponent)
{
    int64_t digits = multiple * s.mantissa;
    int decimals = unit_exponent - s.exponent;
    /* A whole step of 10, 20, 50 needs no digit for its last zero. */
    if (s.mantissa % 10 == 0) {
        digits /= 10;
        decimals--;
    }
    for (; decimals < 0; decimals++) {
        digits *= 10;
    }
    write_decimal(tick->label, sizeof tick->label, digits, decimals);
}

static size_t ticks_decimal(double low, double high, size_t max_ticks, weir_tick *ticks,
                            int unit_exponent)
{
    if (!axis_is_usable(low, high, max_ticks) || fmax(fabs(low), fabs(high)) > largest_multiple) {
        return 0;
    }
    step s = choose_step(low, high, max_ticks);
    double size = step_size(s);
    size_t count = 0;
    double last = last_multiple(high, size);
    for (double k = first_multiple(low, size); k <= last && count < max_ticks; k += 1.0) {
        weir_tick *tick = &ticks[count++];
        tick->value = s.exponent < 0 ? k * s.mantissa / pow(10.0, -s.exponent) : k * size;
        tick->value += 0.0; /* no negative zero */
        label_tick(tick, (int64_t)k, s, unit_exponent);
    }
    return count;
}

size_t weir_ticks_hz(double low_hz, double high_hz, size_t max_ticks, weir_tick *ticks,
                     char unit[8])
{
    static const struct {
        double from_hz;
        int exponent;
        const char *name;
    } units[] = {{1e9, 9, "GHz"}, {1e6, 6, "MHz"}, {1e3, 3, "kHz"}, {0.0, 0, "Hz"}};
    double largest = fmax(fabs(low_hz), fabs(high_hz));
    size_t i = 0;
    while (i < 3 && !(largest >= units[i].from_hz)) {
        i++;
    }
    snprintf(unit, 8, "%s", units[i].name);
    return ticks_decimal(low_hz, high_hz, max_ticks, ticks, units[i].exponent);
}

size_t weir_ticks_db(double low_db, double high_db, size_t max_ticks, weir_tick *ticks)
{
    return ticks_decimal(low_db, high_db, max_ticks, ticks, 0);
}

/* From a minute on people count in sixties. */
static double choose_clock_step(double low_s, double high_s, size_t max_ticks)
{
    static const int steps_s[] = {1,   2,   5,    10,   15,   30,    60,    120,  300,
                                  600, 900, 1800, 3600, 7200, 10800, 21600, 43200};
    for (size_t i = 0; i < sizeof steps_s / sizeof steps_s[0]; i++) {
        double size = steps_s[i];
        if (last_multiple(high_s, size) - first_multiple(low_s, size) + 1.0 <= (double)max_ticks) {
            return size;
        }
    }
    double day_s = 86400.0;
    step days = choose_step(low_s / day_s, high_s / day_s, max_ticks);
    return fmax(1.0, step_size(days)) * day_s;
}

static void label_clock(weir_tick *tick, double seconds)
{
    long long s = llround(fabs(seconds));
    const char *sign = seconds < 0.0 ? "-" : "";
    if (s < 3600) {
        snprintf(tick->label, sizeof tick->label, "%s%lld:%02lld", sign, s / 60, s % 60);
        return;
    }
    snprintf(tick->label, sizeof tick->label, "%s%lld:%02lld:%02lld", sign, s / 3600, s / 60 % 60,
             s % 60);
}

size_t weir_ticks_seconds(double low_s, double high_s, size_t max_ticks, weir_tick *ticks)
{
    if (!(high_s - low_s >= 60.0) || !axis_is_usable(low_s, high_s, max_ticks) ||
        fmax(fabs(low_s), fabs(high_s)) > largest_multiple) {
        return ticks_decimal(low_s, high_s, max_ticks, ticks, 0);
    }
    double size = choose_clock_step(low_s, high_s, max_ticks);
    size_t count = 0;
    double last = last_multiple(high_s, size);
    for (double k = first_multiple(low_s, size); k <= last && count < max_ticks; k += 1.0) {
        ticks[count].value = k * size + 0.0;
        label_clock(&ticks[count++], k * size);
    }
    return count;
}

static const double a4_hz = 440.0;
static const long lowest_note = 12; /* C0 */

/* What is marked: of an octave (bit 0 is C), of every so many; the least distance between two,
 * in semitones, and the columns that a name and a blank take. */
static const struct {
    unsigned scale;
    long octaves;
    double distance, columns;
} note_choices[] = {{0xfff, 1, 1.0, 4.0},  {0xab5, 1, 1.0, 3.0},  {0x091, 1, 3.0, 3.0},
                    {0x001, 1, 12.0, 4.0}, {0x001, 2, 24.0, 4.0}, {0x001, 5, 60.0, 4.0}};

static bool is_marked(long note, size_t choice)
{
    return (note_choices[choice].scale >> (note % 12) & 1u) &&
           note / 12 % note_choices[choice].octaves == 0;
}

static void label_note(weir_tick *tick, long note)
{
    static const char *const names[12] = {"C",  "C#", "D",  "D#", "E",  "F",
                                          "F#", "G",  "G#", "A",  "A#", "B"};
    tick->value = a4_hz * pow(2.0, (double)(note - 69) / 12.0);
    snprintf(tick->label, sizeof tick->label, "%s%ld", names[note % 12], note / 12 - 1);
}

size_t weir_ticks_notes(double low_hz, double high_hz, double columns_per_semitone,
                        size_t max_ticks, weir_tick *ticks)
{
    size_t choice = 0, count = 0;
    if (!axis_is_usable(low_hz, high_hz, max_ticks) || !(low_hz > 0.0)) {
        return 0;
    }
    long first = (long)ceil(69.0 + 12.0 * log2(low_hz / a4_hz) - edge_slack);
    long last = (long)floor(69.0 + 12.0 * log2(high_hz / a4_hz) + edge_slack);
    first = first < lowest_note ? lowest_note : first;
    while (choice + 1 < sizeof note_choices / sizeof *note_choices &&
           note_choices[choice].distance * columns_per_semitone < note_choices[choice].columns) {
        choice++;
    }
    for (long note = first; note <= last && count < max_ticks; note++) {
        if (is_marked(note, choice)) {
            label_note(&ticks[count++], note);
        }
    }
    return count;
}
