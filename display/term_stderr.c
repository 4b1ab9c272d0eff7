#include "display/term_stderr.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define KEPT_BYTES_MAX (1 << 20)

void weir_stderr_begin(weir_stderr_capture *capture)
{
    *capture = (weir_stderr_capture){.real = -1, .memory = -1};
    if (!isatty(STDERR_FILENO)) {
        return;
    }
    int memory = memfd_create("weir-stderr", MFD_CLOEXEC);
    int real = memory < 0 ? -1 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (real < 0 || fcntl(memory, F_SETFL, O_APPEND) != 0 || dup2(memory, STDERR_FILENO) < 0) {
        if (memory >= 0) {
            close(memory);
        }
        if (real >= 0) {
            close(real);
        }
        return;
    }
    *capture = (weir_stderr_capture){.real = real, .memory = memory, .read = 0};
}

/* The last whole line in text; returns the bytes used up to its end, 0 if none. */
static size_t last_line(char *text, size_t n, char *line, size_t size)
{
    while (n > 0 && text[n - 1] != '\n') {
        n--;
    }
    if (n == 0) {
        return 0;
    }
    size_t start = n - 1;
    while (start > 0 && text[start - 1] != '\n') {
        start--;
    }
    size_t length = n - 1 - start;
    length = length < size - 1 ? length : size - 1;
    memcpy(line, text + start, length);
    line[length] = '\0';
    return n;
}

bool weir_stderr_line(weir_stderr_capture *capture, char *line, size_t size)
{
    if (capture->real < 0) {
        return false;
    }
    off_t end = lseek(capture->memory, 0, SEEK_END);
    if (end > KEPT_BYTES_MAX && ftruncate(capture->memory, 0) == 0) {
        capture->read = end = 0; /* a library gone mad must not eat the memory */
    }
    char text[2048];
    if (end - capture->read > (off_t)sizeof text) {
        capture->read = end - (off_t)sizeof text;
    }
    if (end <= capture->read) {
        return false;
    }
    ssize_t n = pread(capture->memory, text, sizeof text, capture->read);
    size_t used = n > 0 ? last_line(text, (size_t)n, line, size) : 0;
    capture->read += (off_t)used;
    return used > 0 && line[0] != '\0';
}

void weir_stderr_end(weir_stderr_capture *capture)
{
    if (capture->real < 0) {
        return;
    }
    dup2(capture->real, STDERR_FILENO);
    close(capture->real);
    capture->real = -1;
    char text[1024];
    off_t offset = 0;
    ssize_t n;
    while ((n = pread(capture->memory, text, sizeof text, offset)) > 0) {
        if (write(STDERR_FILENO, text, (size_t)n) != n) {
            break;
        }
        offset += n;
    }
    close(capture->memory);
    capture->memory = -1;
}
