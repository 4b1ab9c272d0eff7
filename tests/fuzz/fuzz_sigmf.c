/* Any text as SigMF metadata. */
#include "base/log.h"
#include "capture/sigmf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    weir_log_set_level(WEIR_LOG_ERROR);
    weir_sigmf *sigmf;
    weir_error err;
    weir_sigmf_parse(&sigmf, "fuzz", (const char *)data, size, &err);
    weir_sigmf_destroy(sigmf);
    return 0;
}
