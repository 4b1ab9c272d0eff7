/* Calibration curves: from a file, and their value at a frequency.
 *
 * A file has two columns, frequency in Hz and dB, and perhaps a third (phase), which is
 * ignored. Columns are parted by blanks, or by commas with or without blanks; numbers
 * have "." whatever the locale. Lines end in LF, CR LF or CR. Empty lines, and lines that begin
 * with * # ; or ", are comments, except that a comment "Sens Factor =-1.378dB" (miniDSP) is read.
 *
 * Two kinds: an *offset* file says what to add; a *response* file (microphones: .cal,
 * .frd, .mic, or any file with a Sens Factor) says what the instrument adds, so that its
 * negative is what to add. A curve always holds what to add.
 *
 * Thread-safe. The caller owns the curve; load allocates, free releases.
 */
#ifndef WEIR_DSP_CURVE_H
#define WEIR_DSP_CURVE_H

#include "base/status.h"
#include "dsp/scale.h"

typedef enum weir_curve_kind {
    WEIR_CURVE_AUTO, /* by the file's ending and its Sens Factor */
    WEIR_CURVE_OFFSET,
    WEIR_CURVE_RESPONSE,
} weir_curve_kind;

/* Reads a file. sens_factor_db (may be NULL) gets the Sens Factor, NAN without one: a
 * microphone's sensitivity against its maker's nominal one, which is not part of the
 * curve. Errors name file and line: WEIR_ERR_NO_INPUT, WEIR_ERR_DATA for a malformed
 * line, more than 1000 dB, a frequency that is not above the one before, no points at all, or
 * more than a million of them. On an error the curve is empty. */
weir_status weir_curve_load(const char *path, weir_curve_kind kind, weir_curve *curve,
                            double *sens_factor_db, weir_error *err);

/* What to add at a frequency, interpolated as scale.h says; 0 for an empty curve. */
double weir_curve_db(const weir_curve *curve, double hz);

/* Frees the points and empties the curve. NULL does nothing. */
void weir_curve_free(weir_curve *curve);

#endif
