/* --remember: how the last view ended, in $XDG_STATE_HOME/weir/view (~/.local/state), so that the
 * next begins there. What the user says now goes before it. Text, a line "key value" each; a file
 * that is not as weir writes it is a warning and counts as none; it is written whole or not at all.
 *
 * Tuning, rate, gain and the part of the band shown are used for the same source only. Main thread.
 */
#ifndef WEIR_APP_VIEW_MEMORY_H
#define WEIR_APP_VIEW_MEMORY_H

#include "app/settings.h"
#include "display/view.h"

#include <stdbool.h>

typedef struct weir_view_memory {
    bool is_there;
    char source[256], colormap[64], window[64];
    double range_automatic, low_db, high_db;
    double shows_all, low_hz, high_hz;
    double axis, is_offset, is_braille;
    double hides_spectrum, holds_max, holds_min, persistence, hides_notes;
    double lines_per_row, detector;
    double n_fft, overlap, average_seconds; /* overlap -1: none, the hop is longer */
    double is_tuned, center_hz, rate_hz, has_gain, gain_db; /* center_hz: of the device */
    char gain[32];                                          /* settings that borrow it */
} weir_view_memory;

void weir_view_memory_load(weir_view_memory *memory);
/* Into what the settings leave open; they borrow texts of the memory. */
void weir_view_memory_apply(weir_view_memory *memory, const char *source, weir_settings *settings);
void weir_view_memory_show(const weir_view_memory *memory, weir_view *view);
/* What cannot be written is a warning. can_tune: the source is a receiver. */
void weir_view_memory_save(const weir_settings *settings, const char *source, bool can_tune,
                           const weir_view *view);

#endif
