/* Files that a key makes, in the folder for them: the picture, the traces. */
#include "display/view_state.h"

#include "base/outfile.h"
#include "base/stamp.h"
#include "dsp/correct.h"

#include <math.h>
#include <stdlib.h>

static void report(weir_view *view, weir_status status, const char *name, const weir_error *err)
{
    if (status == WEIR_OK) {
        weir_view_message(view, false, "saved %s", name);
    } else {
        weir_view_message(view, true, "%s", err->text);
    }
}

void weir_view_save_screenshot(weir_view *view)
{
    char name[512];
    weir_error err = {0};
    if (view->layout.n_columns == 0 || view->layout.is_too_small) {
        weir_view_message(view, true, "too small for a picture");
        return;
    }
    view->message[0] = '\0'; /* it would be in the picture */
    weir_status status = weir_stamp_path(name, sizeof name, view->config.folder, "", ".png", &err);
    if (status == WEIR_OK) {
        status = weir_view_save_png(view, view->layout.n_columns, view->layout.n_rows, name, &err);
    }
    report(view, status, name, &err);
}

/* One trace in dB, a column for each bin; NANs where it is not there. */
static void take_bins(weir_view *view, weir_held held, const weir_axis *axis, size_t n, float *out)
{
    weir_view_line line;
    bool is_there = view->is_paused && held == WEIR_HELD_LIVE
                        ? weir_history_line(view->history, view->top_line - 1, axis, n, out, &line)
                        : weir_history_trace(view->history, held, axis, n, out, &line);
    if (is_there) {
        weir_picture_levels(&view->stream.scale, &line.info, axis, n, out);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        out[i] = NAN;
    }
}

static weir_status write_rows(weir_view *view, weir_outfile *file, const float *levels, size_t n,
                              weir_error *err)
{
    const weir_spectrum *s = &view->newest;
    bool tells = s->made_up.n_runs > 0;
    weir_status status =
        weir_outfile_printf(file, err, "frequency_hz,live,max_hold,min_hold (%s)%s\n", view->unit,
                            tells ? ",interpolated" : "");
    for (size_t k = 0; k < n && status == WEIR_OK; k++) {
        double hz = s->start_hz + (double)k * s->bin_hz;
        if (hz >= view->axis.low_hz && hz <= view->axis.high_hz) {
            status =
                weir_outfile_printf(file, err, "%.17g,%.2f,%.2f,%.2f%s\n", hz, (double)levels[k],
                                    (double)levels[n + k], (double)levels[2 * n + k],
                                    !tells                                        ? ""
                                    : weir_made_up_at(&s->made_up, hz, s->bin_hz) ? ",1"
                                                                                  : ",0");
        }
    }
    return status == WEIR_OK ? weir_outfile_finish(file, err) : status;
}

static weir_status write_traces(weir_view *view, const char *name, weir_error *err)
{
    const weir_spectrum *s = &view->newest;
    size_t n = s->n_bins;
    weir_axis axis = {.low_hz = s->start_hz - 0.5 * s->bin_hz,
                      .high_hz = s->start_hz + ((double)n - 0.5) * s->bin_hz};
    weir_outfile *file = NULL;
    float *levels = calloc(n * WEIR_HELD_COUNT, sizeof *levels);
    if (!levels) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    for (int held = 0; held < WEIR_HELD_COUNT; held++) {
        take_bins(view, (weir_held)held, &axis, n, levels + (size_t)held * n);
    }
    weir_status status = weir_outfile_open(&file, name, false, err);
    if (status == WEIR_OK) {
        status = write_rows(view, file, levels, n, err);
        weir_outfile_destroy(file);
    }
    free(levels);
    return status;
}

void weir_view_save_traces(weir_view *view)
{
    char name[512];
    weir_error err = {0};
    if (view->newest.n_bins == 0 || view->top_line == 0) {
        weir_view_message(view, true, "there is nothing to save yet");
        return;
    }
    weir_status status = weir_stamp_path(name, sizeof name, view->config.folder, "", ".csv", &err);
    report(view, status == WEIR_OK ? write_traces(view, name, &err) : status, name, &err);
}
