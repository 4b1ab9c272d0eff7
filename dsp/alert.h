/* Alerts: rules about the level of a band, evaluated over spectra.
 *
 *     [NAME:] band|peak [LO:HI] >|< LEVEL [UNIT] [for TIME] [hysteresis DB] [holdoff TIME]
 *
 *     band 433.8M:434.0M > -40 dBFS for 50ms
 *     door: peak 868.2M:868.4M > -30 hysteresis 6 holdoff 10s
 *     quiet: band < -70 for 2s
 *
 * band: the power in the band (dsp/band.h: a tone gives its power, noise its density times the
 * width); peak: its highest bin. Without LO:HI all of the spectrum. The alert begins when the
 * level has been beyond LEVEL for TIME (0: in one spectrum), and ends when it is back by DB
 * (2). After it began, no other begins for the hold-off (0). Levels are of the scale's unit.
 *
 * Time is the stream's: samples through the rate, in steps of a spectrum. Where samples were
 * lost it is not known what the level was: a time that has not passed yet begins anew. A band
 * that a spectrum does not cover says nothing.
 *
 * Pure functions over the caller's structs, without allocation.
 */
#ifndef WEIR_DSP_ALERT_H
#define WEIR_DSP_ALERT_H

#include "dsp/scale.h"
#include "dsp/spectrum.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct weir_alert_rule {
    char name[32]; /* letters, digits, _ . -; empty: none was given */
    bool is_peak, is_below;
    double low_hz, high_hz; /* NAN: everything */
    double level_db;
    char unit[16]; /* as given, or empty */
    double for_seconds;
    double hysteresis_db;
    double holdoff_seconds;
} weir_alert_rule;

/* Errors say what is missing and where. */
weir_status weir_alert_parse(const char *text, weir_alert_rule *rule, weir_error *err);

typedef enum weir_alert_kind {
    WEIR_ALERT_NONE,
    WEIR_ALERT_BEGINS,
    WEIR_ALERT_ENDS
} weir_alert_kind;

typedef struct weir_alert_event {
    weir_alert_kind kind;
    uint64_t first_sample; /* the level is beyond from there on              */
    uint64_t end_sample;   /* seen up to here (ENDS: it is back from here on) */
    double seconds;        /* between the two                                */
    double level_db;       /* now                                            */
    double extreme_db;     /* the highest (of a rule with <, the lowest) so far */
    int64_t time_unix_ns;  /* of first_sample; INT64_MIN unknown             */
} weir_alert_event;

/* State of one rule; begin with {.rule = rule}. */
typedef struct weir_alert {
    weir_alert_rule rule;
    bool is_beyond, is_active;
    weir_alert_event now;
    double rate_hz;
    bool has_begun_before;
    uint64_t last_begin_sample;
} weir_alert;

/* The spectrum covers the rule's band. */
bool weir_alert_sees(const weir_alert_rule *rule, const weir_spectrum *spectrum);
/* The level that the rule is about; scale may be NULL (dBFS). */
double weir_alert_level_db(const weir_alert_rule *rule, const weir_spectrum *spectrum,
                           weir_trace trace, const weir_scale *scale);
/* The next spectrum of the stream. *event is written when something happened. */
weir_alert_kind weir_alert_update(weir_alert *alert, const weir_spectrum *spectrum,
                                  weir_trace trace, const weir_scale *scale,
                                  weir_alert_event *event);
/* The end of the stream ends an alert. */
weir_alert_kind weir_alert_finish(weir_alert *alert, weir_alert_event *event);

#endif
