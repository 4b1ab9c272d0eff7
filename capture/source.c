#include "capture/source.h"

#include "base/text.h"
#include "capture/sources.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const weir_source_class *const classes[] = {
    &weir_source_mic,   &weir_source_rtlsdr, &weir_source_rtltcp,
    &weir_source_soapy, &weir_source_synth,  &weir_source_fault,
    &weir_source_tuner, &weir_source_file, /* last: it takes what no other row takes */
};
enum { CLASS_COUNT = sizeof classes / sizeof classes[0] };

const weir_source_class *weir_source_class_at(size_t index)
{
    return index < CLASS_COUNT ? classes[index] : NULL;
}

const weir_source_class *weir_source_class_of(const char *argument)
{
    for (size_t i = 0; i < CLASS_COUNT; i++) {
        if (classes[i]->accepts(argument)) {
            return classes[i];
        }
    }
    return NULL;
}

void weir_source_options_init(weir_source_options *options)
{
    *options = (weir_source_options){.center_hz = NAN, .iq = -1};
}

/* ---- opening ---- */

static weir_status check_options(const weir_source_options *options, weir_error *err)
{
    if (!isfinite(options->rate_hz) || options->rate_hz < 0) {
        return weir_fail(err, WEIR_ERR_USAGE, "sample rate %g Hz: it must be above 0",
                         options->rate_hz);
    }
    if (isinf(options->center_hz)) {
        return weir_fail(err, WEIR_ERR_USAGE, "centre frequency: it must be finite");
    }
    return WEIR_OK;
}

/* The length of "word" in "word:...", 0 if the argument does not begin like that. */
static size_t prefix_length(const char *argument)
{
    size_t n = 0;
    while (isalnum((unsigned char)argument[n])) {
        n++;
    }
    return argument[n] == ':' ? n : 0;
}

/* "rtlsrd:0" ends up as a file that does not exist: say what the sources are. */
static void hint_at_sources(const char *argument, weir_error *err)
{
    size_t prefix = prefix_length(argument);
    if (!err || prefix == 0) {
        return;
    }
    char list[300] = "";
    for (size_t i = 0; i < CLASS_COUNT; i++) {
        weir_list_add(list, sizeof list, "%s", classes[i]->syntax);
    }
    size_t used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used,
             " (and no source is called \"%.*s\"; sources: %s)", (int)prefix, argument, list);
}

/* Reports may quote the argument or a header as it came. */
static void make_printable(weir_error *err)
{
    if (err) {
        char raw[sizeof err->text];
        memcpy(raw, err->text, sizeof raw);
        weir_printable(err->text, sizeof err->text, raw);
    }
}

weir_status weir_source_open(weir_source **out, const char *argument,
                             const weir_source_options *options, weir_error *err)
{
    *out = NULL;
    weir_source_options defaults;
    weir_source_options_init(&defaults);
    options = options ? options : &defaults;
    if (!argument || argument[0] == '\0') {
        return weir_fail(err, WEIR_ERR_USAGE, "no source given: a file, \"-\", or e.g. synth:");
    }
    weir_status status = check_options(options, err);
    if (status != WEIR_OK) {
        return status;
    }
    const weir_source_class *class_ = weir_source_class_of(argument);
    if (!class_) {
        char shown[200];
        return weir_fail(err, WEIR_ERR_USAGE, "%s: no source takes this",
                         weir_printable(shown, sizeof shown, argument));
    }
    if (class_->missing) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED, "%s: this build has no %s", class_->name,
                         class_->missing);
    }
    status = class_->open(out, argument, options, err);
    if (status == WEIR_ERR_NO_INPUT) {
        hint_at_sources(argument, err);
    }
    if (status != WEIR_OK) {
        make_printable(err);
        *out = NULL;
        return status;
    }
    assert((*out)->class_ && !(*out)->class_->read != !(*out)->class_->start);
    return WEIR_OK;
}

void weir_source_close(weir_source *source)
{
    if (source) {
        source->class_->close(source);
    }
}

void weir_source_set_live(weir_source *source, const char *argument, double rate_hz,
                          double center_hz)
{
    weir_source_info *info = &source->info;
    weir_printable(info->name, sizeof info->name, argument);
    info->rate_hz = rate_hz;
    info->center_hz = center_hz;
    info->n_samples = WEIR_UNKNOWN_SAMPLES;
    info->time_unix_ns = WEIR_UNKNOWN_TIME;
    info->is_live = true;
}
