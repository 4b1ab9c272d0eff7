/* Helpers for tests of the file sources: bytes built in memory, temporary files, reading
 * a source to its end, and the notices logged meanwhile. */
#ifndef WEIR_TESTS_FILES_H
#define WEIR_TESTS_FILES_H

#include "base/log.h"
#include "capture/source.h"
#include "tests/check.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- bytes ---- */

typedef struct bytes {
    uint8_t *data;
    size_t n, room;
} bytes;

static inline void put(bytes *b, const void *data, size_t n)
{
    if (b->n + n > b->room) {
        b->room = 2 * (b->n + n) + 64;
        b->data = realloc(b->data, b->room);
    }
    memcpy(b->data + b->n, data, n);
    b->n += n;
}

static inline void put_le(bytes *b, uint64_t value, int n)
{
    for (int i = 0; i < n; i++) {
        uint8_t byte = (uint8_t)(value >> 8 * i);
        put(b, &byte, 1);
    }
}

static inline void put_be(bytes *b, uint64_t value, int n)
{
    for (int i = n - 1; i >= 0; i--) {
        uint8_t byte = (uint8_t)(value >> 8 * i);
        put(b, &byte, 1);
    }
}

static inline void put_text(bytes *b, const char *text)
{
    put(b, text, strlen(text));
}

static inline void drop_bytes(bytes *b)
{
    free(b->data);
    *b = (bytes){0};
}

/* A text with '\0' inside. */
#define PUT_LITERAL(b, text) put(b, text, sizeof(text) - 1)

/* ---- files ---- */

static char test_folder[64];

static inline void make_test_folder(void)
{
    strcpy(test_folder, "/tmp/weir-test-XXXXXX");
    if (!mkdtemp(test_folder)) {
        abort();
    }
}

static inline void remove_test_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", test_folder);
    if (system(command) != 0) {
        abort();
    }
}

/* The path of a file of this name in the test folder; valid until the next eight calls. */
static inline const char *test_path(const char *name)
{
    static char paths[8][512];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", test_folder, name);
    return path;
}

static inline const char *write_file(const char *name, const void *data, size_t n)
{
    const char *path = test_path(name);
    FILE *f = fopen(path, "wb");
    if (!f || (n && fwrite(data, 1, n, f) != n) || fclose(f) != 0) {
        abort();
    }
    return path;
}

/* ---- notices ---- */

static char logged[8192];

static inline void keep_log(void *user, weir_log_level level, const char *text)
{
    (void)user, (void)level;
    size_t used = strlen(logged);
    snprintf(logged + used, sizeof logged - used, "%s\n", text);
}

static inline void listen_to_log(void)
{
    logged[0] = '\0';
    weir_log_set_sink(keep_log, NULL);
}

/* ---- sources ---- */

typedef struct stream {
    weir_status status; /* of open or of the read that failed */
    weir_error err;
    weir_source_info info;
    bytes data;
    uint64_t n_samples;
    unsigned n_segments; /* reads that said new_segment */
    weir_read last_segment;
} stream;

/* Opens, reads to the end in pieces of `piece` samples, and closes. Memory beyond what
 * a read may fill is poisoned and must stay as it was. */
static inline void read_all(stream *s, weir_source *source, size_t piece)
{
    size_t stride = weir_format_stride_bytes(&source->info.format);
    uint8_t *memory = malloc(piece * stride + 16);
    for (;;) {
        weir_read read = {0};
        memset(memory, 0xa5, piece * stride + 16);
        s->status = source->class_->read(source, memory, piece, &read, &s->err);
        for (int i = 0; i < 16; i++) {
            CHECK(memory[piece * stride + (size_t)i] == 0xa5);
        }
        CHECK(read.n_samples <= piece);
        if (s->status != WEIR_OK || read.n_samples == 0) {
            break;
        }
        put(&s->data, memory, read.n_samples * stride);
        s->n_samples += read.n_samples;
        if (read.new_segment) {
            s->n_segments++;
            s->last_segment = read;
        }
    }
    free(memory);
}

static inline stream load(const char *argument, const weir_source_options *options)
{
    stream s = {0};
    weir_source *source = NULL;
    logged[0] = '\0';
    s.status = weir_source_open(&source, argument, options, &s.err);
    if (s.status == WEIR_OK) {
        s.info = source->info;
        s.info.annotations = NULL;
        read_all(&s, source, 1000);
    } else {
        CHECK(!source);
        CHECK_MSG(s.err.status == s.status && s.err.text[0] && !strchr(s.err.text, '\n'), "%s",
                  s.err.text);
    }
    weir_source_close(source);
    return s;
}

/* The same bytes through a FIFO, written by a child in pieces of odd sizes. */
static inline void feed_fifo(const char *path, const void *data, size_t n, size_t piece)
{
    int fd = open(path, O_WRONLY);
    for (size_t at = 0; fd >= 0 && at < n; at += piece) {
        size_t part = n - at < piece ? n - at : piece;
        if (write(fd, (const char *)data + at, part) != (ssize_t)part) {
            break;
        }
        if (n < 4096) {
            usleep(200);
        }
    }
    _exit(0);
}

static inline stream load_fifo(const char *name, const void *data, size_t n, size_t piece,
                               const weir_source_options *options)
{
    const char *path = test_path(name);
    unlink(path);
    if (mkfifo(path, 0600) != 0) {
        abort();
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGPIPE, SIG_IGN);
        feed_fifo(path, data, n, piece);
    }
    stream s = load(path, options);
    waitpid(child, NULL, 0);
    unlink(path);
    return s;
}

#endif
