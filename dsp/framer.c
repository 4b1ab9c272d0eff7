#include "dsp/framer.h"

#include <math.h>
#include <stdlib.h>

struct weir_framer {
    size_t n_fft, hop, n_new_each, n_skipped_each;
    uint64_t frames_per_spectrum; /* 0: all */
    size_t block_frames;
    bool whole_blocks, is_complex;

    /* The segment, as its last run showed it. */
    weir_run run;
    bool has_run;
    bool segment_ended;    /* no more samples will come          */
    bool segment_finished; /* and its tail is booked             */
    bool segment_has_frame;
    bool flushed;        /* the stream has ended: so has the spectrum */
    bool gave_up;        /* all that comes is tail                    */
    uint64_t seen_end;   /* stream index one past the last sample seen */
    uint64_t next_start; /* where the next frame begins                */

    /* The spectrum being filled. */
    weir_spectrum spectrum;
    bool open;          /* it has frames                                       */
    bool close_pending; /* it is to be ended before anything else              */
    bool close_partial;
    bool restart; /* the axis is new: the next frame restarts the average */
    uint64_t next_index;
    uint64_t lost_pending; /* lost since the last frame */
    uint64_t blocks_from;  /* frame of the spectrum with which blocks begin */

    weir_totals totals;
};

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Coherent gain sum(w)/N and ENBW N sum(w^2)/sum(w)^2. */
static void window_gain(const weir_engine_config *config, weir_spectrum *spectrum)
{
    double sum = 0, sum_squares = 0, n = (double)config->n_fft;
    for (size_t i = 0; i < config->n_fft; i++) {
        sum += config->window[i];
        sum_squares += config->window[i] * config->window[i];
    }
    spectrum->coherent_gain = sum / n;
    spectrum->enbw_bins = n * sum_squares / (sum * sum);
}

weir_status weir_framer_create(weir_framer **out, const weir_engine_config *config,
                               size_t block_frames, bool whole_blocks, weir_error *err)
{
    *out = NULL;
    weir_framer *framer = calloc(1, sizeof *framer);
    if (!framer) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory for the framer");
    }
    framer->n_fft = config->n_fft;
    framer->hop = config->hop;
    framer->n_new_each = min_size(config->hop, config->n_fft);
    framer->n_skipped_each = config->hop - framer->n_new_each;
    framer->frames_per_spectrum = config->frames_per_spectrum;
    framer->block_frames = block_frames;
    framer->whole_blocks = whole_blocks;
    framer->is_complex = config->format.is_complex;
    framer->restart = true;
    window_gain(config, &framer->spectrum);
    framer->spectrum.n_bins = framer->is_complex ? config->n_fft : config->n_fft / 2 + 1;
    framer->spectrum.full_scale_power = framer->is_complex ? 1.0 : 0.5;
    *out = framer;
    return WEIR_OK;
}

void weir_framer_destroy(weir_framer *framer)
{
    free(framer);
}

uint64_t weir_framer_open_frames(const weir_framer *framer)
{
    return framer->open ? framer->spectrum.n_frames : 0;
}

bool weir_framer_has_average(const weir_framer *framer)
{
    return !framer->restart;
}

void weir_framer_copy(weir_framer *to, const weir_framer *from)
{
    size_t block_frames = to->block_frames;
    bool whole_blocks = to->whole_blocks;
    *to = *from;
    to->block_frames = block_frames;
    to->whole_blocks = whole_blocks;
    to->blocks_from = weir_framer_open_frames(from);
}

/* ---- segments ---- */

static uint64_t run_end(const weir_run *run)
{
    return run->first_sample + run->n_samples;
}

static bool same_axis(const weir_run *a, const weir_run *b)
{
    return a->rate_hz == b->rate_hz && a->center_hz == b->center_hz;
}

static bool continues(const weir_framer *framer, const weir_run *run)
{
    if (!framer->has_run || framer->flushed || run->segment != framer->run.segment ||
        !same_axis(run, &framer->run) || run->first_sample < framer->run.first_sample ||
        run->first_sample > weir_framer_needed_from(framer)) {
        return false;
    }
    return framer->segment_ended ? run_end(run) == framer->seen_end
                                 : run_end(run) >= framer->seen_end;
}

/* The caller gave up samples of this very segment that are still to be transformed. */
static bool tears(const weir_framer *framer, const weir_run *run)
{
    return framer->has_run && !framer->segment_ended && run->segment == framer->run.segment &&
           same_axis(run, &framer->run) && run->first_sample >= framer->run.first_sample &&
           run->first_sample < framer->seen_end;
}

