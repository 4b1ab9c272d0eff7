/* ctest-labels: unit prop
 * What the view says in words and numbers: the labels of the frequency axis at any size and zoom,
 * what the status line keeps while it says something else, and for how long it says it. */
#include "tests/view_testing.h"

#define MOST_COLUMNS 250

static float power[N_FFT], highest[N_FFT];

static void push_flat(weir_view *view, uint64_t index)
{
    for (size_t k = 0; k < N_FFT; k++) {
        power[k] = 1e-9f;
    }
    weir_spectrum s = make_line(power, index, 40960);
    weir_view_push(view, &s);
}

/* A row as ASCII; what is not becomes '?'. */
static const char *read_row(const weir_view *view, size_t row, char text[MOST_COLUMNS + 1])
{
    size_t n = view->layout.n_columns;
    for (size_t c = 0; c < n; c++) {
        uint32_t glyph = weir_cells_at(view->cells, c, row).glyph;
        text[c] = glyph >= ' ' && glyph < 0x7f ? (char)glyph : '?';
    }
    text[n] = '\0';
    return text;
}

static double unit_hz(const char *unit)
{
    return strcmp(unit, "GHz") == 0   ? 1e9
           : strcmp(unit, "MHz") == 0 ? 1e6
           : strcmp(unit, "kHz") == 0 ? 1e3
           : strcmp(unit, "Hz") == 0  ? 1.0
                                      : 0.0;
}

/* Every label is the frequency of the columns that it stands at. */
static void check_labels(const weir_view *view, const char *row)
{
    char text[MOST_COLUMNS + 1], *rest = text;
    size_t gutter = view->layout.gutter, n = view->layout.axis.n_columns;
    double unit = 0.0;
    snprintf(text, sizeof text, "%s", row);
    for (char *word = strtok_r(text, " |?", &rest); word; word = strtok_r(NULL, " |?", &rest)) {
        unit = unit > 0.0 ? unit : unit_hz(word);
    }
    CHECK_MSG(unit > 0.0, "no unit in \"%s\"", row);
    for (size_t at = gutter, length; at < gutter + n; at += length) {
        length = strcspn(row + at, " ");
        char *end;
        double hz = strtod(row + at, &end) * unit;
        if (length > 0 && unit_hz(row + at) == 0.0) {
            double column = weir_axis_column(&view->axis, n, hz) + (double)gutter;
            double middle = (double)at + 0.5 * (double)length;
            CHECK_MSG(end == row + at + length && fabs(column - middle) <= 0.5 * (double)length + 2,
                      "%zu columns, \"%s\" at %.1f, not %.1f: \"%s\"", view->layout.n_columns,
                      row + at, middle, column, row);
        }
        length += length == 0;
    }
}

static void test_labels_are_what_they_stand_at(void)
{
    check_rng rng = check_rng_fresh();
    char row[MOST_COLUMNS + 1];
    for (int round = 0; round < 300; round++) {
        weir_stream_info stream = make_stream();
        weir_view *view = make_view_of(&stream, -100.0f, -20.0f, round % 2);
        push_flat(view, 0);
        size_t w = 20 + check_random(&rng) % (round % 3 ? 40 : 200),
               h = 5 + check_random(&rng) % 30;
        CHECK(weir_view_draw(view, w, h, 0.03f));
        for (uint64_t keys = check_random(&rng) % 12; keys > 0; keys--) {
            static const int pressed[] = {'+', '+', '+', WEIR_KEY_LEFT, WEIR_KEY_RIGHT, '-', '>'};
            weir_view_press(view, pressed[check_random(&rng) % 7]);
        }
        CHECK(weir_view_draw(view, w, h, 0.03f));
        const weir_rect *axis = &view->layout.axis;
        check_labels(view, read_row(view, axis->row + axis->n_rows - 1, row));
        weir_view_close(view);
    }
}

/* An axis of notes with none in sight has frequencies instead. */
static void test_between_two_notes(void)
{
    char row[MOST_COLUMNS + 1];
    weir_stream_info stream = make_stream();
    weir_view *view = make_view_of(&stream, -100.0f, -20.0f, false);
    push_flat(view, 0);
    CHECK(weir_view_draw(view, 100, 30, 0.03f));
    CHECK(weir_view_axis_set(view, WEIR_AXIS_NOTES));
    CHECK(weir_view_draw(view, 100, 30, 0.03f));
    read_row(view, view->layout.axis.row + 1, row);
    CHECK_MSG(strstr(row, "MHz") && strstr(row, "100.0"), "%s", row);
    weir_view_close(view);
}

