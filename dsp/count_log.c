#include "dsp/count_log.h"

#include <stdlib.h>

/* Looked at in one go where blocks are smaller: mostly there is nothing to count. */
#define LOOK_SAMPLES 64

typedef struct entry {
    uint64_t block; /* ordinal of block_samples samples */
    weir_sample_counts counts;
} entry;

struct weir_count_log {
    weir_sample_format format;
    unsigned channel;
    uint64_t block_samples;
    size_t capacity, first, n; /* entries[first], n of them, around the end */
    entry *entries;
};

weir_status weir_count_log_create(weir_count_log **out, const weir_sample_format *format,
                                  unsigned channel, uint64_t block_samples, size_t n_blocks,
                                  weir_error *err)
{
    *out = NULL;
    weir_count_log *log = calloc(1, sizeof *log);
    if (log) {
        *log = (weir_count_log){.format = *format,
                                .channel = channel,
                                .block_samples = block_samples,
                                .capacity = n_blocks + 2}; /* and two that are cut off */
        log->entries = calloc(log->capacity, sizeof *log->entries);
    }
    if (!log || !log->entries) {
        weir_count_log_destroy(log);
        return weir_fail(err, WEIR_ERR_NOMEM, "no memory to count %zu blocks", n_blocks);
    }
    *out = log;
    return WEIR_OK;
}

static entry *entry_at(const weir_count_log *log, size_t i)
{
    size_t place = log->first + i; /* both are below the capacity */
    return &log->entries[place < log->capacity ? place : place - log->capacity];
}

static void add_counts(weir_sample_counts *sum, const weir_sample_counts *part)
{
    sum->clipped += part->clipped;
    sum->nonfinite += part->nonfinite;
}

static void drop_first(weir_count_log *log)
{
    log->first = log->first + 1 < log->capacity ? log->first + 1 : 0;
    log->n--;
}

static void add_to_block(weir_count_log *log, uint64_t block, const weir_sample_counts *counts)
{
    if (log->n > 0 && entry_at(log, log->n - 1)->block == block) {
        add_counts(&entry_at(log, log->n - 1)->counts, counts);
        return;
    }
    if (log->n == log->capacity) {
        add_counts(&entry_at(log, 1)->counts, &entry_at(log, 0)->counts);
        drop_first(log);
    }
    *entry_at(log, log->n++) = (entry){block, *counts};
}

/* A run in which something was found: in its block, or sample by sample in theirs. */
static void add_run(weir_count_log *log, uint64_t first, const unsigned char *samples, size_t n,
                    const weir_sample_counts *counts)
{
    size_t stride = weir_format_stride_bytes(&log->format);
    if (log->block_samples >= LOOK_SAMPLES) {
        add_to_block(log, first / log->block_samples, counts);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        weir_sample_counts one = {0, 0};
        weir_format_count(&log->format, log->channel, samples + i * stride, 1, &one);
        if (one.clipped > 0 || one.nonfinite > 0) {
            add_to_block(log, (first + i) / log->block_samples, &one);
        }
    }
}

weir_sample_counts weir_count_log_add(weir_count_log *log, uint64_t first, const void *samples,
                                      size_t n)
{
    const unsigned char *at = samples;
    size_t stride = weir_format_stride_bytes(&log->format);
    weir_sample_counts all = {0, 0};
    while (n > 0) {
        uint64_t block = log->block_samples, left = block - first % block;
        left = block < LOOK_SAMPLES ? LOOK_SAMPLES : left;
        size_t part = n < left ? n : (size_t)left;
        weir_sample_counts counts = {0, 0};
        weir_format_count(&log->format, log->channel, at, part, &counts);
        if (counts.clipped > 0 || counts.nonfinite > 0) {
            add_run(log, first, at, part, &counts);
            add_counts(&all, &counts);
        }
        at += part * stride;
        first += part;
        n -= part;
    }
    return all;
}

weir_sample_counts weir_count_log_take(weir_count_log *log, uint64_t end_sample)
{
    weir_sample_counts sum = {0, 0};
    uint64_t end_block = end_sample / log->block_samples;
    while (log->n > 0 && entry_at(log, 0)->block < end_block) {
        add_counts(&sum, &entry_at(log, 0)->counts);
        drop_first(log);
    }
    return sum;
}

void weir_count_log_destroy(weir_count_log *log)
{
    if (log) {
        free(log->entries);
        free(log);
    }
}
