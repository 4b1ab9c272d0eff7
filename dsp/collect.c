#include "dsp/collect.h"

#include "dsp/average.h"

#include <math.h>
#include <stdlib.h>

struct weir_collect {
    weir_average *mean, *max;
    const weir_spectrum *largest; /* what max returned last; NULL: nothing was added */
    weir_spectrum result;
};

weir_status weir_collect_create(weir_collect **out, size_t max_bins, weir_error *err)
{
    *out = NULL;
    weir_collect *c = calloc(1, sizeof *c);
    if (!c) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    weir_status status = weir_average_create(&c->mean, WEIR_AVERAGE_MEAN, INFINITY, max_bins, err);
    if (status == WEIR_OK) {
        status = weir_average_create(&c->max, WEIR_AVERAGE_MAX, 0, max_bins, err);
    }
    if (status != WEIR_OK) {
        weir_collect_destroy(c);
        return status;
    }
    *out = c;
    return WEIR_OK;
}

weir_status weir_collect_add(weir_collect *collect, const weir_spectrum *spectrum, weir_error *err)
{
    const weir_spectrum *first = collect->largest ? collect->largest : spectrum;
    if (first->n_bins != spectrum->n_bins || first->start_hz != spectrum->start_hz ||
        first->bin_hz != spectrum->bin_hz) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                         "the rate or centre changes at sample %llu; a comparison needs one axis "
                         "for the whole stream (--start and --duration choose a part)",
                         (unsigned long long)spectrum->first_sample);
    }
    weir_average_add(collect->mean, spectrum, WEIR_TRACE_MEAN);
    collect->largest = weir_average_add(collect->max, spectrum, WEIR_TRACE_MAX);
    return WEIR_OK;
}

const weir_spectrum *weir_collect_result(weir_collect *collect)
{
    const weir_spectrum *mean = weir_average_flush(collect->mean);
    if (!mean) {
        return NULL;
    }
    collect->result = *mean;
    collect->result.power[WEIR_TRACE_MAX] = collect->largest->power[WEIR_TRACE_MAX];
    return &collect->result;
}

void weir_collect_destroy(weir_collect *collect)
{
    if (collect) {
        weir_average_destroy(collect->mean);
        weir_average_destroy(collect->max);
        free(collect);
    }
}
