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
 * unit: "MHz"). Return the number of ticks. */
size_t weir_ticks_hz(double low_hz, double high_hz, size_t max_ticks, weir_tick *ticks,
                     char unit[8]);
size_t weir_ticks_db(double low_db, double high_db, size_t max_ticks, weir_tick *ticks);
size_t weir_ticks_seconds(double low_s, double high_s, size_t max_ticks, weir_tick *ticks);

#endif