static void close_spectrum(weir_framer *framer)
{
    framer->close_pending = framer->open;
    framer->close_partial = framer->frames_per_spectrum != 0;
}

/* Books what lies behind the last frame: passed over on purpose, or too short a rest. */
static void finish_segment(weir_framer *framer)
{
    if (!framer->has_run || framer->segment_finished) {
        return;
    }
    uint64_t covered_end = framer->next_start;
    if (framer->segment_has_frame) {
        covered_end = framer->next_start - framer->hop + framer->n_fft;
    }
    uint64_t rest = framer->seen_end - covered_end;
    uint64_t skipped = framer->segment_has_frame ? min_u64(rest, framer->n_skipped_each) : 0;
    framer->totals.skipped += skipped;
    framer->totals.tail += rest - skipped;
    framer->segment_ended = framer->segment_finished = true;
    if (framer->frames_per_spectrum != 0) {
        close_spectrum(framer);
    }
}

static void book_loss(weir_totals *totals, uint64_t lost)
{
    totals->received += lost;
    totals->lost += lost;
    totals->n_gaps += lost > 0;
}

static void begin_segment(weir_framer *framer, const weir_run *run)
{
    finish_segment(framer);
    if (framer->flushed || (framer->has_run && !same_axis(run, &framer->run))) {
        close_spectrum(framer);
        framer->restart = true;
    }
    book_loss(&framer->totals, run->lost_before);
    framer->lost_pending += run->lost_before;
    framer->has_run = true;
    framer->segment_ended = framer->segment_finished = framer->segment_has_frame = false;
    framer->flushed = false;
    framer->seen_end = framer->next_start = run->first_sample;
}

weir_status weir_framer_push(weir_framer *framer, const weir_run *run, weir_error *err)
{
    if (!isfinite(run->rate_hz) || run->rate_hz <= 0 || !isfinite(run->center_hz)) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         "sample rate %g Hz and centre %g Hz: the rate must be positive and both "
                         "finite",
                         run->rate_hz, run->center_hz);
    }
    if (!continues(framer, run)) {
        if (tears(framer, run)) {
            return weir_fail(err, WEIR_ERR_INTERNAL,
                             "samples from %llu on are still needed, but a run of %zu samples "
                             "begins at %llu",
                             (unsigned long long)weir_framer_needed_from(framer), run->n_samples,
                             (unsigned long long)run->first_sample);
        }
        begin_segment(framer, run);
    }
    framer->totals.received += run_end(run) - framer->seen_end;
    framer->seen_end = run_end(run);
    framer->run = *run;
    framer->segment_ended = framer->segment_ended || run->ends;
    return WEIR_OK;
}

void weir_framer_flush(weir_framer *framer, uint64_t lost_at_end)
{
    if (framer->flushed) {
        return;
    }
    framer->segment_ended = framer->flushed = true;
    book_loss(&framer->totals, lost_at_end);
}

uint64_t weir_framer_needed_from(const weir_framer *framer)
{
    return framer->segment_finished || framer->gave_up
               ? framer->seen_end
               : min_u64(framer->next_start, framer->seen_end);
}

void weir_framer_give_up(weir_framer *framer)
{
    framer->gave_up = true;
}

/* ---- pieces ---- */

static size_t frames_there(const weir_framer *framer)
{
    if (framer->segment_finished || framer->gave_up || framer->seen_end < framer->next_start ||
        framer->seen_end - framer->next_start < framer->n_fft) {
        return 0;
    }
    return (size_t)((framer->seen_end - framer->next_start - framer->n_fft) / framer->hop + 1);
}

/* Of the first `done` frames of the spectrum, those in an unfinished block. */
static uint64_t frames_in_block(const weir_framer *framer, uint64_t done)
{
    return framer->open ? (done - framer->blocks_from) % framer->block_frames : 0;
}

/* How many frames the next piece has: up to the block's or the spectrum's end. */
static size_t frames_to_take(const weir_framer *framer)
{
    uint64_t done = weir_framer_open_frames(framer);
    uint64_t room = framer->block_frames - frames_in_block(framer, done);
    if (framer->frames_per_spectrum != 0) {
        room = min_u64(room, framer->frames_per_spectrum - done);
    }
    size_t there = frames_there(framer);
    if (there < room && framer->whole_blocks && !framer->segment_ended) {
        return 0;
    }
    return (size_t)min_u64(there, room);
}

