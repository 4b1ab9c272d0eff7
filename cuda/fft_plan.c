#include "cuda/fft_plan.h"
#include "cuda/fft_prime_plan.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

#define MAX_THREADS 1024u
#define MAX_COLUMN 4096u
#define ONE_KERNEL_POINTS 16384u
#define TWO_PASS_POINTS ((size_t)1 << 23) /* measured: from 2^24 on three passes are faster */
#define CHIRP_FROM 30u                    /* shorter ones are Rader's, or bound by memory anyway */
#define MAX_PRIME 127u   /* of a direct sum; above, a convolution has fewer operations */
#define WIDE_PRIME 83u   /* ... of blocks that have an SM for themselves */
#define PRIME_UNITS 128u /* threads of a block that does one, if it can have so many    */
#define LARGEST_POINTS ((size_t)1 << 28)
#define LARGEST_BLUESTEIN ((size_t)1 << 23)

/* Real operations of a transform of R points in registers, as fft_tile.cuh does it. */
static const unsigned operations[WEIR_FFT_MAX_RADIX + 1] = {
    0, 0, 4, 14, 16, 36, 52, 66, 60, 108, 116, 150, 134, 204, 196, 226, 168};
/* ... and of everything else that a stage does for a point: exchange, twiddle, indices. */
#define STAGE_OPERATIONS 16.0

/* ---- number theory ---- */

bool weir_fft_is_smooth(size_t n)
{
    static const unsigned primes[] = {2, 3, 5, 7, 11, 13};
    for (size_t i = 0; n > 0 && i < sizeof primes / sizeof primes[0]; i++) {
        while (n % primes[i] == 0) {
            n /= primes[i];
        }
    }
    return n == 1;
}

size_t weir_fft_next_smooth(size_t n)
{
    size_t best = SIZE_MAX;
    for (size_t f7 = 1; f7 < 2 * n + 2; f7 *= 7) {
        for (size_t f5 = f7; f5 < 2 * n + 2; f5 *= 5) {
            for (size_t f3 = f5; f3 < 2 * n + 2; f3 *= 3) {
                size_t f = f3;
                while (f < n) {
                    f *= 2;
                }
                best = f < best ? f : best;
            }
        }
    }
    return best;
}

bool weir_fft_is_prime(size_t n)
{
    if (n < 4) {
        return n >= 2;
    }
    for (size_t d = 2; d * d <= n; d++) {
        if (n % d == 0) {
            return false;
        }
    }
    return true;
}

uint32_t weir_fft_power_mod(uint32_t base, uint32_t exponent, uint32_t modulus)
{
    uint64_t result = 1 % modulus, b = base % modulus;
    for (; exponent > 0; exponent /= 2) {
        if (exponent & 1) {
            result = result * b % modulus;
        }
        b = b * b % modulus;
    }
    return (uint32_t)result;
}

uint32_t weir_fft_primitive_root(uint32_t prime)
{
    for (uint32_t g = 2; g < prime; g++) {
        uint32_t rest = prime - 1;
        bool root = true;
        for (uint32_t f = 2; rest > 1 && root; f++) {
            if (rest % f == 0) {
                root = weir_fft_power_mod(g, (prime - 1) / f, prime) != 1;
                while (rest % f == 0) {
                    rest /= f;
                }
            }
        }
        if (root) {
            return g;
        }
    }
    return 1;
}

/* ---- radices ---- */

typedef struct radix_choice {
    uint32_t radix[WEIR_FFT_MAX_STAGES];
    uint32_t n;
    double cost;
} radix_choice;

/* All ways to write `rest` as a product of radices in descending order; the cheapest. */
static void choose_radices(uint32_t rest, uint32_t largest, radix_choice *trial, radix_choice *best)
{
    if (rest == 1) {
        if (trial->n > 0 && trial->cost < best->cost) {
            *best = *trial;
        }
        return;
    }
    for (uint32_t r = largest; r >= 2 && trial->n < WEIR_FFT_MAX_STAGES; r--) {
        if (rest % r != 0) {
            continue;
        }
        double cost = trial->cost;
        trial->cost += (double)operations[r] / r + STAGE_OPERATIONS;
        trial->radix[trial->n++] = r;
        if (trial->cost < best->cost) {
            choose_radices(rest / r, r, trial, best);
        }
        trial->n--;
        trial->cost = cost;
    }
}

