/* Parses, dispatches, returns a code. */
#include "app/commands.h"
#include "app/config.h"
#include "app/help.h"
#include "app/kept_files.h"
#include "app/options.h"
#include "app/signals.h"
#include "app/source_fit.h"
#include "base/log.h"
#include "base/text.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A configuration file speaks of streams: how long their transforms are, and the format of
 * their samples. A vector is as long as it is, and its file says what it is. */
static void forget_streams(weir_settings *settings)
{
    free(settings->format);
    settings->format = NULL;
    settings->n_fft = 0;
    weir_option_forget(settings, "format");
    weir_option_forget(settings, "fft");
}

/* Configuration lies under the options, so the options are parsed twice: once to find
 * --config, and again over what the files said. */
static weir_status read_settings(int argc, char **argv, const weir_command *command,
                                 weir_settings *settings, int *first_argument, weir_error *err)
{
    weir_settings_init(settings);
    weir_status status =
        weir_options_parse(argc, argv, &command->scope, settings, first_argument, err);
    if (status != WEIR_OK || settings->help || settings->version) {
        return status;
    }
    char *config = settings->config ? strdup(settings->config) : NULL;
    weir_settings_free(settings);
    weir_settings_init(settings);
    status = weir_config_read_defaults(settings, err);
    if (status == WEIR_OK && config) {
        status = weir_config_read(config, settings, err);
    }
    free(config);
    if (command->scope.groups & WEIR_GROUP_VECTOR) {
        forget_streams(settings);
    }
    return status != WEIR_OK
               ? status
               : weir_options_parse(argc, argv, &command->scope, settings, first_argument, err);
}

static weir_status check_arguments(const weir_command *command, int n, char **arguments,
                                   weir_error *err)
{
    if (n < command->min_arguments) {
        return weir_fail(err, WEIR_ERR_USAGE, "%s needs %s%s; `weir %s --help` says more",
                         command->name, command->min_arguments > 1 ? "" : "a ", command->arguments,
                         command->name);
    }
    if (n > command->max_arguments) {
        return weir_fail(err, WEIR_ERR_USAGE, "unexpected argument \"%.64s\"",
                         arguments[command->max_arguments]);
    }
    return WEIR_OK;
}

static weir_status check_sources(const weir_settings *settings, const weir_command *command, int n,
                                 char **arguments, weir_error *err)
{
    if (settings->test) {
        return weir_source_fit(settings, 1, &(char *){settings->test}, err);
    }
    if (!(command->scope.groups & WEIR_GROUP_INPUT)) {
        return WEIR_OK; /* its arguments are no sources */
    }
    bool all = strcmp(command->arguments, "SOURCE...") == 0;
    return weir_source_fit(settings, all || n == 0 ? n : 1, arguments, err);
}

static weir_status run_command(const weir_command *command, int argc, char **argv, weir_error *err)
{
    weir_settings settings;
    int first = 0;
    weir_status status = read_settings(argc, argv, command, &settings, &first, err);
    if (status == WEIR_OK) {
        weir_log_set_level(settings.quiet ? WEIR_LOG_ERROR
                                          : (weir_log_level)(WEIR_LOG_NOTICE + settings.verbose));
        if (settings.help) {
            weir_help_command(stdout, command);
        } else if (settings.version) {
            weir_help_version(stdout);
        } else if (settings.dump_config) {
            weir_config_dump(&settings);
        } else {
            status = check_arguments(command, argc - first, argv + first, err);
            if (status == WEIR_OK) {
                status = weir_keep_files(&settings, argc - first, argv + first, err);
            }
            if (status == WEIR_OK) {
                status = check_sources(&settings, command, argc - first, argv + first, err);
            }
            if (status == WEIR_OK) {
                status = command->run(&settings, argc - first, argv + first, err);
            }
        }
    }
    weir_settings_free(&settings);
    return status;
}

