/* The option table: it drives the parser, --help, the man page, the completions and
 * the configuration file. A new option is one row in options.c. Main thread only.
 */
#ifndef WEIR_APP_OPTIONS_H
#define WEIR_APP_OPTIONS_H

#include "app/settings.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* Which commands take an option: a command names the groups it knows. */
typedef enum weir_option_group {
    WEIR_GROUP_INPUT = 1 << 0,
    WEIR_GROUP_DEVICE = 1 << 1, /* of live sources */
    WEIR_GROUP_TRANSFORM = 1 << 2,
    WEIR_GROUP_LEVELS = 1 << 3,
    WEIR_GROUP_CORRECT = 1 << 4,
    WEIR_GROUP_ZOOM = 1 << 5,
    WEIR_GROUP_OUTPUT = 1 << 6,
    WEIR_GROUP_PEAKS = 1 << 7,
    WEIR_GROUP_PICTURE = 1 << 8, /* colours and ranges: pictures and the view */
    WEIR_GROUP_VIEW = 1 << 9,
    WEIR_GROUP_GENERAL = 1 << 10,
    WEIR_GROUP_RECORD = 1 << 11,
    WEIR_GROUP_SWEEP = 1 << 12,
    WEIR_GROUP_ALERT = 1 << 13,
    WEIR_GROUP_MEASURE = 1 << 14,
    WEIR_GROUP_COMPARE = 1 << 15,
    WEIR_GROUP_VECTOR = 1 << 16,      /* fft, ifft, convolve */
    WEIR_GROUP_DEVICE_TEST = 1 << 17, /* of `weir devices` alone */
    WEIR_GROUP_FFT = 1 << 18,         /* fft and ifft            */
    WEIR_GROUP_CONVOLVE = 1 << 19,
} weir_option_group;

typedef struct weir_option weir_option;

/* How an option's value is read into its field, and written back. */
typedef struct weir_option_type {
    weir_status (*set)(const weir_option *option, void *field, const char *text, weir_error *err);
    /* The value as set would read it; empty: not given (nothing to dump). */
    void (*get)(const weir_option *option, const void *field, char *text, size_t size);
    bool takes_value;
    const char *zero; /* how a given value is written that get takes for none; NULL: never */
} weir_option_type;

/* Which numbers an option takes: from `least`, or above it. */
typedef struct weir_limits {
    double least;
    bool is_above;
    const char *right; /* "write 1 or more" */
} weir_limits;

struct weir_option {
    const char *name;
    char letter;          /* 0: none                                   */
    const char *argument; /* "HZ"; NULL: a flag                        */
    const char *help;
    weir_option_group group; /* or several; the first in the table of titles is shown */
    const weir_option_type *type;
    size_t offset;              /* of the field in weir_settings       */
    const char *const *choices; /* NULL-terminated, in enum order; or NULL */
    const char *complete;       /* "file", or a `weir list` word, or NULL  */
    const weir_limits *limits;  /* of a count or a number; NULL: any       */
    bool not_in_config;
};

/* Which options a command takes: those of its groups but for some. */
typedef struct weir_option_scope {
    unsigned groups;
    const char *const *without; /* names, NULL-terminated; or NULL */
} weir_option_scope;

bool weir_option_in_scope(const weir_option *option, const weir_option_scope *scope);

/* Rows in table order; NULL past the end. There are no more than WEIR_MOST_OPTIONS. */
const weir_option *weir_option_at(size_t index);
const weir_option *weir_option_find(const char *name);
/* The letter an option has in this scope: where two have the same one, the later row's
 * holds (-f is --format, and --freq in a sweep). 0: none. */
char weir_option_letter(const weir_option *option, const weir_option_scope *scope);
/* Of the first of the groups that are set. */
const char *weir_option_group_title(weir_option_group group);

/* Sets it, as given. */
weir_status weir_option_set(const weir_option *option, weir_settings *settings, const char *text,
                            weir_error *err);
/* Whether the user gave the option of this name, whatever its value: anywhere (given), or on the
 * command line (typed). The name is of a row. */
bool weir_option_given(const weir_settings *settings, const char *name);
bool weir_option_typed(const weir_settings *settings, const char *name);
/* As if it had not been given; its value is the caller's to reset. */
void weir_option_forget(weir_settings *settings, const char *name);
void weir_option_get(const weir_option *option, const weir_settings *settings, char *text,
                     size_t size);

/* Where in argv[1..] the first word is that is neither an option nor the value of one, by the
 * whole table: the command, or an argument of the view; argc: nowhere. An abbreviation is looked
 * for in `preferred` first. A word after "--" is not looked for. */
int weir_options_first_word(int argc, char **argv, const weir_option_scope *preferred);

/* Parses argv[1..] by getopt_long; arguments that are no options are gathered at the
 * end of argv, *first_argument says where. scope: the options allowed here. Errors
 * name the option and suggest the nearest. */
weir_status weir_options_parse(int argc, char **argv, const weir_option_scope *scope,
                               weir_settings *settings, int *first_argument, weir_error *err);

#endif
