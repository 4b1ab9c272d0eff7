/* The commands, from one table. Main thread only. */
#ifndef WEIR_APP_COMMANDS_H
#define WEIR_APP_COMMANDS_H

#include "app/options.h"
#include "app/settings.h"
#include "base/status.h"

#include <stddef.h>

/* What an option is in one command, where that differs. */
typedef struct weir_command_option {
    const char *name, *help;
} weir_command_option;

typedef struct weir_command {
    const char *name;
    const char *arguments;               /* "SOURCE"                                     */
    const char *help;                    /* one line                                     */
    const char *more;                    /* paragraphs and examples for --help and the man page */
    weir_option_scope scope;             /* the options it takes                 */
    const weir_command_option *own_help; /* to a row without a name; NULL: none  */
    int min_arguments, max_arguments;
    weir_status (*run)(const weir_settings *settings, int n_arguments, char **arguments,
                       weir_error *err);
} weir_command;

const weir_command *weir_command_at(size_t index);
const weir_command *weir_command_find(const char *name);
/* The names of the commands that take an option: "spectra, sweep". */
void weir_commands_taking(const weir_option *option, char *text, size_t size);

weir_status weir_cmd_view(const weir_settings *, int, char **, weir_error *);
weir_status weir_cmd_spectra(const weir_settings *, int, char **, weir_error *);
weir_status weir_cmd_record(const weir_settings *, int, char **, weir_error *);
weir_status weir_cmd_sweep(const weir_settings *, int, char **, weir_error *);
weir_status weir_cmd_survey(const weir_settings *, int, char **, weir_error *);
weir_status weir_cmd_measure(const weir_settings *, int, char **, weir_error *);
weir_status weir_cmd_compare(const weir_settings *, int, char **, weir_error *);
weir_status weir_cmd_fft(const weir_settings *, int, char **, weir_error *);
weir_status weir_cmd_ifft(const weir_settings *, int, char **, weir_error *);
weir_status weir_cmd_convolve(const weir_settings *, int, char **, weir_error *);
weir_status weir_cmd_windows(const weir_settings *, int, char **, weir_error *);
weir_status weir_cmd_devices(const weir_settings *, int, char **, weir_error *);
weir_status weir_cmd_list(const weir_settings *, int, char **, weir_error *);
weir_status weir_cmd_completions(const weir_settings *, int, char **, weir_error *);
weir_status weir_cmd_man(const weir_settings *, int, char **, weir_error *);

#endif