static const char *status_of(weir_view *view, size_t n_columns, char row[MOST_COLUMNS + 1])
{
    CHECK(weir_view_draw(view, n_columns, 24, 0.03f));
    return read_row(view, view->layout.status.row, row);
}

/* As after a seek back to the beginning, at the stream's sample of line 20. */
static uint64_t place_after_seek(void *user, uint64_t stream_sample)
{
    const uint64_t *rate_hz = user, seek = 20 * *rate_hz / 50;
    return stream_sample < seek ? 9000 * *rate_hz + stream_sample : stream_sample - seek;
}

static weir_status take_seek(void *user, double seconds, weir_error *err)
{
    (void)user;
    (void)seconds;
    (void)err;
    return WEIR_OK;
}

/* A replay's lines have the times of the recording, wherever it was sought to; of a long time the
 * gutter shows the end. */
static void test_times_of_a_replay(void)
{
    char row[MOST_COLUMNS + 1], labels[40 * MOST_COLUMNS] = "";
    uint64_t rate_hz = (uint64_t)RATE_HZ;
    weir_stream_info stream = make_stream();
    stream.n_samples = 10000 * rate_hz;
    weir_view *view = make_view_of(&stream, -100.0f, -20.0f, false);
    view->config.is_replay = true;
    view->config.actions.user = &rate_hz;
    view->config.actions.place_of = place_after_seek;
    view->config.actions.seek = take_seek;
    for (uint64_t i = 0; i < 30; i++) { /* of 20 ms */
        push_flat(view, i);
    }
    CHECK(weir_view_draw(view, 100, 60, 0.03f));
    const weir_rect *rect = &view->layout.waterfall;
    for (size_t r = rect->row; r < rect->row + rect->n_rows; r++) {
        size_t n = strlen(labels);
        snprintf(labels + n, sizeof labels - n, "%.*s", (int)view->layout.gutter,
                 read_row(view, r, row));
    }
    CHECK_MSG(strstr(labels, " 0:00.0 +") && strstr(labels, " <:00.3 +"), "%s", labels);
    view->is_paused = true;
    weir_view_press(view, '.');
    status_of(view, 100, row);
    CHECK_MSG(strstr(row, " at 0:00.180"), "%s", row);
    for (const char *key = "G9999\rG2:46:40\r"; *key; key++) {
        CHECK(view->message[0] == '\0' || *key == 'G');
        weir_view_press(view, *key == '\r' ? WEIR_KEY_ENTER : *key);
    }
    CHECK_MSG(strstr(view->message, "2:46:40: the recording ends at 2:46:40.0"), "%s",
              view->message);
    weir_view_close(view);
}

/* Labels of annotations do not cover each other: one of two that would is left out. */
static void test_labels_of_annotations(void)
{
    char row[MOST_COLUMNS + 1];
    const weir_note notes[] = {{.low_hz = 99.5e6, .high_hz = 99.9e6, .label = "the-first-one"},
                               {.low_hz = 99.55e6, .high_hz = 99.6e6, .label = "hidden"},
                               {.low_hz = 99.3e6, .high_hz = 99.35e6, .label = "left-of-them-all"},
                               {.low_hz = 100.5e6, .high_hz = 100.6e6, .label = "third"},
                               {.low_hz = 101.0e6, .high_hz = 101.02e6, .label = "at-the-edge"}};
    weir_stream_info stream = make_stream();
    weir_view *view = make_view_of(&stream, -100.0f, -20.0f, false);
    view->config.notes = notes;
    view->config.n_notes = sizeof notes / sizeof *notes;
    push_flat(view, 0);
    CHECK(weir_view_draw(view, 100, 30, 0.03f));
    read_row(view, view->layout.waterfall.row, row);
    CHECK_MSG(strstr(row, "|the-first-one") && !strstr(row, "hidden"), "%s", row);
    CHECK_MSG(strstr(row, "|left-of>|the"), "%s", row); /* cut before it */
    CHECK_MSG(strstr(row, "|third"), "%s", row);
    CHECK_MSG(!strstr(row, "at-"), "%s", row); /* "a>" would say nothing */
    weir_view_close(view);
}

