/* Any bytes as rtl_power's or hackrf_sweep's CSV: levels are where they belong, times ascend. */
#include "capture/survey.h"
#include "tests/fuzz/in_memory.h"

#include <math.h>

#define MOST_BINS 100000

static void check_survey(const weir_survey *survey)
{
    const weir_survey_info *info = weir_survey_about(survey);
    weir_survey_pass pass;
    double last_s = -1;
    fuzz_require(info->n_rows >= info->n_passes && info->n_passes > 0 && info->n_bins > 0);
    fuzz_require(info->n_bins <= WEIR_SURVEY_MAX_BINS && isfinite(info->start_hz));
    fuzz_require(info->bin_hz > 0 && isfinite(info->bin_hz) && info->pass_s > 0);
    float *levels_db = info->n_bins <= MOST_BINS ? malloc(info->n_bins * sizeof(float)) : NULL;
    for (size_t i = 0; levels_db && i < info->n_passes; i++) {
        weir_survey_pass_at(survey, i, levels_db, &pass);
        fuzz_require(pass.time_s > last_s && isfinite(pass.time_s));
        last_s = pass.time_s;
        for (size_t bin = 0; bin < info->n_bins; bin++) {
            fuzz_require(isnan(levels_db[bin]) || fabsf(levels_db[bin]) <= 1e4f);
        }
    }
    free(levels_db);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FILE *file = size > 0 ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
    if (!file) {
        return 0;
    }
    weir_survey *survey;
    weir_error err = {0};
    if (weir_survey_parse(&survey, file, "fuzz", &err) == WEIR_OK) {
        check_survey(survey);
    } else {
        fuzz_require(!survey && err.text[0] != '\0');
    }
    weir_survey_destroy(survey);
    fclose(file);
    return 0;
}