static radix_choice cheapest_radices(size_t length)
{
    radix_choice trial = {.n = 0}, best = {.cost = 1e9};
    choose_radices((uint32_t)length, WEIR_FFT_MAX_RADIX, &trial, &best);
    return best;
}

static weir_fft_divisor divisor(uint32_t d)
{
    return (weir_fft_divisor){.d = d,
                              .magic = d <= 1 ? 0 : (uint32_t)((UINT64_C(1) << 32) / d + 1)};
}

/* ---- tiles ---- */

/* The largest radix first (its lanes meet the padded pitch), the second last (whole rows
 * of the exchange before it), the others between. */
static void place_stages(weir_fft_shape *shape, const radix_choice *choice)
{
    uint32_t s = 0, n = choice->n;
    shape->n_stages = n;
    shape->radix[s++] = choice->radix[0];
    for (uint32_t i = 2; i < n; i++) {
        shape->radix[s++] = choice->radix[i];
    }
    if (n > 1) {
        shape->radix[s] = choice->radix[1];
    }
    uint32_t before = 1;
    for (s = 0; s < n; s++) {
        uint32_t r = shape->radix[s];
        shape->before[s] = before;
        shape->after[s] = shape->length / (before * r);
        shape->table[s] = shape->table_size;
        shape->table_size += s > 0 ? (r - 1) * before : 0;
        shape->by_radix[s] = divisor(r);
        shape->by_after[s] = divisor(shape->after[s]);
        shape->by_before[s] = divisor(before);
        shape->by_group[s] = divisor(s > 0 ? before / shape->radix[0] : 1);
        shape->by_butterflies[s] = divisor(shape->length / r);
        before *= r;
    }
}

/* Position of butterfly K of the last stage, as in fft_tile.cuh. */
static uint32_t last_position(const weir_fft_shape *shape, uint32_t k)
{
    uint32_t p = 0;
    for (uint32_t s = 0; s + 1 < shape->n_stages; s++) {
        p += k % shape->radix[s] * (s == 0 ? shape->first_pitch : shape->after[s]);
        k /= shape->radix[s];
    }
    return p;
}

static uint32_t middle_position(const weir_fft_shape *shape, uint32_t s, uint32_t j)
{
    uint32_t kp = j / shape->after[s], n = j % shape->after[s];
    uint32_t pad = shape->first_pitch - shape->after[0];
    return kp * shape->radix[s] * shape->after[s] + n +
           pad * (kp / (shape->before[s] / shape->radix[0]));
}

/* How often a half warp must come again, over all stages; 8-byte words, 16 at a time. */
static unsigned bank_conflicts(const weir_fft_shape *shape)
{
    unsigned total = 0;
    for (uint32_t s = 1; s < shape->n_stages; s++) {
        uint32_t butterflies = shape->length / shape->radix[s];
        uint32_t looked_at = butterflies < 512 ? butterflies : 512;
        unsigned stage = 0;
        for (uint32_t first = 0; first < looked_at; first += 16) {
            unsigned banks[16] = {0}, worst = 0;
            for (uint32_t j = first; j < first + 16 && j < butterflies; j++) {
                uint32_t p = s + 1 == shape->n_stages ? last_position(shape, j)
                                                      : middle_position(shape, s, j);
                unsigned here = ++banks[p % 16];
                worst = here > worst ? here : worst;
            }
            stage += worst;
        }
        total += s + 1 == shape->n_stages ? stage : 2 * stage; /* read, or read and written */
    }
    return total;
}

static void choose_pad(weir_fft_shape *shape)
{
    uint32_t best_pad = 0;
    unsigned best = ~0u;
    for (uint32_t pad = 0; pad < 16 && shape->n_stages > 1; pad++) {
        shape->first_pitch = shape->after[0] + pad;
        unsigned conflicts = bank_conflicts(shape);
        if (conflicts < best) {
            best = conflicts;
            best_pad = pad;
        }
    }
    shape->first_pitch = shape->after[0] + best_pad;
}

