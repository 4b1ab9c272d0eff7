#include "app/view_notes.h"

#include <stdlib.h>

weir_view_note *weir_view_notes_of(const weir_source_info *info, size_t *n)
{
    weir_view_note *notes = info->n_annotations ? calloc(info->n_annotations, sizeof *notes) : NULL;
    *n = notes ? info->n_annotations : 0;
    for (size_t i = 0; i < *n; i++) {
        const weir_annotation *a = &info->annotations[i];
        notes[i] = (weir_view_note){.first_sample = a->first_sample,
                                    .n_samples = a->n_samples,
                                    .low_hz = a->low_hz,
                                    .high_hz = a->high_hz,
                                    .label = a->label};
    }
    return notes;
}
