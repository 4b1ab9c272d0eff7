#include "capture/survey.h"

#include "base/units.h"
#include "capture/utc.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { N_FIELDS = 6, MAX_PASS_ROWS = 1 << 16 };

static const double slack_bins = 1e-6;
static const double max_hz = 1e15;

typedef struct tuning {
    int64_t time_unix_ns;
    double low_hz, step_hz;       /* the middle of the first level */
    size_t first_level, n_levels; /* in levels_db */
    uint64_t n_frames;
} tuning;

struct weir_survey {
    weir_survey_info info;
    tuning *rows;
    size_t row_capacity;
    float *levels_db;
    size_t n_levels, level_capacity;
    size_t *pass_rows; /* n_passes + 1: the first row of each, and the end */
    double *pass_s;    /* n_passes: when each begins                       */
    bool whole_seconds;
};

typedef struct reader {
    weir_survey *survey;
    const char *name;
    size_t line; /* counted from 1 */
} reader;

static weir_status bad_line(const reader *r, weir_error *err, const char *what)
{
    return weir_fail(err, WEIR_ERR_DATA, "%s, line %zu: %s", r->name, r->line, what);
}

static weir_status no_memory(const char *name, weir_error *err)
{
    return weir_fail(err, WEIR_ERR_NOMEM, "%s: out of memory", name);
}

/* Room for one more; false: no memory. */
static bool grow(void **array, size_t used, size_t *capacity, size_t size)
{
    if (used < *capacity) {
        return true;
    }
    size_t wanted = *capacity ? 2 * *capacity : 64;
    void *more = wanted > SIZE_MAX / size ? NULL : realloc(*array, wanted * size);
    if (more) {
        *array = more;
        *capacity = wanted;
    }
    return more != NULL;
}

/* ---- a line ---- */

/* Cuts the next word off *text; NULL if there is none. Blanks around it go. */
static char *next_word(char **text)
{
    char *word = *text;
    if (!word) {
        return NULL;
    }
    char *comma = strchr(word, ',');
    char *end = comma ? comma : word + strlen(word);
    *text = comma ? comma + 1 : NULL;
    word += strspn(word, " \t");
    while (end > word && strchr(" \t\r\n", end[-1])) {
        end--;
    }
    *end = '\0';
    return word;
}

static bool read_time(char *const *words, tuning *row, bool *has_fraction)
{
    char text[64];
    if (strlen(words[0]) + strlen(words[1]) > sizeof text - 3) {
        return false;
    }
    snprintf(text, sizeof text, "%sT%sZ", words[0], words[1]);
    *has_fraction = strchr(words[1], '.') != NULL;
    return weir_utc_parse(text, &row->time_unix_ns);
}

static bool read_hz(const char *word, double *hz)
{
    return weir_parse_number(word, hz, NULL) == WEIR_OK && fabs(*hz) <= max_hz;
}

/* The step is printed with two decimals: where the ends of the row agree, they say it better. */
static double refined_step(double low_hz, double high_hz, double step_hz)
{
    double n = round((high_hz - low_hz) / step_hz);
    double step = (high_hz - low_hz) / n;
    return fabs(step - step_hz) <= 0.01 * step_hz ? step : step_hz;
}

/* What stands before the levels. */
typedef struct row_head {
    double high_hz;
    bool has_fraction; /* of a second: hackrf_sweep's */
    bool says_middle;  /* soapy_power's */
    double room;       /* bins from low to high */
} row_head;

static weir_status read_head(reader *r, char *const *words, tuning *row, row_head *head,
                             weir_error *err)
{
    if (!read_time(words, row, &head->has_fraction)) {
        return bad_line(r, err, "does not begin with date and time: 2026-11-30, 12:00:00, ...");
    }
    r->survey->whole_seconds = r->survey->whole_seconds && !head->has_fraction;
    if (!read_hz(words[2], &row->low_hz) || !read_hz(words[3], &head->high_hz) ||
        !read_hz(words[4], &row->step_hz)) {
        return bad_line(r, err, "Hz low, Hz high and Hz step are not three numbers");
    }
    if (!(row->step_hz > 0 && head->high_hz > row->low_hz)) {
        return bad_line(r, err,
                        "Hz low, Hz high and Hz step are no range: low is below high, and "
                        "the step above 0");
    }
    if (weir_parse_count(words[5], &row->n_frames, NULL) != WEIR_OK) {
        return bad_line(r, err, "the sixth column, samples, is no count");
    }
    head->says_middle = strchr(words[2], '.') != NULL;
    head->room = fmax(1, round((head->high_hz - row->low_hz) / row->step_hz));
    return WEIR_OK;
}

