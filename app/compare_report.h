/* What a comparison found: as text, and as files for other programs (JUnit XML, JSON).
 * docs/compare.md and docs/json.md are the reference. Main thread only. */
#ifndef WEIR_APP_COMPARE_REPORT_H
#define WEIR_APP_COMPARE_REPORT_H

#include "app/check.h"
#include "app/settings.h"
#include "base/outfile.h"
#include "display/line.h"
#include "dsp/golden.h"

#define WEIR_MAX_CHECKS 3

typedef struct weir_comparison {
    const char *source;
    const char *golden_path, *mask_path; /* NULL: none */
    char unit[32];
    weir_check checks[WEIR_MAX_CHECKS];
    size_t n_checks;
    weir_golden golden, measured;
    bool counts_checked;
    size_t n_counts_differ;
    weir_status status;
    const char *error; /* text, if status is neither WEIR_OK nor WEIR_DIFFERS */
    double seconds;    /* that it took */
} weir_comparison;

void weir_comparison_free(weir_comparison *comparison);

/* One line for every region that differs (at most 20 a check) and every count that does; then
 * a line of summary for each check. To standard output. */
weir_status weir_comparison_print(const weir_comparison *comparison, weir_error *err);

typedef struct weir_reports {
    struct {
        weir_outfile *file;
        void (*write)(weir_line *line, const weir_comparison *comparison);
    } rows[WEIR_MAX_OUTPUTS];
    unsigned n;
} weir_reports;

/* By the endings of --report. Opened before the stream is read: what cannot be written is
 * better known early. */
weir_status weir_reports_open(weir_reports *reports, const weir_outputs *paths, weir_error *err);
weir_status weir_reports_write(weir_reports *reports, const weir_comparison *comparison,
                               weir_error *err);
void weir_reports_close(weir_reports *reports);

#endif
