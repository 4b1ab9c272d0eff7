#include "app/clips_closing.h"

#include "base/log.h"
#include "base/units.h"

#include <assert.h>

void weir_clips_keep_error(weir_clips_closing *closing, weir_status status, const weir_error *err)
{
    weir_log(WEIR_LOG_WARNING, "%s%s", closing->who, err->text);
    if (closing->status == WEIR_OK) {
        closing->status = status;
        closing->err = *err;
    }
}

void weir_clips_complete(weir_clips_closing *closing, weir_clip *clip)
{
    weir_error err = {0};
    weir_recorder_totals totals;
    char seconds[32];
    weir_status status = weir_recorder_join(clip->recorder, &err);
    weir_recorder_totals_get(clip->recorder, &totals);
    if (status != WEIR_OK) {
        weir_clips_keep_error(closing, status, &err);
    } else {
        weir_format_seconds(seconds, sizeof seconds, (double)totals.written / clip->rate_hz, 0.001);
        weir_log(WEIR_LOG_NOTICE, "%s: %s recorded, %llu samples lost", clip->path, seconds,
                 (unsigned long long)totals.lost);
    }
    weir_recorder_destroy(clip->recorder);
    clip->recorder = NULL;
}

void weir_clips_close(weir_clips_closing *closing, weir_clip *clip)
{
    assert(closing->n < WEIR_MOST_CLOSING);
    weir_recorder_end(clip->recorder);
    closing->clips[closing->n++] = *clip;
    clip->recorder = NULL;
}

void weir_clips_tidy(weir_clips_closing *closing)
{
    for (unsigned i = 0; i < closing->n;) {
        if (weir_recorder_is_done(closing->clips[i].recorder)) {
            weir_clips_complete(closing, &closing->clips[i]);
            closing->clips[i] = closing->clips[--closing->n];
        } else {
            i++;
        }
    }
}

weir_status weir_clips_finish(weir_clips_closing *closing, weir_error *err)
{
    for (unsigned i = 0; i < closing->n; i++) {
        weir_clips_complete(closing, &closing->clips[i]);
    }
    closing->n = 0;
    return closing->status == WEIR_OK ? WEIR_OK
                                      : weir_fail(err, closing->status, "%s", closing->err.text);
}

void weir_clips_drop(weir_clips_closing *closing)
{
    for (unsigned i = 0; i < closing->n; i++) {
        weir_recorder_destroy(closing->clips[i].recorder);
    }
    closing->n = 0;
}
