#include "display/peak_list.h"

#include "dsp/window.h"

#define A4_HZ 440.0

void weir_stream_lobe(weir_peak_lobe *lobe, const weir_stream_info *stream)
{
    const weir_window *window;
    double parameter;
    *lobe = (weir_peak_lobe){0};
    if (stream->window && weir_window_parse(stream->window, &window, &parameter, NULL) == WEIR_OK) {
        weir_peak_lobe_init(lobe, window, parameter, stream->n_fft);
    }
}

weir_status weir_peak_list_init(weir_peak_list *list, const weir_sink_config *config,
                                const weir_stream_info *stream, size_t default_n, weir_error *err)
{
    weir_peak_search *search = &list->search;
    if (config->n_peaks > WEIR_PEAK_LIST_MOST) {
        return weir_fail(err, WEIR_ERR_USAGE, "%u peaks a spectrum: at most %d", config->n_peaks,
                         WEIR_PEAK_LIST_MOST);
    }
    list->n_asked = config->n_peaks ? config->n_peaks : default_n;
    weir_peak_search_init(search);
    weir_stream_lobe(&list->lobe, stream);
    search->lobe = &list->lobe;
    search->low_hz = config->low_hz;
    search->high_hz = config->high_hz;
    search->min_prominence_db = config->prominence_db;
    search->min_spacing_hz = config->spacing_hz;
    return WEIR_OK;
}

void weir_peak_list_find(weir_peak_list *list, const weir_spectrum *spectrum, weir_trace trace,
                         const weir_scale *scale)
{
    list->n = weir_peaks_find(spectrum, trace, scale, &list->search, list->n_asked, list->peaks);
}

void weir_json_peaks(weir_json *json, const weir_peak *peaks, size_t n, bool with_notes)
{
    char note[32];
    weir_json_open(json, "peaks", '[');
    for (size_t i = 0; i < n; i++) {
        weir_json_open(json, NULL, '{');
        weir_json_exact(json, "hz", peaks[i].hz);
        weir_json_number(json, "level_db", peaks[i].level_db);
        if (with_notes) {
            weir_json_string(json, "note", weir_note_name(note, sizeof note, peaks[i].hz, A4_HZ));
        }
        weir_json_close(json, '}');
    }
    weir_json_close(json, ']');
}