/* Points of a tile: enough for the threads, few enough for several blocks at once. */
static uint32_t lines_of(const weir_fft_shape *shape, bool columns)
{
    uint32_t length = shape->length;
    if (columns) {
        return length <= 512 ? 16 : length <= 2048 ? 8 : 4;
    }
    uint32_t lines = 2048 / length;
    return lines > 0 ? lines : 1;
}

/* Columns that kernels of their own do better than the rule's: radix 32 saves an exchange,
 * and 32 lines are runs of 256 bytes (bench/results/fft-h200.md). */
typedef struct column_choice {
    uint32_t length, lines;
    radix_choice choice;
} column_choice;

static const column_choice *find_column(size_t length)
{
    static const column_choice rows[] = {
        {256, 32, {.radix = {16, 16}, .n = 2}},
        {512, 16, {.radix = {32, 16}, .n = 2}},
        {1024, 8, {.radix = {32, 32}, .n = 2}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].length == length) {
            return &rows[i];
        }
    }
    return NULL;
}

/* compiled: both ends are plain, as the kernels for one length each want them. */
static bool plan_shape(weir_fft_shape *shape, size_t length, bool columns, bool compiled)
{
    uint32_t lines = 0;
    memset(shape, 0, sizeof *shape);
    if (length == 0 || length > WEIR_FFT_MAX_TILE || !weir_fft_is_smooth(length)) {
        return false;
    }
    shape->length = (uint32_t)length;
    if (length == 1) {
        shape->n_stages = 1; /* a copy: radix 1 */
        shape->radix[0] = shape->before[0] = shape->after[0] = 1;
    } else {
        const column_choice *known = compiled && columns ? find_column(length) : NULL;
        radix_choice choice = known ? known->choice : cheapest_radices(length);
        lines = known ? known->lines : 0;
        if (choice.n == 0) {
            return false;
        }
        place_stages(shape, &choice);
    }
    shape->interleaved = columns;
    shape->staged = !columns && shape->after[0] < WEIR_FFT_STAGED_BELOW;
    shape->first_pitch = shape->after[0];
    shape->lines = lines ? lines : lines_of(shape, columns);
    if (columns) {
        shape->pitch = shape->lines + 1; /* lanes along a row meet different banks too */
    } else {
        choose_pad(shape);
        shape->pitch = shape->first_pitch * shape->radix[0];
        shape->pitch |= 1; /* lines apart by an odd number of words */
    }
    size_t points =
        columns ? (size_t)shape->length * shape->pitch : (size_t)shape->lines * shape->pitch;
    shape->shared_bytes = points * 8;
    uint32_t threads = shape->lines * shape->length / (shape->radix[0] > 8 ? shape->radix[0] : 8);
    threads = (threads + 31) / 32 * 32;
    shape->threads = threads < 64 ? 64 : threads > MAX_THREADS ? MAX_THREADS : threads;
    shape->by_lines = divisor(shape->lines);
    shape->by_length = divisor(shape->length);
    return true;
}

bool weir_fft_shape_plan(weir_fft_shape *shape, size_t length, bool columns)
{
    return plan_shape(shape, length, columns, false);
}

/* ---- a prime first ---- */

static radix_choice after_prime(uint32_t prime, size_t rest)
{
    radix_choice choice = {.radix = {prime}, .n = 1};
    if (rest > 1) {
        radix_choice others = cheapest_radices(rest);
        memcpy(choice.radix + 1, others.radix, others.n * sizeof *others.radix);
        choice.n += others.n;
    }
    return choice;
}

static uint32_t prime_units(uint32_t groups, uint32_t columns)
{
    return groups * ((columns + 1) / 2);
}

/* As many transforms as give PRIME_UNITS threads work, or one. */
static void share_prime(weir_fft_prime *plan)
{
    weir_fft_shape *shape = &plan->shape;
    uint32_t rest = shape->after[0];
    plan->half = (shape->radix[0] - 1) / 2;
    plan->groups = (plan->half + WEIR_FFT_PRIME_BINS - 1) / WEIR_FFT_PRIME_BINS;
    shape->lines = 1;
    while (prime_units(plan->groups, (shape->lines + 1) * rest) <= PRIME_UNITS) {
        shape->lines++;
    }
    plan->columns = shape->lines * rest;
    plan->units = prime_units(plan->groups, plan->columns);
    plan->pitch = plan->columns | 1; /* rows and columns meet different banks */
    plan->by_pairs = divisor(plan->half * rest);
    plan->by_apart = divisor((plan->columns + 1) / 2);
    shape->threads = (plan->units + 31) / 32 * 32;
}

