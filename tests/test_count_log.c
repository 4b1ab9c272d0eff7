/* ctest-labels: unit prop
 * dsp/count_log.h: what is taken depends on positions alone, and nothing is lost. */
#include "dsp/count_log.h"
#include "tests/check.h"

enum { N = 5000 };

static uint64_t block; /* samples that share a count */

static float samples[N];

static weir_count_log *create(size_t n_blocks)
{
    const weir_sample_format format = {.scalar = WEIR_F32LE, .channels = 1};
    weir_count_log *log;
    CHECK(weir_count_log_create(&log, &format, 0, block, n_blocks, NULL) == WEIR_OK);
    return log;
}

static void fill(check_rng *rng)
{
    for (size_t i = 0; i < N; i++) {
        double u = check_uniform(rng);
        samples[i] = u < 0.1 ? 1.5f : u < 0.15 ? NAN : 0.1f;
    }
}

/* By brute force: of the samples of whole blocks from `from` on that end at `end` or before. */
static weir_sample_counts expected(uint64_t base, uint64_t from, uint64_t end)
{
    weir_sample_counts c = {0, 0};
    for (uint64_t i = from / block * block; i < end / block * block; i++) {
        if (i >= base && i - base < N) {
            c.clipped += samples[i - base] > 1;
            c.nonfinite += isnan(samples[i - base]) != 0;
        }
    }
    return c;
}

static void test_any_cut_gives_the_same(void)
{
    check_rng rng = check_rng_fresh();
    for (int round = 0; round < 40; round++) {
        fill(&rng);
        weir_count_log *log = create((size_t)(960 / block) + 1);
        uint64_t base = (uint64_t)(check_uniform(&rng) * 1000), taken = 0;
        weir_sample_counts all = {0, 0};
        for (size_t done = 0; done < N;) {
            size_t n = 1 + (size_t)(check_uniform(&rng) * 300);
            n = n > N - done ? N - done : n;
            weir_sample_counts c = weir_count_log_add(log, base + done, samples + done, n);
            done += n;
            all.clipped += c.clipped;
            all.nonfinite += c.nonfinite;
            /* less than the log's blocks behind */
            uint64_t end = base + done - (uint64_t)(check_uniform(&rng) * 600);
            end = end < taken || done < 600 ? taken : end;
            weir_sample_counts got = weir_count_log_take(log, end),
                               want = expected(base, taken, end);
            CHECK(got.clipped == want.clipped && got.nonfinite == want.nonfinite);
            taken = end;
        }
        weir_sample_counts whole = expected(base, 0, base + N + block);
        CHECK(all.clipped == whole.clipped && all.nonfinite == whole.nonfinite);
        weir_count_log_destroy(log);
    }
}

static void test_what_is_too_old_is_not_lost(void)
{
    check_rng rng = check_rng_fresh();
    fill(&rng);
    weir_count_log *log = create(3);
    weir_sample_counts all = weir_count_log_add(log, 0, samples, N);
    weir_sample_counts none = weir_count_log_take(log, block);
    CHECK(none.clipped == 0 && none.nonfinite == 0); /* it has joined later blocks */
    weir_sample_counts got = weir_count_log_take(log, N + block);
    CHECK(got.clipped == all.clipped && got.nonfinite == all.nonfinite && all.clipped > 0);
    weir_count_log_destroy(log);
    weir_count_log_destroy(NULL);
}

int main(void)
{
    static const uint64_t blocks[] = {1, 7, 48, 64, 100};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        block = blocks[i];
        RUN(test_any_cut_gives_the_same);
        RUN(test_what_is_too_old_is_not_lost);
    }
    return check_finish();
}