/* Results that never reached their reader are a failure like any other. */
static weir_status flush_stdout(weir_status status, weir_error *err)
{
    if (fflush(stdout) != 0 && status == WEIR_OK) {
        return errno == EPIPE ? WEIR_PIPE_CLOSED
                              : weir_fail(err, WEIR_ERR_IO, "standard output: cannot write: %s",
                                          strerror(errno));
    }
    return status;
}

static bool is_option(const char *argument, const char *letter, const char *name)
{
    return strcmp(argument, letter) == 0 || strcmp(argument, name) == 0;
}

/* `weir help [COMMAND | SOURCE]` */
static weir_status help_on(const char *topic, weir_error *err)
{
    const weir_command *command = weir_command_find(topic);
    if (command) {
        weir_help_command(stdout, command);
        return WEIR_OK;
    }
    const weir_source_class *source;
    for (size_t i = 0; (source = weir_source_class_at(i)); i++) {
        if (strcmp(source->name, topic) == 0) {
            weir_help_source(stdout, source);
            return WEIR_OK;
        }
    }
    return weir_fail(err, WEIR_ERR_USAGE, "no help on \"%.32s\"; `weir help` lists what there is",
                     topic);
}

/* A misspelt command is not taken for a file that is missing. */
static weir_status check_first_word(const char *word, weir_error *err)
{
    const char *names[32];
    const weir_command *command;
    size_t n = 0;
    if (word[0] == '-' || strpbrk(word, ":/.") || access(word, F_OK) == 0) {
        return WEIR_OK;
    }
    while (n < sizeof names / sizeof *names - 1 && (command = weir_command_at(n))) {
        names[n++] = command->name;
    }
    names[n] = NULL;
    const char *nearest = weir_nearest_name(word, names);
    return nearest ? weir_fail(err, WEIR_ERR_USAGE,
                               "%.64s: no command or file of that name; did you mean `weir %s`?",
                               word, nearest)
                   : WEIR_OK;
}

/* Options may stand before the command: it is put first. */
static void put_first(char **argv, int from)
{
    char *word = argv[from];
    memmove(&argv[2], &argv[1], (size_t)(from - 1) * sizeof *argv);
    argv[1] = word;
}

static weir_status dispatch(int argc, char **argv, weir_error *err)
{
    const weir_command *view = weir_command_find("view");
    if (argc < 2) {
        weir_help_overview(stderr);
        return weir_fail(err, WEIR_ERR_USAGE, "say what to look at; `weir synth:` needs no input");
    }
    int word = weir_options_first_word(argc, argv, &view->scope);
    if (word < argc && (weir_command_find(argv[word]) || strcmp(argv[word], "help") == 0)) {
        put_first(argv, word);
    }
    if (is_option(argv[1], "-h", "--help") || strcmp(argv[1], "help") == 0) {
        if (argc > 2 && argv[argc - 1][0] != '-') {
            return help_on(argv[argc - 1], err);
        }
        weir_help_overview(stdout);
        return WEIR_OK;
    }
    const weir_command *command = weir_command_find(argv[1]);
    if (command) {
        return run_command(command, argc - 1, argv + 1, err);
    }
    weir_status status = word < argc ? check_first_word(argv[word], err) : WEIR_OK;
    return status == WEIR_OK ? run_command(view, argc, argv, err) : status;
}

int main(int argc, char **argv)
{
    weir_error err = {0};
    signal(SIGXFSZ, SIG_IGN); /* as a full disk: what fits is completed */
    signal(SIGPIPE, SIG_IGN); /* writes then fail with EPIPE, which is handled */
    setlocale(LC_CTYPE, "");  /* what the terminal can show; numbers stay as they are */
    weir_status status = flush_stdout(dispatch(argc, argv, &err), &err);
    if (status != WEIR_OK && status != WEIR_PIPE_CLOSED && status != WEIR_DIFFERS) {
        weir_log(WEIR_LOG_ERROR, "%s", err.text);
    }
    if (weir_signals_caught()) {
        weir_signals_raise_again(weir_signals_caught());
    }
    return weir_status_exit_code(status);
}
