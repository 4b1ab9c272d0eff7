/* ctest-labels: unit prop
 * The CPU engine, held to dsp/engine.h by the suite that all engines pass. */
#include "tests/engine_suite.h"

int main(void)
{
    return engine_suite(weir_engine_cpu_create);
}
