/* Things that go wrong, for test_faults.py: linked into the program weir_faulty, where calls
 * of the program itself come here first (the linker's --wrap) and can be made to fail. What
 * other libraries call among themselves is left alone: FFTW, for one, ends the process when it
 * gets no memory.
 *
 *   WEIR_FAULT=alloc:N       the N-th allocation fails            (N+: and all after it)
 *   WEIR_FAULT=read:N:WHAT   the N-th read fails, or is odd       (N+: and all after it)
 *   WEIR_FAULT=write:N:WHAT  the N-th write                       (N+: and all after it)
 *   WEIR_FAULT=rename:N:WHAT the N-th rename
 *   WEIR_FAULT=cuda:N        the N-th call of the CUDA runtime (N+: and all after it)
 *   WEIR_FAULT=clock:1:jump  the wall clock jumps forth and back by an hour at each look
 *   WHAT: EINTR EIO ENOSPC EPIPE, or short: one byte less than asked for, at least one
 *   WEIR_FAULT_COUNTS=FD     at the end "alloc N read N write N rename N cuda N" goes there
 */
#include "tests/fakes/faults.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum { ALLOC, READ, WRITE, RENAME, CUDA, CLOCK, KINDS };
static const char *const kind_names[KINDS] = {"alloc", "read", "write", "rename", "cuda", "clock"};

static struct {
    int kind; /* KINDS: nothing fails */
    unsigned long at;
    bool for_ever, is_short;
    int error;
} fault = {.kind = KINDS};
static atomic_ulong counts[KINDS];

static int error_of(const char *name)
{
    static const struct {
        const char *name;
        int error;
    } errors[] = {{"EINTR", EINTR}, {"EIO", EIO}, {"ENOSPC", ENOSPC}, {"EPIPE", EPIPE}};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if (strcmp(name, errors[i].name) == 0) {
            return errors[i].error;
        }
    }
    return EIO;
}

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("WEIR_FAULT");
    char kind[16] = "", what[16] = "";
    unsigned long at = 0;
    if (!text || sscanf(text, "%15[^:]:%lu", kind, &at) != 2) {
        return;
    }
    const char *last = strrchr(text, ':');
    snprintf(what, sizeof what, "%s", last + 1);
    fault.at = at;
    fault.for_ever = strchr(text, '+') != NULL;
    fault.is_short = strcmp(what, "short") == 0;
    fault.error = error_of(what);
    for (int k = 0; k < KINDS; k++) {
        if (strcmp(kind, kind_names[k]) == 0) {
            fault.kind = k;
        }
    }
}

__attribute__((destructor)) static void report(void)
{
    const char *fd = getenv("WEIR_FAULT_COUNTS");
    if (fd) {
        dprintf(atoi(fd), "alloc %lu read %lu write %lu rename %lu cuda %lu\n", counts[ALLOC],
                counts[READ], counts[WRITE], counts[RENAME], counts[CUDA]);
    }
}

static bool is_due(int kind)
{
    unsigned long n = atomic_fetch_add(&counts[kind], 1) + 1;
    return fault.kind == kind && (fault.for_ever ? n >= fault.at : n == fault.at);
}

bool weir_fault_cuda_is_due(void)
{
    return is_due(CUDA);
}

static void *no_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

/* WRAP(result, name, (parameters)): what the program calls, and the real one. */
#define WRAP(result, name, parameters)                                                             \
    result __real_##name parameters;                                                               \
    result __wrap_##name parameters;                                                               \
    result __wrap_##name parameters

/* ---- memory ---- */

WRAP(void *, malloc, (size_t size))
{
    return is_due(ALLOC) ? no_memory() : __real_malloc(size);
}

WRAP(void *, calloc, (size_t n, size_t size))
{
    return is_due(ALLOC) ? no_memory() : __real_calloc(n, size);
}

WRAP(void *, realloc, (void *old, size_t size))
{
    return is_due(ALLOC) ? no_memory() : __real_realloc(old, size);
}

WRAP(void *, aligned_alloc, (size_t alignment, size_t size))
{
    return is_due(ALLOC) ? no_memory() : __real_aligned_alloc(alignment, size);
}

WRAP(char *, strdup, (const char *text))
{
    return is_due(ALLOC) ? no_memory() : __real_strdup(text);
}

WRAP(void *, fftwf_alloc_complex, (size_t n))
{
    return is_due(ALLOC) ? no_memory() : __real_fftwf_alloc_complex(n);
}

/* ---- input and output ---- */

/* True: the call fails, errno says why. Else *size may be shorter. */
static bool fails(size_t *size)
{
    if (!fault.is_short) {
        errno = fault.error;
        return true;
    }
    *size = *size > 1 ? *size - 1 : *size;
    return false;
}

WRAP(ssize_t, read, (int fd, void *memory, size_t size))
{
    return is_due(READ) && fails(&size) ? -1 : __real_read(fd, memory, size);
}

WRAP(ssize_t, __read_chk, (int fd, void *memory, size_t size, size_t room))
{
    return is_due(READ) && fails(&size) ? -1 : __real___read_chk(fd, memory, size, room);
}

WRAP(ssize_t, pread, (int fd, void *memory, size_t size, off_t offset))
{
    return is_due(READ) && fails(&size) ? -1 : __real_pread(fd, memory, size, offset);
}

WRAP(ssize_t, write, (int fd, const void *memory, size_t size))
{
    return is_due(WRITE) && fails(&size) ? -1 : __real_write(fd, memory, size);
}

WRAP(ssize_t, pwrite, (int fd, const void *memory, size_t size, off_t offset))
{
    return is_due(WRITE) && fails(&size) ? -1 : __real_pwrite(fd, memory, size, offset);
}

WRAP(int, rename, (const char *from, const char *to))
{
    if (is_due(RENAME)) {
        errno = fault.error;
        return -1;
    }
    return __real_rename(from, to);
}

/* ---- the wall clock ---- */

WRAP(int, clock_gettime, (clockid_t clock, struct timespec *time))
{
    int result = __real_clock_gettime(clock, time);
    if (clock == CLOCK_REALTIME && fault.kind == CLOCK) {
        time->tv_sec += atomic_fetch_add(&counts[CLOCK], 1) % 2 ? 3600 : -3600;
    }
    return result;
}
