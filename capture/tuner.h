/* The synthetic tuner: `tuner:RECIPE`, a receiver that can be tuned while it runs, over a band
 * whose carriers are known. For sweeps, and for trying out without a device.
 *
 * RECIPE is a list of items with commas between; an empty one is a made-up FM band:
 *
 *   carrier=HZ@DBFS  a carrier at this absolute frequency; may be repeated
 *   settle=TIME      after a change of tuning this much comes as rubbish; 2ms
 *   rolloff=DB       the filter: flat over 75 % of the band, DB down at its edges; 0
 *   step=HZ          it tunes to whole multiples of this only; 1
 *   and of synth.h: format (cs16), rate, center, seconds, seed, noise, dc, iq, tone, fm ...
 *
 * control("center_hz") may be called from any thread while another reads: the next read begins
 * a segment at the new centre, and its first samples, for the time it takes to settle, are
 * rubbish. No stream sample is lost by it. Carriers keep their phase, by the stream index.
 */
#ifndef WEIR_CAPTURE_TUNER_H
#define WEIR_CAPTURE_TUNER_H

/* The items, one a line, for --help. */
const char *weir_tuner_help(void);

#endif
