/* ctest-labels: unit prop
 * capture/backlog.h against a plain list of all samples, with random runs, gaps and sizes. */
#include "capture/backlog.h"
#include "tests/check.h"

#include <stdbool.h>

enum { MOST = 20000 };

typedef struct seen {
    uint64_t first[MOST]; /* stream index of every sample shown */
    uint64_t segment[MOST];
    size_t n;
    bool in_segment_order;
} seen;

static void piece(void *user, const weir_ring_segment *segment, uint64_t first_sample,
                  const void *samples, size_t n_samples)
{
    seen *s = user;
    const uint64_t *values = samples;
    CHECK(n_samples > 0);
    for (size_t i = 0; i < n_samples && s->n < MOST; i++) {
        CHECK(values[i] == first_sample + i); /* a sample is the number of its place */
        s->segment[s->n] = segment->segment;
        s->first[s->n++] = first_sample + i;
    }
}

static void random_case(check_rng *rng, uint64_t capacity, size_t runs, unsigned gap_percent)
{
    static uint64_t place[MOST], segment_of[MOST];
    static seen s;
    weir_backlog *h;
    CHECK(weir_backlog_create(&h, capacity, sizeof(uint64_t), NULL) == WEIR_OK);
    CHECK(weir_backlog_begin(h) == weir_backlog_end(h));
    size_t n = 0, n_segments = 1;
    uint64_t next = check_random(rng) % 1000;
    weir_ring_segment segment = {.first_sample = next, .segment = 5};
    for (size_t r = 0; r < runs; r++) {
        uint64_t values[300];
        size_t length = check_random(rng) % 300;
        if (check_random(rng) % 100 < gap_percent) {
            next += 1 + check_random(rng) % 50;
            segment = (weir_ring_segment){.first_sample = next, .segment = segment.segment + 1};
            n_segments++;
        }
        for (size_t i = 0; i < length; i++) {
            values[i] = next + i;
            place[n] = next + i;
            segment_of[n++] = segment.segment;
        }
        weir_backlog_push(h, &segment, next, values, length);
        next += length;
    }
    /* As many as fit, unless there were too many segments. */
    size_t kept = n < capacity ? n : (size_t)capacity;
    uint64_t from = check_random(rng) % 3 ? place[n - 1 - check_random(rng) % n] : 0;
    s.n = 0;
    weir_backlog_visit(h, from, piece, &s);
    size_t expected = 0;
    for (size_t i = n - kept; i < n; i++) {
        expected += place[i] >= from;
    }
    CHECK(n_segments > 200 ? s.n <= expected : s.n == expected);
    for (size_t i = 0; i < s.n; i++) {
        CHECK(s.first[i] == place[n - s.n + i]);
        CHECK(s.segment[i] == segment_of[n - s.n + i]);
    }
    CHECK(weir_backlog_end(h) == place[n - 1] + 1);
    CHECK(n_segments > 200 || weir_backlog_begin(h) == place[n - kept]);
    weir_backlog_destroy(h);
}

static void test_against_a_list(void)
{
    check_rng rng = check_rng_fresh();
    for (int i = 0; i < 300; i++) {
        random_case(&rng, 1 + check_random(&rng) % 4000, 2 + check_random(&rng) % 60, 20);
    }
}

/* More segments than are kept: the newest samples are there all the same. */
static void test_many_segments(void)
{
    check_rng rng = check_rng_fresh();
    weir_backlog *h;
    static seen s;
    CHECK(weir_backlog_create(&h, 30000, sizeof(uint64_t), NULL) == WEIR_OK);
    for (uint64_t i = 0; i < 20000; i++) {
        weir_ring_segment segment = {.first_sample = 10 * i, .segment = i};
        uint64_t value = 10 * i;
        weir_backlog_push(h, &segment, 10 * i, &value, 1);
    }
    s.n = 0;
    weir_backlog_visit(h, 0, piece, &s);
    CHECK(s.n == 16384 && s.first[16383] == 199990 && s.first[0] == 199990 - 163830);
    CHECK(weir_backlog_begin(h) == 199990 - 163830 && weir_backlog_segments(h) == 16384);
    random_case(&rng, 5000, 60, 100);
    weir_backlog_destroy(h);
}

static void test_limits(void)
{
    weir_backlog *h;
    weir_error err = {0};
    CHECK(weir_backlog_create(&h, 0, 2, &err) == WEIR_ERR_USAGE && !h && err.text[0]);
    CHECK(weir_backlog_create(&h, WEIR_BACKLOG_MAX_BYTES / 2 + 1, 2, &err) == WEIR_ERR_USAGE);
    CHECK(weir_backlog_create(&h, UINT64_MAX, 16, &err) == WEIR_ERR_USAGE);
    weir_backlog_destroy(NULL);
}

int main(void)
{
    RUN(test_against_a_list);
    RUN(test_many_segments);
    RUN(test_limits);
    return check_finish();
}
