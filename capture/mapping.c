#include "capture/mapping.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct weir_mapping {
    unsigned char *pages; /* whole pages around the bytes */
    size_t n_page_bytes;
    size_t offset; /* of the bytes, in the first page */
    size_t n_bytes;
    atomic_bool failed;
};

/* What the handler must know. A signal handler has no argument of ours, so this is the
 * one state of the process that capture/ has. */
static _Atomic(weir_mapping *) mappings[WEIR_MAPPINGS];
static struct sigaction before;
static pthread_once_t installed = PTHREAD_ONCE_INIT;

static size_t page_bytes(void)
{
    long page = sysconf(_SC_PAGESIZE);
    return page > 0 ? (size_t)page : 4096;
}

static bool contains(const weir_mapping *mapping, const void *address)
{
    const unsigned char *at = address;
    return mapping && at >= mapping->pages && at < mapping->pages + mapping->n_page_bytes;
}

/* Zeros from the page of the address to the end, so that one file fails once. mmap is a
 * system call and nothing more, though POSIX does not list it as safe here. */
static bool fill_with_zeros(weir_mapping *mapping, const unsigned char *address)
{
    size_t page = page_bytes();
    size_t from = (size_t)(address - mapping->pages) / page * page;
    void *zeros = mmap(mapping->pages + from, mapping->n_page_bytes - from, PROT_READ,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    atomic_store(&mapping->failed, true);
    return zeros != MAP_FAILED;
}

static void on_bus_error(int signal_number, siginfo_t *info, void *context)
{
    int saved = errno;
    for (size_t i = 0; i < WEIR_MAPPINGS; i++) {
        weir_mapping *mapping = atomic_load(&mappings[i]);
        if (contains(mapping, info->si_addr) && fill_with_zeros(mapping, info->si_addr)) {
            errno = saved;
            return;
        }
    }
    errno = saved;
    if (before.sa_flags & SA_SIGINFO && before.sa_sigaction) {
        before.sa_sigaction(signal_number, info, context);
        return;
    }
    sigaction(SIGBUS, &before, NULL); /* the access is tried again, and ends there */
}

static void install(void)
{
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &before);
}

static bool enter(weir_mapping *mapping)
{
    for (size_t i = 0; i < WEIR_MAPPINGS; i++) {
        weir_mapping *none = NULL;
        if (atomic_compare_exchange_strong(&mappings[i], &none, mapping)) {
            return true;
        }
    }
    return false;
}

weir_status weir_mapping_create(weir_mapping **out, int fd, uint64_t offset_bytes, uint64_t n_bytes,
                                weir_error *err)
{
    *out = NULL;
    size_t offset = (size_t)(offset_bytes % page_bytes());
    if (n_bytes == 0 || n_bytes > PTRDIFF_MAX - offset || offset_bytes > INT64_MAX) {
        return weir_fail(err, WEIR_ERR_UNSUPPORTED, "cannot be mapped: its size");
    }
    weir_mapping *mapping = calloc(1, sizeof *mapping);
    if (!mapping) {
        return weir_fail(err, WEIR_ERR_NOMEM, "out of memory");
    }
    mapping->offset = offset;
    mapping->n_bytes = (size_t)n_bytes;
    mapping->n_page_bytes =
        (offset + (size_t)n_bytes + page_bytes() - 1) / page_bytes() * page_bytes();
    mapping->pages = mmap(NULL, mapping->n_page_bytes, PROT_READ, MAP_SHARED, fd,
                          (off_t)(offset_bytes - offset));
    if (mapping->pages == MAP_FAILED) {
        char text[128];
        int number = errno;
        free(mapping);
        return weir_fail(err, WEIR_ERR_UNSUPPORTED, "cannot be mapped: %s",
                         strerror_r(number, text, sizeof text));
    }
    pthread_once(&installed, install);
    if (!enter(mapping)) {
        weir_mapping_destroy(mapping);
        return weir_fail(err, WEIR_ERR_UNSUPPORTED, "more than %d mapped files", WEIR_MAPPINGS);
    }
    (void)madvise(mapping->pages, mapping->n_page_bytes, MADV_SEQUENTIAL);
    *out = mapping;
    return WEIR_OK;
}

void weir_mapping_destroy(weir_mapping *mapping)
{
    if (!mapping) {
        return;
    }
    for (size_t i = 0; i < WEIR_MAPPINGS; i++) {
        weir_mapping *mine = mapping;
        atomic_compare_exchange_strong(&mappings[i], &mine, NULL);
    }
    munmap(mapping->pages, mapping->n_page_bytes);
    free(mapping);
}

const void *weir_mapping_memory(const weir_mapping *mapping)
{
    return mapping->pages + mapping->offset;
}

bool weir_mapping_failed(const weir_mapping *mapping)
{
    return atomic_load(&mapping->failed);
}

void weir_mapping_will_need(const weir_mapping *mapping, size_t from, size_t to)
{
    size_t page = page_bytes();
    size_t first = (mapping->offset + from) / page * page;
    size_t end = mapping->offset + (to < mapping->n_bytes ? to : mapping->n_bytes);
    if (end > first) {
        (void)madvise(mapping->pages + first, end - first, MADV_WILLNEED);
    }
}

void weir_mapping_done_with(const weir_mapping *mapping, size_t from, size_t to)
{
    size_t page = page_bytes();
    size_t first = (mapping->offset + from) / page * page;
    size_t end = (mapping->offset + (to < mapping->n_bytes ? to : mapping->n_bytes)) / page * page;
    if (end > first) {
        (void)madvise(mapping->pages + first, end - first, MADV_DONTNEED);
    }
}
