#include "app/device_test.h"

#include "app/device_pairs.h"
#include "app/signals.h"
#include "base/clock.h"
#include "base/text.h"
#include "capture/capture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define USUAL_SECONDS 10
#define POLL_MS 20

typedef struct counting {
    uint64_t bytes, jumps, jumped_bytes, reported_samples;
    unsigned char next;
    bool in_step; /* next is what should come */
} counting;

static void count_bytes(counting *c, const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char off = (unsigned char)(bytes[i] - c->next);
        if (off != 0 && c->in_step) {
            c->jumps++;
            c->jumped_bytes += off;
        }
        c->next = (unsigned char)(bytes[i] + 1);
        c->in_step = true;
    }
    c->bytes += n;
}

/* Follows the stream to its end, or until a signal asks for it. */
static void follow(weir_capture *capture, counting *c)
{
    weir_ring *ring = weir_capture_ring(capture);
    uint64_t segment = UINT64_MAX;
    bool stopping = false;
    for (;;) {
        weir_ring_view view = {0};
        if (weir_signals_caught() && !stopping) {
            weir_capture_stop(capture);
            stopping = true;
        }
        if (!weir_ring_peek(ring, &view)) {
            weir_ring_wait_data(ring, 0, POLL_MS);
            continue;
        }
        if (view.n_samples > 0 && view.segment.segment != segment) {
            segment = view.segment.segment;
            c->reported_samples += view.segment.lost_before;
            c->in_step = false; /* such a gap is an estimate, or of another rate */
        }
        count_bytes(c, view.samples, 2 * view.n_samples);
        weir_ring_release(ring, view.n_samples);
        if (view.ended) {
            c->reported_samples += view.lost_at_end;
            return;
        }
    }
}

static weir_status report(const counting *c, const char *name, double seconds, weir_error *err)
{
    char line[300];
    weir_snprintf(line, sizeof line,
                  "%s: %llu samples in %.2f s (%.1f a second by the clock)\n"
                  "  lost: %llu bytes at %llu places by the device's counter (each modulo 256), "
                  "and %llu samples reported\n",
                  name, (unsigned long long)(c->bytes / 2), seconds, (double)c->bytes / 2 / seconds,
                  (unsigned long long)c->jumped_bytes, (unsigned long long)c->jumps,
                  (unsigned long long)c->reported_samples);
    fputs(line, stdout);
    return c->jumps || c->reported_samples
               ? weir_fail(err, WEIR_DIFFERS, "%s: samples were lost", name)
               : WEIR_OK;
}

static weir_status run(weir_source *source, const weir_settings *s, weir_error *err)
{
    weir_capture *capture = NULL;
    const weir_capture_config config = {
        .duration_seconds = isinf(s->duration_seconds) ? USUAL_SECONDS : s->duration_seconds};
    counting c = {0};
    weir_status status = weir_capture_create(&capture, source, &config, err);
    if (status != WEIR_OK) {
        return status;
    }
    double begun = weir_now_seconds();
    status = weir_capture_start(capture, err);
    if (status == WEIR_OK) {
        follow(capture, &c);
        status = weir_capture_join(capture, err);
    }
    weir_status result =
        status == WEIR_OK ? report(&c, source->info.name, weir_now_seconds() - begun, err) : status;
    weir_capture_destroy(capture);
    return result;
}

weir_status weir_device_test(const weir_settings *s, const char *name, weir_error *err)
{
    weir_source *source = NULL;
    weir_source_options options;
    weir_device_pairs pairs;
    weir_source_options_init(&options);
    options.rate_hz = s->rate_hz;
    options.center_hz = s->center_hz;
    const weir_source_class *class_ = weir_source_class_of(name);
    if (!class_ || (strcmp(class_->name, "rtlsdr") != 0 && strcmp(class_->name, "rtltcp") != 0)) {
        return weir_fail(err, WEIR_ERR_USAGE, "%s: only rtlsdr and rtltcp can be tested", name);
    }
    weir_status status = weir_device_pairs_make(&pairs, s, class_, false, err);
    status = status == WEIR_OK ? weir_device_pairs_add(&pairs, "test-mode", "on", err) : status;
    options.device_options = weir_device_pairs_list(&pairs);
    status = status == WEIR_OK ? weir_source_open(&source, name, &options, err) : status;
    weir_device_pairs_free(&pairs);
    if (status == WEIR_OK) {
        weir_signals_install();
        status = run(source, s, err);
    }
    weir_source_close(source);
    return status;
}
