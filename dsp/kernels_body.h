/* The bodies of dsp/kernels_cpu.c, included once per instruction set: no include guard.
 * Expects KERNEL(name), which makes a name of its own for the set, and TARGET, the
 * function attribute that selects it. */

TARGET static void KERNEL(unpack_u8)(const uint8_t *raw, float zero, const float *restrict weight,
                                     float *restrict out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = ((float)raw[i] - zero) * weight[i];
    }
}

TARGET static void KERNEL(unpack_s8)(const uint8_t *raw, float zero, const float *restrict weight,
                                     float *restrict out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = ((float)(int8_t)raw[i] - zero) * weight[i];
    }
}

TARGET static void KERNEL(unpack_s16)(const uint8_t *raw, float zero, const float *restrict weight,
                                      float *restrict out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int16_t value;
        memcpy(&value, raw + 2 * i, sizeof value);
        out[i] = ((float)value - zero) * weight[i];
    }
}

TARGET static void KERNEL(unpack_f32)(const uint8_t *raw, float zero, const float *restrict weight,
                                      float *restrict out, size_t n)
{
    const float limit = (float)WEIR_SAMPLE_LIMIT;
    (void)zero;
    for (size_t i = 0; i < n; i++) {
        float value;
        memcpy(&value, raw + 4 * i, sizeof value);
        value = fabsf(value) <= FLT_MAX ? value : 0.0f;
        value = value > limit ? limit : value;
        value = value < -limit ? -limit : value;
        out[i] = value * weight[i];
    }
}

TARGET static void KERNEL(multiply)(float *restrict x, const float *restrict weight, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        x[i] *= weight[i];
    }
}

TARGET static void KERNEL(detrend)(float *restrict x, const float *mean,
                                   const float *restrict weight, size_t n)
{
    const float even = mean[0], odd = mean[1];
    for (size_t i = 0; i < n / 2; i++) {
        x[2 * i] = (x[2 * i] - even) * weight[2 * i];
        x[2 * i + 1] = (x[2 * i + 1] - odd) * weight[2 * i + 1];
    }
    if (n % 2 != 0) {
        x[n - 1] = (x[n - 1] - even) * weight[n - 1];
    }
}

TARGET static void KERNEL(sum)(const float *x, size_t n, double *sums)
{
    enum { LANES = 16 };
    double lane[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        for (size_t k = 0; k < LANES; k++) {
            lane[k] += (double)x[i + k];
        }
    }
    for (; i < n; i++) {
        lane[i % LANES] += (double)x[i];
    }
    sums[0] = sums[1] = 0;
    for (size_t k = 0; k < LANES; k++) {
        sums[k % 2] += lane[k];
    }
}

#define POWER_KERNEL(name, expression)                                                             \
    TARGET static void KERNEL(name)(const float *restrict x, float *restrict line, size_t n_bins,  \
                                    float keep, float gain)                                        \
    {                                                                                              \
        (void)keep;                                                                                \
        (void)gain;                                                                                \
        for (size_t k = 0; k < n_bins; k++) {                                                      \
            float re = x[2 * k], im = x[2 * k + 1];                                                \
            float p = re * re + im * im, old = line[k];                                            \
            line[k] = (expression);                                                                \
        }                                                                                          \
    }

POWER_KERNEL(power_store, ((void)old, gain *p))
POWER_KERNEL(power_add, old + p)
POWER_KERNEL(power_decay, keep *old + gain * p)
POWER_KERNEL(power_max, p > old ? p : old)
POWER_KERNEL(power_min, p < old ? p : old)
#undef POWER_KERNEL

