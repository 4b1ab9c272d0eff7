/* weir man: the manual page weir(1), from the same tables as --help. */
#include "app/commands.h"
#include "app/options.h"
#include "base/status.h"
#include "capture/source.h"
#include "display/sink.h"
#include "display/view.h"
#include "weir_config.h"

#include <stdio.h>

/* Text for roff: hyphens that are typed stay hyphens, and no line becomes a request. */
static void print_roff(const char *text)
{
    for (const char *p = text; *p; p++) {
        if (p == text && (*p == '.' || *p == '\'')) {
            fputs("\\&", stdout);
        }
        if (*p == '-') {
            fputs("\\-", stdout);
        } else if (*p == '\\') {
            fputs("\\e", stdout);
        } else {
            putchar(*p);
        }
        if (*p == '\n' && (p[1] == '.' || p[1] == '\'')) {
            fputs("\\&", stdout);
        }
    }
}

static void print_term(const char *term, const char *text)
{
    fputs(".TP\n.B ", stdout);
    print_roff(term);
    putchar('\n');
    print_roff(text);
    putchar('\n');
}

static void print_commands(void)
{
    puts(".SH COMMANDS");
    const weir_command *command;
    for (size_t i = 0; (command = weir_command_at(i)); i++) {
        char term[96];
        snprintf(term, sizeof term, "weir %s %s", command->name, command->arguments);
        print_term(term, command->help);
        if (command->more) {
            puts(".RS\n.PP\n.nf");
            print_roff(command->more);
            puts(".fi\n.RE");
        }
    }
}

static void print_sources(void)
{
    puts(".SH SOURCES");
    const weir_source_class *source;
    for (size_t i = 0; (source = weir_source_class_at(i)); i++) {
        print_term(source->syntax, source->help);
        if (source->manual) {
            puts(".RS\n.PP\n.nf");
            print_roff(source->manual());
            puts(".fi\n.RE");
        }
    }
}

static void print_sinks(void)
{
    puts(".SH OUTPUTS");
    const weir_sink_class *sink;
    for (size_t i = 0; (sink = weir_sink_class_at(i)); i++) {
        char term[96];
        snprintf(term, sizeof term, "%s %s", sink->name, sink->endings);
        print_term(term, sink->help);
    }
}

static void print_options(void)
{
    puts(".SH OPTIONS");
    const char *title = NULL;
    const weir_option *option;
    for (size_t i = 0; (option = weir_option_at(i)); i++) {
        if (weir_option_group_title(option->group) != title) {
            title = weir_option_group_title(option->group);
            printf(".SS %s\n", title);
        }
        char term[96], letter[8] = "";
        if (option->letter) {
            snprintf(letter, sizeof letter, "-%c, ", option->letter);
        }
        snprintf(term, sizeof term, "%s--%s%s%s", letter, option->name, option->argument ? " " : "",
                 option->argument ? option->argument : "");
        print_term(term, option->help);
    }
}

static void print_keys(void)
{
    const char *keys, *help;
    puts(".SH KEYS\nIn the view:");
    for (size_t i = 0; weir_view_key_help(i, &keys, &help); i++) {
        print_term(keys, help);
    }
}

static void print_exit_codes(void)
{
    static const weir_status listed[] = {
        WEIR_OK,         WEIR_DIFFERS,      WEIR_ERR_USAGE, WEIR_ERR_DATA,        WEIR_ERR_NO_INPUT,
        WEIR_ERR_DEVICE, WEIR_ERR_INTERNAL, WEIR_ERR_NOMEM, WEIR_ERR_CANT_CREATE, WEIR_ERR_IO,
        WEIR_ERR_CONFIG,
    };
    puts(".SH EXIT STATUS");
    for (size_t i = 0; i < sizeof listed / sizeof listed[0]; i++) {
        char term[16];
        snprintf(term, sizeof term, "%d", weir_status_exit_code(listed[i]));
        print_term(term, listed[i] == WEIR_OK ? "success; also when the reader of a pipe goes away"
                                              : weir_status_text(listed[i]));
    }
    puts(".PP\nA run ended by a signal completes its outputs, gives its accounts, and ends by\n"
         "that signal (130 for SIGINT, 143 for SIGTERM in a shell).");
}

static void print_levels(void)
{
    puts(".SH LEVELS\n"
         "0 dBFS is a full\\-scale sine (real input) or a full\\-scale complex tone. A tone reads\n"
         "its level whatever N and the window; with\n.B \\-\\-density\nlevels are per hertz.\n"
         "Averages are made in linear power. Zero power reads \\-300.\n"
         ".SH ACCOUNTS\n"
         "received = transformed + skipped + lost + tail. Skipped samples lie between\n"
         "transforms when \\-\\-hop is above N; lost ones never arrived; the tail is what is left\n"
         "at the end of a stream, or before a gap, that is shorter than a transform.");
}

static void print_files(void)
{
    puts(".SH FILES");
    print_term("$XDG_CONFIG_HOME/weir/weir.conf", "settings of the user (also ~/.config/weir)");
    print_term("/etc/xdg/weir/weir.conf", "settings of the system");
    print_term("$XDG_CACHE_HOME/weir/wisdom", "FFTW's plans, kept between runs");
    print_term("$XDG_STATE_HOME/weir/view",
               "how the last view with --remember ended (also ~/.local/state/weir)");
    puts(".SH ENVIRONMENT");
    print_term("NO_COLOR",
               "when set and not empty, the view uses no colour unless --color says so");
    print_term("COLORTERM", "truecolor or 24bit: the terminal takes direct colours");
}

weir_status weir_cmd_man(const weir_settings *settings, int n_arguments, char **arguments,
                         weir_error *err)
{
    (void)settings;
    (void)n_arguments;
    (void)arguments;
    (void)err;
    printf(".TH WEIR 1 2026-11-30 \"weir %s\" \"User Commands\"\n", WEIR_VERSION);
    puts(".SH NAME\nweir \\- watch and measure the spectrum of a stream of samples\n"
         ".SH SYNOPSIS\n.B weir\nSOURCE [OPTIONS]\n.br\n.B weir\nCOMMAND [OPTIONS] ...\n"
         ".PP\nOptions may also stand before the command; what follows \\-\\- is no command.\n"
         ".SH DESCRIPTION\n"
         "weir transforms every sample of a stream, audio or radio, from a file, a pipe or a\n"
         "device, and shows it as a waterfall in the terminal or writes it as numbers and\n"
         "pictures.");
    print_commands();
    print_sources();
    print_sinks();
    print_options();
    print_keys();
    print_levels();
    print_exit_codes();
    print_files();
    return WEIR_OK;
}
