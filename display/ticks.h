/* Where to put the marks of an axis. Pure, thread-safe. */
#ifndef WEIR_DISPLAY_TICKS_H
#define WEIR_DISPLAY_TICKS_H

#include <stddef.h>

typedef struct weir_tick {
    double value;
    char label[24];
} weir_tick;

/* Round values (1, 2, 2.5, 5 x 10^n) inside [low, high], at most max_ticks, as many as
 * fit. Labels carry just enough decimals; frequency labels share one SI unit (given in
 * unit: "MHz"). Axes of a minute and more count in sixties: steps of 1, 2, 5, 10, 15, 30
 * seconds and minutes, 1, 2, 3, 6, 12 hours, whole days; labels "1:30" and "1:00:00".
 * Labels use "." whatever the locale. Return the number of ticks; a reversed or non-finite
 * axis has none. */
size_t weir_ticks_hz(double low_hz, double high_hz, size_t max_ticks, weir_tick *ticks,
                     char unit[8]);
size_t weir_ticks_db(double low_db, double high_db, size_t max_ticks, weir_tick *ticks);
size_t weir_ticks_seconds(double low_s, double high_s, size_t max_ticks, weir_tick *ticks);

/* Semitones of equal temperament, A4 = 440 Hz, "C4" as in MIDI's 60, on a logarithmic axis: all
 * of them, else the white keys, else C, E and G, else C (of every octave, every second ...), as
 * many as have room for their names at so many columns a semitone. Of a positive axis; below C0
 * none. */
size_t weir_ticks_notes(double low_hz, double high_hz, double columns_per_semitone,
                        size_t max_ticks, weir_tick *ticks);

#endif