/* The pairs lie where the results come. */
static size_t prime_bytes(const weir_fft_prime *plan)
{
    size_t pairs = (size_t)plan->half * plan->pitch * 16 + (size_t)plan->columns * 8;
    size_t results = (size_t)plan->shape.lines * plan->shape.pitch * 8;
    return ((pairs > results ? pairs : results) + 15) / 16 * 16;
}

static void plan_prime_shape(weir_fft_prime *plan, uint32_t length, uint32_t prime)
{
    weir_fft_shape *shape = &plan->shape;
    radix_choice choice = after_prime(prime, length / prime);
    shape->length = length;
    place_stages(shape, &choice);
    share_prime(plan);
    choose_pad(shape);
    shape->pitch = (shape->first_pitch * prime) | 1;
    shape->by_lines = divisor(shape->lines);
    shape->by_length = divisor(length);
    shape->shared_bytes = prime_bytes(plan);
}

/* The largest prime whose sum beats Bluestein's convolution (bench/results/fft-h200.md). */
static uint32_t largest_prime(size_t n)
{
    static const struct {
        size_t below;
        uint32_t prime;
    } rows[] = {{512, MAX_PRIME}, {2048, 61}, {2560, 79}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (n < rows[i].below) {
            return rows[i].prime;
        }
    }
    return MAX_PRIME;
}

bool weir_fft_prime_plan(weir_fft_prime *plan, size_t n, size_t shared_bytes)
{
    uint32_t prime = 17, largest = largest_prime(n);
    memset(plan, 0, sizeof *plan);
    while (prime <= largest && (n % prime != 0 || !weir_fft_is_prime(prime))) {
        prime += 2;
    }
    if (n == 0 || n > WEIR_FFT_MAX_TILE || prime > largest || !weir_fft_is_smooth(n / prime)) {
        return false;
    }
    plan_prime_shape(plan, (uint32_t)n, prime);
    bool alone = plan->shape.threads > WEIR_FFT_PRIME_THREADS / 2;
    bool possible = plan->shape.threads <= WEIR_FFT_PRIME_THREADS &&
                    plan->shape.shared_bytes <= shared_bytes && (!alone || prime <= WIDE_PRIME);
    plan->units = possible ? plan->units : 0;
    return possible;
}

/* ---- which method ---- */

/* The least of 2^k {8, 9, 10, 12, 14, 15} that is >= at_least: a kernel of its own each
 * (fft_fixed_convolutions.inc). 0 if it does not fit. */
static size_t convolution_length(size_t at_least)
{
    static const unsigned eighths[] = {8, 9, 10, 12, 14, 15};
    for (size_t octave = 1; octave * 8 <= WEIR_FFT_MAX_TILE; octave *= 2) {
        for (size_t i = 0; i < sizeof eighths / sizeof eighths[0]; i++) {
            if (octave * eighths[i] >= at_least) {
                return octave * eighths[i] <= WEIR_FFT_MAX_TILE ? octave * eighths[i] : 0;
            }
        }
    }
    return 0;
}

/* The factor pair nearest to a square with both factors within a column tile. */
static bool split_in_two(size_t m, uint32_t *factors)
{
    size_t root = (size_t)sqrt((double)m) + 1;
    for (size_t d = root; d >= 2; d--) {
        if (m % d == 0 && m / d <= MAX_COLUMN && d <= MAX_COLUMN) {
            factors[0] = (uint32_t)d;
            factors[1] = (uint32_t)(m / d);
            return true;
        }
    }
    return false;
}

static bool split_in_three(size_t m, uint32_t *factors)
{
    for (size_t d = (size_t)cbrt((double)m) + 1; d >= 2; d--) {
        if (m % d == 0 && split_in_two(m / d, factors + 1)) {
            factors[0] = (uint32_t)d;
            return true;
        }
    }
    return false;
}

