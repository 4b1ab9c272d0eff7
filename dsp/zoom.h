/* The decimating down-converter behind --span and --center: a part of the band, at a rate
 * of its own, so that a fine resolution needs no huge transform.
 *
 *   raw samples -> mixer -> half-band stages by 2 -> FIR by the rest -> complex floats
 *
 * Levels stay: a tone reads the same dBFS before and after, anywhere in the usable span
 * (real input is taken times 2, for the half of a sine that is mixed away). Flat to
 * 0.001 dB over the usable span, 0.8 of the output rate; what aliases into it, or to less than
 * 0.01 of the output rate beside it, is below -100 dB. Outside, up to the output's edges, the
 * response falls and aliases.
 *
 * Accounting is exact: no output is made up at the start or the end. Output m since begin
 * is centred on input sample first_sample + m * decimation + delay, and n inputs give
 * weir_zoom_outputs(n) outputs. The oscillator's phase is that of the absolute sample
 * number (64-bit integer arithmetic: it never drifts, and stays right over gaps). How the
 * input is cut into pushes changes no bit of the output.
 *
 * With decimation 1 and no offset nothing is filtered or delayed: only the format and the IQ
 * imbalance are changed.
 *
 * One thread; create allocates, push does not.
 */
#ifndef WEIR_DSP_ZOOM_H
#define WEIR_DSP_ZOOM_H

#include "base/status.h"
#include "dsp/format.h"
#include "dsp/iq_tracker.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The part of the output rate that is flat and free of aliases. */
#define WEIR_ZOOM_USABLE 0.8

typedef struct weir_zoom_config {
    weir_sample_format format;
    unsigned channel;
    double rate_hz;
    double offset_hz;    /* of the wanted centre from the stream's (real: from 0 Hz)      */
    uint64_t decimation; /* 1 (only shifts) .. 2^24; its odd part at most 4095; real: >= 2 */
    bool iq_swap;
    weir_iq_tracker *iq; /* of complex input, before the swap; NULL: none; borrowed, advanced */
} weir_zoom_config;

typedef struct weir_zoom weir_zoom;

/* The largest decimation that keeps span_hz usable and weir_zoom_create takes; at least 1,
 * also for a span that is wider than WEIR_ZOOM_USABLE of the rate. */
uint64_t weir_zoom_decimation_for(double rate_hz, double span_hz);

/* WEIR_ERR_USAGE says which value is wrong, and what would be right. */
weir_status weir_zoom_create(weir_zoom **out, const weir_zoom_config *config, weir_error *err);

/* Begins a segment at an absolute sample number: forgets what came before. create does
 * it at 0. */
void weir_zoom_begin(weir_zoom *zoom, uint64_t first_sample);

/* Takes n samples (of all channels) and writes complex samples (re, im), at most
 * n / decimation + 1. Returns how many. */
size_t weir_zoom_push(weir_zoom *zoom, const void *raw, size_t n_samples, float *out);

/* How many outputs n inputs since begin give in all. */
uint64_t weir_zoom_outputs(const weir_zoom *zoom, uint64_t n_inputs);
uint64_t weir_zoom_delay_samples(const weir_zoom *zoom); /* of the input */
double weir_zoom_rate_hz(const weir_zoom *zoom);         /* of the output */
double weir_zoom_usable_hz(const weir_zoom *zoom);       /* width, around the new centre */
void weir_zoom_destroy(weir_zoom *zoom);                 /* NULL does nothing */

#endif
