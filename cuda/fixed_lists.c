/* Writes the lists of kernels that are compiled for one length each (fft_fixed_*.inc), as
 * the planner wants them. Not part of the build: run it when the planner changes, which
 * tests/test_fft_layout.c notices. In the folder cuda/:
 *
 *   cc -D_GNU_SOURCE -I.. fixed_lists.c fft_plan.c ../base/status.c ../base/text.c -lm -o /tmp/l &&
 * /tmp/l
 */
#include "cuda/fft_plan.h"

#include <stdio.h>
#include <stdlib.h>

static FILE *list(const char *name, int part)
{
    char path[64];
    snprintf(path, sizeof path, "fft_fixed_%s_%d.inc", name, part);
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        exit(1);
    }
    return file;
}

static void add(FILE *file, size_t length)
{
    weir_fft_shape shape;
    if (!weir_fft_shape_plan(&shape, length, false)) {
        fprintf(stderr, "no plan for %zu\n", length);
        exit(1);
    }
    fprintf(file, "WEIR_FIXED(%u, %u", shape.lines, shape.threads);
    for (uint32_t s = 0; s < shape.n_stages; s++) {
        fprintf(file, ", %u", shape.radix[s]);
    }
    fprintf(file, ")\n");
}

int main(void)
{
    enum { SMOOTH_PARTS = 12, CONVOLUTION_PARTS = 4, REAL_PARTS = 4 };
    static const unsigned eighths[] = {8, 9, 10, 12, 14, 15};
    FILE *smooth[SMOOTH_PARTS], *convolution[CONVOLUTION_PARTS], *real[REAL_PARTS];
    for (int i = 0; i < SMOOTH_PARTS; i++) {
        smooth[i] = list("smooth", i);
    }
    for (int i = 0; i < CONVOLUTION_PARTS; i++) {
        convolution[i] = list("convolution", i);
    }
    for (int i = 0; i < REAL_PARTS; i++) {
        real[i] = list("real", i);
    }
    unsigned count = 0;
    for (size_t n = 6; n <= 4096; n++) {
        if (weir_fft_is_smooth(n) && (n & (n - 1)) != 0) {
            add(smooth[count++ % SMOOTH_PARTS], n);
        }
    }
    count = 0;
    for (size_t octave = 4; octave <= 2048; octave *= 2) {
        for (size_t i = 0; i < sizeof eighths / sizeof eighths[0]; i++) {
            size_t m = octave * eighths[i];
            if (m > WEIR_FFT_MAX_RADIX && m <= 16384) {
                add(convolution[count++ % CONVOLUTION_PARTS], m);
            }
        }
    }
    count = 0;
    for (size_t n = 16; n <= 8192; n++) { /* half of a real length: 2^k {1, 3, 5, 15, 125} */
        size_t odd = n;
        while (odd % 2 == 0) {
            odd /= 2;
        }
        if (odd == 1 || (n <= 4096 && (odd == 3 || odd == 5 || odd == 15 || odd == 125))) {
            add(real[count++ % REAL_PARTS], n);
        }
    }
    return 0;
}
