/* Fuzzer input as text and as a file that has a path but lies on no disk. */
#ifndef WEIR_FUZZ_IN_MEMORY_H
#define WEIR_FUZZ_IN_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* On the heap and not a byte longer, so that reading past its end is seen. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) {
        abort();
    }
    if (size > 0) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    return text;
}

typedef struct fuzz_file {
    int fd;
    char path[64];
} fuzz_file;

static inline fuzz_file fuzz_file_of(const uint8_t *data, size_t size)
{
    fuzz_file file = {.fd = memfd_create("weir-fuzz", MFD_CLOEXEC)};
    if (file.fd < 0 || write(file.fd, data, size) != (ssize_t)size) {
        abort();
    }
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.fd);
    return file;
}

static inline void fuzz_file_close(fuzz_file *file)
{
    close(file->fd);
}

/* What must hold, in every build. */
static inline void fuzz_require(int condition)
{
    if (!condition) {
        abort();
    }
}

#endif
