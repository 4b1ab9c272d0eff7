/* A spectrogram of unknown length in bounded memory.
 *
 * Time is cut into rows of equal length. There are at most 2 x height rows: when more are
 * needed, rows are joined in pairs and each then stands for twice the time. Rows are joined by
 * the reducer, in power, so that with WEIR_REDUCE_MAX a short burst stays at its level however
 * long the stream. Levels are kept as hundredths of a dB in 16 bits: 2 x height x width x 2
 * bytes, allocated at create; add allocates nothing.
 *
 * Not thread-safe. Rows without any spectrum that samples were lost in are gaps; others stand
 * for the spectrum before them.
 */
#ifndef WEIR_DISPLAY_SPECTROGRAM_H
#define WEIR_DISPLAY_SPECTROGRAM_H

#include "base/status.h"
#include "dsp/reduce.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct weir_spectrogram weir_spectrogram;

/* A level: 0 = none (outside the spectrum); else 1 + (dB + 300) x 100, at most 65535. */
typedef uint16_t weir_level16;
weir_level16 weir_level16_from_power(float power); /* NAN gives 0 */
float weir_level16_db(weir_level16 level);         /* of 0: NAN   */

/* row_s: seconds from one spectrum to the next, the length of a row to begin with. */
weir_status weir_spectrogram_create(weir_spectrogram **out, size_t width, size_t height,
                                    weir_reducer reducer, double row_s, weir_error *err);
/* One spectrum's columns (width of them), in linear power with 1.0 as 0 dB of the unit shown.
 * time_s ascends; lost_s: seconds lost just before it. */
void weir_spectrogram_add(weir_spectrogram *spectrogram, double time_s, double lost_s,
                          const float *columns);
/* Call when the last spectrum is in, before reading any of what follows. */
void weir_spectrogram_settle(weir_spectrogram *spectrogram);

size_t weir_spectrogram_rows(const weir_spectrogram *spectrogram);
uint64_t weir_spectrogram_added(const weir_spectrogram *spectrogram);
/* Of the first row: the first spectrum's time, or where the samples lost before it begin. */
double weir_spectrogram_start_seconds(const weir_spectrogram *spectrogram);
double weir_spectrogram_row_seconds(const weir_spectrogram *spectrogram);

/* Joins rows from .. to - 1 into out (width levels): one or two, for a picture of at least half
 * as many rows. Returns false if they are gaps; *lost (or NULL) tells whether samples were
 * lost in any of them. */
bool weir_spectrogram_join(const weir_spectrogram *spectrogram, size_t from, size_t to,
                           weir_level16 *out, bool *lost);
/* The level that the given part (0 .. 1) of all levels above the floor is below, in dB; NAN if
 * there are none. Allocates; NAN as well if that fails. */
float weir_spectrogram_percentile(const weir_spectrogram *spectrogram, double part);

void weir_spectrogram_destroy(weir_spectrogram *spectrogram);

#endif
