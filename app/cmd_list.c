/* weir list TOPIC: names for scripts and completions. */
#include "app/commands.h"
#include "app/lists.h"
#include "app/options.h"
#include "base/text.h"
#include "capture/source.h"
#include "display/colormap.h"
#include "display/sink.h"
#include "dsp/window.h"

#include <stdio.h>
#include <string.h>

static void list_windows(FILE *out)
{
    const weir_window *window;
    for (size_t i = 0; (window = weir_window_at(i)); i++) {
        fprintf(out, "%s\n", weir_window_name(window));
    }
}

static void list_colormaps(FILE *out)
{
    const weir_colormap *map;
    for (size_t i = 0; (map = weir_colormap_at(i)); i++) {
        fprintf(out, "%s\n", weir_colormap_name(map));
    }
}

static void list_sinks(FILE *out)
{
    const weir_sink_class *sink;
    for (size_t i = 0; (sink = weir_sink_class_at(i)); i++) {
        fprintf(out, "%s\n", sink->name);
    }
}

/* What a source begins with: "mic", or "synth:" where something must follow. A file has none. */
static void list_sources(FILE *out)
{
    const weir_source_class *source;
    for (size_t i = 0; (source = weir_source_class_at(i)); i++) {
        size_t n = strlen(source->name);
        if (strncmp(source->syntax, source->name, n) == 0) {
            fprintf(out, "%s%s\n", source->name, source->syntax[n] == ':' ? ":" : "");
        }
    }
}

static void list_formats(FILE *out)
{
    weir_sample_format format = {.channels = 1};
    for (int is_complex = 0; is_complex <= 1; is_complex++) {
        for (int scalar = 0; scalar < WEIR_SCALAR_COUNT; scalar++) {
            char name[32];
            format.scalar = (weir_scalar)scalar;
            format.is_complex = is_complex;
            fprintf(out, "%s\n", weir_format_name(&format, name, sizeof name));
        }
    }
}

static void list_commands(FILE *out)
{
    const weir_command *command;
    for (size_t i = 0; (command = weir_command_at(i)); i++) {
        fprintf(out, "%s\n", command->name);
    }
}

static const struct {
    const char *topic;
    void (*print)(FILE *out);
} topics[] = {
    {"commands", list_commands}, {"sources", list_sources}, {"formats", list_formats},
    {"windows", list_windows},   {"sinks", list_sinks},     {"colormaps", list_colormaps},
};

const char *weir_list_topic_at(size_t index)
{
    return index < sizeof topics / sizeof topics[0] ? topics[index].topic : NULL;
}

static bool print_list(FILE *out, const char *topic)
{
    for (size_t i = 0; i < sizeof topics / sizeof topics[0]; i++) {
        if (strcmp(topics[i].topic, topic) == 0) {
            topics[i].print(out);
            return true;
        }
    }
    return false;
}

weir_status weir_cmd_list(const weir_settings *settings, int n_arguments, char **arguments,
                          weir_error *err)
{
    (void)settings;
    (void)n_arguments;
    if (print_list(stdout, arguments[0])) {
        return WEIR_OK;
    }
    char names[128] = "";
    for (size_t i = 0; i < sizeof topics / sizeof topics[0]; i++) {
        weir_list_add(names, sizeof names, "%s", topics[i].topic);
    }
    return weir_fail(err, WEIR_ERR_USAGE, "there is no list \"%.32s\"; there are %s", arguments[0],
                     names);
}
