/* The sources of a view, one at work at a time; a key goes on to another.
 *
 *   main thread        weir_view_sources_change -> an opener thread opens the pipeline
 *   opener             when it is open, stops the one at work and hands it over
 *   engine's thread    weir_view_sources_next: waits for it, and takes it; at the end of one source
 *                      it may start an opener for the following one itself
 *
 * So the view and the source at work go on while another opens, and one that cannot be opened is
 * a warning. The accounts of every source are kept for the end.
 */
#ifndef WEIR_APP_VIEW_SOURCES_H
#define WEIR_APP_VIEW_SOURCES_H

#include "app/pipeline.h"
#include "base/status.h"

#include <stdbool.h>

#define WEIR_MAX_SOURCES 32

typedef struct weir_view_sources weir_view_sources;

typedef struct weir_view_sources_config {
    char **arguments;                     /* borrowed */
    int n_arguments;                      /* 1 .. WEIR_MAX_SOURCES */
    /* Borrowed; its source does not count. Its on_tick is also asked while a source is waited
     * for: false ends that, as quit does. */
    const weir_pipeline_config *pipeline;
} weir_view_sources_config;

/* Opens the first that can be opened; a warning for each before it. */
weir_status weir_view_sources_open(weir_view_sources **out, const weir_view_sources_config *config,
                                   weir_error *err);
/* The pipeline at work. Other threads than the engine's: between hold and release only. */
weir_pipeline *weir_view_sources_pipeline(weir_view_sources *sources);
const char *weir_view_sources_argument(const weir_view_sources *sources);
weir_pipeline *weir_view_sources_hold(weir_view_sources *sources);
void weir_view_sources_release(weir_view_sources *sources);

/* Main thread: begins to open the source `steps` further on, in turn. */
weir_status weir_view_sources_change(weir_view_sources *sources, int steps, weir_error *err);
/* Any thread: the pipeline at work stops, and next gives false. */
void weir_view_sources_quit(weir_view_sources *sources);

/* Engine's thread. The pipeline at work has run: its totals go to the accounts. */
void weir_view_sources_book(weir_view_sources *sources);
/* Takes the next one, which is then at work, and closes the last; waits for one to be asked for, or
 * (goes_on) has the following ones opened. False: quit, or there is none. */
bool weir_view_sources_next(weir_view_sources *sources, bool goes_on);

/* When no thread runs any more: what every source delivered and what became of it. */
void weir_view_sources_log_accounts(const weir_view_sources *sources);
/* False: a source that is still being opened does not let go; nothing may be freed. */
bool weir_view_sources_close(weir_view_sources *sources); /* NULL-safe */

#endif
