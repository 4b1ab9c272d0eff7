/* What the tests of sinks share: a stream, spectra made to order, a folder to write in. */
#ifndef WEIR_TESTS_SINK_TESTING_H
#define WEIR_TESTS_SINK_TESTING_H

#include "base/text.h"
#include "display/sink.h"
#include "tests/check.h"

#include <dirent.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static char sink_folder[64];

static inline void sink_remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", sink_folder);
    /* NOLINTNEXTLINE(cert-env33-c): the folder's name is ours */
    if (sink_folder[0] && system(command) != 0) {
        fprintf(stderr, "could not remove %s\n", sink_folder);
    }
}

/* A path in a folder of this run's own, which goes when the program ends. */
static inline char *sink_path(char *buffer, size_t size, const char *name)
{
    if (!sink_folder[0]) {
        strcpy(sink_folder, "/tmp/weir-sink-XXXXXX");
        if (!mkdtemp(sink_folder)) {
            perror("mkdtemp");
            exit(1);
        }
        atexit(sink_remove_folder);
    }
    snprintf(buffer, size, "%s/%s", sink_folder, name);
    return buffer;
}

/* Files in the folder whose names contain text. */
static inline size_t sink_count_files(const char *text)
{
    size_t count = 0;
    DIR *folder = opendir(sink_folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        count += strstr(entry->d_name, text) != NULL;
    }
    if (folder) {
        closedir(folder);
    }
    return count;
}

static inline char *sink_read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    CHECK_MSG(file != NULL, "no file %s", path);
    if (!file) {
        exit(check_finish());
    }
    size_t room = (size_t)16 << 20;
    char *text = malloc(room + 1);
    *size = fread(text, 1, room, file);
    text[*size] = '\0';
    fclose(file);
    return text;
}

static inline weir_stream_info sink_stream(void)
{
    weir_stream_info stream = {
        .source = "made up",
        .description = "WAV, s16, 1 channel, 48 kHz",
        .format = {.scalar = WEIR_S16LE, .channels = 1},
        .rate_hz = 48000.0,
        .n_fft = 1024,
        .hop = 512,
        .window = "hann",
        .enbw_bins = 1.5,
        .coherent_gain = 0.5,
        .frames_per_spectrum = 10,
        .engine = "none",
        .time_unix_ns = INT64_C(1764504000123456789),
        .n_samples = UINT64_MAX,
    };
    weir_scale_init(&stream.scale);
    return stream;
}

/* The same as complex IQ at 2.4 MS/s around 100.3 MHz. */
static inline weir_stream_info sink_iq_stream(void)
{
    weir_stream_info stream = sink_stream();
    stream.description = "raw IQ, cu8";
    stream.format = (weir_sample_format){.scalar = WEIR_U8, .is_complex = true, .channels = 1};
    stream.rate_hz = 2.4e6;
    stream.center_hz = 100.3e6;
    return stream;
}

/* Spectrum number index of the stream: power in the mean trace, timing as an engine gives it. */
static inline weir_spectrum sink_spectrum(const weir_stream_info *stream, uint64_t index,
                                          const float *power)
{
    bool is_complex = stream->format.is_complex;
    size_t n = stream->n_fft;
    uint64_t frames = stream->frames_per_spectrum ? stream->frames_per_spectrum : 1;
    weir_spectrum s = {
        .power = {power},
        .n_bins = is_complex ? n : n / 2 + 1,
        .bin_hz = stream->rate_hz / (double)n,
        .rate_hz = stream->rate_hz,
        .center_hz = stream->center_hz,
        .enbw_bins = stream->enbw_bins,
        .coherent_gain = stream->coherent_gain,
        .full_scale_power = is_complex ? 1.0 : 0.5,
        .index = index,
        .first_sample = index * frames * stream->hop,
        .n_frames = frames,
        .time_unix_ns = INT64_MIN,
    };
    s.start_hz = stream->center_hz - (is_complex ? (double)(n / 2) * s.bin_hz : 0.0);
    s.end_sample = s.first_sample + (frames - 1) * stream->hop + n;
    if (stream->time_unix_ns != INT64_MIN) {
        double ns = (double)s.first_sample / s.rate_hz * 1e9;
        s.time_unix_ns = stream->time_unix_ns + (int64_t)ns;
    }
    return s;
}

/* Opens a sink by name; the test ends if that fails. */
static inline weir_sink *sink_open(const char *name, const weir_sink_config *config,
                                   const weir_stream_info *stream)
{
    weir_error err = {0};
    weir_sink *sink = NULL;
    const weir_sink_class *class_ = weir_sink_class_find(name, NULL, &err);
    if (!class_ || weir_sink_open(&sink, class_, config, stream, &err) != WEIR_OK) {
        CHECK_MSG(0, "%s: %s", name, err.text);
        exit(check_finish());
    }
    return sink;
}

static inline void sink_write(weir_sink *sink, const weir_spectrum *spectrum)
{
    weir_error err = {0};
    CHECK_MSG(weir_sink_write(sink, spectrum, &err) == WEIR_OK, "%s", err.text);
}

static inline void sink_finish(weir_sink *sink, const weir_totals *totals)
{
    weir_error err = {0};
    CHECK_MSG(weir_sink_finish(sink, totals, &err) == WEIR_OK, "%s", err.text);
    weir_sink_close(sink);
}

/* ---- what every sink must do when its output cannot be written ---- */

