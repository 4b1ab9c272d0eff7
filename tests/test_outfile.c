/* ctest-labels: unit
 * base/outfile.h: whole or not at all, and every failure is told once, clearly. */
#include "base/outfile.h"
#include "tests/check.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

static char folder[] = "/tmp/weir-outfile-XXXXXX";

static unsigned files_in_folder(void)
{
    unsigned n = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        n += entry->d_name[0] != '.';
    }
    closedir(dir);
    return n;
}

static void path_in_folder(char *path, size_t size, const char *name)
{
    snprintf(path, size, "%s/%s", folder, name);
}

static void test_exists_only_after_finish(void)
{
    char path[128], text[64] = {0};
    path_in_folder(path, sizeof path, "a.csv");
    weir_outfile *file = NULL;
    weir_error err = {0};
    CHECK(weir_outfile_open(&file, path, true, &err) == WEIR_OK);
    CHECK(weir_outfile_printf(file, &err, "x=%.1f\n", 0.5) == WEIR_OK);
    CHECK(access(path, F_OK) != 0);
    CHECK(weir_outfile_patch(file, 0, "y", 1, &err) == WEIR_OK);
    CHECK(weir_outfile_printf(file, &err, "z\n") == WEIR_OK);
    CHECK(weir_outfile_finish(file, &err) == WEIR_OK);
    weir_outfile_destroy(file);
    FILE *in = fopen(path, "r");
    CHECK(in && fread(text, 1, sizeof text - 1, in) == 8);
    fclose(in);
    CHECK_STR(text, "y=0.5\nz\n");
    struct stat status;
    CHECK(stat(path, &status) == 0 && (status.st_mode & 0044) == 0044);
    CHECK(files_in_folder() == 1);

    /* Given up half-way: the old file is untouched, nothing is left behind. */
    CHECK(weir_outfile_open(&file, path, false, &err) == WEIR_OK);
    CHECK(weir_outfile_printf(file, &err, "half") == WEIR_OK);
    weir_outfile_destroy(file);
    CHECK(stat(path, &status) == 0 && status.st_size == 8 && files_in_folder() == 1);
}

static void test_large_writes_arrive_whole(void)
{
    char path[128];
    path_in_folder(path, sizeof path, "b.bin");
    check_rng rng = check_rng_fresh();
    size_t size = 1 << 20, done = 0;
    uint8_t *want = malloc(size), *got = malloc(size);
    for (size_t i = 0; i < size; i++) {
        want[i] = (uint8_t)check_random(&rng);
    }
    weir_outfile *file = NULL;
    CHECK(weir_outfile_open(&file, path, false, NULL) == WEIR_OK);
    while (done < size) {
        size_t piece = 1 + check_random(&rng) % 200000;
        piece = piece > size - done ? size - done : piece;
        CHECK(weir_outfile_write(file, want + done, piece, NULL) == WEIR_OK);
        done += piece;
    }
    CHECK(weir_outfile_finish(file, NULL) == WEIR_OK);
    weir_outfile_destroy(file);
    FILE *in = fopen(path, "r");
    CHECK(in && fread(got, 1, size, in) == size && memcmp(want, got, size) == 0);
    fclose(in);
    free(want);
    free(got);
    unlink(path);
}

/* What a sink has at the end of a stream without a spectrum: no byte, and no buffer. */
static void test_nothing_is_written_as_nothing(void)
{
    char path[128];
    path_in_folder(path, sizeof path, "a.csv");
    weir_outfile *file = NULL;
    weir_error err = {0};
    CHECK(weir_outfile_open(&file, path, true, &err) == WEIR_OK);
    CHECK(weir_outfile_write(file, NULL, 0, &err) == WEIR_OK);
    CHECK(weir_outfile_write(file, "ab", 2, &err) == WEIR_OK);
    CHECK(weir_outfile_write(file, NULL, 0, &err) == WEIR_OK);
    CHECK(weir_outfile_finish(file, &err) == WEIR_OK);
    weir_outfile_destroy(file);
    struct stat status;
    CHECK(stat(path, &status) == 0 && status.st_size == 2);
}

static void test_failures_are_named(void)
{
    weir_outfile *file = NULL;
    weir_error err = {0};
    CHECK(weir_outfile_open(&file, "/nowhere/at/all.csv", false, &err) == WEIR_ERR_CANT_CREATE);
    CHECK(file == NULL && strstr(err.text, "/nowhere/at/all.csv"));
    CHECK(weir_outfile_open(&file, folder, false, &err) == WEIR_ERR_CANT_CREATE);

    CHECK(weir_outfile_open(&file, "/dev/full", false, &err) == WEIR_OK);
    CHECK(weir_outfile_printf(file, &err, "some text\n") == WEIR_OK);
    CHECK(weir_outfile_flush(file, &err) == WEIR_ERR_IO && strstr(err.text, "/dev/full"));
    err.text[0] = '\0';
    CHECK(weir_outfile_finish(file, &err) == WEIR_ERR_IO && strstr(err.text, "/dev/full"));
    weir_outfile_destroy(file);
}