static bool fits(const weir_fft_layout *layout, const weir_fft_shape *shape)
{
    return shape->shared_bytes <= layout->shared_bytes;
}

static bool plan_columns(weir_fft_layout *layout, unsigned n_passes, bool compiled)
{
    layout->n_passes = n_passes;
    for (unsigned p = 0; p < n_passes; p++) {
        if (!plan_shape(&layout->shapes[p], layout->factors[p], true, compiled) ||
            !fits(layout, &layout->shapes[p])) {
            return false;
        }
    }
    return true;
}

static bool plan_passes(weir_fft_layout *layout, const weir_fft_rules *rules)
{
    unsigned wanted = rules->passes;
    bool two = wanted == 2 || (wanted != 3 && layout->m <= TWO_PASS_POINTS);
    if (two && split_in_two(layout->m, layout->factors) && plan_columns(layout, 2, rules->plain)) {
        return true;
    }
    return split_in_three(layout->m, layout->factors) && plan_columns(layout, 3, rules->plain);
}

static bool plan_one(weir_fft_layout *layout, weir_fft_method method, size_t m)
{
    layout->method = method;
    layout->m = m;
    layout->n_passes = 1;
    layout->factors[0] = (uint32_t)m;
    return weir_fft_shape_plan(&layout->shapes[0], m, false) && fits(layout, &layout->shapes[0]);
}

/* The middle kernel of a convolution in passes works on rows. */
static bool plan_large_bluestein(weir_fft_layout *layout)
{
    layout->method = WEIR_FFT_BLUESTEIN_PASSES;
    for (size_t m = 2 * layout->n - 1;; m++) {
        m = weir_fft_next_smooth(m);
        layout->m = m;
        if (m % 64 == 0 && split_in_two(m, layout->factors) && plan_columns(layout, 2, false)) {
            return weir_fft_shape_plan(&layout->shapes[1], layout->factors[1], false);
        }
        if (m > 4 * layout->n + 64) {
            return false;
        }
    }
}

/* The kernels there are; of a length the fastest first (bench/results/fft-h200.md). */
static const weir_fft_wide wide_kernels[] = {
#define WEIR_WIDE(BLOCKS, THREADS, ...) {BLOCKS, THREADS, {__VA_ARGS__}},
#include "cuda/fft_wide_kernels.inc"
#undef WEIR_WIDE
};

static const weir_fft_chirp chirp_kernels[] = {
#define WEIR_CHIRP(LINES, THREADS, BLOCKS, ...) {LINES, THREADS, {__VA_ARGS__}},
#include "cuda/fft_chirp_long.inc"
#include "cuda/fft_chirp_middle.inc"
#include "cuda/fft_chirp_short.inc"
#undef WEIR_CHIRP
};

/* As fft_wide.cuh lays it out: the rows, each two values longer. */
static size_t wide_bytes(const weir_fft_wide *wide, size_t points)
{
    size_t rows = wide->radix[0] * wide->radix[1] / wide->blocks;
    return (points / wide->blocks + 2 * rows) * 2 * sizeof(float);
}

static bool plan_wide(weir_fft_layout *layout, const weir_fft_rules *rules)
{
    unsigned most = rules->cluster ? rules->cluster : 16;
    for (size_t i = 0; i < sizeof wide_kernels / sizeof wide_kernels[0]; i++) {
        const weir_fft_wide *wide = &wide_kernels[i];
        const uint32_t *r = wide->radix;
        if ((size_t)r[0] * r[1] * r[2] * r[3] == layout->n && wide->blocks <= most &&
            wide_bytes(wide, layout->n) <= layout->shared_bytes) {
            layout->method = WEIR_FFT_WIDE;
            layout->m = layout->n;
            layout->factors[0] = (uint32_t)layout->n;
            layout->n_passes = 1;
            layout->wide = *wide;
            return true;
        }
    }
    return false;
}

