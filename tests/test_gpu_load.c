/* ctest-labels: unit
 * cuda/gpu_load.h against a management library of our own (tests/fakes/fake_nvml.c), which
 * LD_LIBRARY_PATH puts in the place of the driver's: the program runs itself anew for that. */
#include "cuda/gpu_load.h"
#include "tests/check.h"

#include <unistd.h>

static void test_what_it_says(void)
{
    static const struct {
        const char *wish;
        double share; /* NAN: cannot be opened */
    } rows[] = {{"0", 0}, {"37", 0.37}, {"100", 1}, {"none", -1}, {"init", NAN}, {"device", NAN}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        setenv("FAKE_NVML", rows[i].wish, 1);
        weir_gpu_load *load = weir_gpu_load_open("0000:01:00.0");
        CHECK_MSG((load == NULL) == (isnan(rows[i].share) != 0), "%s", rows[i].wish);
        if (load) {
            CHECK_NEAR(weir_gpu_load_share(load), rows[i].share, 1e-12);
        }
        weir_gpu_load_close(load);
    }
    setenv("FAKE_NVML", "5", 1);
    CHECK(!weir_gpu_load_open("0000:ff:00.0"));
    weir_gpu_load_close(NULL);
}

int main(int argc, char **argv)
{
    const char *folder = getenv("WEIR_BUILD_DIR");
    if (argc < 2) {
        char path[4096];
        snprintf(path, sizeof path, "%s/tests/fakes/nvml", folder ? folder : ".");
        setenv("LD_LIBRARY_PATH", path, 1);
        execl("/proc/self/exe", argv[0], "again", (char *)NULL);
        return check_skip("cannot run itself");
    }
    RUN(test_what_it_says);
    return check_finish();
}
