#include "app/compare_report.h"

#include "capture/source.h"
#include "display/json_out.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MOST_REGIONS = 20, TEXT_BYTES = 600 };

void weir_comparison_free(weir_comparison *comparison)
{
    for (size_t i = 0; i < comparison->n_checks; i++) {
        weir_check_free(&comparison->checks[i]);
    }
    comparison->n_checks = 0;
    weir_golden_free(&comparison->golden);
    weir_golden_free(&comparison->measured);
}

/* ---- text ---- */

static void put_regions(weir_line *line, const weir_comparison *c, const weir_check *check)
{
    char text[TEXT_BYTES];
    size_t n = check->passed ? 0 : check->regions.n;
    for (size_t i = 0; i < n && i < MOST_REGIONS; i++) {
        weir_check_region_text(check, &check->regions.rows[i], c->unit, text, sizeof text);
        weir_line_printf(line, "%s\n", text);
    }
    if (n > MOST_REGIONS) {
        weir_line_printf(line, "%s: and %zu more regions\n", check->name, n - MOST_REGIONS);
    }
}

static void put_counts(weir_line *line, const weir_comparison *c)
{
    weir_golden_count count;
    for (size_t i = 0; weir_golden_count_at(&c->golden, &c->measured, i, &count); i++) {
        if (count.golden != count.measured) {
            weir_line_printf(line, "counts: %llu %s, golden %llu\n",
                             (unsigned long long)count.measured, count.name,
                             (unsigned long long)count.golden);
        }
    }
}

static void put_summary(weir_line *line, const weir_comparison *c)
{
    char text[TEXT_BYTES];
    const char *same = c->golden_path ? "same: " : "inside: ";
    const char *differs = c->golden_path ? "differs: " : "outside: ";
    weir_line_text(line, c->status == WEIR_OK ? same : differs);
    for (size_t i = 0; i < c->n_checks; i++) {
        weir_check_summary(&c->checks[i], text, sizeof text);
        weir_line_printf(line, "%s%s", i ? "; " : "", text);
    }
    if (c->counts_checked) {
        weir_line_printf(line, "; counts: %zu differ", c->n_counts_differ);
    }
    weir_line_text(line, "\n");
}

weir_status weir_comparison_print(const weir_comparison *comparison, weir_error *err)
{
    weir_line line = {0};
    for (size_t i = 0; i < comparison->n_checks; i++) {
        put_regions(&line, comparison, &comparison->checks[i]);
    }
    if (comparison->counts_checked) {
        put_counts(&line, comparison);
    }
    put_summary(&line, comparison);
    bool whole = !line.out_of_memory;
    if (whole) {
        fwrite(line.text, 1, line.used, stdout); /* the end of main looks for errors */
    }
    weir_line_free(&line);
    return whole ? WEIR_OK : weir_fail(err, WEIR_ERR_NOMEM, "out of memory for the report");
}

/* ---- JUnit ---- */

/* For XML text and attributes, from any bytes. XML knows neither U+FFFE nor U+FFFF. */
static void put_escaped(weir_line *line, const char *bytes)
{
    static const struct {
        const char *bytes, *entity;
    } entities[] = {{"&", "&amp;"},   {"<", "&lt;"},         {">", "&gt;"},
                    {"\"", "&quot;"}, {"\xef\xbf\xbe", "?"}, {"\xef\xbf\xbf", "?"}};
    char text[4 * TEXT_BYTES];
    weir_printable(text, sizeof text, bytes);
    for (const char *at = text; *at;) {
        const char *as = at;
        size_t n = 1, n_as = 1;
        for (size_t i = 0; i < sizeof entities / sizeof entities[0]; i++) {
            size_t length = strlen(entities[i].bytes);
            if (strncmp(at, entities[i].bytes, length) == 0) {
                as = entities[i].entity;
                n = length;
                n_as = strlen(as);
            }
        }
        weir_line_bytes(line, as, n_as);
        at += n;
    }
}

static void put_attribute(weir_line *line, const char *name, const char *value)
{
    weir_line_printf(line, " %s=\"", name);
    put_escaped(line, value);
    weir_line_text(line, "\"");
}