/* The shortest convolution that holds it, whatever the order of the list. */
static bool plan_chirp(weir_fft_layout *layout)
{
    size_t best = 0;
    for (size_t i = 0; i < sizeof chirp_kernels / sizeof chirp_kernels[0]; i++) {
        const weir_fft_chirp *chirp = &chirp_kernels[i];
        size_t m = (size_t)chirp->radix[0] * chirp->radix[1] * chirp->radix[2];
        size_t bytes = chirp->lines * (m + 2 * chirp->radix[0]) * 2 * sizeof(float);
        if (m >= 2 * layout->n - 1 && bytes <= layout->shared_bytes && (best == 0 || m < best)) {
            best = m;
            layout->chirp = *chirp;
        }
    }
    if (best == 0) {
        return false;
    }
    layout->method = WEIR_FFT_CHIRP;
    layout->m = best;
    layout->factors[0] = (uint32_t)best;
    layout->n_passes = 1;
    return true;
}

static weir_status plan_smooth(weir_fft_layout *layout, const weir_fft_rules *rules,
                               weir_error *err)
{
    size_t n = layout->n;
    if (rules->plain && rules->passes == 0 && plan_wide(layout, rules)) {
        return WEIR_OK;
    }
    if (rules->passes < 2 && n <= (rules->passes == 1 ? WEIR_FFT_MAX_TILE : ONE_KERNEL_POINTS) &&
        plan_one(layout, WEIR_FFT_ONE_KERNEL, n)) {
        return WEIR_OK;
    }
    layout->method = WEIR_FFT_PASSES;
    layout->m = n;
    if (n <= LARGEST_POINTS && plan_passes(layout, rules)) {
        return WEIR_OK;
    }
    return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                     "a transform of %zu points is not possible on the GPU; 2^28 is the largest",
                     n);
}

static weir_status plan_other(weir_fft_layout *layout, const weir_fft_rules *rules, weir_error *err)
{
    size_t n = layout->n;
    if (rules->plain && n >= CHIRP_FROM && plan_chirp(layout)) {
        return WEIR_OK;
    }
    if (!rules->bluestein && n <= WEIR_FFT_MAX_TILE && weir_fft_is_smooth(n - 1) &&
        weir_fft_is_prime(n) && plan_one(layout, WEIR_FFT_RADER, n - 1)) {
        layout->generator = weir_fft_primitive_root((uint32_t)n);
        return WEIR_OK;
    }
    size_t m = n <= WEIR_FFT_MAX_TILE ? convolution_length(2 * n - 1) : 0;
    if (m > 0 && plan_one(layout, WEIR_FFT_BLUESTEIN, m)) {
        return WEIR_OK;
    }
    if (n <= LARGEST_BLUESTEIN && plan_large_bluestein(layout)) {
        return WEIR_OK;
    }
    return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                     "a transform of %zu points is not possible on the GPU: it has prime factors "
                     "above 13, and for those 2^23 is the largest",
                     n);
}

weir_status weir_fft_layout_plan(weir_fft_layout *layout, size_t n, const weir_fft_rules *rules,
                                 weir_error *err)
{
    static const weir_fft_rules none = {0};
    rules = rules ? rules : &none;
    memset(layout, 0, sizeof *layout);
    layout->n = n;
    layout->shared_bytes = (size_t)(rules->shared_kib ? rules->shared_kib : 227) * 1024;
    if (n < 1) {
        return weir_fail(err, WEIR_ERR_USAGE, "a transform needs at least one point");
    }
    bool smooth = weir_fft_is_smooth(n) && !rules->bluestein;
    return smooth ? plan_smooth(layout, rules, err) : plan_other(layout, rules, err);
}

/* ---- in words ---- */

typedef struct writer {
    char *text;
    size_t size, used;
} writer;

