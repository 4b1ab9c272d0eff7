/* A recording's annotations as sinks and the view take them. Any thread. */
#ifndef WEIR_APP_NOTES_H
#define WEIR_APP_NOTES_H

#include "capture/source.h"
#include "display/sink.h"
#include "dsp/correct.h"

#include <stddef.h>

/* For free; labels are the source's. NULL and *n 0: there are none, or there is no memory, and the
 * recording is shown without them. */
weir_note *weir_notes_of(const weir_source_info *info, const weir_axis_correction *axis, size_t *n);

#endif
