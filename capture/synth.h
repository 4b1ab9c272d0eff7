/* The synthesizer: `synth:RECIPE`, a source whose every sample is known.
 *
 * RECIPE is a list of items with commas between, in any order; an empty one, or one
 * without a signal item (marked *), is the demo band. The stream:
 *
 *   format=NAME      cu8 (default), cs16, cf32, s16, f32 ...: any raw format
 *   rate=HZ          2.4M (real formats: 48k)
 *   center=HZ        100M (real formats: 0)
 *   channels=N       1; channel c carries the same signals c dB lower, and noise of its own
 *   seconds=TIME     endless without it; lost samples (drop) take their time
 *   seed=N           of noise, bits and dither; 1
 *   dither=1         triangular dither of 2 codes peak to peak before rounding; 0
 *   drop=SAMPLE:N    the N samples before stream sample SAMPLE are lost; may be repeated
 *   retune=SAMPLE:HZ from that stream sample on the centre is HZ; the signals stay where
 *                    they are on the air, and what leaves the band is gone; may be repeated
 *
 * Signals, frequencies relative to the first centre, levels in dBFS as in dsp/format.h
 * (0 dBFS: a full-scale sine, or a full-scale complex tone); may be repeated, and add up:
 *
 *   tone=HZ@DBFS[:DEGREES]           *  A cos (complex: A exp i) of 2 pi HZ t + DEGREES
 *   chirp=LO:HI:TIME@DBFS            *  LO to HI in TIME, again and again, phase continuous
 *   fm=HZ:DEVIATION:AUDIO@DBFS       *  modulated by a sine of AUDIO Hz
 *   am=HZ:AUDIO@DBFS                 *  the level of the carrier; depth 50 %
 *   fsk=HZ:SHIFT:BAUD:ON:PERIOD@DBFS *  bursts of random bits, HZ +- SHIFT/2; ON and PERIOD
 *                                       in ms, or with a unit
 *   noise=DBFS                       *  white, Gaussian; total power over the band
 *   dc=LEVEL                         *  added to I (or the real sample); 1 is full scale
 *   silence                          *  nothing
 *   demo                             *  the demo band: carriers, FM, AM, bursts, a chirp, noise
 *   ramp                             *  codes that count: sample n is n modulo the scalar's
 *                                       range (floats: the number itself, modulo 2^24, f64 2^53);
 *                                       Q counts how often I went round; excludes other signals
 *
 * And what goes wrong:
 *
 *   iq=DB:DEGREES    Q is DB louder and leans DEGREES into I (complex formats)
 *   clip             float samples are limited to +-1, as integers always are
 *   nan=SAMPLE     * that stream sample is NaN (float formats); may be repeated
 *
 * The same recipe gives the same samples, however reads are cut and after any seek. Phases
 * come from the 64-bit stream index by fixed-point steps of 2^-64 turns, so they are as
 * good after a day as at the start. Signals are computed in single precision.
 */
#ifndef WEIR_CAPTURE_SYNTH_H
#define WEIR_CAPTURE_SYNTH_H

/* The items, one a line, for --help. */
const char *weir_synth_help(void);

#endif