/* Where the step's two decimals leave open how many bins there are, the levels are counted.
 * rtl_power writes the last one twice. */
static bool count_bins(const weir_survey *s, const tuning *row, size_t n, row_head *head)
{
    const double rounding_hz = 0.005;
    double width_hz = head->high_hz - row->low_hz;
    const float *last = &s->levels_db[row->first_level + n - 1];
    bool is_twice = n > 1 && !head->has_fraction && last[0] == last[-1];
    double n_bins = (double)(n - is_twice), step_hz = width_hz / n_bins;
    bool is_open = rounding_hz * head->room / row->step_hz >= 0.5;
    /* The ends are whole hertz. */
    bool fits = fabs(step_hz - row->step_hz) <= rounding_hz * 1.001 + 1 / n_bins;
    if (!is_open || !fits || head->says_middle) {
        return false;
    }
    head->says_middle = is_twice;
    head->room = n_bins;
    return true;
}

/* Of the row whose n levels have been read. */
static void place_levels(weir_survey *s, tuning *row, size_t n, row_head *head)
{
    if (count_bins(s, row, n, head)) {
        row->step_hz = (head->high_hz - row->low_hz) / head->room;
    } else {
        head->says_middle = head->says_middle || (double)n > head->room; /* rtl_power */
        row->step_hz = refined_step(row->low_hz, head->high_hz, row->step_hz);
    }
    row->n_levels = (double)n > head->room ? (size_t)head->room : n;
    row->low_hz += head->says_middle ? 0 : row->step_hz / 2;
    s->n_levels = row->first_level + row->n_levels;
}

/* What C libraries print for what is no number. */
static bool is_no_number(const char *word)
{
    word += *word == '-' || *word == '+';
    return strncasecmp(word, "nan", 3) == 0 || strncasecmp(word, "inf", 3) == 0 ||
           strncmp(word, "1.#", 3) == 0;
}

static weir_status read_level(reader *r, const char *word, weir_error *err)
{
    weir_survey *s = r->survey;
    double level_db = NAN;
    if (is_no_number(word)) {
        s->info.n_unusable++;
    } else if (weir_parse_number(word, &level_db, NULL) != WEIR_OK || fabs(level_db) > 1e4) {
        return weir_fail(err, WEIR_ERR_DATA, "%s, line %zu: \"%.32s\" is no level in dB", r->name,
                         r->line, word);
    }
    if (!grow((void **)&s->levels_db, s->n_levels, &s->level_capacity, sizeof *s->levels_db)) {
        return no_memory(r->name, err);
    }
    s->levels_db[s->n_levels++] = (float)level_db;
    return WEIR_OK;
}

static weir_status read_row(reader *r, char *text, tuning *row, weir_error *err)
{
    char *words[N_FIELDS];
    row_head head = {0};
    *row = (tuning){0};
    for (size_t i = 0; i < N_FIELDS; i++) {
        words[i] = next_word(&text);
        if (!words[i]) {
            return bad_line(r, err,
                            "fewer than seven columns; a row is date, time, Hz low, "
                            "Hz high, Hz step, samples, dB, dB ...");
        }
    }
    weir_status status = read_head(r, words, row, &head, err);
    row->first_level = r->survey->n_levels;
    for (char *word; status == WEIR_OK && (word = next_word(&text));) {
        if (*word || text) { /* a comma at the end of a row is none */
            status = read_level(r, word, err);
        }
    }
    size_t n = r->survey->n_levels - row->first_level;
    if (status == WEIR_OK && n == 0) {
        return bad_line(r, err, "no level after the sixth column");
    }
    if (status == WEIR_OK) {
        place_levels(r->survey, row, n, &head);
    }
    return status;
}

static weir_status take_line(reader *r, char *text, weir_error *err)
{
    weir_survey *s = r->survey;
    r->line++;
    if (r->line == 1 && strncmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
    }
    text += strspn(text, " \t\r\n");
    if (!*text || *text == '#') {
        return WEIR_OK;
    }
    if (!grow((void **)&s->rows, s->info.n_rows, &s->row_capacity, sizeof *s->rows)) {
        return no_memory(r->name, err);
    }
    size_t n_levels = s->n_levels;
    bool is_whole = strchr(text, '\n') != NULL;
    weir_status status = read_row(r, text, &s->rows[s->info.n_rows], err);
    if (status == WEIR_ERR_DATA && !is_whole && s->info.n_rows > 0) {
        s->n_levels = n_levels;
        s->info.was_cut = true;
        return WEIR_OK;
    }
    s->info.n_rows += status == WEIR_OK;
    return status;
}

/* ---- passes ---- */

