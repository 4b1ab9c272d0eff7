#include "app/progress.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* Short work needs no progress line. */
#define PATIENCE_NS 500000000LL

void weir_progress_start(weir_progress *progress, const weir_stream_info *stream,
                         double duration_seconds, bool quiet)
{
    *progress = (weir_progress){
        .stream = stream,
        .duration_seconds = duration_seconds,
        /* Where results go to the same terminal, they are progress enough. */
        .enabled = !quiet && isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO),
        .start_ns = weir_now_ns(),
    };
}

void weir_progress_show(weir_progress *progress, const weir_totals *totals)
{
    int64_t elapsed_ns = weir_now_ns() - progress->start_ns;
    if (!progress->enabled || elapsed_ns < PATIENCE_NS) {
        return;
    }
    const weir_stream_info *stream = progress->stream;
    double rate = (double)totals->received / ((double)elapsed_ns * 1e-9);
    double expected = stream->n_samples == UINT64_MAX ? INFINITY : (double)stream->n_samples;
    expected = fmin(expected, progress->duration_seconds * stream->rate_hz);
    char done[32], speed[32], percent[32] = "";
    if (isfinite(expected) && expected > 0) {
        weir_snprintf(percent, sizeof percent, "%3.0f %%, ",
                      fmin(100, 100 * (double)totals->received / expected));
    }
    weir_format_si(done, sizeof done, (double)totals->received);
    weir_format_si(speed, sizeof speed, rate);
    fprintf(stderr, "\rweir: %s%sS, %sS/s   ", percent, done, speed);
    fflush(stderr);
    progress->shown = true;
}

void weir_progress_clear(weir_progress *progress)
{
    if (progress->shown) {
        fprintf(stderr, "\r\033[K");
        fflush(stderr);
        progress->shown = false;
    }
}

void weir_accounts_log(const weir_totals *totals)
{
    weir_log(WEIR_LOG_NOTICE,
             "%" PRIu64 " samples received = %" PRIu64 " transformed + %" PRIu64
             " skipped + %" PRIu64 " lost + %" PRIu64 " tail; %" PRIu64 " transforms, %" PRIu64
             " spectra",
             totals->received, totals->transformed, totals->skipped, totals->lost, totals->tail,
             totals->n_frames, totals->n_spectra);
    if (totals->clipped) {
        weir_log(WEIR_LOG_NOTICE, "%" PRIu64 " samples at full scale (clipped?)", totals->clipped);
    }
    if (totals->nonfinite) {
        weir_log(WEIR_LOG_WARNING, "%" PRIu64 " samples were not finite and counted as 0",
                 totals->nonfinite);
    }
}
