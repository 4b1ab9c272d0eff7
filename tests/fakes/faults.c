/* Things that go wrong, for test_faults.py: a library for LD_PRELOAD that makes calls of
 * the program itself fail. What other libraries call among themselves is left alone: FFTW,
 * for one, ends the process when it gets no memory.
 *
 *   WEIR_FAULT=alloc:N       the N-th allocation fails            (N+: and all after it)
 *   WEIR_FAULT=read:N:WHAT   the N-th read fails, or is odd       (N+: and all after it)
 *   WEIR_FAULT=write:N:WHAT  the N-th write                       (N+: and all after it)
 *   WEIR_FAULT=rename:N:WHAT the N-th rename
 *   WEIR_FAULT=clock:1:jump  the wall clock jumps forth and back by an hour at each look
 *   WHAT: EINTR EIO ENOSPC EPIPE, or short: one byte less than asked for, at least one
 *   WEIR_FAULT_COUNTS=FD     at the end "alloc N read N write N rename N" goes there
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum { ALLOC, READ, WRITE, RENAME, CLOCK, KINDS };
static const char *const kind_names[KINDS] = {"alloc", "read", "write", "rename", "clock"};

static struct {
    int kind; /* KINDS: nothing fails */
    unsigned long at;
    bool for_ever, is_short;
    int error;
} fault = {.kind = KINDS};
static atomic_ulong counts[KINDS];
static uintptr_t program_begin, program_end;

/* The real functions; found on first use, which may be before the constructor. */
#define REAL(type, name)                                                                           \
    static __typeof__(type) real;                                                                  \
    if (!real) {                                                                                   \
        *(void **)&real = dlsym(RTLD_NEXT, name);                                                  \
    }

/* dlsym may allocate before there is a calloc to be found. */
static char early[4096];
static size_t early_used;

static int find_program(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
            program_begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            program_end = program_begin + info->dlpi_phdr[i].p_memsz;
        }
    }
    return 1; /* the first one is the program */
}

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
    dl_iterate_phdr(find_program, NULL);
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
        dprintf(atoi(fd), "alloc %lu read %lu write %lu rename %lu\n", counts[ALLOC], counts[READ],
                counts[WRITE], counts[RENAME]);
    }
}

static bool is_due(int kind, const void *caller)
{
    uintptr_t address = (uintptr_t)caller;
    if (address < program_begin || address >= program_end) {
        return false;
    }
    unsigned long n = atomic_fetch_add(&counts[kind], 1) + 1;
    return fault.kind == kind && (fault.for_ever ? n >= fault.at : n == fault.at);
}

#define IS_DUE(kind) is_due(kind, __builtin_return_address(0))

static void *no_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

/* ---- memory ---- */

void *malloc(size_t size)
{
    REAL(void *(*)(size_t), "malloc")
    return IS_DUE(ALLOC) ? no_memory() : real(size);
}

void *calloc(size_t n, size_t size)
{
    static bool looking;
    static void *(*real)(size_t, size_t);
    if (!real && looking) {
        void *place = early + early_used;
        early_used += (n * size + 15) / 16 * 16;
        return early_used <= sizeof early ? place : NULL;
    }
    if (!real) {
        looking = true;
        *(void **)&real = dlsym(RTLD_NEXT, "calloc");
    }
    return IS_DUE(ALLOC) ? no_memory() : real(n, size);
}

void *realloc(void *old, size_t size)
{
    REAL(void *(*)(void *, size_t), "realloc")
    return IS_DUE(ALLOC) ? no_memory() : real(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    REAL(void *(*)(size_t, size_t), "aligned_alloc")
    return IS_DUE(ALLOC) ? no_memory() : real(alignment, size);
}

void free(void *memory)
{
    REAL(void (*)(void *), "free")
    if ((char *)memory < early || (char *)memory >= early + sizeof early) {
        real(memory);
    }
}

char *strdup(const char *text)
{
    REAL(char *(*)(const char *), "strdup")
    return IS_DUE(ALLOC) ? no_memory() : real(text);
}

#define FFTW_ALLOCATION(name)                                                                      \
    void *name(size_t n);                                                                          \
    void *name(size_t n)                                                                           \
    {                                                                                              \
        REAL(void *(*)(size_t), #name)                                                             \
        return IS_DUE(ALLOC) ? no_memory() : real(n);                                              \
    }
FFTW_ALLOCATION(fftwf_malloc)
FFTW_ALLOCATION(fftwf_alloc_real)
FFTW_ALLOCATION(fftwf_alloc_complex)
FFTW_ALLOCATION(fftw_malloc)

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

ssize_t read(int fd, void *memory, size_t size)
{
    REAL(ssize_t(*)(int, void *, size_t), "read")
    return IS_DUE(READ) && fails(&size) ? -1 : real(fd, memory, size);
}

ssize_t __read_chk(int fd, void *memory, size_t size, size_t room);
ssize_t __read_chk(int fd, void *memory, size_t size, size_t room)
{
    REAL(ssize_t(*)(int, void *, size_t, size_t), "__read_chk")
    return IS_DUE(READ) && fails(&size) ? -1 : real(fd, memory, size, room);
}

ssize_t pread(int fd, void *memory, size_t size, off_t offset)
{
    REAL(ssize_t(*)(int, void *, size_t, off_t), "pread")
    return IS_DUE(READ) && fails(&size) ? -1 : real(fd, memory, size, offset);
}

ssize_t write(int fd, const void *memory, size_t size)
{
    REAL(ssize_t(*)(int, const void *, size_t), "write")
    return IS_DUE(WRITE) && fails(&size) ? -1 : real(fd, memory, size);
}

ssize_t pwrite(int fd, const void *memory, size_t size, off_t offset)
{
    REAL(ssize_t(*)(int, const void *, size_t, off_t), "pwrite")
    return IS_DUE(WRITE) && fails(&size) ? -1 : real(fd, memory, size, offset);
}

int rename(const char *from, const char *to)
{
    REAL(int (*)(const char *, const char *), "rename")
    if (IS_DUE(RENAME)) {
        errno = fault.error;
        return -1;
    }
    return real(from, to);
}

/* ---- the wall clock ---- */

int clock_gettime(clockid_t clock, struct timespec *time)
{
    REAL(int (*)(clockid_t, struct timespec *), "clock_gettime")
    int result = real(clock, time);
    if (clock == CLOCK_REALTIME && fault.kind == CLOCK) {
        time->tv_sec += atomic_fetch_add(&counts[CLOCK], 1) % 2 ? 3600 : -3600;
    }
    return result;
}