static double low_edge_hz(const tuning *row)
{
    return row->low_hz - row->step_hz / 2;
}

static double high_edge_hz(const tuning *row)
{
    return low_edge_hz(row) + (double)row->n_levels * row->step_hz;
}

static bool overlap(const tuning *a, const tuning *b)
{
    double slack_hz = 0.5 * fmin(a->step_hz, b->step_hz);
    return low_edge_hz(a) < high_edge_hz(b) - slack_hz &&
           low_edge_hz(b) < high_edge_hz(a) - slack_hz;
}

/* low_hz, high_hz: what the pass, which begins at row `from`, reaches so far. */
static bool begins_pass(const weir_survey *s, size_t from, size_t at, double low_hz, double high_hz)
{
    const tuning *next = &s->rows[at];
    double slack_hz = 0.5 * next->step_hz;
    if (at - from >= MAX_PASS_ROWS ||
        (s->whole_seconds && next->time_unix_ns != s->rows[from].time_unix_ns)) {
        return true;
    }
    if (low_edge_hz(next) > high_hz - slack_hz || high_edge_hz(next) < low_hz + slack_hz) {
        return false;
    }
    for (size_t i = from; i < at; i++) {
        if (overlap(&s->rows[i], next)) {
            return true;
        }
    }
    return false;
}

static void find_passes(weir_survey *s)
{
    double low_hz = INFINITY, high_hz = -INFINITY;
    size_t n = 0;
    for (size_t i = 0; i < s->info.n_rows; i++) {
        if (i == 0 || begins_pass(s, s->pass_rows[n - 1], i, low_hz, high_hz)) {
            s->pass_rows[n++] = i;
            low_hz = INFINITY;
            high_hz = -INFINITY;
        }
        low_hz = fmin(low_hz, low_edge_hz(&s->rows[i]));
        high_hz = fmax(high_hz, high_edge_hz(&s->rows[i]));
    }
    s->pass_rows[n] = s->info.n_rows;
    s->info.n_passes = n;
}

/* ---- times ---- */

