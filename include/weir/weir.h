/* libweir: calibrated spectra and measurements of a stream of samples, for C programs.
 *
 * An analyzer takes samples from a source (a file, "-", "synth:...": whatever the program weir
 * reads), or from the caller, and hands out averaged spectra in decibels, one at a time, to a
 * callback, inside which the current spectrum can also be measured. Transforms are by the CPU.
 *
 *     weir_analyzer *a;
 *     weir_analyzer_create(&a);
 *     weir_analyzer_set(a, "fft", "8192");
 *     weir_analyzer_open(a, "tone.wav");          or weir_analyzer_feed(a, samples, n) ...
 *     weir_analyzer_run(a, on_spectrum, user);    and weir_analyzer_finish(a)
 *     weir_analyzer_destroy(a);
 *
 * Threads. An analyzer belongs to one thread at a time; only weir_analyzer_stop may be called
 * from any other, and from a signal handler. Different analyzers may run in different threads.
 * Callbacks run in the thread that called run, feed or finish, and in stream order; in one, only
 * the functions under "In a callback", stop and error may be called. An analyzer has threads of
 * its own: workers, and one that reads the source.
 *
 * Memory. Texts and samples given are copied. What a callback is shown is the analyzer's, and
 * gone after the callback returns. Texts returned live until the next call on that analyzer, or
 * for ever (weir_version, weir_result_text).
 *
 * Errors. A function that can fail returns a weir_result; weir_analyzer_error then says in one
 * line what was wrong and what would be right. The library never prints, exits or aborts, and
 * does not look at the locale: numbers have ".", in settings and in texts.
 *
 * Short streams. A transform always has as many points as were asked for: samples of a segment
 * that does not fill one are in no spectrum, and counted as totals.tail. (The program weir takes
 * a shorter transform for a recording that does not fill one, and says so; a program that fixed
 * its axis by `fft` wants no other.)
 *
 * Stability. Within one soname (libweir.so.0) functions stay, keys of weir_analyzer_set stay,
 * and structs grow at their end only: those that the caller makes say their size in struct_size
 * before the call; those that the library makes say it to the caller, who reads no further.
 */
#ifndef WEIR_WEIR_H
#define WEIR_WEIR_H

#include <weir/version.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define WEIR_API __attribute__((visibility("default")))
#else
#define WEIR_API
#endif

typedef enum weir_result {
    WEIR_RESULT_OK = 0,
    WEIR_RESULT_USAGE = 64,    /* a wrong argument, key, value, or order of calls */
    WEIR_RESULT_DATA = 65,     /* the input is malformed, or this build cannot read it */
    WEIR_RESULT_NO_INPUT = 66, /* there is no such input */
    WEIR_RESULT_DEVICE = 69,   /* a device is unavailable or lost */
    WEIR_RESULT_INTERNAL = 70, /* a bug in libweir */
    WEIR_RESULT_NO_MEMORY = 71,
    WEIR_RESULT_IO = 74, /* reading failed */
} weir_result;

typedef struct weir_analyzer weir_analyzer;

/* The library's version, "0.1.0". */
WEIR_API const char *weir_version(void);
/* A short text for any value, never NULL. */
WEIR_API const char *weir_result_text(weir_result result);

/* *out is NULL on failure (only WEIR_RESULT_NO_MEMORY). destroy(NULL) does nothing. */
WEIR_API weir_result weir_analyzer_create(weir_analyzer **out);
WEIR_API void weir_analyzer_destroy(weir_analyzer *analyzer);

/* What was wrong with the last call that failed, one line; "" if none has. */
WEIR_API const char *weir_analyzer_error(const weir_analyzer *analyzer);

/* A setting, before the first sample. Numbers are written with "." and may have suffixes
 * ("2.4M", "48k"). Keys, with what holds without them:
 *
 *   fft        points of a transform, 2 or more               4096
 *   hop        samples from one transform to the next         half of fft
 *   window     "hann", "hft90d", "kaiser:9" ...               hann
 *   frames     transforms averaged to one spectrum; 0: all    16
 *   channel    of the input, from 1                           1
 *   threads    workers; 0: one for each core                  0
 *   density    1: levels per hertz                            0
 *   offset     decibels added to every level                  0
 *   unit       what levels then are called, "dB SPL"          dBFS
 *   weighting  Z, A or C                                      Z
 *   format     of raw samples: "cu8", "s16", "cf32" ...       by the file; f32 when fed
 *   channels   of raw samples, side by side                   by the file; 1 when fed
 *   rate       samples per second, of raw samples             by the file; needed when fed
 *   center     frequency of the middle, of raw samples        by the file; 0 when fed
 *   start      seconds to skip (of a source)                  0
 *   duration   seconds to take (of a source)                  to the end
 */
