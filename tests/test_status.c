/* ctest-labels: unit
 * base/status.h: every value has a text and a documented exit code. */
#include "base/status.h"
#include "tests/check.h"

static void test_every_status_has_a_text_and_a_code(void)
{
    for (int s = 0; s < WEIR_STATUS_COUNT; s++) {
        const char *text = weir_status_text((weir_status)s);
        CHECK(text != NULL && text[0] != '\0');
        CHECK(strcmp(text, "unknown status") != 0);
        int code = weir_status_exit_code((weir_status)s);
        CHECK(code == 0 || code == 1 || (code >= 64 && code <= 78));
    }
    CHECK_STR(weir_status_text(WEIR_STATUS_COUNT), "unknown status");
    CHECK(weir_status_exit_code((weir_status)-1) == 70);
}

static void test_context_goes_before_the_report(void)
{
    weir_error err;
    CHECK(weir_fail(&err, WEIR_ERR_DATA, "byte %d", 12) == WEIR_ERR_DATA);
    CHECK(weir_fail_context(&err, "%s", "x.wav") == WEIR_ERR_DATA);
    CHECK_STR(err.text, "x.wav: byte 12");
}

static void test_long_reports_are_cut_not_overrun(void)
{
    weir_error err;
    char big[2000];
    memset(big, 'a', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    weir_fail(&err, WEIR_ERR_IO, "%s", big);
    CHECK(strlen(err.text) == sizeof err.text - 1);
    weir_fail_context(&err, "%s", "where");
    CHECK(strlen(err.text) == sizeof err.text - 1);
    CHECK(strncmp(err.text, "where: aaa", 10) == 0);
    weir_fail_context(&err, "%s", big);
    CHECK(strlen(err.text) <= sizeof err.text - 1);
}

int main(void)
{
    RUN(test_every_status_has_a_text_and_a_code);
    RUN(test_context_goes_before_the_report);
    RUN(test_long_reports_are_cut_not_overrun);
    return check_finish();
}
