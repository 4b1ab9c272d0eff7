#include "app/notes.h"

#include <stdlib.h>

weir_note *weir_notes_of(const weir_source_info *info, const weir_axis_correction *axis, size_t *n)
{
    weir_note *notes = info->n_annotations ? calloc(info->n_annotations, sizeof *notes) : NULL;
    *n = notes ? info->n_annotations : 0;
    for (size_t i = 0; i < *n; i++) {
        const weir_annotation *a = &info->annotations[i];
        notes[i] = (weir_note){.first_sample = a->first_sample,
                               .n_samples = a->n_samples,
                               .low_hz = weir_true_hz(axis, a->low_hz),
                               .high_hz = weir_true_hz(axis, a->high_hz),
                               .label = a->label};
    }
    return notes;
}
