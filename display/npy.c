/* A NumPy array: float32, little-endian, one row per spectrum, one column per bin, in dB.
 *
 * Version 1.0 of the format (numpy.lib.format): magic, version, header length, a Python dict
 * padded with spaces, then the rows. The number of rows stands in the dict, so it is written
 * again at the end; the output must be a file that allows that. */
#include "base/outfile.h"
#include "display/npy_header.h"
#include "display/selection.h"
#include "display/sinks.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

typedef struct npy_sink {
    weir_sink sink;
    weir_sink_config config;
    const weir_stream_info *stream;
    weir_outfile *file;
    weir_selection levels;
    uint64_t n_rows;
    size_t n_columns;
} npy_sink;

static void npy_close(weir_sink *base)
{
    npy_sink *sink = (npy_sink *)base;
    weir_outfile_destroy(sink->file);
    weir_selection_free(&sink->levels);
    free(sink);
}

static weir_status npy_open(weir_sink **out, const weir_sink_config *config,
                            const weir_stream_info *stream, weir_error *err)
{
    npy_sink *sink = calloc(1, sizeof *sink);
    if (!sink) {
        return weir_fail(err, WEIR_ERR_NOMEM, "%s: out of memory", config->path);
    }
    sink->config = *config;
    sink->stream = stream;
    char header[WEIR_NPY_HEADER_BYTES];
    weir_npy_header(header, 0, 0);
    weir_status status = weir_outfile_open(&sink->file, config->path, true, err);
    if (status == WEIR_OK) {
        status = weir_outfile_write(sink->file, header, sizeof header, err);
    }
    if (status != WEIR_OK) {
        npy_close(&sink->sink);
        return status;
    }
    *out = &sink->sink;
    return WEIR_OK;
}

static weir_status write_row(npy_sink *sink, weir_error *err)
{
    enum { PIECE = 256 };
    uint32_t words[PIECE];
    const weir_selection *levels = &sink->levels;
    weir_status status = WEIR_OK;
    for (size_t done = 0; done < levels->n_bins && status == WEIR_OK; done += PIECE) {
        size_t n = levels->n_bins - done < PIECE ? levels->n_bins - done : PIECE;
        for (size_t i = 0; i < n; i++) {
            uint32_t word;
            memcpy(&word, &levels->db[done + i], sizeof word);
            words[i] = htole32(word);
        }
        status = weir_outfile_write(sink->file, words, n * sizeof words[0], err);
    }
    return status;
}

static weir_status npy_write(weir_sink *base, const weir_spectrum *spectrum, weir_error *err)
{
    npy_sink *sink = (npy_sink *)base;
    weir_status status =
        weir_selection_take(&sink->levels, &sink->config, &sink->stream->scale, spectrum, err);
    if (status != WEIR_OK) {
        return status;
    }
    if (sink->levels.new_axis && sink->n_rows > 0) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                         "%s: the frequencies changed after %llu spectra (now %zu bins of %.9g Hz "
                         "around %.15g Hz); an array has one axis: write csv or jsonl instead",
                         weir_outfile_path(sink->file), (unsigned long long)sink->n_rows,
                         spectrum->n_bins, spectrum->bin_hz, spectrum->center_hz);
    }
    sink->n_columns = sink->levels.n_bins;
    sink->n_rows++;
    return write_row(sink, err);
}

static weir_status npy_finish(weir_sink *base, const weir_totals *totals, weir_error *err)
{
    (void)totals; /* the format has no place for them */
    npy_sink *sink = (npy_sink *)base;
    char header[WEIR_NPY_HEADER_BYTES];
    weir_npy_header(header, sink->n_rows, sink->n_columns);
    weir_status status = weir_outfile_patch(sink->file, 0, header, sizeof header, err);
    return status == WEIR_OK ? weir_outfile_finish(sink->file, err) : status;
}

const weir_sink_class weir_sink_npy = {
    .name = "npy",
    .endings = ".npy",
    .help = "a NumPy array, float32, spectra x bins, in dB",
    .writes_linear = true,
    .has_one_axis = true,
    .open = npy_open,
    .write = npy_write,
    .finish = npy_finish,
    .close = npy_close,
};
