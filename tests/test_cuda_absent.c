/* Without CUDA in the build, or without a GPU in the machine, everything is normal: no
 * devices, a clear text, no crash.
 * ctest-labels: unit */
#include "cuda/engine_cuda.h"
#include "tests/check.h"

static void on_spectrum(void *user, const weir_spectrum *spectrum)
{
    (void)user;
    (void)spectrum;
}

static void test_create_says_why(void)
{
    double window[64];
    for (int i = 0; i < 64; i++) {
        window[i] = 1;
    }
    weir_engine_config config = {.format = {WEIR_U8, true, 1, 0},
                                 .n_fft = 64,
                                 .hop = 64,
                                 .window = window,
                                 .frames_per_spectrum = 1,
                                 .traces = WEIR_TRACE_BIT(WEIR_TRACE_MEAN),
                                 .device = 1000,
                                 .on_spectrum = on_spectrum};
    weir_engine *engine = (weir_engine *)1;
    weir_error err = {WEIR_OK, ""};
    weir_status status = weir_engine_cuda_create(&engine, &config, &err);
    CHECK(status == (weir_cuda_built() ? WEIR_ERR_DEVICE : WEIR_ERR_UNSUPPORTED));
    CHECK(engine == NULL && err.status == status);
    CHECK(strlen(err.text) > 20 && !strchr(err.text, '\n'));
    printf("# %s\n", err.text);
    CHECK(weir_engine_cuda_create(&engine, &config, NULL) == status);
}

static void test_devices(void)
{
    weir_error err = {WEIR_OK, ""};
    size_t n = weir_cuda_device_count(&err);
    CHECK(n > 0 || strlen(err.text) > 10);
    CHECK(weir_cuda_device_count(NULL) == n);
    weir_cuda_device device;
    CHECK(weir_cuda_device_info(-1, &device, &err) == WEIR_ERR_DEVICE);
    CHECK(weir_cuda_device_info((int)n, &device, &err) == WEIR_ERR_DEVICE);
    CHECK(!strchr(err.text, '\n'));
}

static void test_pin_without_device(void)
{
    static char memory[8192];
    weir_error err = {WEIR_OK, ""};
    if (weir_cuda_device_count(NULL) == 0) {
        CHECK(weir_cuda_pin(memory, sizeof memory, &err) != WEIR_OK && err.text[0]);
        weir_cuda_unpin(memory);
    } else if (weir_cuda_pin(memory, sizeof memory, &err) == WEIR_OK) {
        weir_cuda_unpin(memory);
        CHECK(memory[0] == 0);
    }
}

int main(void)
{
    RUN(test_create_says_why);
    RUN(test_devices);
    RUN(test_pin_without_device);
    return check_finish();
}
