/* ctest-labels: unit prop
 * dsp/framer.h: random streams, cut in random ways, against bookkeeping by brute force. */
#include "dsp/framer.h"
#include "tests/check.h"

#include <stdbool.h>

enum { MAX_SEGMENTS = 8, MAX_FRAMES = 4096, MAX_PIECES = 8192 };

typedef struct segment {
    uint64_t first, n, lost_before;
    double rate_hz, center_hz;
    int64_t time_unix_ns;
    bool says_ends; /* its end is said, and not only seen by what follows */
} segment;

typedef struct stream {
    weir_engine_config config;
    double window[64];
    size_t block_frames;
    bool whole_blocks;
    segment segments[MAX_SEGMENTS];
    size_t n_segments;
    uint64_t lost_at_end;
} stream;

/* What came out, frame by frame and spectrum by spectrum. */
typedef struct result {
    uint64_t frame_start[MAX_FRAMES], frame_spectrum[MAX_FRAMES], frame_block[MAX_FRAMES];
    bool frame_restarts[MAX_FRAMES];
    size_t n_frames;
    weir_spectrum spectra[MAX_FRAMES];
    size_t n_spectra;
    uint64_t n_new; /* samples said to be covered first */
    weir_totals totals;
    weir_piece pieces[MAX_PIECES];
    size_t n_pieces;
} result;

static void ignore(void *user, const weir_spectrum *spectrum)
{
    (void)user;
    (void)spectrum;
}

static uint64_t below(check_rng *rng, uint64_t n)
{
    return check_random(rng) % n;
}

static void random_stream(check_rng *rng, stream *s)
{
    static const uint64_t counts[] = {0, 1, 1, 2, 3, 5, 16};
    memset(s, 0, sizeof *s);
    size_t n = 2 + below(rng, 9);
    for (size_t i = 0; i < n; i++) {
        s->window[i] = 0.5 + check_uniform(rng);
    }
    s->config = (weir_engine_config){
        .format = {WEIR_U8, below(rng, 2), 1, 0},
        .n_fft = n,
        .hop = 1 + below(rng, 2 * n),
        .window = s->window,
        .frames_per_spectrum = counts[below(rng, 7)],
        .traces = WEIR_TRACE_BIT(WEIR_TRACE_MEAN),
        .on_spectrum = ignore,
    };
    s->block_frames = 1 + below(rng, 5);
    s->whole_blocks = below(rng, 2);
    s->n_segments = 1 + below(rng, MAX_SEGMENTS);
    s->lost_at_end = below(rng, 2) * below(rng, 100);
    uint64_t at = below(rng, 3) * UINT64_C(5000000000);
    for (size_t i = 0; i < s->n_segments; i++) {
        segment *g = &s->segments[i];
        g->lost_before = below(rng, 2) * below(rng, 50);
        at += g->lost_before;
        g->first = at;
        g->n = below(rng, 4) ? below(rng, 200) : below(rng, n + 1);
        at += g->n;
        g->rate_hz = i && below(rng, 3) ? g[-1].rate_hz : 1000 + (double)below(rng, 3);
        g->center_hz = i && below(rng, 3) ? g[-1].center_hz : (double)below(rng, 3) * 1e9;
        g->time_unix_ns = below(rng, 3) ? 1700000000000000000 + (int64_t)at : INT64_MIN;
        g->says_ends = below(rng, 2) || s->whole_blocks;
    }
}

/* ---- the reference: knows the whole stream at once ---- */

static void reference_close(result *r, const stream *s, bool *open)
{
    if (*open) {
        weir_spectrum *last = &r->spectra[r->n_spectra++];
        uint64_t asked = s->config.frames_per_spectrum;
        last->is_partial = asked != 0 && last->n_frames < asked;
        last->index = r->n_spectra - 1;
    }
    *open = false;
}

