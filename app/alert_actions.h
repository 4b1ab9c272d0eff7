/* What alerts lead to, on a thread of its own: lines of JSON, and commands.
 *
 * post copies and returns; it never waits for a disk, a reader or a command. The queue holds 64
 * events: beyond that they are dropped and counted. Commands run without a shell (unless asked),
 * their standard input is /dev/null, their standard output is weir's standard error; at most 4
 * at once and one start a second for every rule; others are counted as not run. Children are
 * waited for as they end; the last ones for 2 s at the end, then they are left to themselves.
 */
#ifndef WEIR_APP_ALERT_ACTIONS_H
#define WEIR_APP_ALERT_ACTIONS_H

#include "base/status.h"

#include <stdbool.h>

typedef struct weir_alert_post {
    char json[1536]; /* one line, with its '\n'       */
    char rule[32];
    char event[8];
    char level_db[32];
    char time[40];
    char file[512]; /* empty: none                    */
    bool runs_command;
    unsigned rule_index;
} weir_alert_post;

typedef struct weir_alert_actions_config {
    const char *log;     /* appended to; NULL: standard output or error */
    bool to_stderr;      /* without a log                          */
    const char *command; /* NULL: none                                  */
    bool shell;
} weir_alert_actions_config;

typedef struct weir_alert_actions weir_alert_actions;

weir_status weir_alert_actions_open(weir_alert_actions **out,
                                    const weir_alert_actions_config *config, weir_error *err);
void weir_alert_actions_post(weir_alert_actions *actions, const weir_alert_post *post);
/* Works off the queue, ends the thread, says what was dropped. */
weir_status weir_alert_actions_finish(weir_alert_actions *actions, weir_error *err);
void weir_alert_actions_destroy(weir_alert_actions *actions); /* NULL-safe */

#endif
