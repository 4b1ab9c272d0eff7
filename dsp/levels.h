/* Levels of raw samples in the time domain: RMS, peak, crest factor, DC.
 *
 * Accumulated over any number of pieces of one channel in any format; how the samples are
 * cut into pieces changes nothing but the last digits. The peak is of the samples; a
 * true (inter-sample) peak is not claimed. Plain values: the caller owns the struct; one
 * thread; nothing allocates.
 */
#ifndef WEIR_DSP_LEVELS_H
#define WEIR_DSP_LEVELS_H

#include "dsp/format.h"

#include <stddef.h>
#include <stdint.h>

typedef struct weir_level_sums {
    weir_sample_format format;
    unsigned channel;
    uint64_t n_samples;
    double sum_i, sum_q, sum_squares; /* of I^2 + Q^2; Q = 0 for real samples */
    double lowest, highest;           /* of all components */
    double peak_square;               /* largest I^2 + Q^2 */
} weir_level_sums;

/* Linear values in FS (full scale = 1). dBFS: 0 is a full-scale sine for real samples, a
 * full-scale tone for complex ones; WEIR_FLOOR_DB for silence, whose crest factor is NAN. NAN
 * where there is no sample. */
typedef struct weir_levels {
    uint64_t n_samples;
    double dc_i_fs, dc_q_fs;
    double rms_fs, rms_dbfs;       /* with DC                                        */
    double rms_ac_fs, rms_ac_dbfs; /* without                                        */
    double peak_fs, peak_dbfs;     /* largest |x|; 20 log10, so a sine of 1 peaks at 0 */
    double lowest_fs, highest_fs;
    double crest_factor_db; /* peak to RMS: sine 3.01, square 0, complex tone 0 */
} weir_levels;

void weir_level_sums_init(weir_level_sums *sums, const weir_sample_format *format,
                          unsigned channel);
void weir_level_sums_add(weir_level_sums *sums, const void *raw, size_t n_samples);
/* As if all samples of the second, of the same format and channel, had been added to the first. */
void weir_level_sums_join(weir_level_sums *sums, const weir_level_sums *more);
weir_levels weir_level_sums_read(const weir_level_sums *sums);

#endif
