#include "base/status.h"

#include "base/text.h"

#include <stdarg.h>
#include <string.h>

static const struct {
    int exit_code;
    const char *text;
} statuses[WEIR_STATUS_COUNT] = {
    [WEIR_OK] = {0, "no error"},
    [WEIR_DIFFERS] = {1, "outside the limits"},
    [WEIR_ERR_USAGE] = {64, "bad option or argument"},
    [WEIR_ERR_DATA] = {65, "malformed input"},
    [WEIR_ERR_NO_INPUT] = {66, "input cannot be opened"},
    [WEIR_ERR_UNSUPPORTED] = {65, "not supported by this build"},
    [WEIR_ERR_DEVICE] = {69, "device unavailable or lost"},
    [WEIR_ERR_INTERNAL] = {70, "internal error"},
    [WEIR_ERR_NOMEM] = {71, "out of memory"},
    [WEIR_ERR_CANT_CREATE] = {73, "output cannot be created"},
    [WEIR_ERR_IO] = {74, "input or output error"},
    [WEIR_ERR_CONFIG] = {78, "bad configuration"},
    [WEIR_PIPE_CLOSED] = {0, "output closed by its reader"},
};

static int in_range(weir_status status)
{
    return (int)status >= 0 && status < WEIR_STATUS_COUNT;
}

const char *weir_status_text(weir_status status)
{
    return in_range(status) ? statuses[status].text : "unknown status";
}

int weir_status_exit_code(weir_status status)
{
    return in_range(status) ? statuses[status].exit_code : 70;
}

weir_status weir_fail(weir_error *err, weir_status status, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        err->status = status;
        weir_vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
    }
    return status;
}

weir_status weir_fail_context(weir_error *err, const char *format, ...)
{
    if (!err) {
        return WEIR_ERR_INTERNAL;
    }
    char context[sizeof err->text];
    va_list args;
    va_start(args, format);
    weir_vsnprintf(context, sizeof context, format, args);
    va_end(args);

    /* The copy keeps the tail of a long report out rather than the context. */
    char old[sizeof err->text];
    memcpy(old, err->text, sizeof old);
    size_t used = strlen(context);
    if (used > sizeof err->text - 3) {
        used = sizeof err->text - 3;
    }
    memcpy(err->text, context, used);
    memcpy(err->text + used, ": ", 2);
    size_t room = sizeof err->text - used - 3;
    size_t length = strnlen(old, room);
    memcpy(err->text + used + 2, old, length);
    err->text[used + 2 + length] = '\0';
    return err->status;
}
