/* Recordings of alerts: each begins before its alert, from a history of samples, and goes on a
 * while after it. A rule that fires again meanwhile prolongs its recording. Every recording has a
 * thread of its own (capture/recorder.h). One thread calls.
 */
#ifndef WEIR_APP_ALERT_CLIPS_H
#define WEIR_APP_ALERT_CLIPS_H

#include "capture/ring.h"
#include "capture/source.h"
#include "dsp/alert.h"

typedef struct weir_alert_clips_config {
    const char *pattern;          /* {n}, {time}, {rule}                         */
    const weir_source_info *info; /* borrowed                                    */
    double before_seconds, after_seconds, longest_seconds;
    double look_back_seconds; /* what the history has to hold besides `before` */
    size_t most_samples;      /* that one call of samples shows                 */
} weir_alert_clips_config;

typedef struct weir_alert_clips weir_alert_clips;

/* WEIR_ERR_USAGE for a pattern by which every recording would take the place of the last. */
weir_status weir_alert_clips_check(const char *pattern, weir_error *err);
weir_status weir_alert_clips_open(weir_alert_clips **out, const weir_alert_clips_config *config,
                                  weir_error *err);
/* Samples are kept until it is known what becomes of them. */
void weir_alert_clips_samples(weir_alert_clips *clips, const weir_ring_segment *segment,
                              uint64_t first_sample, const void *samples, size_t n_samples);
/* rule_index: 0 .. 7. An error is logged and kept for finish. */
void weir_alert_clips_begin(weir_alert_clips *clips, unsigned rule_index,
                            const weir_alert_rule *rule, const weir_alert_event *event);
void weir_alert_clips_end(weir_alert_clips *clips, unsigned rule_index, const weir_alert_rule *rule,
                          const weir_alert_event *event);
/* All alerts are known up to this sample: what belongs to recordings goes there, to the sample,
 * however the stream came in pieces. After begin and end. */
void weir_alert_clips_advance(weir_alert_clips *clips, uint64_t sample);
/* The file that the rule's recording goes to; NULL: there is none. */
const char *weir_alert_clips_file(const weir_alert_clips *clips, unsigned rule_index);
/* The end of the stream. Completes all recordings; the first error. */
weir_status weir_alert_clips_finish(weir_alert_clips *clips, weir_error *err);
void weir_alert_clips_destroy(weir_alert_clips *clips); /* NULL-safe */

#endif
