/* ctest-labels: unit prop
 * dsp/level_log.h: nothing is lost or counted twice, and what is taken ends where it was asked to,
 * however far ahead the samples came. */
#include "dsp/level_log.h"
#include "tests/check.h"

enum { N = 400000 };

static float samples[N];

static weir_level_log *create(void)
{
    const weir_sample_format format = {.scalar = WEIR_F32LE, .channels = 1};
    weir_level_log *log;
    CHECK(weir_level_log_create(&log, &format, 0, NULL) == WEIR_OK);
    return log;
}

/* Sample i is in [i, i + 1) / N: lowest and highest tell which samples were summed. */
static void fill(check_rng *rng)
{
    for (size_t i = 0; i < N; i++) {
        samples[i] = (float)(((double)i + 0.5 * check_uniform(rng)) / N);
    }
}

static void test_takes_up_to_a_place(void)
{
    check_rng rng = check_rng_fresh();
    fill(&rng);
    weir_level_log *log = create();
    uint64_t base = 1000000007, at = 0, taken = 0, ahead = 0;
    double squares = 0, direct = 0;
    while (at < N) {
        uint64_t n = (uint64_t)(check_uniform(&rng) * 9000);
        n = n < N - at ? n : N - at;
        weir_level_log_add(log, base + at, samples + at, (size_t)n);
        at += n;
        ahead = at - taken > ahead ? at - taken : ahead;
        if (check_uniform(&rng) < 0.1 || at == N) {
            uint64_t end =
                at == N ? N : taken + (uint64_t)(check_uniform(&rng) * (double)(at - taken));
            weir_level_sums sums = weir_level_log_take(log, base + end);
            taken += sums.n_samples;
            squares += sums.sum_squares;
            CHECK(taken <= end && end - taken < 64 + ahead / 500);
            CHECK(sums.n_samples == 0 || fabs(sums.highest * N - (double)(taken - 1)) < 1);
        }
    }
    for (size_t i = 0; i < N; i++) {
        direct += (double)samples[i] * (double)samples[i];
    }
    CHECK(taken == N);
    CHECK_NEAR(squares, direct, 1e-9 * direct); /* both sums of 4e5 terms in double */
    weir_level_log_destroy(log);
}

/* Samples that came no farther than asked are all taken, in the middle of a block too. */
static void test_takes_all_that_came(void)
{
    weir_level_log *log = create();
    for (uint64_t at = 0; at < N / 2; at += 777) {
        weir_level_log_add(log, at, samples + at, 777);
        weir_level_sums sums = weir_level_log_take(log, at + 777);
        CHECK(sums.n_samples == 777);
        CHECK(fabs(sums.lowest * N - (double)at) < 1);
    }
    CHECK(weir_level_log_take(log, UINT64_MAX).n_samples == 0);
    weir_level_log_destroy(log);
}

/* After each gap a block that none can join: room is found all the same. */
static void test_gaps(void)
{
    weir_level_log *log = create();
    for (uint64_t i = 0; i < 5000; i++) {
        weir_level_log_add(log, i * 1000000, samples + i, 1);
    }
    CHECK(weir_level_log_take(log, 2500 * UINT64_C(1000000)).n_samples >= 2490);
    weir_level_log_take(log, UINT64_MAX);
    weir_level_log_add(log, 5000 * UINT64_C(1000000), samples, 3);
    CHECK(weir_level_log_take(log, UINT64_MAX).n_samples == 3);
    weir_level_log_destroy(log);
    weir_level_log_destroy(NULL);
}

int main(void)
{
    RUN(test_takes_up_to_a_place);
    RUN(test_takes_all_that_came);
    RUN(test_gaps);
    return check_finish();
}
