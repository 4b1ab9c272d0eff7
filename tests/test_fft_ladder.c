// ctest-labels: gpu
/* The textbook's transforms against a double-precision one. */
#include "check.h"
#include "cuda/fft_ladder.h"
#include "dsp/fft_f64.h"

static double error_of(weir_ladder_step step, size_t n, size_t batch, check_rng *rng)
{
    size_t count = 2 * n * batch;
    weir_error err;
    weir_fft_f64 *f64;
    float *in = malloc(count * sizeof *in), *out = malloc(count * sizeof *out);
    double *exact = malloc(count * sizeof *exact), error = 0, norm = 0;
    for (size_t i = 0; i < count; i++) {
        exact[i] = in[i] = (float)check_gauss(rng);
        out[i] = NAN;
    }
    CHECK(weir_ladder_run(step, in, out, n, batch, &err) == WEIR_OK);
    CHECK(weir_fft_f64_create(&f64, n, &err) == WEIR_OK);
    for (size_t b = 0; b < batch; b++) {
        weir_fft_f64_forward(f64, exact + 2 * n * b);
    }
    weir_fft_f64_destroy(f64);
    for (size_t i = 0; i < count; i++) {
        error += (out[i] - exact[i]) * (out[i] - exact[i]);
        norm += exact[i] * exact[i];
    }
    free(in);
    free(out);
    free(exact);
    return sqrt(error / norm);
}

static void test_steps(void)
{
    check_rng rng = check_rng_fresh();
    for (size_t n = 2; n <= 4096; n *= 2) {
        for (int step = 0; step < WEIR_LADDER_STEPS; step++) {
            /* A plain sum of N terms loses sqrt N, not sqrt(log N). */
            double gate = step == WEIR_LADDER_DIRECT ? 1e-7 * sqrt((double)n) + 1e-7
                                                     : 8e-8 * sqrt(log2((double)n)) + 4e-8;
            double error = error_of((weir_ladder_step)step, n, 5, &rng);
            CHECK_MSG(error <= gate, "%s, %zu points: %.3g over %.3g",
                      weir_ladder_name((weir_ladder_step)step), n, error, gate);
        }
    }
    CHECK(error_of(WEIR_LADDER_DIRECT, 1021, 3, &rng) < 5e-6);
    CHECK(error_of(WEIR_LADDER_GLOBAL, 1 << 18, 1, &rng) < 4e-7);
}

int main(void)
{
    weir_error err;
    float x[4] = {1, 0, 0, 0};
    if (weir_ladder_run(WEIR_LADDER_DIRECT, x, x, 2, 1, &err) != WEIR_OK) {
        return check_skip(err.text);
    }
    RUN(test_steps);
    CHECK(weir_ladder_run(WEIR_LADDER_SHARED, x, x, 3, 1, &err) == WEIR_ERR_USAGE);
    return check_finish();
}
