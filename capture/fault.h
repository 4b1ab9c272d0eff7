/* `fault:SPEC:SOURCE`: any pull source with things going wrong, for tests and for seeing
 * how the program takes it. SPEC is a list of items with commas between:
 *
 *   seed=N             of everything random; 1
 *   short              every read delivers a random part of what was asked for
 *   lose=EVERY/MOST    on average every EVERY samples, 1 to MOST are lost
 *   delay=EVERY/TIME   on average every EVERY samples, up to TIME passes before a read returns
 *   stall=SAMPLE/TIME  nothing comes for TIME before that sample
 *   error=SAMPLE       the read at that sample fails, for ever
 *   vanish=SAMPLE      the device is gone at that sample
 *   live               a live source: in real time, and it must not be kept waiting
 *
 * e.g. "fault:seed=7,lose=100k/500,vanish=2M:synth:seconds=10". SPEC may be empty.
 * Samples are counted as the wrapped source stores them. Losses lie at the same samples
 * however reads are cut; after a seek they are drawn anew from the seed.
 */
#ifndef WEIR_CAPTURE_FAULT_H
#define WEIR_CAPTURE_FAULT_H

const char *weir_fault_help(void);
/* SOURCE of "fault:SPEC:SOURCE", a part of the argument; NULL: it is no such thing. */
const char *weir_fault_inner(const char *argument);

#endif