/* A replay that jumps into the middle of a note says whose it is, once. */
static void test_label_after_a_jump(void)
{
    char row[MOST_COLUMNS + 1];
    uint64_t rate_hz = (uint64_t)RATE_HZ, n_times = 0;
    const weir_note notes[] = {{.first_sample = 8999 * rate_hz,
                                .n_samples = 100 * rate_hz,
                                .low_hz = NAN,
                                .high_hz = NAN,
                                .label = "long one"}};
    weir_stream_info stream = make_stream();
    weir_view *view = make_view_of(&stream, -100.0f, -20.0f, false);
    view->config.is_replay = true;
    view->config.notes = notes;
    view->config.n_notes = 1;
    view->config.actions.user = &rate_hz;
    view->config.actions.place_of = place_after_seek;
    for (uint64_t i = 5; i < 30; i++) { /* into the note; line 20: out of it again */
        push_flat(view, i);
    }
    CHECK(weir_view_draw(view, 100, 60, 0.03f));
    for (size_t r = 0; r < view->layout.waterfall.n_rows; r++) {
        n_times += strstr(read_row(view, view->layout.waterfall.row + r, row), "|long one") != NULL;
    }
    CHECK_MSG(n_times == 1, "%llu", (unsigned long long)n_times);
    weir_view_close(view);
}

static bool is_recording(void *user, weir_view_recording *state)
{
    (void)user;
    *state = (weir_view_recording){.seconds = 12, .n_bytes = 57600000};
    return true;
}

/* What is said does not hide that something is being recorded, where there is room. */
static void test_marks_stay_beside_messages(void)
{
    char row[MOST_COLUMNS + 1];
    weir_stream_info stream = make_stream();
    weir_view *view = make_view_of(&stream, -100.0f, -20.0f, true);
    push_flat(view, 0);
    CHECK(strstr(status_of(view, 80, row), "REC") == NULL);
    view->config.actions.recording = is_recording;
    CHECK(strstr(status_of(view, 80, row), "REC 0:12 57.6 MB") != NULL);
    weir_view_press(view, 'c');
    status_of(view, 80, row);
    CHECK_MSG(strstr(row, "REC 0:12 57.6 MB   colour map"), "%s", row);
    weir_view_press(view, ' ');
    weir_view_press(view, 'f');
    status_of(view, 80, row);
    CHECK_MSG(strstr(row, "PAUSED   REC 0:12 57.6 MB   frequency"), "%s", row);
    weir_view_press(view, WEIR_KEY_ESC);
    weir_view_press(view, 'c');
    status_of(view, 24, row);
    CHECK_MSG(strncmp(row, " colour map", 11) == 0, "%s", row); /* no room for both */
    weir_view_close(view);
}

/* On the smallest screen what is typed is seen, and what the cursor reads without its label. */
static void test_smallest_screen(void)
{
    char row[MOST_COLUMNS + 1];
    weir_stream_info stream = make_stream();
    weir_view *view = make_view_of(&stream, -100.0f, -20.0f, true);
    push_flat(view, 0);
    CHECK(weir_view_draw(view, 20, 5, 0.03f));
    weir_view_press(view, '.');
    CHECK(weir_view_draw(view, 20, 5, 0.03f));
    read_row(view, view->layout.status.row, row);
    CHECK_MSG(strncmp(row, " 100.0", 6) == 0 && strstr(row, "MHz -"), "%s", row);
    for (const char *key = "f100.2503M"; *key; key++) {
        weir_view_press(view, *key);
    }
    CHECK(weir_view_draw(view, 20, 5, 0.03f));
    read_row(view, view->layout.status.row, row);
    CHECK_MSG(strstr(row, "100.2503M_"), "%s", row);
    weir_view_close(view);
}

/* An answer goes with the next key; what the program reports does not. */
static void test_answers_go_with_the_next_key(void)
{
    weir_stream_info stream = make_stream();
    weir_view *view = make_view_of(&stream, -100.0f, -20.0f, true);
    weir_totals totals = {0};
    weir_error lost = {WEIR_ERR_IO, "the device is gone"};
    push_flat(view, 0);
    CHECK(weir_view_draw(view, 80, 24, 0.03f));
    weir_view_press(view, 'c');
    CHECK(strstr(view->message, "colour map"));
    weir_view_press(view, '+');
    CHECK(view->message[0] == '\0');
    weir_view_press(view, 'A'); /* there are none to hide */
    CHECK(strstr(view->message, "no annotations") && !view->hides_notes);
    weir_view_end(view, &totals, &lost);
    weir_view_take_end(view);
    weir_view_press(view, '+');
    CHECK(strcmp(view->message, lost.text) == 0);
    weir_view_press(view, WEIR_KEY_ESC);
    CHECK(view->message[0] == '\0');
    weir_view_close(view);
}