static void test_closed_pipe_is_not_an_error_of_ours(void)
{
    char path[128];
    path_in_folder(path, sizeof path, "fifo");
    signal(SIGPIPE, SIG_IGN);
    CHECK(mkfifo(path, 0600) == 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    weir_outfile *file = NULL;
    weir_error err = {0};
    CHECK(weir_outfile_open(&file, path, true, &err) == WEIR_ERR_USAGE); /* not seekable */
    CHECK(weir_outfile_open(&file, path, false, &err) == WEIR_OK);
    close(reader);
    CHECK(weir_outfile_printf(file, &err, "text") == WEIR_OK);
    CHECK(weir_outfile_flush(file, &err) == WEIR_PIPE_CLOSED);
    CHECK(weir_outfile_finish(file, &err) == WEIR_PIPE_CLOSED);
    weir_outfile_destroy(file);
    unlink(path);
}

/* ---- signals ---- */

static atomic_int n_signals;

static void count_signal(int number)
{
    (void)number;
    n_signals++;
}

typedef struct drain {
    int fd;
    size_t n_bytes;
} drain;

/* Reads nothing before the writer has been interrupted a few times. */
static void *drain_late(void *argument)
{
    drain *d = argument;
    char bytes[4096];
    ssize_t n;
    while (n_signals < 5) {
        usleep(1000);
    }
    while ((n = read(d->fd, bytes, sizeof bytes)) != 0) {
        d->n_bytes += n > 0 ? (size_t)n : 0;
    }
    return NULL;
}

static void set_timer(long every_us)
{
    struct itimerval timer = {.it_interval.tv_usec = every_us, .it_value.tv_usec = every_us};
    CHECK(setitimer(ITIMER_REAL, &timer, NULL) == 0);
}

/* A pipe that is full, and a handler without SA_RESTART: write() ends with EINTR. */
static void test_signals_do_not_end_a_write(void)
{
    static char block[300000];
    char path[64];
    int ends[2];
    CHECK(pipe(ends) == 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[1]);
    weir_outfile *file = NULL;
    weir_error err = {0};
    CHECK(weir_outfile_open(&file, path, false, &err) == WEIR_OK);
    close(ends[1]);
    drain d = {.fd = ends[0]};
    pthread_t reader;
    sigset_t alarm, before;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm, &before); /* the reader has it blocked */
    CHECK(pthread_create(&reader, NULL, drain_late, &d) == 0);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = count_signal}, NULL);
    set_timer(2000);
    CHECK(weir_outfile_write(file, block, sizeof block, &err) == WEIR_OK);
    CHECK(weir_outfile_finish(file, &err) == WEIR_OK);
    set_timer(0);
    weir_outfile_destroy(file);
    pthread_join(reader, NULL);
    CHECK(d.n_bytes == sizeof block);
    close(ends[0]);
}

/* A disk that is full in the middle of a write: what is there can be cut and completed. */
static void test_recover(void)
{
    char path[128], bytes[5000];
    path_in_folder(path, sizeof path, "a.csv");
    weir_outfile *file = NULL;
    weir_error err = {0};
    uint64_t there = 0;
    struct rlimit before, limit;
    memset(bytes, 'x', sizeof bytes);
    signal(SIGXFSZ, SIG_IGN);
    CHECK(weir_outfile_open(&file, path, true, &err) == WEIR_OK);
    CHECK(weir_outfile_reserve(file, 0, 100000, &err) == WEIR_OK);
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = 3001;
    setrlimit(RLIMIT_FSIZE, &limit);
    CHECK(weir_outfile_write(file, bytes, sizeof bytes, &err) == WEIR_OK); /* into the buffer */
    CHECK(weir_outfile_flush(file, &err) == WEIR_ERR_IO);
    CHECK(weir_outfile_write(file, bytes, 1, &err) == WEIR_ERR_IO);
    CHECK(weir_outfile_recover(file, &there, &err) == WEIR_OK && there == 3001);
    CHECK(weir_outfile_cut(file, 1000, &err) == WEIR_OK);
    CHECK(weir_outfile_write(file, "end", 3, &err) == WEIR_OK);
    CHECK(weir_outfile_patch(file, 0, "begin", 5, &err) == WEIR_OK);
    CHECK(weir_outfile_finish(file, &err) == WEIR_OK);
    setrlimit(RLIMIT_FSIZE, &before);
    weir_outfile_destroy(file);
    char text[2000] = {0};
    FILE *f = fopen(path, "rb");
    CHECK(f && fread(text, 1, sizeof text, f) == 1003);
    CHECK(strncmp(text, "beginx", 6) == 0 && strcmp(text + 999, "xend") == 0);
    fclose(f);
    CHECK(weir_outfile_open(&file, "/dev/null", false, &err) == WEIR_OK);
    CHECK(weir_outfile_recover(file, &there, &err) == WEIR_ERR_IO);
    weir_outfile_destroy(file);
}

int main(void)
{
    CHECK(mkdtemp(folder) != NULL);
    RUN(test_exists_only_after_finish);
    RUN(test_large_writes_arrive_whole);
    RUN(test_nothing_is_written_as_nothing);
    RUN(test_failures_are_named);
    RUN(test_closed_pipe_is_not_an_error_of_ours);
    RUN(test_signals_do_not_end_a_write);
    RUN(test_recover);
    char path[128];
    path_in_folder(path, sizeof path, "a.csv");
    unlink(path);
    CHECK(rmdir(folder) == 0);
    return check_finish();
}