static inline void sink_check_unwritable(const char *name, const weir_stream_info *stream)
{
    weir_error err = {0};
    weir_sink *sink = NULL;
    weir_sink_config config;
    weir_sink_config_init(&config);
    char path[128];
    config.path = sink_path(path, sizeof path, "no/such/folder/file");
    const weir_sink_class *class_ = weir_sink_class_find(name, NULL, &err);
    CHECK(weir_sink_open(&sink, class_, &config, stream, &err) == WEIR_ERR_CANT_CREATE);
    CHECK(sink == NULL && strstr(err.text, path) != NULL);
}

/* Writes spectra until something fails or the file is complete. */
static inline weir_status sink_run(weir_sink *sink, const weir_stream_info *stream,
                                   const float *power, unsigned n_spectra, weir_error *err)
{
    weir_status status = WEIR_OK;
    for (unsigned i = 0; i < n_spectra && status == WEIR_OK; i++) {
        weir_spectrum s = sink_spectrum(stream, i, power);
        status = weir_sink_write(sink, &s, err);
    }
    weir_totals totals = {0};
    return status == WEIR_OK ? weir_sink_finish(sink, &totals, err) : status;
}

static inline void sink_check_full_disk(const char *name, const weir_stream_info *stream,
                                        const float *power)
{
    if (access("/dev/full", W_OK) != 0) {
        return;
    }
    weir_error err = {0};
    weir_sink *sink = NULL;
    weir_sink_config config;
    weir_sink_config_init(&config);
    config.path = "/dev/full";
    const weir_sink_class *class_ = weir_sink_class_find(name, NULL, &err);
    weir_status status = weir_sink_open(&sink, class_, &config, stream, &err);
    if (status == WEIR_OK) {
        status = sink_run(sink, stream, power, 100, &err);
    }
    CHECK_MSG(status == WEIR_ERR_IO, "%s: %s", weir_status_text(status), err.text);
    CHECK(strstr(err.text, "/dev/full") != NULL);
    weir_sink_close(sink);
    CHECK(access("/dev/full", W_OK) == 0);
}

/* Standard output is a pipe that nobody reads any more. */
static inline void sink_check_closed_pipe(const char *name, const weir_stream_info *stream,
                                          const float *power)
{
    signal(SIGPIPE, SIG_IGN);
    fflush(stdout);
    int ends[2], kept = dup(STDOUT_FILENO);
    if (pipe(ends) != 0 || dup2(ends[1], STDOUT_FILENO) < 0) {
        perror("pipe");
        exit(1);
    }
    close(ends[0]);
    close(ends[1]);
    weir_error err = {0};
    weir_sink *sink = NULL;
    weir_sink_config config;
    weir_sink_config_init(&config);
    const weir_sink_class *class_ = weir_sink_class_find(name, NULL, &err);
    weir_status status = weir_sink_open(&sink, class_, &config, stream, &err);
    if (status == WEIR_OK) {
        status = sink_run(sink, stream, power, 2, &err);
    }
    weir_sink_close(sink);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    CHECK_MSG(status == WEIR_PIPE_CLOSED, "%s: %s", weir_status_text(status), err.text);
}

/* close without finish, and no finish because of an error: nothing is left behind. */
static inline void sink_check_abandoned(const char *name, const weir_stream_info *stream,
                                        const float *power)
{
    char path[128];
    weir_sink_config config;
    weir_sink_config_init(&config);
    config.path = sink_path(path, sizeof path, "abandoned");
    weir_sink *sink = sink_open(name, &config, stream);
    weir_spectrum s = sink_spectrum(stream, 0, power);
    sink_write(sink, &s);
    weir_sink_close(sink);
    CHECK(sink_count_files("abandoned") == 0);
}

static inline void sink_check_missing_trace(const char *name, const weir_stream_info *stream,
                                            const float *power)
{
    char path[128];
    weir_error err = {0};
    weir_sink_config config;
    weir_sink_config_init(&config);
    config.path = sink_path(path, sizeof path, "missing-trace");
    config.trace = WEIR_TRACE_MAX;
    weir_sink *sink = sink_open(name, &config, stream);
    weir_spectrum s = sink_spectrum(stream, 0, power);
    CHECK(weir_sink_write(sink, &s, &err) == WEIR_ERR_INTERNAL);
    CHECK(strstr(err.text, "max") != NULL);
    weir_sink_close(sink);
}

static inline void sink_check_no_such_bins(const char *name, const weir_stream_info *stream,
                                           const float *power)
{
    char path[128];
    weir_error err = {0};
    weir_sink_config config;
    weir_sink_config_init(&config);
    config.path = sink_path(path, sizeof path, "no-bins");
    config.low_hz = 1e12;
    weir_sink *sink = sink_open(name, &config, stream);
    weir_spectrum s = sink_spectrum(stream, 0, power);
    CHECK(weir_sink_write(sink, &s, &err) == WEIR_ERR_USAGE);
    CHECK(strstr(err.text, "1000000000000 Hz") != NULL);
    weir_sink_close(sink);
}

/* Makes a locale whose decimal point is a comma, and takes it. False: there is none here. */
static inline bool sink_set_comma_locale(void)
{
    char folder[128], command[400];
    sink_path(folder, sizeof folder, "locales");
    snprintf(command, sizeof command,
             "mkdir '%s' && localedef -i de_DE -f UTF-8 '%s/de_DE.UTF-8' 2>/dev/null", folder,
             folder);
    /* NOLINTNEXTLINE(cert-env33-c): the folder's name is ours */
    if (system(command) == 0) {
        setenv("LOCPATH", folder, 1);
    }
    return setlocale(LC_ALL, "de_DE.UTF-8") && strcmp(localeconv()->decimal_point, ",") == 0;
}

#endif
