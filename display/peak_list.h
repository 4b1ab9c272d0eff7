/* Peaks in the output of sinks and reports: how many, found how, and as JSON. */
#ifndef WEIR_DISPLAY_PEAK_LIST_H
#define WEIR_DISPLAY_PEAK_LIST_H

#include "display/json_out.h"
#include "display/sink.h"
#include "dsp/peaks.h"

#define WEIR_PEAK_LIST_MOST 1000

typedef struct weir_peak_list {
    weir_peak_search search; /* its lobe is the one below: a list is not to be copied */
    weir_peak_lobe lobe;
    size_t n_asked;
    size_t n; /* found */
    weir_peak peaks[WEIR_PEAK_LIST_MOST];
} weir_peak_list;

/* The lobe of a stream's window: not known where the window is none of the table. */
void weir_stream_lobe(weir_peak_lobe *lobe, const weir_stream_info *stream);

/* Lobe by the stream's window, range and the rest by config. config->n_peaks 0:
 * default_n. WEIR_ERR_USAGE for more than WEIR_PEAK_LIST_MOST. */
weir_status weir_peak_list_init(weir_peak_list *list, const weir_sink_config *config,
                                const weir_stream_info *stream, size_t default_n, weir_error *err);
/* The strongest of a spectrum, strongest first, into list->peaks. */
void weir_peak_list_find(weir_peak_list *list, const weir_spectrum *spectrum, weir_trace trace,
                         const weir_scale *scale);
/* The member "peaks" of an object: an array of objects hz, level_db, note (with_notes). */
void weir_json_peaks(weir_json *json, const weir_peak *peaks, size_t n, bool with_notes);

#endif