/* A made-up line of text goes out line by line: weir_printable would show its ends. */
static void put_escaped_lines(weir_line *line, const weir_line *lines)
{
    size_t from = 0;
    for (size_t i = 0; i < lines->used; i++) {
        if (lines->text[i] == '\n') {
            char text[TEXT_BYTES];
            snprintf(text, sizeof text, "%.*s", (int)(i - from), lines->text + from);
            put_escaped(line, text);
            weir_line_text(line, "\n");
            from = i + 1;
        }
    }
}

/* outcome: "failure", "error", or NULL: passed. */
static void put_case(weir_line *line, const weir_comparison *c, const char *name,
                     const char *outcome, const char *message, const weir_line *lines)
{
    weir_line_text(line, "    <testcase");
    put_attribute(line, "classname", "weir compare");
    put_attribute(line, "name", name);
    weir_line_printf(line, " time=\"%.3f\"", c->seconds);
    if (!outcome) {
        weir_line_text(line, "/>\n");
        return;
    }
    weir_line_printf(line, ">\n      <%s type=\"%s\"", outcome,
                     c->status == WEIR_DIFFERS ? "differs" : "error");
    put_attribute(line, "message", message);
    weir_line_text(line, ">");
    put_escaped_lines(line, lines);
    weir_line_printf(line, "</%s>\n    </testcase>\n", outcome);
}

static void put_check_case(weir_line *line, const weir_comparison *c, const weir_check *check)
{
    char summary[TEXT_BYTES];
    weir_line lines = {0};
    put_regions(&lines, c, check);
    weir_check_summary(check, summary, sizeof summary);
    put_case(line, c, check->name, check->passed ? NULL : "failure", summary, &lines);
    line->out_of_memory |= lines.out_of_memory;
    weir_line_free(&lines);
}

static void put_counts_case(weir_line *line, const weir_comparison *c)
{
    char summary[TEXT_BYTES];
    weir_line lines = {0};
    put_counts(&lines, c);
    snprintf(summary, sizeof summary, "%zu counts differ", c->n_counts_differ);
    put_case(line, c, "counts", c->n_counts_differ ? "failure" : NULL, summary, &lines);
    line->out_of_memory |= lines.out_of_memory;
    weir_line_free(&lines);
}

static void put_suite_attributes(weir_line *line, const weir_comparison *c)
{
    size_t tests = c->n_checks + c->counts_checked, failures = c->n_counts_differ > 0;
    for (size_t i = 0; i < c->n_checks; i++) {
        failures += !c->checks[i].passed;
    }
    if (c->error) {
        tests = 1;
        failures = 0;
    }
    weir_line_printf(line, " tests=\"%zu\" failures=\"%zu\" errors=\"%d\" time=\"%.3f\"", tests,
                     failures, c->error != NULL, c->seconds);
}

