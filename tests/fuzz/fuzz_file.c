/* Any bytes as a whole file: the readers that are our own, to the last sample. The first
 * byte chooses the ending; audio files are libsndfile's to fuzz. Metadata of SigMF find
 * some data beside them, and are opened by the name of that from 128 on. */
#include "base/log.h"
#include "capture/source.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const endings[] = {".sigmf", ".sdriq", ".wav", ".cs16", ".sigmf-meta"};

static void write_file(const char *path, const uint8_t *data, size_t size)
{
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        abort();
    }
    close(fd);
}

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
    if (source->class_->seek && source->info.can_seek) {
        source->class_->seek(source, 1, NULL);
    }
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
    static const uint8_t samples[64] = {1, 2, 3};
    char path[64], beside[64];
    const char *ending = endings[data[0] % (sizeof endings / sizeof *endings)];
    snprintf(path, sizeof path, "/tmp/weir-fuzz-%ld%s", (long)getpid(), ending);
    snprintf(beside, sizeof beside, "/tmp/weir-fuzz-%ld.sigmf-data", (long)getpid());
    write_file(path, data + 1, size - 1);
    write_file(beside, samples, sizeof samples);
    weir_source_options options;
    weir_source_options_init(&options);
    options.rate_hz = 1000;
    options.verify_checksum = memmem(data, size, "sha512", 6) != NULL; /* else refused */
    weir_source *source;
    weir_error err;
    bool by_data = data[0] >= 128 && strcmp(ending, ".sigmf-meta") == 0;
    if (weir_source_open(&source, by_data ? beside : path, &options, &err) == WEIR_OK) {
        read_to_end(source);
        weir_source_close(source);
    }
    unlink(path);
    unlink(beside);
    return 0;
}
