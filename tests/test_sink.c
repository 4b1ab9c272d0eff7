/* ctest-labels: unit
 * display/sink.h: the registry: names, endings, hints, and what open refuses. */
#include "display/sink.h"
#include "tests/sink_testing.h"

static void test_every_row_is_complete(void)
{
    const weir_sink_class *class_;
    size_t n = 0;
    for (; (class_ = weir_sink_class_at(n)); n++) {
        CHECK(class_->name[0] && class_->help[0] && class_->endings);
        CHECK(class_->open && class_->write && class_->finish && class_->close);
        CHECK(weir_sink_class_find(class_->name, "x.unknown", NULL) == class_);
    }
    CHECK(n == 9);
}

static void test_endings(void)
{
    const struct {
        const char *path, *name;
    } cases[] = {{"a.csv", "csv"},      {"/x.y/A.CSV", "csv"}, {"b.jsonl", "jsonl"},
                 {"b.ndjson", "jsonl"}, {"c.npy", "npy"},      {"d.png", "png"},
                 {"e.csv.txt", "text"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const weir_sink_class *class_ = weir_sink_class_find(NULL, cases[i].path, NULL);
        CHECK_MSG(class_ && strcmp(class_->name, cases[i].name) == 0, "%s is no %s", cases[i].path,
                  cases[i].name);
    }
}

static void test_errors_list_what_there_is(void)
{
    weir_error err = {0};
    const char *const bad_paths[] = {"x.mp3", "x", ".csv", "-", "csv", "", "x.png/y"};
    for (size_t i = 0; i < sizeof bad_paths / sizeof bad_paths[0]; i++) {
        memset(&err, 0, sizeof err);
        CHECK(weir_sink_class_find(NULL, bad_paths[i], &err) == NULL);
        CHECK(err.status == WEIR_ERR_USAGE);
        CHECK(strstr(err.text, "csv (.csv)") && strstr(err.text, "hackrf_sweep"));
    }
    CHECK(weir_sink_class_find(NULL, NULL, &err) == NULL);
    CHECK(weir_sink_class_find("jsonlines", "x.csv", &err) == NULL);
    CHECK(strstr(err.text, "jsonlines") && strstr(err.text, "jsonl (.jsonl .ndjson)"));
    CHECK(weir_sink_class_find("rtlpower", NULL, &err) == NULL);
    CHECK(strstr(err.text, "did you mean \"rtl_power\"") != NULL);
}

static weir_status try_open(const weir_sink_config *config, weir_error *err)
{
    weir_stream_info stream = sink_stream();
    weir_sink *sink = (weir_sink *)&stream; /* must become NULL */
    weir_status status =
        weir_sink_open(&sink, weir_sink_class_find("csv", NULL, err), config, &stream, err);
    CHECK((status == WEIR_OK) == (sink != NULL));
    weir_sink_close(sink);
    return status;
}

static void test_open_refuses_bad_settings(void)
{
    weir_error err = {0};
    char path[128];
    weir_sink_config good, bad;
    weir_sink_config_init(&good);
    CHECK_STR(good.path, "-");
    good.path = sink_path(path, sizeof path, "settings.csv");
    CHECK(try_open(&good, &err) == WEIR_OK);
    bad = good;
    bad.low_hz = 2.0;
    bad.high_hz = 1.0;
    CHECK(try_open(&bad, &err) == WEIR_ERR_USAGE && strstr(err.text, "lowest frequency"));
    bad = good;
    bad.low_db = -10.0f;
    bad.high_db = -10.0f;
    CHECK(try_open(&bad, &err) == WEIR_ERR_USAGE && strstr(err.text, "lowest level"));
    bad = good;
    bad.colormap = "rainbow";
    CHECK(try_open(&bad, &err) == WEIR_ERR_USAGE && strstr(err.text, "viridis, magma"));
    bad = good;
    bad.trace = WEIR_TRACE_COUNT;
    CHECK(try_open(&bad, &err) == WEIR_ERR_INTERNAL);
    bad = good;
    bad.reducer = (weir_reducer)-1;
    CHECK(try_open(&bad, &err) == WEIR_ERR_INTERNAL);
    bad = good;
    bad.path = NULL;
    CHECK(try_open(&bad, &err) == WEIR_ERR_INTERNAL);
    weir_sink_close(NULL);
}

int main(void)
{
    RUN(test_every_row_is_complete);
    RUN(test_endings);
    RUN(test_errors_list_what_there_is);
    RUN(test_open_refuses_bad_settings);
    return check_finish();
}
