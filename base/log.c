#include "base/log.h"

#include "base/printable.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

static weir_log_sink *sink_function;
static void *sink_user;
static atomic_int highest_shown = WEIR_LOG_NOTICE;

void weir_log_set_sink(weir_log_sink *sink, void *user)
{
    sink_function = sink;
    sink_user = user;
}

void weir_log_set_level(weir_log_level highest)
{
    atomic_store(&highest_shown, (int)highest);
}

bool weir_log_shows(weir_log_level level)
{
    return (int)level <= atomic_load(&highest_shown);
}

void weir_log(weir_log_level level, const char *format, ...)
{
    if (!weir_log_shows(level)) {
        return;
    }
    char raw[1024], text[2048];
    va_list args;
    va_start(args, format);
    weir_vsnprintf(raw, sizeof raw, format, args);
    va_end(args);
    weir_printable(text, sizeof text, raw); /* names in it may hold anything */
    if (sink_function) {
        sink_function(sink_user, level, text);
        return;
    }
    static const char *const prefix[] = {"error: ", "warning: ", "", "", ""};
    fprintf(stderr, "weir: %s%s\n", prefix[level], text);
}
