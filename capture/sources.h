/* The source classes, one per file, for the table of source.c. */
#ifndef WEIR_CAPTURE_SOURCES_H
#define WEIR_CAPTURE_SOURCES_H

#include "capture/source.h"

extern const weir_source_class weir_source_file, weir_source_synth, weir_source_fault;

#endif
