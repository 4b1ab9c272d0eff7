/* Keys that ask something of the rest of the program: tuning, the transform, replay. */
#include "display/view_state.h"

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#define GAIN_STEP_DB 3.0
#define MOST_SPEED 64.0
#define NO_TUNING "this source cannot be tuned"
#define NO_REPLAY "only a recording can be replayed"
#define LONGEST_S 1e9 /* what has no end: times beyond are typing errors */

static void say(weir_view *view, weir_status status, const weir_error *err)
{
    if (status != WEIR_OK) {
        weir_view_message(view, true, "%s", err->text);
    }
}

/* ---- the transform ---- */

void weir_view_change_transform(weir_view *view, weir_view_change change, int steps)
{
    weir_error err = {0};
    if (!view->config.actions.transform) {
        weir_view_message(view, true, "the transform cannot be changed here");
        return;
    }
    say(view, view->config.actions.transform(view->config.actions.user, change, steps, &err), &err);
}

/* ---- tuning ---- */

static bool can_tune(const weir_view *view)
{
    return view->config.actions.control != NULL;
}

static void describe(weir_view *view)
{
    const weir_view_actions *actions = &view->config.actions;
    if (actions->describe) {
        actions->describe(actions->user, view->described, sizeof view->described);
        view->stream.description = view->described;
    }
}

static void control(weir_view *view, const char *key, double value, const char *said)
{
    weir_error err = {0};
    if (!can_tune(view)) {
        weir_view_message(view, true, NO_TUNING);
        return;
    }
    weir_status status = view->config.actions.control(view->config.actions.user, key, value, &err);
    say(view, status, &err);
    if (status == WEIR_OK) {
        weir_view_message(view, false, "%s", said);
        view->gain_db = strcmp(key, "gain_db") == 0 ? value : view->gain_db;
        describe(view);
    }
}

static void tune(weir_view *view, double hz)
{
    char text[48], said[64];
    weir_snprintf(said, sizeof said, "tuned to %s", weir_format_hz(text, sizeof text, hz, 0.0));
    control(view, "center_hz", hz, said);
}

static void set_rate(weir_view *view, double hz)
{
    char text[48], said[64];
    weir_snprintf(said, sizeof said, "rate %s", weir_format_hz(text, sizeof text, hz, 0.0));
    control(view, "rate_hz", hz, said);
}

static void set_gain(weir_view *view, double db)
{
    char said[64] = "gain automatic";
    if (!isnan(db)) {
        weir_snprintf(said, sizeof said, "gain %.1f dB", db);
    }
    control(view, "gain_db", db, said);
}

/* 1, 2 or 5 of the decade below: who tunes by steps wants frequencies that can be read. */
static double round_step(double step_hz)
{
    double decade = pow(10.0, floor(log10(fabs(step_hz))));
    double digit = fabs(step_hz) / decade;
    digit = digit >= 5.0 ? 5.0 : digit >= 2.0 ? 2.0 : 1.0;
    return copysign(digit * decade, step_hz);
}

void weir_view_pan_or_tune(weir_view *view, double part)
{
    double low = view->axis.low_hz, high = view->axis.high_hz;
    weir_view_axis_pan(view, part);
    bool has_moved = view->axis.low_hz != low || view->axis.high_hz != high;
    if (!has_moved && can_tune(view) && view->has_axis && !view->axis.is_log) {
        tune(view, fmax(weir_view_center_hz(view) + round_step(part * (high - low)), 0.0));
    }
}

void weir_view_step_gain(weir_view *view, int steps)
{
    double now = isnan(view->gain_db) ? 0.0 : view->gain_db;
    set_gain(view, now + steps * GAIN_STEP_DB);
}

/* ---- replay ---- */

static bool is_replay(weir_view *view)
{
    if (!view->config.is_replay) {
        weir_view_message(view, true, NO_REPLAY);
    }
    return view->config.is_replay;
}

void weir_view_change_speed(weir_view *view, int steps)
{
    if (!is_replay(view) || !view->config.actions.set_speed) {
        return;
    }
    double speed = view->speed > 0.0 ? view->speed : MOST_SPEED;
    speed = steps > 0 ? speed * 2.0 : speed / 2.0;
    view->speed = fmin(fmax(speed, 1.0 / MOST_SPEED), MOST_SPEED);
    view->config.actions.set_speed(view->config.actions.user, view->speed);
    weir_view_message(view, false, "speed %.4g", view->speed);
}

/* Of the recording; infinite where that is not known. */
static double length_s(const weir_view *view)
{
    const weir_stream_info *stream = &view->stream;
    return stream->n_samples == UINT64_MAX || !(stream->rate_hz > 0.0)
               ? LONGEST_S
               : (double)stream->n_samples / stream->rate_hz;
}

