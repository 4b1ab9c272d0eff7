// ctest-labels: unit prop
// ctest-timeout: 120
/* Products of integer polynomials on the CPU. */
#include "exact_checks.h"

static void test_text(void)
{
    char text[48];
    weir_int128 large = (weir_int128)1 << 126;
    CHECK_STR(weir_int128_text(0, text), "0");
    CHECK_STR(weir_int128_text(-7, text), "-7");
    CHECK_STR(weir_int128_text(large, text), "85070591730234615865843651857942052864");
    CHECK_STR(weir_int128_text(-large - large, text), "-170141183460469231731687303715884105728");
}

int main(void)
{
    exact_checks();
    RUN(test_text);
    return check_finish();
}