static void reference_frame(result *r, const stream *s, const segment *g, uint64_t start,
                            bool *open, uint64_t *lost)
{
    weir_spectrum *spectrum = &r->spectra[r->n_spectra];
    double n = (double)s->config.n_fft;
    if (!*open) {
        *spectrum = (weir_spectrum){.first_sample = start,
                                    .rate_hz = g->rate_hz,
                                    .center_hz = g->center_hz,
                                    .bin_hz = g->rate_hz / n,
                                    .lost_before = *lost,
                                    .time_unix_ns = INT64_MIN};
        if (g->time_unix_ns != INT64_MIN) {
            double seconds = (double)(start - g->first) / g->rate_hz;
            spectrum->time_unix_ns = g->time_unix_ns + (int64_t)llround(seconds * 1e9);
        }
        *lost = 0;
    }
    *open = true;
    spectrum->lost_inside += *lost;
    *lost = 0;
    spectrum->n_frames++;
    spectrum->end_sample = start + s->config.n_fft;
    r->frame_start[r->n_frames] = start;
    r->frame_spectrum[r->n_frames++] = r->n_spectra;
    if (spectrum->n_frames == s->config.frames_per_spectrum) {
        reference_close(r, s, open);
    }
}

static void reference(const stream *s, result *r)
{
    memset(r, 0, sizeof *r);
    bool open = false, restart = true;
    uint64_t lost = 0;
    for (size_t i = 0; i < s->n_segments; i++) {
        const segment *g = &s->segments[i];
        bool new_axis = i > 0 && (g->rate_hz != g[-1].rate_hz || g->center_hz != g[-1].center_hz);
        if (new_axis || s->config.frames_per_spectrum != 0) {
            reference_close(r, s, &open);
        }
        restart |= new_axis;
        lost += g->lost_before;
        r->totals.lost += g->lost_before;
        r->totals.n_gaps += g->lost_before > 0;
        r->totals.received += g->lost_before + g->n;
        static char state[256]; /* 0 not reached, 1 passed over, 2 covered */
        memset(state, 0, sizeof state);
        for (uint64_t at = 0; at + s->config.n_fft <= g->n; at += s->config.hop) {
            r->frame_restarts[r->n_frames] = restart;
            restart = false;
            reference_frame(r, s, g, g->first + at, &open, &lost);
            for (uint64_t k = at; k < at + s->config.hop && k < g->n; k++) {
                state[k] = state[k] == 2 ? 2 : 1;
            }
            memset(state + at, 2, s->config.n_fft);
        }
        for (uint64_t k = 0; k < g->n; k++) {
            r->totals.tail += state[k] == 0;
            r->totals.skipped += state[k] == 1;
            r->totals.transformed += state[k] == 2;
        }
    }
    reference_close(r, s, &open);
    r->totals.lost += s->lost_at_end;
    r->totals.received += s->lost_at_end;
    r->totals.n_gaps += s->lost_at_end > 0;
    r->totals.n_frames = r->n_frames;
    r->totals.n_spectra = r->n_spectra;
    r->n_new = r->totals.transformed;
}

/* ---- the framer, fed in random cuts ---- */

typedef struct feed {
    const stream *s;
    result *r;
    uint64_t memory_from, memory_end; /* what a piece may read */
    uint64_t block;
    bool in_block;
} feed;

static void take_piece(feed *f, const weir_piece *p)
{
    result *r = f->r;
    const weir_engine_config *c = &f->s->config;
    r->pieces[r->n_pieces++] = *p;
    CHECK(p->n_frames <= f->s->block_frames && (p->n_frames > 0 || p->ends_spectrum));
    for (size_t i = 0; i < p->n_frames; i++) {
        uint64_t start = p->first_sample + i * c->hop;
        CHECK(start >= f->memory_from && start + c->n_fft <= f->memory_end);
        f->block += i == 0 && p->begins_block;
        CHECK(p->begins_spectrum == (p->first_frame == 0));
        r->frame_start[r->n_frames] = start;
        r->frame_spectrum[r->n_frames] = r->n_spectra;
        r->frame_block[r->n_frames] = f->block;
        r->frame_restarts[r->n_frames++] = i == 0 && p->restarts_average;
        r->n_new += i == 0 ? p->n_new_first : p->n_new_each;
    }
    if (p->n_frames > 0) {
        CHECK(f->in_block == !p->begins_block);
        f->in_block = true;
    }
    if (p->ends_block) {
        CHECK(f->in_block);
        f->in_block = false;
    }
    if (p->ends_spectrum) {
        CHECK(!f->in_block);
        r->spectra[r->n_spectra++] = p->spectrum;
    }
}