static double stamp_s(const weir_survey *s, size_t pass)
{
    /* Centuries apart, the difference in nanoseconds would not fit. */
    double at_s = (double)s->rows[s->pass_rows[pass]].time_unix_ns * 1e-9;
    return at_s - (double)s->rows[0].time_unix_ns * 1e-9;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of the steps from one time to a later one; 1 s if there are none. */
static double usual_step_s(weir_survey *s)
{
    size_t n = 0;
    for (size_t i = 1; i < s->info.n_passes; i++) {
        double step_s = stamp_s(s, i) - stamp_s(s, i - 1);
        if (step_s > 0) {
            s->pass_s[n++] = step_s;
        }
    }
    qsort(s->pass_s, n, sizeof *s->pass_s, compare_doubles);
    return n ? s->pass_s[n / 2] : 1;
}

/* Passes of the same time share the time to the next one. */
static void set_times(weir_survey *s)
{
    double step_s = usual_step_s(s), at_s = 0;
    size_t n_groups = 0;
    for (size_t from = 0, to; from < s->info.n_passes; from = to, n_groups++) {
        double now_s = stamp_s(s, from);
        for (to = from + 1; to < s->info.n_passes && stamp_s(s, to) == now_s;) {
            to++;
        }
        double next_s = to < s->info.n_passes ? stamp_s(s, to) - now_s : step_s;
        double shared_s = next_s > 0 && next_s < 1.5 * step_s ? next_s : step_s;
        for (size_t i = from; i < to; i++) {
            double pass_s = at_s + shared_s * (double)(i - from) / (double)(to - from);
            /* Always later than the last, if only by what a double can tell. */
            s->pass_s[i] = i > 0 ? fmax(pass_s, nextafter(s->pass_s[i - 1], INFINITY)) : pass_s;
        }
        at_s += next_s > 0 ? next_s : step_s;
    }
    s->info.pass_s = step_s * (double)n_groups / (double)s->info.n_passes;
}

/* ---- the grid ---- */

static weir_status set_axis(weir_survey *s, const char *name, weir_error *err)
{
    weir_survey_info *info = &s->info;
    double low_hz = INFINITY, high_hz = -INFINITY;
    info->bin_hz = INFINITY;
    for (size_t i = 0; i < info->n_rows; i++) {
        low_hz = fmin(low_hz, low_edge_hz(&s->rows[i]));
        high_hz = fmax(high_hz, high_edge_hz(&s->rows[i]));
        info->bin_hz = fmin(info->bin_hz, s->rows[i].step_hz);
    }
    info->start_hz = low_hz + info->bin_hz / 2;
    double n = ceil((high_hz - info->start_hz) / info->bin_hz - slack_bins);
    if (!(n <= (double)WEIR_SURVEY_MAX_BINS)) {
        return weir_fail(err, WEIR_ERR_DATA,
                         "%s: rows from %.15g Hz to %.15g Hz in steps of %.9g Hz are %.0f bins; at "
                         "most %zu are possible",
                         name, low_hz, high_hz, info->bin_hz, n, WEIR_SURVEY_MAX_BINS);
    }
    info->n_bins = n >= 1 ? (size_t)n : 1;
    return WEIR_OK;
}

static weir_status lay_out(weir_survey *s, const char *name, weir_error *err)
{
    if (s->info.n_rows == 0) {
        return weir_fail(err, WEIR_ERR_DATA, "%s: no row of a survey (rtl_power, hackrf_sweep)",
                         name);
    }
    s->pass_rows = calloc(s->info.n_rows + 1, sizeof *s->pass_rows);
    s->pass_s = calloc(s->info.n_rows, sizeof *s->pass_s);
    if (!s->pass_rows || !s->pass_s) {
        return no_memory(name, err);
    }
    find_passes(s);
    set_times(s);
    return set_axis(s, name, err);
}

/* ---- the interface ---- */

weir_status weir_survey_parse(weir_survey **out, FILE *file, const char *name, weir_error *err)
{
    *out = NULL;
    reader r = {.survey = calloc(1, sizeof *r.survey), .name = name};
    if (!r.survey) {
        return no_memory(name, err);
    }
    r.survey->whole_seconds = true;
    char *text = NULL;
    size_t size = 0;
    weir_status status = WEIR_OK;
    while (status == WEIR_OK && getline(&text, &size, file) >= 0) {
        status = take_line(&r, text, err);
    }
    free(text);
    if (status == WEIR_OK && ferror(file)) {
        status = weir_fail(err, WEIR_ERR_IO, "%s: cannot read: %s", name, strerror(errno));
    }
    if (status == WEIR_OK) {
        status = lay_out(r.survey, name, err);
    }
    if (status != WEIR_OK) {
        weir_survey_destroy(r.survey);
        return status;
    }
    *out = r.survey;
    return WEIR_OK;
}

weir_status weir_survey_read(weir_survey **out, const char *path, weir_error *err)
{
    *out = NULL;
    bool is_stdin = strcmp(path, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(path, "re");
    if (!file) {
        return weir_fail(err, WEIR_ERR_NO_INPUT, "%s: %s", path, strerror(errno));
    }
    weir_status status = weir_survey_parse(out, file, is_stdin ? "standard input" : path, err);
    if (!is_stdin) {
        fclose(file);
    }
    return status;
}

const weir_survey_info *weir_survey_about(const weir_survey *survey)
{
    return &survey->info;
}

/* The first bin whose middle is not below hz. */
static size_t bin_from(const weir_survey_info *info, double hz)
{
    double bin = ceil((hz - info->start_hz) / info->bin_hz - slack_bins);
    return bin <= 0 ? 0 : bin >= (double)info->n_bins ? info->n_bins : (size_t)bin;
}

static void place(const weir_survey *s, const tuning *row, float *levels_db)
{
    for (size_t i = 0; i < row->n_levels; i++) {
        double low_hz = low_edge_hz(row) + (double)i * row->step_hz;
        size_t end = bin_from(&s->info, low_hz + row->step_hz);
        for (size_t bin = bin_from(&s->info, low_hz); bin < end; bin++) {
            levels_db[bin] = s->levels_db[row->first_level + i];
        }
    }
}

void weir_survey_pass_at(const weir_survey *s, size_t index, float *levels_db,
                         weir_survey_pass *pass)
{
    size_t from = s->pass_rows[index];
    *pass = (weir_survey_pass){.time_s = s->pass_s[index],
                               .time_unix_ns = s->rows[from].time_unix_ns,
                               .n_frames = UINT64_MAX};
    for (size_t bin = 0; bin < s->info.n_bins; bin++) {
        levels_db[bin] = NAN;
    }
    for (size_t i = from; i < s->pass_rows[index + 1]; i++) {
        const tuning *row = &s->rows[i];
        pass->n_frames = row->n_frames < pass->n_frames ? row->n_frames : pass->n_frames;
        place(s, row, levels_db);
    }
    for (size_t bin = 0; bin < s->info.n_bins; bin++) {
        pass->has_holes = pass->has_holes || isnan(levels_db[bin]);
    }
}

void weir_survey_destroy(weir_survey *s)
{
    if (s) {
        free(s->rows);
        free(s->levels_db);
        free(s->pass_rows);
        free(s->pass_s);
        free(s);
    }
}