/* The codes that clip are moved to the bottom, 0 .. 2 low - 1, by adding low. */
#define COUNT_KERNELS(bits, type)                                                                  \
    TARGET static uint64_t KERNEL(count_##bits)(const uint8_t *raw, size_t n, uint32_t flip,       \
                                                uint32_t low)                                      \
    {                                                                                              \
        const type limit = (type)(2 * low - 1);                                                    \
        uint16_t clipped = 0;                                                                      \
        for (size_t i = 0; i < n; i++) {                                                           \
            type a;                                                                                \
            memcpy(&a, raw + sizeof a * i, sizeof a);                                              \
            a = (type)((a ^ (type)flip) + (type)low);                                              \
            clipped = (uint16_t)(clipped + (a <= limit));                                          \
        }                                                                                          \
        return clipped;                                                                            \
    }                                                                                              \
    TARGET static uint64_t KERNEL(count_pairs_##bits)(const uint8_t *raw, size_t n, uint32_t flip, \
                                                      uint32_t low)                                \
    {                                                                                              \
        const type limit = (type)(2 * low - 1);                                                    \
        uint16_t clipped = 0;                                                                      \
        for (size_t i = 0; i < n; i++) {                                                           \
            type a, b;                                                                             \
            memcpy(&a, raw + 2 * sizeof a * i, sizeof a);                                          \
            memcpy(&b, raw + 2 * sizeof a * i + sizeof a, sizeof b);                               \
            a = (type)((a ^ (type)flip) + (type)low);                                              \
            b = (type)((b ^ (type)flip) + (type)low);                                              \
            clipped = (uint16_t)(clipped + ((a <= limit) | (b <= limit)));                         \
        }                                                                                          \
        return clipped;                                                                            \
    }
COUNT_KERNELS(8, uint8_t)
COUNT_KERNELS(16, uint16_t)
#undef COUNT_KERNELS

/* IEEE 754 magnitudes compare as integers: 1.0f is 0x3f800000, infinity 0x7f800000. */
TARGET static void KERNEL(count_f32)(const uint8_t *raw, size_t n, weir_sample_counts *counts)
{
    uint32_t clipped = 0, nonfinite = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t a;
        memcpy(&a, raw + 4 * i, 4);
        a &= 0x7fffffffu;
        clipped += (a > 0x3f800000u) & (a <= 0x7f800000u);
        nonfinite += a >= 0x7f800000u;
    }
    counts->clipped += clipped;
    counts->nonfinite += nonfinite;
}

TARGET static void KERNEL(count_pairs_f32)(const uint8_t *raw, size_t n, weir_sample_counts *counts)
{
    uint32_t clipped = 0, nonfinite = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t a, b;
        memcpy(&a, raw + 8 * i, 4);
        memcpy(&b, raw + 8 * i + 4, 4);
        a &= 0x7fffffffu;
        b &= 0x7fffffffu;
        clipped +=
            ((a > 0x3f800000u) & (a <= 0x7f800000u)) | ((b > 0x3f800000u) & (b <= 0x7f800000u));
        nonfinite += (a >= 0x7f800000u) | (b >= 0x7f800000u);
    }
    counts->clipped += clipped;
    counts->nonfinite += nonfinite;
}

#define KERNEL_ROW(label)                                                                          \
    {                                                                                              \
        .name = label, .supported = KERNEL(supported), .unpack_u8 = KERNEL(unpack_u8),             \
        .unpack_s8 = KERNEL(unpack_s8), .unpack_s16 = KERNEL(unpack_s16),                          \
        .unpack_f32 = KERNEL(unpack_f32), .multiply = KERNEL(multiply),                            \
        .detrend = KERNEL(detrend), .sum = KERNEL(sum), .power_store = KERNEL(power_store),        \
        .power_add = KERNEL(power_add), .power_decay = KERNEL(power_decay),                        \
        .power_max = KERNEL(power_max), .power_min = KERNEL(power_min),                            \
        .count_8 = KERNEL(count_8), .count_pairs_8 = KERNEL(count_pairs_8),                        \
        .count_16 = KERNEL(count_16), .count_pairs_16 = KERNEL(count_pairs_16),                    \
        .count_f32 = KERNEL(count_f32), .count_pairs_f32 = KERNEL(count_pairs_f32),                \
    }
static const weir_cpu_kernels KERNEL(kernels) = KERNEL_ROW(KERNEL_LABEL);
#undef KERNEL_ROW
