/* ctest-labels: unit
 * display/difference.h: that what differs is marked where it lies, and nothing else is; and
 * that any levels can be drawn. */
#include "display/difference.h"
#include "display/picture.h"
#include "tests/check.h"

enum { N = 2048, PLOT_WIDTH = 1024 };

static float measured[N], golden[N], low[N], high[N], difference[N], allowed[N];

static weir_difference sample(size_t n)
{
    for (size_t i = 0; i < N; i++) {
        measured[i] = golden[i] = -80;
        low[i] = -INFINITY;
        high[i] = INFINITY;
        difference[i] = 0;
        allowed[i] = 0.5f;
    }
    return (weir_difference){.title = "title",
                             .subtitle = "subtitle",
                             .settings = "settings",
                             .unit = "dBFS",
                             .reference = "golden",
                             .start_hz = 1000,
                             .bin_hz = 10,
                             .n_bins = n,
                             .measured_db = measured,
                             .low_db = golden,
                             .high_db = golden,
                             .difference_db = difference,
                             .allowed_db = allowed};
}

/* Columns of the plots with the ink of a difference; the legend lies between the plots. */
static size_t marked(const weir_difference *d, int *first, int *last)
{
    weir_canvas canvas;
    weir_error err = {.text = ""};
    size_t n = 0;
    *first = *last = -1;
    CHECK_MSG(weir_difference_draw(d, &canvas, &err) == WEIR_OK, "%s", err.text);
    int below = canvas.height - 84 - 200; /* the second plot's top */
    for (int x = 0; canvas.pixels && x < PLOT_WIDTH; x++) {
        bool found = false;
        for (int y = below; y < canvas.height; y++) {
            size_t at = (size_t)y * (size_t)canvas.width + (size_t)(WEIR_PICTURE_LEFT + x);
            found |= canvas.pixels[at] == WEIR_INK_LOSS;
        }
        n += found;
        *first = found && *first < 0 ? x : *first;
        *last = found ? x : *last;
    }
    weir_canvas_deinit(&canvas);
    return n;
}

static void test_what_differs_is_marked(void)
{
    int first, last;
    weir_difference d = sample(N);
    CHECK(marked(&d, &first, &last) == 0);
    difference[600] = 0.5f; /* as much as is allowed */
    CHECK(marked(&d, &first, &last) == 0);
    for (size_t i = 1000; i < 1100; i++) {
        difference[i] = i % 2 ? -2 : 0.1f; /* the worse of two bins of a column is shown */
    }
    size_t n = marked(&d, &first, &last);
    CHECK_MSG(first == 500 && last >= 549 && last <= 550 && n >= 50 && n <= 51,
              "%zu columns, %d to %d", n, first, last); /* 2 pixels thick */
    d.n_bins = 64;                                      /* fewer bins than columns */
    difference[63] = 3;
    n = marked(&d, &first, &last);
    CHECK_MSG(n == 16 && last == 1023, "%zu columns to %d", n, last);
}

static void test_limits(void)
{
    int first, last;
    weir_difference d = sample(N);
    d.low_db = low;
    d.high_db = high;
    CHECK(marked(&d, &first, &last) == 0); /* no limit anywhere */
    for (size_t i = 0; i < N; i++) {
        allowed[i] = 0;
        high[i] = i < 1024 ? -90 : -20;
        difference[i] = i < 1024 ? 10 : 0;
    }
    size_t n = marked(&d, &first, &last);
    CHECK_MSG(first == 0 && n >= 512 && n <= 513, "%zu columns from %d", n, first);
}

static void test_any_levels_can_be_drawn(void)
{
    int first, last;
    weir_difference d = sample(1);
    measured[0] = golden[0] = -300;
    CHECK(marked(&d, &first, &last) == 0);
    d = sample(N);
    check_rng rng = check_rng_fresh();
    for (size_t i = 0; i < N; i++) {
        measured[i] = (float)(1e4 * check_gauss(&rng));
        golden[i] = (float)(1e4 * check_gauss(&rng));
        difference[i] = measured[i] - golden[i];
        allowed[i] = 0;
    }
    CHECK(marked(&d, &first, &last) > 1000);
    for (size_t i = 0; i < N; i++) {
        allowed[i] = 1e9f; /* nothing can differ */
    }
    CHECK(marked(&d, &first, &last) == 0);
}

int main(void)
{
    RUN(test_what_differs_is_marked);
    RUN(test_limits);
    RUN(test_any_levels_can_be_drawn);
    return check_finish();
}
