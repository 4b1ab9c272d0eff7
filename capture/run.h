/* What a ring shows, in the words of the engine's contract. Pure; any thread. */
#ifndef WEIR_CAPTURE_RUN_H
#define WEIR_CAPTURE_RUN_H

#include "capture/ring.h"
#include "dsp/engine.h"

/* All of the view; it stays the ring's memory. */
weir_run weir_run_of(const weir_ring_view *view);

#endif