static void drain(feed *f, weir_framer *framer)
{
    weir_piece piece;
    memset(&piece, 0xff, sizeof piece);
    while (weir_framer_next(framer, &piece)) {
        take_piece(f, &piece);
    }
}

static void push(feed *f, weir_framer *framer, const segment *g, uint64_t end, bool ends,
                 uint64_t ordinal)
{
    weir_run run = {.samples = NULL,
                    .n_samples = (size_t)(end - f->memory_from),
                    .first_sample = f->memory_from,
                    .rate_hz = g->rate_hz,
                    .center_hz = g->center_hz,
                    .lost_before = g->lost_before,
                    .segment = ordinal,
                    .ends = ends,
                    .time_unix_ns = g->time_unix_ns,
                    .segment_first_sample = g->first};
    weir_error err = {WEIR_OK, ""};
    f->memory_end = end;
    CHECK_MSG(weir_framer_push(framer, &run, &err) == WEIR_OK, "%s", err.text);
    drain(f, framer);
    uint64_t needed = weir_framer_needed_from(framer);
    CHECK(needed >= f->memory_from && needed <= end);
    CHECK(!ends || needed == end);
    weir_totals t;
    weir_framer_totals(framer, &t);
    CHECK(t.received >= t.transformed + t.skipped + t.lost + t.tail);
}

/* max_cut 0: whole segments. */
static void run_framer(check_rng *rng, const stream *s, uint64_t max_cut, result *r)
{
    memset(r, 0, sizeof *r);
    weir_framer *framer;
    CHECK(weir_framer_create(&framer, &s->config, s->block_frames, s->whole_blocks, NULL) ==
          WEIR_OK);
    feed f = {.s = s, .r = r};
    for (size_t i = 0; i < s->n_segments; i++) {
        const segment *g = &s->segments[i];
        uint64_t end = g->first;
        f.memory_from = g->first;
        bool said = false;
        do {
            uint64_t cut = max_cut ? below(rng, max_cut + 1) : g->n;
            end = end + cut < g->first + g->n ? end + cut : g->first + g->n;
            /* Sometimes the end is only said by a later, empty push. */
            bool all = end == g->first + g->n;
            said = all && g->says_ends && below(rng, 2);
            push(&f, framer, g, end, said, i);
            uint64_t needed = weir_framer_needed_from(framer);
            f.memory_from += below(rng, needed - f.memory_from + 1); /* released late */
        } while (end < g->first + g->n);
        if (g->says_ends && !said) {
            push(&f, framer, g, end, true, i);
        }
    }
    weir_framer_flush(framer, s->lost_at_end);
    drain(&f, framer);
    weir_framer_totals(framer, &r->totals);
    CHECK(weir_totals_balance(&r->totals));
    weir_framer_destroy(framer);
}

static void compare_spectra(const stream *s, const weir_spectrum *a, const weir_spectrum *e)
{
    CHECK(a->index == e->index && a->n_frames == e->n_frames && a->is_partial == e->is_partial);
    CHECK(a->first_sample == e->first_sample && a->end_sample == e->end_sample);
    CHECK(a->lost_before == e->lost_before && a->lost_inside == e->lost_inside);
    CHECK(a->rate_hz == e->rate_hz && a->center_hz == e->center_hz && a->bin_hz == e->bin_hz);
    CHECK(llabs(a->time_unix_ns - e->time_unix_ns) <= 1);
    bool is_complex = s->config.format.is_complex;
    size_t n = s->config.n_fft;
    CHECK(a->n_bins == (is_complex ? n : n / 2 + 1));
    CHECK(a->full_scale_power == (is_complex ? 1.0 : 0.5));
    CHECK_NEAR(a->start_hz, e->center_hz - (is_complex ? (double)(n / 2) * e->bin_hz : 0), 1e-6);
}

