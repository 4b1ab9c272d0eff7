/* An engine for the tests: the CUDA engine until the GPU fails, from there on the CPU's. */
#ifndef WEIR_TESTS_HANDING_OVER_H
#define WEIR_TESTS_HANDING_OVER_H

#include "cuda/engine_cuda.h"
#include "tests/check.h"

#include <stdlib.h>

typedef struct handing_over {
    weir_engine base;
    weir_engine *inner;
    weir_engine_config config;
} handing_over;

static void (*handing_over_begins)(void); /* called when an engine has been made */
static unsigned n_handed_over;

static inline bool hand_over(handing_over *e, weir_status status)
{
    if (status != WEIR_ERR_DEVICE) {
        return false;
    }
    const weir_engine_state *state = weir_engine_state_after_failure(e->inner);
    weir_engine *next = NULL;
    weir_error err = {WEIR_OK, ""};
    CHECK(state != NULL);
    CHECK_MSG(weir_engine_cpu_resume(&next, &e->config, state, &err) == WEIR_OK, "%s", err.text);
    weir_engine_destroy(e->inner);
    e->inner = next;
    n_handed_over++;
    return true;
}

static inline weir_status handing_over_push(weir_engine *engine, const weir_run *run,
                                            size_t *released, weir_error *err)
{
    handing_over *e = (handing_over *)engine;
    weir_status status = weir_engine_push(e->inner, run, released, err);
    if (hand_over(e, status)) {
        CHECK(*released == 0);
        status = weir_engine_push(e->inner, run, released, err);
    }
    return status;
}

static inline bool handing_over_busy(const weir_engine *engine)
{
    return weir_engine_busy(((const handing_over *)engine)->inner);
}

static inline weir_status handing_over_flush(weir_engine *engine, uint64_t lost_at_end,
                                             weir_error *err)
{
    handing_over *e = (handing_over *)engine;
    weir_status status = weir_engine_flush(e->inner, lost_at_end, err);
    return hand_over(e, status) ? weir_engine_flush(e->inner, lost_at_end, err) : status;
}

static inline void handing_over_totals(const weir_engine *engine, weir_totals *result)
{
    weir_engine_totals(((const handing_over *)engine)->inner, result);
}

static inline const char *handing_over_describe(const weir_engine *engine)
{
    return weir_engine_describe(((const handing_over *)engine)->inner);
}

static inline void handing_over_destroy(weir_engine *engine)
{
    weir_engine_destroy(((handing_over *)engine)->inner);
    free(engine);
}

static const weir_engine_class handing_over_class = {
    .name = "handing over",
    .push = handing_over_push,
    .busy = handing_over_busy,
    .flush = handing_over_flush,
    .totals = handing_over_totals,
    .describe = handing_over_describe,
    .destroy = handing_over_destroy,
};

static inline weir_status create_handing_over(weir_engine **out, const weir_engine_config *config,
                                              weir_error *err)
{
    handing_over *e = calloc(1, sizeof *e);
    e->base.class_ = &handing_over_class;
    e->config = *config;
    *out = NULL;
    weir_status status = weir_engine_cuda_create(&e->inner, config, err);
    if (status) {
        free(e);
        return status;
    }
    handing_over_begins();
    *out = &e->base;
    return WEIR_OK;
}

#endif
