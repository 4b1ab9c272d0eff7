/* Messages to the user about things that are not results: notices, warnings.
 *
 * Any thread may log. Goes to stderr as "weir: text" until a sink is set (the
 * terminal view sets one so that nothing spoils its screen). Not for per-block
 * paths. The sink is the one piece of process-wide state; set it from the main
 * thread while no other thread logs.
 */
#ifndef WEIR_BASE_LOG_H
#define WEIR_BASE_LOG_H

#include <stdbool.h>

typedef enum weir_log_level {
    WEIR_LOG_ERROR,
    WEIR_LOG_WARNING,
    WEIR_LOG_NOTICE, /* said by default: what was chosen, what was adjusted */
    WEIR_LOG_INFO,   /* with -v                                            */
    WEIR_LOG_DEBUG,  /* with -vv                                           */
} weir_log_level;

typedef void weir_log_sink(void *user, weir_log_level level, const char *text);

/* NULL restores stderr. */
void weir_log_set_sink(weir_log_sink *sink, void *user);
void weir_log_set_level(weir_log_level highest_shown);
bool weir_log_shows(weir_log_level level);
void weir_log(weir_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
