/* Any bytes as a whole file: the readers that are our own, to the last sample. The first
 * byte chooses the ending; audio files are libsndfile's to fuzz. */
#include "base/log.h"
#include "capture/source.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const endings[] = {".sigmf", ".sdriq", ".wav", ".cs16"};

static void read_to_end(weir_source *source)
{
    size_t stride = weir_format_stride_bytes(&source->info.format);
    uint8_t *memory = malloc(100 * stride);
    weir_read read;
    do {
        read = (weir_read){0};
        if (source->class_->read(source, memory, 100, &read, NULL) != WEIR_OK) {
            break;
        }
    } while (read.n_samples > 0);
    free(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const sound[] = {"fLaC", "OggS", "FORM", ".snd", "dns.", "caff", "riff"};
    for (size_t i = 0; size >= 5 && i < sizeof sound / sizeof sound[0]; i++) {
        if (memcmp(data + 1, sound[i], 4) == 0) {
            return 0;
        }
    }
    if (size == 0) {
        return 0;
    }
    weir_log_set_level(WEIR_LOG_ERROR);
    char path[64];
    snprintf(path, sizeof path, "/tmp/weir-fuzz-%ld%s", (long)getpid(), endings[data[0] % 4]);
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (fd < 0 || write(fd, data + 1, size - 1) != (ssize_t)(size - 1)) {
        abort();
    }
    close(fd);
    weir_source_options options;
    weir_source_options_init(&options);
    options.rate_hz = 1000;
    weir_source *source;
    weir_error err;
    if (weir_source_open(&source, path, &options, &err) == WEIR_OK) {
        read_to_end(source);
        weir_source_close(source);
    }
    unlink(path);
    return 0;
}
