/* ctest-labels: unit
 * Of the source template; copy it to tests/test_NAME.c. */
#include "capture/source.h"
#include "check.h"

#include <string.h>

static void test_all_samples(void)
{
    weir_source *source = NULL;
    weir_source_options options;
    weir_error err = {0};
    int16_t samples[7];
    uint64_t n_seen = 0;
    weir_source_options_init(&options);
    CHECK(weir_source_open(&source, "steps:1000", &options, &err) == WEIR_OK);
    CHECK(source->info.n_samples == 1000 && source->info.rate_hz == 48000);
    for (;;) {
        weir_read got = {0};
        CHECK(source->class_->read(source, samples, 7, &got, &err) == WEIR_OK);
        if (got.n_samples == 0) {
            break;
        }
        CHECK(samples[0] == (int16_t)n_seen);
        n_seen += got.n_samples;
    }
    CHECK(n_seen == 1000);
    weir_source_close(source);
}

static void test_refusals(void)
{
    weir_source *source = NULL;
    weir_source_options options;
    weir_error err = {0};
    weir_source_options_init(&options);
    CHECK(weir_source_open(&source, "steps:many", &options, &err) == WEIR_ERR_USAGE);
    CHECK(strstr(err.text, "steps"));
}

int main(void)
{
    RUN(test_all_samples);
    RUN(test_refusals);
    return check_finish();
}
