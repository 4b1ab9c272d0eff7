/* A recording's annotations as the view takes them. Any thread. */
#ifndef WEIR_APP_VIEW_NOTES_H
#define WEIR_APP_VIEW_NOTES_H

#include "capture/source.h"
#include "display/view.h"

#include <stddef.h>

/* For free; labels are the source's. NULL and *n 0: there are none, or there is no memory, and the
 * recording is shown without them. */
weir_view_note *weir_view_notes_of(const weir_source_info *info, size_t *n);

#endif
