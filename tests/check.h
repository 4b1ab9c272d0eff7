/* The test harness: one plain program per module, run by ctest.
 *
 *     static void test_something(void) { CHECK(a == b); CHECK_NEAR(x, y, 1e-6); }
 *     int main(void) { RUN(test_something); return check_finish(); }
 *
 * A failed check prints and counts; the test goes on. Exit 0 passed, 1 failed,
 * 77 skipped (ctest shows it as skipped). The seed of random input is printed, and
 * taken from WEIR_TEST_SEED when set, so that a failure can be repeated.
 */
#ifndef WEIR_TESTS_CHECK_H
#define WEIR_TESTS_CHECK_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static unsigned check_passed, check_failed;

static inline void check_report(int ok, const char *file, int line, const char *text)
{
    if (ok) {
        check_passed++;
        return;
    }
    check_failed++;
    if (check_failed <= 50) {
        fprintf(stderr, "%s:%d: failed: %s\n", file, line, text);
    }
}

#define CHECK(condition) check_report(!!(condition), __FILE__, __LINE__, #condition)

/* Says more about the case at hand when it fails. */
#define CHECK_MSG(condition, ...)                                                                  \
    do {                                                                                           \
        if (condition) {                                                                           \
            check_passed++;                                                                        \
        } else {                                                                                   \
            char check_text[512];                                                                  \
            snprintf(check_text, sizeof check_text, __VA_ARGS__);                                  \
            check_report(0, __FILE__, __LINE__, check_text);                                       \
        }                                                                                          \
    } while (0)

/* NaN never passes. */
#define CHECK_NEAR(actual, expected, tolerance)                                                    \
    do {                                                                                           \
        double check_a = (actual), check_e = (expected);                                           \
        CHECK_MSG(fabs(check_a - check_e) <= (tolerance), "%s = %.9g, expected %.9g +- %.3g",      \
                  #actual, check_a, check_e, (double)(tolerance));                                 \
    } while (0)

#define CHECK_STR(actual, expected)                                                                \
    do {                                                                                           \
        const char *check_a = (actual), *check_e = (expected);                                     \
        CHECK_MSG(check_a &&strcmp(check_a, check_e) == 0, "%s = \"%s\", expected \"%s\"",         \
                  #actual, check_a ? check_a : "(null)", check_e);                                 \
    } while (0)

#define RUN(test)                                                                                  \
    do {                                                                                           \
        printf("# %s\n", #test);                                                                   \
        fflush(stdout);                                                                            \
        test();                                                                                    \
    } while (0)

static inline int check_finish(void)
{
    printf("%u passed, %u failed\n", check_passed, check_failed);
    return check_failed || !check_passed;
}

static inline int check_skip(const char *why)
{
    printf("skipped: %s\n", why);
    return 77;
}

/* xoshiro256++, seeded by splitmix64: good enough for tests, and repeatable. */
typedef struct check_rng {
    uint64_t s[4];
} check_rng;

static inline uint64_t check_random(check_rng *rng)
{
    uint64_t *s = rng->s, sum = s[0] + s[3];
    uint64_t result = ((sum << 23) | (sum >> 41)) + s[0], t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 45) | (s[3] >> 19);
    return result;
}

static inline check_rng check_rng_from(uint64_t seed)
{
    check_rng rng;
    for (int i = 0; i < 4; i++) {
        uint64_t z = (seed += UINT64_C(0x9e3779b97f4a7c15));
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        rng.s[i] = z ^ (z >> 31);
    }
    return rng;
}

/* A fresh seed each run, printed; WEIR_TEST_SEED repeats one. */
static inline check_rng check_rng_fresh(void)
{
    const char *given = getenv("WEIR_TEST_SEED");
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t seed = given ? strtoull(given, NULL, 0)
                          : (uint64_t)now.tv_sec * UINT64_C(1000000007) + (uint64_t)now.tv_nsec;
    printf("# WEIR_TEST_SEED=%llu\n", (unsigned long long)seed);
    return check_rng_from(seed);
}

static inline double check_uniform(check_rng *rng) /* [0, 1) */
{
    return (double)(check_random(rng) >> 11) * 0x1p-53;
}

static inline double check_gauss(check_rng *rng)
{
    double u = 1.0 - check_uniform(rng), v = check_uniform(rng);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

#endif
