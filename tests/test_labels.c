/* ctest-labels: unit
 *
 * Names of channels from a file: every form a line may have, every refusal, and which name a
 * frequency gets. */
#include "display/labels.h"
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/weir-labels-XXXXXX";

static weir_status load(const char *text, weir_labels *labels, weir_error *err)
{
    FILE *file = fopen(path, "w");
    if (!file) {
        abort();
    }
    int put = fputs(text, file), closed = fclose(file);
    CHECK(put >= 0 && closed == 0);
    *labels = (weir_labels){0};
    return weir_labels_load(labels, path, err);
}

static void test_rows(void)
{
    static const char text[] = "frequency,name\r\n"
                               "# a comment, with a comma\n"
                               "\n"
                               "  433.92M , \"ISM\"\r\n"
                               "100.1M,100.3M,Radio One\n"
                               "87.6e6,North, and South\n"
                               "100.15M,100.2M,100 % inside\n"
                               "-5k,5k,around zero";
    static const weir_label rows[] = {{-5e3, 5e3, "around zero"},
                                      {87.6e6, 87.6e6, "North, and South"},
                                      {100.1e6, 100.3e6, "Radio One"},
                                      {100.15e6, 100.2e6, "100 % inside"},
                                      {433.92e6, 433.92e6, "ISM"}};
    weir_labels labels;
    weir_error err = {0};
    CHECK_MSG(load(text, &labels, &err) == WEIR_OK, "%s", err.text);
    CHECK(labels.n == sizeof rows / sizeof *rows);
    for (size_t i = 0; i < labels.n; i++) {
        CHECK_MSG(labels.rows[i].low_hz == rows[i].low_hz &&
                      labels.rows[i].high_hz == rows[i].high_hz &&
                      strcmp(labels.rows[i].name, rows[i].name) == 0,
                  "%zu: %g %g \"%s\"", i, labels.rows[i].low_hz, labels.rows[i].high_hz,
                  labels.rows[i].name);
    }
    weir_labels_free(&labels);
}

static void test_which_name(void)
{
    weir_labels labels;
    weir_error err;
    CHECK(load("1M,2M,wide\n1.4M,1.6M,narrow\n1.45M,one\n3M,alone\n", &labels, &err) == WEIR_OK);
    static const struct {
        double hz, slack_hz;
        const char *name; /* NULL: none */
    } asked[] = {{1.2e6, 0, "wide"},       {1.5e6, 0, "narrow"}, {1.4505e6, 1e3, "one"},
                 {1.452e6, 1e3, "narrow"}, {2e6, 0, "wide"},     {2.001e6, 1e5, NULL},
                 {2.95e6, 1e5, "alone"},   {3e6, 0, "alone"},    {0.0, 1e3, NULL}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        const weir_label *label = weir_labels_at(&labels, asked[i].hz, asked[i].slack_hz);
        CHECK_MSG(asked[i].name ? label && strcmp(label->name, asked[i].name) == 0 : !label,
                  "%g Hz: %s", asked[i].hz, label ? label->name : "none");
    }
    weir_labels_free(&labels);
    CHECK(!weir_labels_at(&labels, 1.0, 1.0));
}

static void test_refusals(void)
{
    static const char *const bad[] = {"1M,a\nred,b\n",   "1M,a\n1M\n",    "1M,a\n2M,\n",
                                      "1M,a\n2M,1M,b\n", "1M,a\nnan,b\n", "1M,a\n,b\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        weir_labels labels;
        weir_error err = {0};
        CHECK_MSG(load(bad[i], &labels, &err) == WEIR_ERR_DATA, "%zu: %s", i, bad[i]);
        CHECK_MSG(labels.n == 0 && !labels.rows && strstr(err.text, ":2: "), "%s", err.text);
    }
    weir_labels labels;
    weir_error err = {0};
    CHECK(load("", &labels, &err) == WEIR_OK && labels.n == 0);
    weir_labels_free(&labels);
    labels = (weir_labels){0};
    CHECK(weir_labels_load(&labels, "/nonexistent/labels.csv", &err) == WEIR_ERR_NO_INPUT);
    CHECK(strstr(err.text, "/nonexistent/labels.csv"));
}

/* Any bytes: rows that hold what they promise, or a refusal. */
static void test_any_bytes(void)
{
    check_rng rng = check_rng_fresh();
    for (int round = 0; round < 500; round++) {
        static const char letters[] = "0123456789.,,,\n\n#MkHz -e\"x";
        char text[200];
        size_t n = check_random(&rng) % (sizeof text - 1);
        for (size_t i = 0; i < n; i++) {
            text[i] = letters[check_random(&rng) % (sizeof letters - 1)];
        }
        text[n] = '\0';
        weir_labels labels;
        weir_error err;
        weir_status status = load(text, &labels, &err);
        CHECK(status == WEIR_OK || (status == WEIR_ERR_DATA && labels.n == 0));
        for (size_t i = 0; i < labels.n; i++) {
            CHECK(labels.rows[i].high_hz >= labels.rows[i].low_hz && labels.rows[i].name[0]);
            CHECK(i == 0 || labels.rows[i].low_hz >= labels.rows[i - 1].low_hz);
        }
        weir_labels_free(&labels);
    }
}

int main(void)
{
    int fd = mkstemp(path);
    CHECK(fd >= 0 && close(fd) == 0);
    RUN(test_rows);
    RUN(test_which_name);
    RUN(test_refusals);
    RUN(test_any_bytes);
    unlink(path);
    return check_finish();
}
