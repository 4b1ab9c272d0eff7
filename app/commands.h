/* The commands, from one table. Main thread only. */
#ifndef WEIR_APP_COMMANDS_H
#define WEIR_APP_COMMANDS_H

#include "app/settings.h"
#include "base/status.h"

#include <stddef.h>

typedef struct weir_command {
    const char *name;
    const char *arguments; /* "SOURCE"                                     */
    const char *help;      /* one line                                     */
    const char *more;      /* paragraphs and examples for --help and the man page */
    unsigned groups;       /* of options it takes                          */
    int min_arguments, max_arguments;
    weir_status (*run)(const weir_settings *settings, int n_arguments, char **arguments,
                       weir_error *err);
} weir_command;

const weir_command *weir_command_at(size_t index);
const weir_command *weir_command_find(const char *name);

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
