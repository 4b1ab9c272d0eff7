/* The rows of the table in sink.c, each defined in its own file. */
#ifndef WEIR_DISPLAY_SINKS_H
#define WEIR_DISPLAY_SINKS_H

#include "display/sink.h"

extern const weir_sink_class weir_sink_csv;
extern const weir_sink_class weir_sink_rtl_power;
extern const weir_sink_class weir_sink_hackrf_sweep;
extern const weir_sink_class weir_sink_jsonl;
extern const weir_sink_class weir_sink_npy;
extern const weir_sink_class weir_sink_png;
extern const weir_sink_class weir_sink_text;
extern const weir_sink_class weir_sink_peaks;
extern const weir_sink_class weir_sink_persistence;

#endif
