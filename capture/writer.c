#include "capture/writer.h"

#include <math.h>
#include <string.h>

void weir_writer_init(weir_writer *writer, weir_ring *ring, const weir_source_info *info,
                      uint64_t first_sample, uint64_t n_samples)
{
    *writer = (weir_writer){
        .ring = ring,
        .stride_bytes = weir_format_stride_bytes(&info->format),
        .next_sample = first_sample,
        .end_sample = n_samples > UINT64_MAX - first_sample ? UINT64_MAX : first_sample + n_samples,
        .rate_hz = info->rate_hz,
        .center_hz = info->center_hz,
        .time_ns = info->time_unix_ns,
        .needs_segment = true,
    };
}

uint64_t weir_writer_left(const weir_writer *writer)
{
    return writer->end_sample - writer->next_sample;
}

void *weir_writer_room(weir_writer *writer, size_t *n_samples)
{
    size_t room = 0;
    void *memory = weir_ring_reserve(writer->ring, &room);
    if (writer->overflowing && room <= weir_ring_capacity_samples(writer->ring) / 4) {
        room = 0;
    }
    writer->overflowing = room == 0;
    *n_samples = room < *n_samples ? room : *n_samples;
    return memory;
}

void weir_writer_skip(weir_writer *writer, uint64_t n_samples)
{
    writer->skip_samples -= n_samples;
    writer->next_sample += n_samples;
    writer->end_sample += writer->end_sample > UINT64_MAX - n_samples ? 0 : n_samples;
}

void weir_writer_lost(weir_writer *writer, uint64_t n_samples)
{
    if (n_samples == 0 || atomic_load_explicit(&writer->closed, memory_order_relaxed)) {
        return;
    }
    uint64_t skipped = n_samples < writer->skip_samples ? n_samples : writer->skip_samples;
    weir_writer_skip(writer, skipped);
    uint64_t n = n_samples - skipped;
    n = n < weir_writer_left(writer) ? n : weir_writer_left(writer);
    writer->next_sample += n;
    writer->needs_segment = writer->needs_segment || n > 0;
    writer->pending_lost += n;
    atomic_fetch_add_explicit(&writer->lost, n, memory_order_relaxed);
    atomic_fetch_add_explicit(&writer->received, n, memory_order_relaxed);
    if (weir_writer_left(writer) == 0) {
        weir_writer_close(writer);
    }
}

/* The label of a sample: the last known time and the samples since at one rate. */
static int64_t time_of(const weir_writer *writer, uint64_t sample)
{
    if (writer->time_ns == WEIR_UNKNOWN_TIME) {
        return WEIR_UNKNOWN_TIME;
    }
    double elapsed_ns = (double)(sample - writer->time_sample) / writer->rate_hz * 1e9;
    int64_t time_ns;
    bool is_known = elapsed_ns <= 0x1p62 &&
                    !__builtin_add_overflow(writer->time_ns, (int64_t)llrint(elapsed_ns), &time_ns);
    return is_known ? time_ns : WEIR_UNKNOWN_TIME;
}

bool weir_writer_ready(weir_writer *writer)
{
    if (!writer->needs_segment) {
        return true;
    }
    weir_ring_segment segment = {
        .first_sample = writer->next_sample,
        .lost_before = writer->pending_lost,
        .rate_hz = writer->rate_hz,
        .center_hz = writer->center_hz,
        .time_unix_ns = time_of(writer, writer->next_sample),
    };
    if (!weir_ring_begin_segment(writer->ring, &segment)) {
        return false;
    }
    writer->pending_lost = 0;
    writer->needs_segment = false;
    return true;
}

void weir_writer_commit(weir_writer *writer, size_t n_samples)
{
    writer->next_sample += n_samples;
    /* Counted before they can be seen, so that no reader sees more than were received. */
    atomic_fetch_add_explicit(&writer->received, n_samples, memory_order_relaxed);
    weir_ring_commit(writer->ring, n_samples);
}

void weir_writer_seam(weir_writer *writer, double rate_hz, double center_hz, int64_t time_unix_ns)
{
    bool known = time_unix_ns != WEIR_UNKNOWN_TIME;
    writer->time_ns = known ? time_unix_ns : time_of(writer, writer->next_sample);
    writer->time_sample = writer->next_sample;
    writer->rate_hz = rate_hz;
    writer->center_hz = center_hz;
    writer->needs_segment = true;
}

void weir_writer_close(weir_writer *writer)
{
    if (!atomic_exchange(&writer->closed, true)) {
        weir_ring_close(writer->ring, writer->pending_lost);
    }
}

/* ---- what a device's callback calls ---- */

/* Copies as much of the block as may go in, and counts the rest as lost. */
static void copy_or_lose(weir_writer *writer, const unsigned char *samples, size_t n_samples)
{
    size_t n = n_samples;
    void *memory = weir_writer_room(writer, &n);
    if (n > 0 && weir_writer_ready(writer)) {
        memcpy(memory, samples, n * writer->stride_bytes);
        weir_writer_commit(writer, n);
    } else {
        n = 0;
    }
    if (n < n_samples) {
        writer->overflowing = true;
        weir_writer_lost(writer, n_samples - n);
    }
}

void weir_writer_push(weir_writer *writer, const void *samples, size_t n_samples)
{
    if (atomic_load_explicit(&writer->closed, memory_order_relaxed)) {
        return;
    }
    uint64_t skipped = n_samples < writer->skip_samples ? n_samples : writer->skip_samples;
    weir_writer_skip(writer, skipped);
    uint64_t n = n_samples - skipped;
    n = n < weir_writer_left(writer) ? n : weir_writer_left(writer);
    if (n > 0) {
        const unsigned char *first = samples;
        copy_or_lose(writer, first + (size_t)skipped * writer->stride_bytes, (size_t)n);
    }
    if (weir_writer_left(writer) == 0) {
        weir_writer_close(writer);
    }
}

void weir_writer_retuned(weir_writer *writer, double rate_hz, double center_hz)
{
    weir_writer_seam(writer, rate_hz, center_hz, WEIR_UNKNOWN_TIME);
}

void weir_writer_ended(weir_writer *writer, const weir_error *err)
{
    if (atomic_load_explicit(&writer->closed, memory_order_relaxed)) {
        return;
    }
    if (err) {
        writer->err = *err;
    }
    weir_writer_close(writer);
}
