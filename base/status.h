/* Status codes and error reports, used by every module.
 *
 * The layer that knows the detail writes one line into the caller's weir_error;
 * layers above only add context. Libraries never exit and never print. Numbers in reports
 * have "." whatever the locale.
 * All functions here are thread-safe; a weir_error belongs to its caller.
 */
#ifndef WEIR_BASE_STATUS_H
#define WEIR_BASE_STATUS_H

typedef enum weir_status {
    WEIR_OK = 0,
    WEIR_DIFFERS,         /* compare: the result is outside its limits     exit 1  */
    WEIR_ERR_USAGE,       /* bad option or argument                        exit 64 */
    WEIR_ERR_DATA,        /* input is malformed                            exit 65 */
    WEIR_ERR_NO_INPUT,    /* input does not exist or cannot be opened      exit 66 */
    WEIR_ERR_UNSUPPORTED, /* well-formed, but this build cannot do it      exit 65 */
    WEIR_ERR_DEVICE,      /* device unavailable or lost                    exit 69 */
    WEIR_ERR_INTERNAL,    /* our bug                                       exit 70 */
    WEIR_ERR_NOMEM,       /* out of memory                                 exit 71 */
    WEIR_ERR_CANT_CREATE, /* output cannot be created                      exit 73 */
    WEIR_ERR_IO,          /* read or write failed                          exit 74 */
    WEIR_ERR_CONFIG,      /* bad configuration file                        exit 78 */
    WEIR_PIPE_CLOSED,     /* the reader of our output went away: quiet     exit 0  */
    WEIR_STATUS_COUNT
} weir_status;

/* One report: what was wrong, where, and what would be right; no newline. */
typedef struct weir_error {
    weir_status status;
    char text[512];
} weir_error;

/* A short text for any value, never NULL ("unknown status" outside the range). */
const char *weir_status_text(weir_status status);

/* The process exit code (sysexits) that belongs to a status. */
int weir_status_exit_code(weir_status status);

/* Writes the report (err may be NULL) and returns status, so that a function can
 * end with `return weir_fail(err, WEIR_ERR_DATA, "%s: ...", path);`. */
weir_status weir_fail(weir_error *err, weir_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "context: " before a report that is already there. Returns its status. */
weir_status weir_fail_context(weir_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