void weir_view_seek_by(weir_view *view, double seconds)
{
    weir_error err = {0};
    char text[32];
    const weir_view_actions *actions = &view->config.actions;
    if (!is_replay(view) || !actions->seek || !actions->position) {
        return;
    }
    double to = fmin(fmax(actions->position(actions->user) + seconds, 0.0), length_s(view));
    weir_status status = actions->seek(actions->user, to, &err);
    say(view, status, &err);
    if (status == WEIR_OK) {
        weir_view_message(view, false, "at %s", weir_format_seconds(text, sizeof text, to, 0.1));
    }
}

void weir_view_toggle_loop(weir_view *view)
{
    weir_error err = {0};
    const weir_view_actions *actions = &view->config.actions;
    if (!is_replay(view) || !actions->set_loop) {
        return;
    }
    weir_status status = actions->set_loop(actions->user, !view->loops, &err);
    say(view, status, &err);
    if (status == WEIR_OK) {
        view->loops = !view->loops;
        weir_view_message(view, false, view->loops ? "begins again at the end" : "ends at the end");
    }
}

/* ---- recording, sources ---- */

/* How it went is said when it is known: in the messages. */
void weir_view_toggle_recording(weir_view *view)
{
    weir_error err = {0};
    const weir_view_actions *actions = &view->config.actions;
    if (!actions->record) {
        weir_view_message(view, true, "this source cannot be recorded here");
        return;
    }
    say(view, actions->record(actions->user, &err), &err);
}

void weir_view_change_source(weir_view *view, int steps)
{
    weir_error err = {0};
    const weir_view_actions *actions = &view->config.actions;
    if (!actions->change_source) {
        weir_view_message(view, true, "there is one source");
        return;
    }
    say(view, actions->change_source(actions->user, steps, &err), &err);
}

/* One row more of a paused replay. */
void weir_view_step_replay(weir_view *view)
{
    const weir_view_actions *actions = &view->config.actions;
    if (!is_replay(view) || !actions->step) {
        return;
    }
    if (!view->is_paused) {
        weir_view_press(view, ' ');
    }
    uint64_t n_line = view->newest.end_sample - view->newest.first_sample;
    view->is_stepping = true;
    actions->step(actions->user, (n_line > 0 ? n_line : view->stream.n_fft) * view->lines_per_row);
}

/* The note after, or before, the place that is read. */
void weir_view_go_to_note(weir_view *view, int direction)
{
    weir_error err = {0};
    const weir_view_actions *actions = &view->config.actions;
    const weir_note *found = NULL;
    if (view->config.n_notes == 0) {
        weir_view_message(view, true, "this recording has no annotations");
        return;
    }
    if (!actions->seek || !actions->position) {
        return;
    }
    double here = actions->position(actions->user), rate_hz = view->stream.rate_hz;
    for (size_t i = 0; i < view->config.n_notes; i++) {
        const weir_note *note = &view->config.notes[i];
        double at = (double)note->first_sample / rate_hz;
        /* The place read runs ahead of what is heard: a second back counts as before. */
        if (direction > 0 && at > here + 1e-3) {
            found = note;
            break;
        }
        found = direction < 0 && at < here - 1.0 ? note : found;
    }
    if (!found) {
        weir_view_message(view, false, "no further annotation");
        return;
    }
    weir_status status = actions->seek(actions->user, (double)found->first_sample / rate_hz, &err);
    say(view, status, &err);
    if (status == WEIR_OK) {
        bool has_label = found->label && found->label[0];
        weir_view_message(view, false, "%s", has_label ? found->label : "annotation");
    }
}

/* ---- typed values ---- */

static weir_status enter_frequency(weir_view *view, const char *text, weir_error *err)
{
    double hz;
    weir_status status = weir_parse_hz(text, &hz, err);
    if (status != WEIR_OK) {
        return status;
    }
    if (can_tune(view)) {
        tune(view, hz);
        return WEIR_OK;
    }
    if (hz < view->full_low_hz || hz > view->full_high_hz) {
        return weir_fail(err, WEIR_ERR_USAGE, "%s lies outside what is received", text);
    }
    view->cursor_hz = hz;
    view->has_cursor = true;
    weir_view_axis_pan(view, (hz - 0.5 * (view->axis.low_hz + view->axis.high_hz)) /
                                 (view->axis.high_hz - view->axis.low_hz));
    return WEIR_OK;
}

static weir_status enter_rate(weir_view *view, const char *text, weir_error *err)
{
    double hz;
    weir_status status = weir_parse_hz(text, &hz, err);
    if (status == WEIR_OK) {
        set_rate(view, hz);
    }
    return status;
}