static bool same_piece(const weir_piece *a, const weir_piece *b)
{
    return a->first_sample == b->first_sample && a->n_frames == b->n_frames &&
           a->first_frame == b->first_frame && a->begins_spectrum == b->begins_spectrum &&
           a->begins_block == b->begins_block && a->ends_block == b->ends_block &&
           a->ends_spectrum == b->ends_spectrum && a->restarts_average == b->restarts_average &&
           a->n_new_first == b->n_new_first && a->n_new_each == b->n_new_each;
}

static void compare(const stream *s, const result *a, const result *e)
{
    CHECK(memcmp(&a->totals, &e->totals, sizeof a->totals) == 0);
    CHECK(a->n_frames == e->n_frames && a->n_spectra == e->n_spectra && a->n_new == e->n_new);
    CHECK(memcmp(a->frame_start, e->frame_start, sizeof a->frame_start) == 0);
    CHECK(memcmp(a->frame_spectrum, e->frame_spectrum, sizeof a->frame_spectrum) == 0);
    CHECK(memcmp(a->frame_restarts, e->frame_restarts, sizeof a->frame_restarts) == 0);
    for (size_t i = 0; i < a->n_spectra && i < e->n_spectra; i++) {
        compare_spectra(s, &a->spectra[i], &e->spectra[i]);
    }
}

static void test_random_streams_in_random_cuts(void)
{
    check_rng rng = check_rng_fresh();
    static stream s;
    static result expected, whole, cut;
    for (int round = 0; round < 1500; round++) {
        random_stream(&rng, &s);
        reference(&s, &expected);
        run_framer(&rng, &s, 0, &whole);
        compare(&s, &whole, &expected);
        for (int i = 0; i < 4; i++) {
            run_framer(&rng, &s, 1 + below(&rng, 60), &cut);
            compare(&s, &cut, &expected);
            CHECK(memcmp(cut.frame_block, whole.frame_block, sizeof cut.frame_block) == 0);
            if (s.whole_blocks) {
                CHECK(cut.n_pieces == whole.n_pieces);
                for (size_t p = 0; p < cut.n_pieces; p++) {
                    CHECK(same_piece(&cut.pieces[p], &whole.pieces[p]));
                    compare_spectra(&s, &cut.pieces[p].spectrum, &whole.pieces[p].spectrum);
                }
            }
        }
    }
}

/* ---- single rules ---- */

static stream plain_stream(size_t n, size_t hop, uint64_t k)
{
    stream s = {.block_frames = 4};
    for (size_t i = 0; i < n; i++) {
        s.window[i] = 1;
    }
    s.config = (weir_engine_config){.format = {WEIR_U8, true, 1, 0},
                                    .n_fft = n,
                                    .hop = hop,
                                    .frames_per_spectrum = k,
                                    .traces = 1,
                                    .on_spectrum = ignore};
    return s;
}

static weir_framer *framer_of(stream *s)
{
    weir_framer *framer;
    s->config.window = s->window;
    CHECK(weir_framer_create(&framer, &s->config, s->block_frames, s->whole_blocks, NULL) ==
          WEIR_OK);
    return framer;
}

/* An asynchronous engine shows the same run until its work is done, even one that ends. */
static void test_the_same_run_again_changes_nothing(void)
{
    stream s = plain_stream(8, 4, 3);
    weir_framer *framer = framer_of(&s);
    weir_run run = {.n_samples = 100, .rate_hz = 1000, .ends = true, .time_unix_ns = INT64_MIN};
    weir_piece piece;
    weir_totals before, after;
    size_t n = 0;
    CHECK(weir_framer_push(framer, &run, NULL) == WEIR_OK);
    while (weir_framer_next(framer, &piece)) {
        n += piece.n_frames;
    }
    CHECK(n == 24 && weir_framer_needed_from(framer) == 100);
    weir_framer_totals(framer, &before);
    CHECK(weir_framer_push(framer, &run, NULL) == WEIR_OK && !weir_framer_next(framer, &piece));
    run.first_sample = 60;
    run.n_samples = 40;
    CHECK(weir_framer_push(framer, &run, NULL) == WEIR_OK && !weir_framer_next(framer, &piece));
    weir_framer_totals(framer, &after);
    CHECK(memcmp(&before, &after, sizeof before) == 0);
    run.first_sample = 100; /* but what follows is a new segment, even under the same number */
    CHECK(weir_framer_push(framer, &run, NULL) == WEIR_OK && weir_framer_next(framer, &piece));
    CHECK(piece.first_sample == 100 && piece.begins_spectrum && piece.n_new_first == 8);
    weir_framer_destroy(framer);
}