static void say(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(writer *w, const char *format, ...)
{
    if (w->used + 1 < w->size) {
        va_list args;
        va_start(args, format);
        int n = weir_vsnprintf(w->text + w->used, w->size - w->used, format, args);
        va_end(args);
        w->used += n > 0 ? (size_t)n : 0;
    }
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

static void say_radices(writer *w, const weir_fft_shape *shape)
{
    for (uint32_t s = 0; s < shape->n_stages; s++) {
        say(w, "%s%u", s ? " x " : "", shape->radix[s]);
    }
}

static void say_tile(writer *w, const weir_fft_shape *shape, const char *what)
{
    say(w, "  %s of %u point%s, %s ", what, shape->length, plural(shape->length),
        shape->n_stages == 1 ? "radix" : "radices");
    say_radices(w, shape);
    say(w, "; %u at a time, %u threads, %.1f KiB of shared memory\n", shape->lines, shape->threads,
        (double)shape->shared_bytes / 1024);
}

static void say_chirp(writer *w, const weir_fft_layout *layout)
{
    const weir_fft_chirp *chirp = &layout->chirp;
    say(w,
        "%zu points: Bluestein, one kernel (a prime factor above 13): a convolution of %zu points\n"
        "  radices %u x ",
        layout->n, layout->m, chirp->radix[0]);
    if (chirp->radix[1] > 1) {
        say(w, "%u x ", chirp->radix[1]);
    }
    say(w, "%u, there and back, compiled for this length; %u at a time, %u threads\n",
        chirp->radix[2], chirp->lines, chirp->threads);
}

static void say_wide(writer *w, const weir_fft_layout *layout)
{
    const weir_fft_wide *wide = &layout->wide;
    uint32_t columns = wide->radix[0] * wide->radix[1], rows = wide->radix[2] * wide->radix[3];
    say(w, "%zu points: one kernel", layout->n);
    say(w, wide->blocks > 1 ? ", each by a cluster of %u blocks that share their memory\n" : "\n",
        wide->blocks);
    say(w,
        "  columns of %u points, radices %u x %u, then rows of %u, radices %u x %u; %u threads\n",
        columns, wide->radix[0], wide->radix[1], rows, wide->radix[2], wide->radix[3],
        wide->threads);
}

char *weir_fft_prime_explain(const weir_fft_prime *plan, char *text, size_t size)
{
    writer w = {text, size, 0};
    say(&w, "%u points: mixed radix, one kernel; the prime %u first, as a direct sum\n",
        plan->shape.length, plan->shape.radix[0]);
    say_tile(&w, &plan->shape, "transforms");
    return text;
}

char *weir_fft_layout_explain(const weir_fft_layout *layout, char *text, size_t size)
{
    writer w = {text, size, 0};
    const weir_fft_shape *tiles = layout->shapes;
    if (size > 0) {
        text[0] = '\0';
    }
    switch (layout->method) {
    case WEIR_FFT_ONE_KERNEL:
        say(&w, "%zu point%s: mixed radix, one kernel\n", layout->n, plural(layout->n));
        say_tile(&w, &tiles[0], "transforms");
        break;
    case WEIR_FFT_RADER:
        say(&w,
            "%zu points: Rader, one kernel (a prime, and %zu is smooth; generator %u): a "
            "convolution of %zu points\n",
            layout->n, layout->m, layout->generator, layout->m);
        say_tile(&w, &tiles[0], "transforms, there and back,");
        break;
    case WEIR_FFT_BLUESTEIN:
        say(&w,
            "%zu points: Bluestein, one kernel (a prime factor above 13): a convolution of %zu "
            "points, the cheapest smooth length from 2n - 1\n",
            layout->n, layout->m);
        say_tile(&w, &tiles[0], "transforms, there and back,");
        break;
    case WEIR_FFT_WIDE:
        say_wide(&w, layout);
        break;
    case WEIR_FFT_CHIRP:
        say_chirp(&w, layout);
        break;
    case WEIR_FFT_PASSES:
        say(&w, "%zu points: mixed radix, %u kernels (%u x %u", layout->n, layout->n_passes,
            layout->factors[0], layout->factors[1]);
        say(&w, layout->n_passes > 2 ? " x %u)\n" : ")\n", layout->factors[2]);
        for (unsigned p = 0; p < layout->n_passes; p++) {
            say_tile(&w, &tiles[p], "columns");
        }
        break;
    case WEIR_FFT_BLUESTEIN_PASSES:
        say(&w,
            "%zu points: Bluestein, three kernels (a prime factor above 13): a convolution of "
            "%zu = %u x %u points\n",
            layout->n, layout->m, layout->factors[0], layout->factors[1]);
        say_tile(&w, &tiles[0], "columns, there and back,");
        say_tile(&w, &tiles[1], "rows, there and back,");
        break;
    }
    return text;
}
