#include "dsp/persistence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct weir_persistence {
    weir_persistence_config config;
    weir_bin_span *spans; /* n_columns, for the axis below */
    size_t n_bins;
    double start_hz, bin_hz;
    uint64_t *hits; /* n_columns * n_levels */
    uint64_t *seen; /* n_columns: bins that were counted */
    float *glow;
    uint64_t transforms, end_sample;
};

static weir_status check_config(const weir_persistence_config *c, weir_error *err)
{
    if (c->n_columns < 1 || c->n_levels < 1 || c->n_columns > (1u << 26) / c->n_levels) {
        return weir_fail(err, WEIR_ERR_USAGE, "persistence: a grid of %zu by %zu is not possible",
                         c->n_columns, c->n_levels);
    }
    if (!(c->high_db > c->low_db) || isinf(c->low_db) || isinf(c->high_db)) {
        return weir_fail(err, WEIR_ERR_USAGE, "persistence: levels from %g to %g dB are no range",
                         (double)c->low_db, (double)c->high_db);
    }
    if (!(c->decay_s >= 0)) {
        return weir_fail(err, WEIR_ERR_USAGE, "persistence: decay_s is %g, must not be negative",
                         c->decay_s);
    }
    return WEIR_OK;
}

weir_status weir_persistence_create(weir_persistence **out, const weir_persistence_config *config,
                                    weir_error *err)
{
    *out = NULL;
    weir_status status = check_config(config, err);
    if (status) {
        return status;
    }
    size_t cells = config->n_columns * config->n_levels;
    weir_persistence *p = calloc(1, sizeof *p);
    if (!p) {
        return weir_fail(err, WEIR_ERR_NOMEM, "no memory for a persistence of %zu cells", cells);
    }
    p->config = *config;
    p->spans = calloc(config->n_columns, sizeof *p->spans);
    p->hits = calloc(cells, sizeof *p->hits);
    p->seen = calloc(config->n_columns, sizeof *p->seen);
    if (config->decay_s > 0) {
        p->glow = calloc(cells, sizeof *p->glow);
    }
    if (!p->spans || !p->hits || !p->seen || (config->decay_s > 0 && !p->glow)) {
        weir_persistence_destroy(p);
        return weir_fail(err, WEIR_ERR_NOMEM, "no memory for a persistence of %zu cells", cells);
    }
    *out = p;
    return WEIR_OK;
}

static void follow_axis(weir_persistence *p, const weir_spectrum *s)
{
    if (p->n_bins == s->n_bins && p->start_hz == s->start_hz && p->bin_hz == s->bin_hz) {
        return;
    }
    p->n_bins = s->n_bins;
    p->start_hz = s->start_hz;
    p->bin_hz = s->bin_hz;
    weir_reduce_spans(s->n_bins, s->start_hz, s->bin_hz, &p->config.axis, p->config.n_columns,
                      p->spans);
}

/* What one transform adds to the glow; everything already there fades by the rest. */
static float fade(weir_persistence *p, const weir_spectrum *s)
{
    uint64_t from = p->transforms ? p->end_sample : s->first_sample;
    double passed = s->end_sample > from ? (double)(s->end_sample - from) / s->rate_hz : 0;
    float kept = (float)exp(-passed / p->config.decay_s);
    size_t cells = p->config.n_columns * p->config.n_levels;
    for (size_t i = 0; i < cells; i++) {
        p->glow[i] *= kept;
    }
    return 1 - kept;
}

static size_t cell_of(const weir_persistence_config *c, float db)
{
    float position = (db - c->low_db) / (c->high_db - c->low_db) * (float)c->n_levels;
    if (!(position > 0)) {
        return 0;
    }
    return position >= (float)c->n_levels ? c->n_levels - 1 : (size_t)position;
}

void weir_persistence_add(weir_persistence *persistence, const weir_spectrum *spectrum,
                          const float *db)
{
    weir_persistence *p = persistence;
    follow_axis(p, spectrum);
    float gain = p->glow ? fade(p, spectrum) : 0;
    for (size_t c = 0; c < p->config.n_columns; c++) {
        weir_bin_span span = p->spans[c];
        size_t n = span.end - span.first, base = c * p->config.n_levels;
        float share = n ? gain / (float)n : 0;
        for (size_t k = span.first; k < span.end; k++) {
            size_t cell = base + cell_of(&p->config, db[k]);
            p->hits[cell]++;
            if (p->glow) {
                p->glow[cell] += share;
            }
        }
        p->seen[c] += n;
    }
    p->transforms++;
    p->end_sample = spectrum->end_sample;
}

uint64_t weir_persistence_transforms(const weir_persistence *persistence)
{
    return persistence->transforms;
}

void weir_persistence_density(const weir_persistence *persistence, float *out)
{
    size_t levels = persistence->config.n_levels;
    for (size_t c = 0; c < persistence->config.n_columns; c++) {
        double share = persistence->seen[c] ? 1 / (double)persistence->seen[c] : 0;
        for (size_t i = c * levels; i < (c + 1) * levels; i++) {
            out[i] = (float)((double)persistence->hits[i] * share);
        }
    }
}

const float *weir_persistence_glow(const weir_persistence *persistence)
{
    return persistence->glow;
}

void weir_persistence_reset(weir_persistence *persistence)
{
    size_t cells = persistence->config.n_columns * persistence->config.n_levels;
    memset(persistence->hits, 0, cells * sizeof *persistence->hits);
    memset(persistence->seen, 0, persistence->config.n_columns * sizeof *persistence->seen);
    if (persistence->glow) {
        memset(persistence->glow, 0, cells * sizeof *persistence->glow);
    }
    persistence->transforms = 0;
}

void weir_persistence_destroy(weir_persistence *persistence)
{
    if (!persistence) {
        return;
    }
    free(persistence->spans);
    free(persistence->hits);
    free(persistence->seen);
    free(persistence->glow);
    free(persistence);
}
