#include "display/text_sink.h"

#include "dsp/correct.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool is_regular_file(const char *path)
{
    struct stat status;
    if (strcmp(path, "-") == 0) {
        return fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode);
    }
    return stat(path, &status) != 0 || S_ISREG(status.st_mode);
}

weir_status weir_text_sink_open(size_t size, weir_text_sink **out, const weir_sink_config *config,
                                const weir_stream_info *stream, weir_error *err)
{
    *out = NULL;
    weir_text_sink *sink = calloc(1, size);
    if (!sink) {
        return weir_fail(err, WEIR_ERR_NOMEM, "%s: out of memory", config->path);
    }
    sink->config = *config;
    sink->stream = stream;
    sink->reader_waits = !is_regular_file(config->path);
    weir_status status = weir_outfile_open(&sink->file, config->path, false, err);
    if (status != WEIR_OK) {
        weir_text_sink_close(&sink->sink);
        return status;
    }
    *out = sink;
    return WEIR_OK;
}

weir_status weir_text_sink_take(weir_text_sink *sink, const weir_spectrum *spectrum,
                                weir_error *err)
{
    return weir_selection_take(&sink->levels, &sink->config, &sink->stream->scale, spectrum, err);
}

weir_status weir_text_sink_put(weir_text_sink *sink, weir_error *err)
{
    weir_status status = weir_line_put(&sink->line, sink->file, err);
    if (status == WEIR_OK && sink->reader_waits) {
        status = weir_outfile_flush(sink->file, err);
    }
    return status;
}

weir_status weir_text_sink_finish(weir_text_sink *sink, weir_error *err)
{
    weir_status status = weir_text_sink_put(sink, err);
    return status == WEIR_OK ? weir_outfile_finish(sink->file, err) : status;
}

weir_status weir_text_sink_finish_rows(weir_sink *base, const weir_totals *totals, weir_error *err)
{
    (void)totals;
    return weir_text_sink_finish((weir_text_sink *)base, err);
}

void weir_text_sink_close(weir_sink *base)
{
    weir_text_sink *sink = (weir_text_sink *)base;
    weir_outfile_destroy(sink->file);
    weir_line_free(&sink->line);
    weir_selection_free(&sink->levels);
    free(sink);
}

void weir_line_made_up(weir_line *line, const weir_made_up *made_up)
{
    weir_line_text(line, "# dc_interpolated_hz:");
    for (size_t i = 0; i < made_up->n_runs; i++) {
        double further_hz = (double)i * made_up->step_hz;
        weir_line_text(line, " ");
        weir_line_exact(line, made_up->low_hz + further_hz);
        weir_line_text(line, " ");
        weir_line_exact(line, made_up->high_hz + further_hz);
    }
    weir_line_text(line, made_up->n_runs > 0 ? "\n" : " none\n");
}

void weir_text_sink_made_up(weir_text_sink *sink, const weir_made_up *made_up)
{
    if (!weir_made_up_same(made_up, &sink->said_made_up)) {
        weir_line_made_up(&sink->line, made_up);
        sink->said_made_up = *made_up;
    }
}

void weir_line_csv_time(weir_line *line, int64_t t_ns, bool utc, bool microseconds)
{
    const int64_t billion = 1000000000;
    int64_t fraction_ns = (t_ns % billion + billion) % billion;
    time_t when = (time_t)((t_ns - fraction_ns) / billion);
    struct tm parts = {0};
    char text[40];
    (void)(utc ? gmtime_r(&when, &parts) : localtime_r(&when, &parts));
    strftime(text, sizeof text, "%Y-%m-%d, %H:%M:%S", &parts);
    weir_line_text(line, text);
    if (microseconds) {
        weir_line_printf(line, ".%06d", (int)(fraction_ns / 1000));
    }
}

int64_t weir_text_sink_time_ns(const weir_text_sink *sink, const weir_spectrum *spectrum,
                               uint64_t samples)
{
    double seconds = (double)samples / spectrum->rate_hz;
    int64_t first_ns = spectrum->time_unix_ns;
    if (first_ns == INT64_MIN) {
        first_ns = 0;
        seconds += sink->levels.time_s;
    }
    return first_ns + (int64_t)(seconds * 1e9 + 0.5);
}
