#include "capture/quiet.h"

#include "base/log.h"
#include "base/printable.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ALSA and JACK never give back what they allocate when they are opened; the leak checker of
 * a sanitized build is to tell of ours only. */
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#define IGNORE_LEAKS() __lsan_disable()
#define HEED_LEAKS() __lsan_enable()
#else
#define IGNORE_LEAKS() ((void)0)
#define HEED_LEAKS() ((void)0)
#endif

#define MOST_BYTES 16384 /* of chatter that are looked at */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void weir_quiet_begin(weir_quiet *quiet)
{
    pthread_mutex_lock(&lock);
    IGNORE_LEAKS();
    fflush(stderr);
    *quiet = (weir_quiet){.saved = -1, .memory = memfd_create("weir-chatter", MFD_CLOEXEC)};
    if (quiet->memory < 0) {
        return; /* then it is seen: better than failing */
    }
    quiet->saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (quiet->saved >= 0) {
        dup2(quiet->memory, STDERR_FILENO);
    }
}

static void pass_on(const char *source, const char *line)
{
    char shown[300];
    if (strncmp(line, "weir: ", 6) == 0) { /* our own, from another thread */
        fprintf(stderr, "%s\n", line);
    } else if (line[0]) {
        weir_log(WEIR_LOG_INFO, "%s: %s", source, weir_printable(shown, sizeof shown, line));
    }
}

static void log_lines(int memory, const char *source)
{
    char text[MOST_BYTES];
    ssize_t n = pread(memory, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    for (char *at = text, *end; *at; at = end) {
        end = at + strcspn(at, "\n");
        end += *end ? (*end = '\0', 1) : 0;
        pass_on(source, at);
    }
}

void weir_quiet_end(weir_quiet *quiet, const char *source)
{
    if (quiet->saved >= 0) {
        fflush(stderr);
        dup2(quiet->saved, STDERR_FILENO);
        close(quiet->saved);
    }
    if (quiet->memory >= 0) {
        log_lines(quiet->memory, source);
        close(quiet->memory);
    }
    HEED_LEAKS();
    pthread_mutex_unlock(&lock);
}

/* ---- threads of libraries ---- */

static _Thread_local const char *marked; /* the source that this thread works for */

void weir_quiet_mark_thread(const char *source)
{
    marked = source;
}

#if defined(__GLIBC__)
static FILE *usual; /* stderr as it was */

static ssize_t filter(void *cookie, const char *text, size_t size)
{
    (void)cookie;
    if (!marked) {
        return fwrite(text, 1, size, usual) == size ? (ssize_t)size : 0;
    }
    if (weir_log_shows(WEIR_LOG_INFO)) { /* weir_log itself would print to where we are */
        char line[256], shown[300];
        snprintf(line, sizeof line, "%.*s", (int)(size < 200 ? size : 200), text);
        line[strcspn(line, "\n")] = '\0';
        fprintf(usual, "weir: %s: %s\n", marked, weir_printable(shown, sizeof shown, line));
    }
    return (ssize_t)size;
}

void weir_quiet_watch(void)
{
    pthread_mutex_lock(&lock);
    FILE *filtered =
        usual ? NULL : fopencookie(NULL, "w", (cookie_io_functions_t){.write = filter});
    if (filtered) {
        setvbuf(filtered, NULL, _IONBF, 0);
        usual = stderr;
        stderr = filtered; /* glibc's is a variable, for this */
    }
    pthread_mutex_unlock(&lock);
}
#else
void weir_quiet_watch(void)
{
}
#endif