/* Wall-clock label of a sample of the present segment. */
static int64_t time_of(const weir_run *run, uint64_t sample)
{
    if (run->time_unix_ns == INT64_MIN) {
        return INT64_MIN;
    }
    long double samples = (long double)sample - (long double)run->segment_first_sample;
    long double ns = (long double)run->time_unix_ns + samples / (long double)run->rate_hz * 1e9L;
    return fabsl(ns) < 9.2e18L ? llroundl(ns) : INT64_MIN;
}

static void begin_spectrum(weir_framer *framer)
{
    weir_spectrum *s = &framer->spectrum;
    s->rate_hz = framer->run.rate_hz;
    s->center_hz = framer->run.center_hz;
    s->bin_hz = s->rate_hz / (double)framer->n_fft;
    s->start_hz = s->center_hz;
    if (framer->is_complex) {
        s->start_hz -= (double)(framer->n_fft / 2) * s->bin_hz;
    }
    s->index = framer->next_index;
    s->first_sample = framer->next_start;
    s->time_unix_ns = time_of(&framer->run, framer->next_start);
    s->n_frames = 0;
    s->lost_before = framer->lost_pending;
    s->lost_inside = 0;
    s->is_partial = false;
    framer->lost_pending = 0;
    framer->blocks_from = 0;
    framer->open = true;
}

static void end_spectrum(weir_framer *framer)
{
    framer->open = framer->close_pending = false;
    framer->next_index++;
    framer->totals.n_spectra++;
}

/* Books n frames from next_start on and describes them. */
static void take_frames(weir_framer *framer, size_t n, weir_piece *piece)
{
    if (!framer->open) {
        begin_spectrum(framer);
    }
    weir_spectrum *s = &framer->spectrum;
    bool first_of_segment = !framer->segment_has_frame;
    uint64_t done = s->n_frames + n;
    bool is_last = done == framer->frames_per_spectrum;
    *piece = (weir_piece){
        .first_sample = framer->next_start,
        .n_frames = n,
        .first_frame = s->n_frames,
        .begins_spectrum = s->n_frames == 0,
        .begins_block = framer->whole_blocks || frames_in_block(framer, s->n_frames) == 0,
        .ends_block = framer->whole_blocks || is_last || frames_in_block(framer, done) == 0,
        .ends_spectrum = is_last,
        .restarts_average = framer->restart,
        .n_new_first = first_of_segment ? framer->n_fft : framer->n_new_each,
        .n_new_each = framer->n_new_each,
    };
    s->n_frames = done;
    s->lost_inside += framer->lost_pending;
    s->end_sample = framer->next_start + (n - 1) * framer->hop + framer->n_fft;
    piece->spectrum = *s;

    framer->lost_pending = 0;
    framer->restart = false;
    framer->segment_has_frame = true;
    framer->next_start += n * framer->hop;
    framer->totals.n_frames += n;
    framer->totals.transformed += piece->n_new_first + (n - 1) * framer->n_new_each;
    framer->totals.skipped += (n - first_of_segment) * framer->n_skipped_each;
    if (is_last) {
        end_spectrum(framer);
    }
}

static void take_closing(weir_framer *framer, weir_piece *piece)
{
    weir_spectrum *s = &framer->spectrum;
    s->is_partial = framer->close_partial;
    *piece = (weir_piece){
        .first_sample = framer->next_start,
        .first_frame = s->n_frames,
        .ends_block = !framer->whole_blocks && frames_in_block(framer, s->n_frames) != 0,
        .ends_spectrum = true,
        .n_new_each = framer->n_new_each,
        .spectrum = *s,
    };
    end_spectrum(framer);
}

bool weir_framer_next(weir_framer *framer, weir_piece *piece)
{
    if (!framer->close_pending) {
        size_t n = frames_to_take(framer);
        if (n > 0) {
            take_frames(framer, n, piece);
            return true;
        }
        if (framer->segment_ended) {
            finish_segment(framer);
        }
        if (framer->flushed) {
            close_spectrum(framer);
        }
    }
    if (!framer->close_pending) {
        return false;
    }
    take_closing(framer, piece);
    return true;
}

void weir_framer_add_counts(weir_framer *framer, uint64_t clipped, uint64_t nonfinite)
{
    framer->totals.clipped += clipped;
    framer->totals.nonfinite += nonfinite;
}

void weir_framer_totals(const weir_framer *framer, weir_totals *totals)
{
    *totals = framer->totals;
}