WEIR_API weir_result weir_analyzer_set(weir_analyzer *analyzer, const char *key, const char *value);

/* ---- spectra ---- */

typedef struct weir_analyzer_spectrum {
    size_t struct_size;
    const float *level_db; /* n_bins, ascending in frequency; never NaN, at least -300 */
    size_t n_bins;
    double start_hz; /* middle of bin 0 */
    double bin_hz;   /* from one bin to the next */
    double rate_hz;
    double center_hz;
    const char *unit;      /* "dBFS", "dB SPL(A)", "dBm/Hz" */
    uint64_t index;        /* 0, 1, 2 ... */
    uint64_t first_sample; /* counted from the start of the stream, with lost ones */
    uint64_t end_sample;   /* one past the last */
    uint64_t n_frames;     /* transforms averaged */
    uint64_t lost;         /* samples lost before it, after the spectrum before, and inside */
    uint64_t clipped;      /* samples at or above full scale */
    uint64_t nonfinite;    /* samples that were no number, and counted as 0 */
    int is_partial;        /* fewer transforms than asked for: a gap, or the end */
} weir_analyzer_spectrum;

/* Returns 0 to go on. After anything else no more spectra come: the run ends soon, with
 * WEIR_RESULT_OK; what is fed is only counted. */
typedef int weir_analyzer_callback(void *user, weir_analyzer *analyzer,
                                   const weir_analyzer_spectrum *spectrum);

/* Opens a source, as `weir SOURCE` would. */
WEIR_API weir_result weir_analyzer_open(weir_analyzer *analyzer, const char *source);
/* Transforms the source to its end, or to stop; once for each open. Blocks. */
WEIR_API weir_result weir_analyzer_run(weir_analyzer *analyzer, weir_analyzer_callback *callback,
                                       void *user);
/* Ends a run soon; what was read is still transformed. Any thread, async-signal-safe. */
WEIR_API void weir_analyzer_stop(weir_analyzer *analyzer);

/* Instead of open and run: samples of the caller. begin needs "rate"; feed takes n samples of
 * every channel in "format", and calls the callback for each spectrum that is complete; gap says
 * that n samples were lost here; finish hands out what is left and ends the stream. */
WEIR_API weir_result weir_analyzer_begin(weir_analyzer *analyzer, weir_analyzer_callback *callback,
                                         void *user);
WEIR_API weir_result weir_analyzer_feed(weir_analyzer *analyzer, const void *samples, size_t n);
WEIR_API weir_result weir_analyzer_gap(weir_analyzer *analyzer, uint64_t n);
WEIR_API weir_result weir_analyzer_finish(weir_analyzer *analyzer);

/* Where the samples went. After run or finish: received = transformed + skipped + lost + tail.
 * The caller sets struct_size. */
typedef struct weir_analyzer_totals {
    size_t struct_size;
    uint64_t received, transformed, skipped, lost, tail;
    uint64_t clipped, nonfinite, n_spectra;
} weir_analyzer_totals;

WEIR_API weir_result weir_analyzer_get_totals(weir_analyzer *analyzer,
                                              weir_analyzer_totals *totals);

/* ---- In a callback: measurements of the spectrum it was called with ----
 * Bands are in Hz; NAN for either end means no limit there. */

/* The highest peak, between the bins. WEIR_RESULT_DATA if there is none. */
WEIR_API weir_result weir_analyzer_peak(weir_analyzer *analyzer, double low_hz, double high_hz,
                                        double *hz, double *level_db);
/* The level of all power in the band. */
WEIR_API weir_result weir_analyzer_band(weir_analyzer *analyzer, double low_hz, double high_hz,
                                        double *level_db);
/* The width that holds `part` (0.99) of the band's power. */
WEIR_API weir_result weir_analyzer_occupied(weir_analyzer *analyzer, double low_hz, double high_hz,
                                            double part, double *from_hz, double *to_hz);
/* The median of the band's bins, as decibels per hertz. */
WEIR_API weir_result weir_analyzer_noise(weir_analyzer *analyzer, double low_hz, double high_hz,
                                         double *level_db_per_hz);

/* Of real samples: the strongest tone in the band against all else there. The caller sets
 * struct_size. Decibels are of the ratio named. */
typedef struct weir_analyzer_distortion {
    size_t struct_size;
    double fundamental_hz, fundamental_db;
    double thd_db, thdn_db; /* harmonics 2 to 10; and all but the tone: against the tone */
    double snr_db, sinad_db, sfdr_db;
    double enob_bits;
} weir_analyzer_distortion;

WEIR_API weir_result weir_analyzer_measure_distortion(weir_analyzer *analyzer, double low_hz,
                                                      double high_hz,
                                                      weir_analyzer_distortion *distortion);

#ifdef __cplusplus
}
#endif

#endif