static weir_status enter_gain(weir_view *view, const char *text, weir_error *err)
{
    double db = NAN;
    weir_status status = strcasecmp(text, "auto") == 0 ? WEIR_OK : weir_parse_db(text, &db, err);
    if (status == WEIR_OK) {
        set_gain(view, db);
    }
    return status;
}

static weir_status enter_place(weir_view *view, const char *text, weir_error *err)
{
    double seconds;
    weir_status status = weir_parse_seconds(text, &seconds, err);
    if (status != WEIR_OK || !view->config.actions.seek || !is_replay(view)) {
        return status;
    }
    if (!(seconds < length_s(view))) {
        char end[32];
        return weir_fail(err, WEIR_ERR_USAGE, "%s: the recording ends at %s", text,
                         weir_format_seconds(end, sizeof end, length_s(view), 0.1));
    }
    return view->config.actions.seek(view->config.actions.user, seconds, err);
}

static const char *no_receiver(const weir_view *view)
{
    bool is_receiver = can_tune(view) && !view->config.actions.moves_center_only;
    return is_receiver ? NULL : NO_TUNING;
}

static const char *no_replay(const weir_view *view)
{
    return view->config.is_replay ? NULL : NO_REPLAY;
}

static const struct {
    const char *question;
    weir_status (*enter)(weir_view *view, const char *text, weir_error *err);
    const char *(*why_not)(const weir_view *view); /* NULL, or a value cannot be set: why */
    const char *first;                             /* what such values begin with */
} prompts[] = {
    [WEIR_PROMPT_NONE] = {"", NULL, NULL, NULL},
    [WEIR_PROMPT_FREQUENCY] = {"frequency, as 100.3M", enter_frequency, NULL, NULL},
    [WEIR_PROMPT_RATE] = {"rate, as 2.4M", enter_rate, no_receiver, "0123456789."},
    [WEIR_PROMPT_GAIN] = {"gain in dB, or auto", enter_gain, no_receiver, "0123456789.-a"},
    [WEIR_PROMPT_PLACE] = {"go to time, as 1:30", enter_place, no_replay, "0123456789.:"},
};

static const char *refusal(const weir_view *view, weir_prompt prompt)
{
    return prompts[prompt].why_not ? prompts[prompt].why_not(view) : NULL;
}

void weir_view_ask(weir_view *view, weir_prompt prompt)
{
    const char *why = refusal(view, prompt);
    view->prompt = why ? WEIR_PROMPT_NONE : prompt;
    view->typed[0] = '\0';
    if (why) {
        weir_view_message(view, true, "%s", why);
        view->refused = prompt;
        view->refused_until_ns = view->message_until_ns;
    }
}

/* The first key after a refusal: whoever had begun to type goes on, seen but without effect. */
static void begin_refused(weir_view *view, int key)
{
    weir_prompt refused = view->refused;
    view->refused = WEIR_PROMPT_NONE;
    if (refused != WEIR_PROMPT_NONE && weir_now_ns() < view->refused_until_ns && key > 0 &&
        key < 0x7f && strchr(prompts[refused].first, key)) {
        view->prompt = refused;
    }
}

bool weir_view_prompt_text(const weir_view *view, char *text, size_t size)
{
    if (view->prompt == WEIR_PROMPT_NONE) {
        return false;
    }
    const char *why = refusal(view, view->prompt);
    weir_snprintf(text, size, "%s%s: %s_", why ? why : prompts[view->prompt].question,
                  why ? " (Enter or Esc)" : "", view->typed);
    return true;
}

static void enter(weir_view *view, weir_prompt prompt)
{
    weir_error err = {0};
    const char *why = refusal(view, prompt);
    if (why) {
        weir_view_message(view, true, "%s", why);
        return;
    }
    say(view, prompts[prompt].enter(view, view->typed, &err), &err);
}

bool weir_view_type(weir_view *view, int key)
{
    size_t n = strlen(view->typed);
    begin_refused(view, key);
    weir_prompt prompt = view->prompt;
    if (prompt == WEIR_PROMPT_NONE) {
        return false;
    }
    if (key == WEIR_KEY_ESC) {
        view->prompt = WEIR_PROMPT_NONE;
    } else if (key == WEIR_KEY_ENTER || key == '\n') {
        view->prompt = WEIR_PROMPT_NONE;
        if (n > 0) {
            enter(view, prompt);
        }
    } else if (key == WEIR_KEY_BACKSPACE || key == '\b') {
        view->typed[n > 0 ? n - 1 : 0] = '\0';
    } else if (key >= ' ' && key < 0x7f && n + 1 < sizeof view->typed) {
        view->typed[n] = (char)key;
        view->typed[n + 1] = '\0';
    }
    return true;
}