static void put_junit(weir_line *line, const weir_comparison *c)
{
    weir_line_text(line, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    put_suite_attributes(line, c);
    weir_line_text(line, ">\n  <testsuite");
    put_attribute(line, "name", c->source);
    put_suite_attributes(line, c);
    weir_line_text(line, " skipped=\"0\">\n");
    if (c->error) {
        put_case(line, c, "comparison", "error", c->error, &(weir_line){0});
    } else {
        for (size_t i = 0; i < c->n_checks; i++) {
            put_check_case(line, c, &c->checks[i]);
        }
        if (c->counts_checked) {
            put_counts_case(line, c);
        }
    }
    weir_line_text(line, "  </testsuite>\n</testsuites>\n");
}

/* ---- JSON ---- */

static void region_object(weir_json *json, const weir_check *check, const weir_region *region)
{
    size_t k = region->worst;
    weir_json_open(json, NULL, '{');
    weir_json_exact(json, "low_hz", weir_check_hz(check, region->first));
    weir_json_exact(json, "high_hz", weir_check_hz(check, region->last));
    weir_json_unsigned(json, "bins", region->n_bad);
    weir_json_exact(json, "worst_hz", weir_check_hz(check, k));
    weir_json_number(json, "difference_db", (double)check->difference_db[k]);
    weir_json_number(json, "allowed_db", (double)check->allowed_db[k]);
    weir_json_number(json, "measured_db", (double)check->measured_db[k]);
    weir_json_number(json, "low_db", (double)check->low_db[k]);
    weir_json_number(json, "high_db", (double)check->high_db[k]);
    weir_json_exact(json, "time_s", check->time_s ? check->time_s[k] : NAN);
    weir_json_close(json, '}');
}

static void check_object(weir_json *json, const weir_check *check)
{
    weir_json_open(json, NULL, '{');
    weir_json_string(json, "name", check->name);
    weir_json_string(json, "against", check->limits ? "limits" : "golden");
    weir_json_bool(json, "passed", check->passed);
    weir_json_unsigned(json, "values", check->n_checked);
    weir_json_unsigned(json, "bad", check->n_bad);
    weir_json_exact(json, "allowed_part", check->allowed_part);
    weir_json_number(json, "margin_db", check->limits ? (double)check->margin_db : NAN);
    size_t largest = check->regions.largest;
    weir_json_number(json, "largest_db", (double)check->difference_db[largest]);
    weir_json_exact(json, "largest_hz", weir_check_hz(check, largest));
    weir_json_open(json, "regions", '[');
    for (size_t i = 0; i < check->regions.n; i++) {
        region_object(json, check, &check->regions.rows[i]);
    }
    weir_json_close(json, ']');
    weir_json_close(json, '}');
}

static void counts_array(weir_json *json, const weir_comparison *c)
{
    weir_golden_count count;
    weir_json_open(json, "counts", '[');
    for (size_t i = 0;
         c->counts_checked && weir_golden_count_at(&c->golden, &c->measured, i, &count); i++) {
        weir_json_open(json, NULL, '{');
        weir_json_string(json, "name", count.name);
        weir_json_unsigned(json, "golden", count.golden);
        weir_json_unsigned(json, "measured", count.measured);
        weir_json_close(json, '}');
    }
    weir_json_close(json, ']');
}

static void put_json(weir_line *line, const weir_comparison *c)
{
    weir_json json = {.line = line};
    weir_json_open(&json, NULL, '{');
    weir_json_string(&json, "schema", "weir.compare/1");
    weir_json_string(&json, "result",
                     c->error               ? "error"
                     : c->status == WEIR_OK ? "same"
                                            : "differs");
    weir_json_string(&json, "source", c->source);
    weir_json_string(&json, "golden", c->golden_path);
    weir_json_string(&json, "mask", c->mask_path);
    weir_json_string(&json, "error", c->error);
    weir_json_string(&json, "unit", c->unit);
    weir_json_open(&json, "checks", '[');
    for (size_t i = 0; i < c->n_checks && !c->error; i++) {
        check_object(&json, &c->checks[i]);
    }
    weir_json_close(&json, ']');
    counts_array(&json, c);
    weir_json_close(&json, '}');
    weir_line_text(line, "\n");
}

/* ---- files ---- */

static const struct {
    const char *ending;
    void (*write)(weir_line *line, const weir_comparison *comparison);
} kinds[] = {{".xml", put_junit}, {".json", put_json}};

static weir_status open_one(weir_reports *reports, const char *path, weir_error *err)
{
    const char *ending = strrchr(path, '.');
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (ending && strcasecmp(ending, kinds[i].ending) == 0) {
            reports->rows[reports->n].write = kinds[i].write;
            weir_status status =
                weir_outfile_open(&reports->rows[reports->n].file, path, false, err);
            reports->n += status == WEIR_OK;
            return status;
        }
    }
    return weir_fail(err, WEIR_ERR_USAGE,
                     "--report %.200s: the ending must be .xml (JUnit) or .json", path);
}

weir_status weir_reports_open(weir_reports *reports, const weir_outputs *paths, weir_error *err)
{
    weir_status status = WEIR_OK;
    for (unsigned i = 0; i < paths->n && status == WEIR_OK; i++) {
        status = open_one(reports, paths->paths[i], err);
    }
    return status;
}

weir_status weir_reports_write(weir_reports *reports, const weir_comparison *comparison,
                               weir_error *err)
{
    weir_line line = {0};
    weir_status status = WEIR_OK;
    for (unsigned i = 0; i < reports->n && status == WEIR_OK; i++) {
        reports->rows[i].write(&line, comparison);
        status = weir_line_put(&line, reports->rows[i].file, err);
        if (status == WEIR_OK) {
            status = weir_outfile_finish(reports->rows[i].file, err);
        }
    }
    weir_line_free(&line);
    return status;
}

void weir_reports_close(weir_reports *reports)
{
    for (unsigned i = 0; i < reports->n; i++) {
        weir_outfile_destroy(reports->rows[i].file);
    }
    reports->n = 0;
}
