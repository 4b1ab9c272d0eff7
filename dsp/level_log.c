#include "dsp/level_log.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_BLOCK_SAMPLES 64
#define MOST_BLOCKS ((size_t)1024)

typedef struct entry {
    uint64_t block; /* ordinal of block_samples samples */
    uint64_t end;   /* after the last sample in it      */
    weir_level_sums sums;
} entry;

struct weir_level_log {
    weir_level_sums none; /* of the format and channel */
    uint64_t block_samples;
    size_t n;
    entry entries[MOST_BLOCKS];
};

weir_status weir_level_log_create(weir_level_log **out, const weir_sample_format *format,
                                  unsigned channel, weir_error *err)
{
    weir_level_log *log = calloc(1, sizeof *log);
    *out = log;
    if (!log) {
        return weir_fail(err, WEIR_ERR_NOMEM, "no memory for the levels of %zu blocks",
                         MOST_BLOCKS);
    }
    log->block_samples = FIRST_BLOCK_SAMPLES;
    weir_level_sums_init(&log->none, format, channel);
    return WEIR_OK;
}

/* Twice as long blocks: half as many, where there are no gaps. */
static void coarsen(weir_level_log *log)
{
    size_t kept = 0;
    log->block_samples *= 2;
    for (size_t i = 0; i < log->n; i++) {
        entry *from = &log->entries[i];
        from->block /= 2;
        if (kept > 0 && log->entries[kept - 1].block == from->block) {
            weir_level_sums_join(&log->entries[kept - 1].sums, &from->sums);
            log->entries[kept - 1].end = from->end;
        } else {
            log->entries[kept++] = *from;
        }
    }
    log->n = kept;
}

static entry *entry_for(weir_level_log *log, uint64_t sample)
{
    while (log->n == MOST_BLOCKS && log->entries[log->n - 1].block != sample / log->block_samples) {
        coarsen(log);
    }
    uint64_t block = sample / log->block_samples;
    if (log->n == 0 || log->entries[log->n - 1].block != block) {
        log->entries[log->n++] = (entry){.block = block, .sums = log->none};
    }
    return &log->entries[log->n - 1];
}

void weir_level_log_add(weir_level_log *log, uint64_t first, const void *samples, size_t n)
{
    const unsigned char *at = samples;
    size_t stride = weir_format_stride_bytes(&log->none.format);
    while (n > 0) {
        entry *e = entry_for(log, first);
        uint64_t left = log->block_samples - first % log->block_samples;
        size_t part = n < left ? n : (size_t)left;
        weir_level_sums_add(&e->sums, at, part);
        at += part * stride;
        first += part;
        n -= part;
        e->end = first;
    }
}

weir_level_sums weir_level_log_take(weir_level_log *log, uint64_t end_sample)
{
    weir_level_sums sum = log->none;
    size_t taken = 0;
    while (taken < log->n && log->entries[taken].end <= end_sample) {
        weir_level_sums_join(&sum, &log->entries[taken++].sums);
    }
    log->n -= taken;
    memmove(log->entries, log->entries + taken, log->n * sizeof log->entries[0]);
    return sum;
}

void weir_level_log_destroy(weir_level_log *log)
{
    free(log);
}