static void test_a_new_stream_after_a_flush(void)
{
    stream s = plain_stream(4, 4, 0);
    weir_framer *framer = framer_of(&s);
    weir_run run = {.n_samples = 8, .rate_hz = 1000, .time_unix_ns = INT64_MIN};
    weir_piece piece;
    for (uint64_t i = 0; i < 2; i++) {
        CHECK(weir_framer_push(framer, &run, NULL) == WEIR_OK);
        CHECK(weir_framer_next(framer, &piece) && piece.restarts_average && piece.n_frames == 2);
        CHECK(!weir_framer_next(framer, &piece));
        weir_framer_flush(framer, 3);
        CHECK(weir_framer_next(framer, &piece) && piece.ends_spectrum && piece.n_frames == 0);
        CHECK(piece.spectrum.index == i && piece.spectrum.n_frames == 2 && piece.ends_block);
        CHECK(!weir_framer_next(framer, &piece));
    }
    weir_totals t;
    weir_framer_totals(framer, &t);
    CHECK(weir_totals_balance(&t) && t.lost == 6 && t.transformed == 16 && t.n_gaps == 2);
    weir_framer_destroy(framer);
}

static void test_bad_runs(void)
{
    stream s = plain_stream(8, 8, 1);
    weir_framer *framer = framer_of(&s);
    static const double bad_rates[] = {0, -1, NAN, INFINITY};
    weir_run run = {.n_samples = 12, .rate_hz = 1000, .time_unix_ns = INT64_MIN};
    weir_error err;
    weir_piece piece;
    for (size_t i = 0; i < 4; i++) {
        run.rate_hz = bad_rates[i];
        CHECK(weir_framer_push(framer, &run, &err) == WEIR_ERR_USAGE);
    }
    run.rate_hz = 1000;
    run.center_hz = NAN;
    CHECK(weir_framer_push(framer, &run, &err) == WEIR_ERR_USAGE && strstr(err.text, "rate"));
    run.center_hz = 0;
    CHECK(weir_framer_push(framer, &run, &err) == WEIR_OK && weir_framer_next(framer, &piece));
    run.first_sample = 9; /* sample 8 is still needed */
    CHECK(weir_framer_push(framer, &run, &err) == WEIR_ERR_INTERNAL);
    CHECK(strstr(err.text, "from 8 on are still needed") != NULL);
    weir_framer_destroy(framer);
    weir_framer_destroy(NULL);
}

/* Labels must not drift: a week at 2.4 MS/s, to the nanosecond. */
static void test_time_labels_far_into_a_stream(void)
{
    stream s = plain_stream(8, 8, 1);
    weir_framer *framer = framer_of(&s);
    uint64_t week = UINT64_C(604800) * 2400000;
    weir_run run = {.n_samples = 8,
                    .first_sample = 1000 + week + 3,
                    .rate_hz = 2.4e6,
                    .time_unix_ns = 1796000000000000000,
                    .segment_first_sample = 1000};
    weir_piece piece;
    CHECK(weir_framer_push(framer, &run, NULL) == WEIR_OK && weir_framer_next(framer, &piece));
    CHECK(piece.spectrum.time_unix_ns == 1796000000000000000 + INT64_C(604800000000000) + 1250);
    run.time_unix_ns = INT64_MAX - 5; /* beyond what a label can say: unknown, not wrapped */
    run.segment = 1;
    run.first_sample += 8;
    CHECK(weir_framer_push(framer, &run, NULL) == WEIR_OK && weir_framer_next(framer, &piece));
    CHECK(piece.spectrum.time_unix_ns == INT64_MIN);
    weir_framer_destroy(framer);
}

int main(void)
{
    RUN(test_random_streams_in_random_cuts);
    RUN(test_the_same_run_again_changes_nothing);
    RUN(test_a_new_stream_after_a_flush);
    RUN(test_bad_runs);
    RUN(test_time_labels_far_into_a_stream);
    return check_finish();
}
