/* A sound level meter on raw samples: A and C weighted levels, fast and slow, and their Leq,
 * from short transforms of its own, since those that resolve a tone are too slow for it.
 *
 * Transforms of at most a sixteenth of a second, Hann, half overlapping: the weighting is
 * taken bin by bin, so levels far below 100 Hz are coarse. Starts anew after a gap, but keeps
 * the time-weighted levels. One thread; create allocates, add does not.
 */
#ifndef WEIR_APP_MEASURE_SOUND_H
#define WEIR_APP_MEASURE_SOUND_H

#include "base/status.h"
#include "dsp/format.h"
#include "dsp/sound_level.h"

#include <stddef.h>
#include <stdint.h>

typedef enum weir_sound_kind {
    WEIR_SOUND_AF,
    WEIR_SOUND_AS,
    WEIR_SOUND_CF,
    WEIR_SOUND_CS,
    WEIR_SOUND_ZF,
    WEIR_SOUND_COUNT
} weir_sound_kind;

typedef struct weir_sound weir_sound;

/* scale: offset, unit and curve of the levels; borrowed curve. */
weir_status weir_sound_create(weir_sound **out, const weir_sample_format *format, unsigned channel,
                              double rate_hz, const weir_scale *scale, weir_error *err);
weir_status weir_sound_add(weir_sound *sound, uint64_t first_sample, const void *samples,
                           size_t n_samples, weir_error *err);
/* Levels NAN before the first transform. max_db and leq_db: since the last call of restart. */
weir_sound_level weir_sound_read(const weir_sound *sound, weir_sound_kind kind);
void weir_sound_restart(weir_sound *sound);
void weir_sound_destroy(weir_sound *sound); /* NULL does nothing */

#endif