/* A message that is longer than the row has more rows, and nothing of it is lost. */
static void test_long_messages(void)
{
    static const char reason[] =
        "/a/rather/long/path/to/a/folder/weir-20261130T144309Z.png: cannot "
        "create: No such file or directory";
    char row[MOST_COLUMNS + 1], all[4 * MOST_COLUMNS] = "";
    for (size_t n_columns = 30; n_columns < 140; n_columns += 11) {
        weir_stream_info stream = make_stream();
        weir_view *view = make_view_of(&stream, -100.0f, -20.0f, false);
        push_flat(view, 0);
        weir_view_message(view, true, "%s", reason);
        CHECK(weir_view_draw(view, n_columns, 24, 0.03f));
        size_t last = view->layout.status.row, n = 0, first = last;
        while (!strstr(read_row(view, first, row), "/a/rather")) {
            first--;
        }
        all[0] = '\0';
        for (size_t r = first; r <= last; r++) {
            n += (size_t)snprintf(all + n, sizeof all - n, "%s", read_row(view, r, row) + 1);
            for (; n > 0 && r < last && all[n - 1] == ' '; n--) { /* of the wrapping */
            }
            n += (size_t)snprintf(all + n, sizeof all - n, "%s",
                                  r < last && !strchr("/.", all[n - 1]) ? " " : "");
        }
        bool is_whole = strstr(all, "cannot create: No such file or directory") != NULL;
        CHECK_MSG(is_whole || n_columns < 48, "%zu columns: \"%s\"", n_columns, all);
        weir_view_close(view);
    }
}

static void test_fitting_text(void)
{
    CHECK(weir_text_fit("", 5) == 0);
    CHECK(weir_text_fit("hello", 5) == 5);
    CHECK(weir_text_fit("hello world", 5) == 5);
    CHECK(weir_text_fit("hello world", 8) == 6);    /* at the blank */
    CHECK(weir_text_fit("a longlongword", 9) == 9); /* too early a blank */
    CHECK(weir_text_fit("\u65e5\u672c", 3) == 3);   /* wide ones */
    CHECK(weir_text_fit("\u65e5\u672c", 1) == 3);   /* never nothing */
}

/* A slow stream is shown before its first line, and why there is none. */
static void test_before_the_first_line(void)
{
    char row[MOST_COLUMNS + 1];
    weir_stream_info stream = make_stream();
    stream.rate_hz = 8.0;
    stream.center_hz = 0.0;
    weir_view *view = make_view_of(&stream, -100.0f, -20.0f, true);
    CHECK(weir_view_draw(view, 80, 24, 0.03f));
    read_row(view, view->layout.waterfall.row, row);
    CHECK_MSG(strstr(row, "the first line takes 2048 samples: 4:16"), "%s", row);
    push_flat(view, 0);
    CHECK(weir_view_draw(view, 80, 24, 0.03f));
    CHECK(!strstr(read_row(view, view->layout.waterfall.row, row), "first line"));
    weir_view_close(view);
}

/* On a log axis noise at a low frequency is that, not the strong tone a decade above. */
static void test_noise_on_a_log_axis(void)
{
    weir_stream_info stream = make_stream();
    stream.format.is_complex = false;
    stream.rate_hz = 48e3;
    stream.center_hz = 0.0;
    weir_view *view = make_view_of(&stream, -120.0f, 0.0f, true);
    const double bin_hz = 10.0, density = 1e-9 / (1.5 * bin_hz);
    for (size_t k = 0; k < N_FFT; k++) {
        power[k] = highest[k] = k == 100 ? 0.1f : 1e-9f;
    }
    weir_spectrum s = make_line(power, 0, 40960);
    s.start_hz = 0.0;
    s.bin_hz = bin_hz;
    s.center_hz = 0.0;
    s.rate_hz = 2.0 * N_FFT * bin_hz;
    weir_view_push(view, &s);
    CHECK(weir_view_draw(view, 100, 40, 0.03f));
    CHECK(weir_view_axis_set(view, WEIR_AXIS_LOG));
    view->has_cursor = true;
    view->cursor_hz = 500.0;
    weir_view_press(view, 'H');
    CHECK(weir_view_draw(view, 100, 40, 0.03f));
    char wanted[32], row[MOST_COLUMNS + 1];
    snprintf(wanted, sizeof wanted, "%.1f dBFS/Hz", 10.0 * log10(density));
    read_row(view, view->layout.spectrum.row + 1, row);
    CHECK_MSG(strstr(row, wanted), "%s not in \"%s\"", wanted, row);
    weir_view_close(view);
}

int main(void)
{
    RUN(test_labels_are_what_they_stand_at);
    RUN(test_between_two_notes);
    RUN(test_times_of_a_replay);
    RUN(test_labels_of_annotations);
    RUN(test_label_after_a_jump);
    RUN(test_marks_stay_beside_messages);
    RUN(test_smallest_screen);
    RUN(test_answers_go_with_the_next_key);
    RUN(test_long_messages);
    RUN(test_fitting_text);
    RUN(test_before_the_first_line);
    RUN(test_noise_on_a_log_axis);
    return check_finish();
}
