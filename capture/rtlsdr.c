/* `rtlsdr[:SERIAL|:INDEX]`: an RTL2832U dongle through librtlsdr.
 *
 * Threads: the reader is inside rtlsdr_read_async and owns the writer; its callback copies
 * each transfer into the ring, once. The watchdog cancels that read when no data come, or
 * when it is to stop. A dongle that is away is opened again only if what comes is known to be the
 * same (find_same); the reader counts what is missing meanwhile. `lock` guards the device handle
 * between them and control; it is never held while reading and never taken in the callback.
 */
#include "base/log.h"
#include "base/text.h"
#include "base/units.h"
#include "capture/absence.h"
#include "capture/capture.h"
#include "capture/control.h"
#include "capture/device_thread.h"
#include "capture/quiet.h"
#include "capture/rtl_options.h"
#include "capture/rtl_rates.h"
#include "capture/sources.h"
#include "weir_config.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME "rtlsdr"

static bool rtlsdr_accepts(const char *argument)
{
    return strcmp(argument, NAME) == 0 || strncmp(argument, NAME ":", sizeof NAME) == 0;
}

#if WEIR_HAVE_RTLSDR
#include <rtl-sdr.h>

#define MOST_GAINS 256
#define SETTLE_SECONDS 0.010
#define BLOCK_BYTES 16384     /* one transfer: 3.4 ms at 2.4 MS/s                  */
#define BUFFERED_SECONDS 0.25 /* in the transfers that wait for data               */
#define MOST_TRANSFERS 128    /* 2 MiB; the kernel gives all USB devices 16 MiB    */
#define STALL_NS 500000000    /* no data for so long: the device is gone           */
#define FIRST_DATA_NS 2000000000
#define WATCH_NS 20000000
#define REOPEN_NS 250000000
#define BACK_NS 5000000000 /* to open it again after weir stood still */

/* What a dongle says of itself: all that librtlsdr knows it by (no place on the bus). */
typedef struct strings {
    char manufacturer[256], product[256], serial[256];
} strings;

typedef struct rtlsdr {
    weir_source base;
    uint32_t index;
    strings identity; /* of the dongle that was opened first */
    uint32_t n_alike; /* so many dongles said the same then; 0: it said nothing */

    pthread_mutex_t lock;
    rtlsdr_dev_t *device;     /* NULL while it is lost */
    weir_rtl_settings tuning; /* applied at every opening */
    double chosen_gain_db;
    const char *tuner_name;

    weir_retune retune;
    weir_writer *writer;
    pthread_t reader, watchdog;
    bool running;
    atomic_bool stop, done, stalled, reading;
    atomic_bool was_silent; /* longer than a device that is there, before the last block */
    atomic_int_fast64_t still_since_ns; /* that was weir, no loss of the device's; or 0  */
    atomic_int_fast64_t deadline_ns;    /* when the next data must have come */
    /* The reader's own. */
    double rate_hz;
    int64_t last_data_ns;
    weir_absence absence;
    bool has_odd_byte;
    unsigned char odd_byte;
} rtlsdr;

/* ---- settings ---- */

static weir_status read_options(rtlsdr *s, const weir_source_options *o, weir_error *err)
{
    weir_status status = weir_rtl_read_options(&s->tuning, o, NAME, SETTLE_SECONDS, err);
    return status == WEIR_OK ? weir_rtl_check_rate(NAME, s->tuning.now.rate_hz, err) : status;
}

static weir_status refused(const char *what, weir_error *err)
{
    return weir_fail(err, WEIR_ERR_DEVICE, NAME ": the device refused %s", what);
}

/* The nearest of the tuner's own gains; tenths of a decibel. */
static weir_status set_gain(void *device, double gain_db, weir_error *err)
{
    rtlsdr *s = device;
    int gains[MOST_GAINS];
    int n = rtlsdr_get_tuner_gains(s->device, NULL);
    s->tuning.gain_db = gain_db;
    s->chosen_gain_db = NAN;
    if (rtlsdr_set_tuner_gain_mode(s->device, !isnan(gain_db)) < 0) {
        return refused("the gain mode", err);
    }
    if (isnan(gain_db)) {
        return WEIR_OK;
    }
    if (n < 1 || n > MOST_GAINS || rtlsdr_get_tuner_gains(s->device, gains) != n) {
        return weir_fail(err, WEIR_ERR_DEVICE, NAME ": the tuner has no list of gains");
    }
    int best = gains[0];
    for (int i = 1; i < n; i++) {
        best = fabs(gains[i] - 10 * gain_db) < fabs(best - 10 * gain_db) ? gains[i] : best;
    }
    if (rtlsdr_set_tuner_gain(s->device, best) < 0) {
        return refused("the gain", err);
    }
    s->chosen_gain_db = best / 10.0;
    if (fabs(s->chosen_gain_db - gain_db) > 0.05) {
        weir_log(WEIR_LOG_NOTICE, NAME ": gain %.1f dB, the nearest to %.1f dB", s->chosen_gain_db,
                 gain_db);
    }
    return WEIR_OK;
}

static weir_status set_rate(void *device, double rate_hz, weir_error *err)
{
    rtlsdr *s = device;
    weir_status status = weir_rtl_check_rate(NAME, rate_hz, err);
    if (status != WEIR_OK) {
        return status;
    }
    if (rtlsdr_set_sample_rate(s->device, (uint32_t)llrint(rate_hz)) < 0) {
        return refused("the sample rate", err);
    }
    s->tuning.now.rate_hz = rtlsdr_get_sample_rate(s->device);
    if (!(s->tuning.now.rate_hz > 0)) {
        return weir_fail(err, WEIR_ERR_DEVICE, NAME ": the device does not know its sample rate");
    }
    if (fabs(s->tuning.now.rate_hz - rate_hz) > 1) {
        weir_log(WEIR_LOG_NOTICE, NAME ": the device chose %.0f samples a second, not %.0f",
                 s->tuning.now.rate_hz, rate_hz);
    }
    return WEIR_OK;
}

static weir_status set_center(void *device, double center_hz, weir_error *err)
{
    rtlsdr *s = device;
    weir_status status = weir_rtl_check_center(NAME, center_hz, err);
    if (status == WEIR_OK && rtlsdr_set_center_freq(s->device, (uint32_t)llrint(center_hz)) < 0) {
        return weir_fail(err, WEIR_ERR_DEVICE, NAME ": the tuner cannot go to %.0f Hz", center_hz);
    }
    s->tuning.now.center_hz = status == WEIR_OK ? round(center_hz) : s->tuning.now.center_hz;
    return status;
}

static weir_status set_ppm(void *device, double ppm, weir_error *err)
{
    rtlsdr *s = device;
    weir_status status = weir_rtl_check_ppm(NAME, &ppm, err);
    if (status != WEIR_OK) {
        return status;
    }
    bool same = rtlsdr_get_freq_correction(s->device) == (int)ppm; /* which would be an error */
    s->tuning.ppm = ppm;
    return same || rtlsdr_set_freq_correction(s->device, (int)ppm) == 0
               ? WEIR_OK
               : refused("the frequency correction", err);
}

static weir_status set_bandwidth(void *device, double hz, weir_error *err)
{
    rtlsdr *s = device;
    weir_status status = weir_rtl_check_bandwidth(NAME, hz, err);
    if (status != WEIR_OK) {
        return status;
    }
    s->tuning.bandwidth_hz = hz;
    return rtlsdr_set_tuner_bandwidth(s->device, (uint32_t)hz) == 0 ? WEIR_OK
                                                                    : refused("the bandwidth", err);
}

static weir_status set_agc(void *device, double on, weir_error *err)
{
    rtlsdr *s = device;
    s->tuning.agc = on != 0;
    return rtlsdr_set_agc_mode(s->device, on != 0) == 0 ? WEIR_OK : refused("the AGC", err);
}

static weir_status set_bias_tee(void *device, double on, weir_error *err)
{
    rtlsdr *s = device;
    s->tuning.bias_tee = on != 0;
    return rtlsdr_set_bias_tee(s->device, on != 0) == 0 ? WEIR_OK : refused("the bias tee", err);
}

static weir_status set_modes(rtlsdr *s, weir_error *err)
{
    const weir_rtl_settings *t = &s->tuning;
    if (t->direct_sampling && rtlsdr_set_direct_sampling(s->device, t->direct_sampling) < 0) {
        return refused("direct sampling", err);
    }
    if (t->offset_tuning && rtlsdr_set_offset_tuning(s->device, 1) < 0) {
        return refused("offset tuning (only tuners with a zero IF have it)", err);
    }
    if (rtlsdr_set_testmode(s->device, t->test_mode) < 0 && t->test_mode) {
        return refused("the test mode", err);
    }
    return WEIR_OK;
}

static weir_status apply(rtlsdr *s, weir_error *err)
{
    const weir_rtl_settings t = s->tuning;
    weir_status status = set_modes(s, err);
    status = status == WEIR_OK ? set_rate(s, t.now.rate_hz, err) : status;
    status = status == WEIR_OK ? set_ppm(s, t.ppm, err) : status;
    if (status == WEIR_OK && t.bandwidth_hz > 0) {
        status = set_bandwidth(s, t.bandwidth_hz, err);
    }
    status = status == WEIR_OK ? set_center(s, t.now.center_hz, err) : status;
    status = status == WEIR_OK ? set_gain(s, t.gain_db, err) : status;
    status = status == WEIR_OK && t.agc ? set_agc(s, 1, err) : status;
    status = status == WEIR_OK && t.bias_tee ? set_bias_tee(s, 1, err) : status;
    /* The first sample is a good one. */
    weir_sleep_unless(&s->stop, status == WEIR_OK ? (int64_t)(t.now.settle_seconds * 1e9) : 0);
    if (status == WEIR_OK && rtlsdr_reset_buffer(s->device) < 0) {
        status = refused("to start its buffer", err);
    }
    return status;
}

/* ---- finding and opening ---- */

static bool read_strings(uint32_t index, strings *text)
{
    *text = (strings){{0}, {0}, {0}};
    return rtlsdr_get_device_usb_strings(index, text->manufacturer, text->product, text->serial) ==
           0;
}

static bool is_number(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && digits < 4 && text[digits] == '\0';
}

static weir_status not_found(const char *wanted, weir_error *err)
{
    char list[256] = "", shown[64];
    uint32_t n = rtlsdr_get_device_count();
    for (uint32_t i = 0; i < n; i++) {
        strings text;
        read_strings(i, &text);
        weir_list_add(list, sizeof list, "%u: %s", i, text.serial);
    }
    if (n == 0) {
        return weir_fail(err, WEIR_ERR_DEVICE, NAME ": no dongle is connected");
    }
    return weir_fail(err, WEIR_ERR_DEVICE, NAME ": no dongle is called \"%s\"; there are %s",
                     weir_printable(shown, sizeof shown, wanted), list);
}

/* By serial number first: a serial may look like an index. Empty: the first. */
static weir_status find(rtlsdr *s, const char *wanted, weir_error *err)
{
    uint32_t n = rtlsdr_get_device_count();
    int by_serial = wanted[0] ? rtlsdr_get_index_by_serial(wanted) : -1;
    if (by_serial >= 0) {
        s->index = (uint32_t)by_serial;
        return WEIR_OK;
    }
    uint32_t index = is_number(wanted) ? (uint32_t)strtoul(wanted, NULL, 10) : 0;
    if (index >= n || (wanted[0] && !is_number(wanted))) {
        return not_found(wanted, err);
    }
    s->index = index;
    return WEIR_OK;
}

static bool is_same(const strings *a, const strings *b)
{
    return strcmp(a->serial, b->serial) == 0 && strcmp(a->product, b->product) == 0 &&
           strcmp(a->manufacturer, b->manufacturer) == 0;
}

/* The strings of the dongle that is open: which that is cannot have changed meanwhile. */
static bool read_own_strings(rtlsdr *s, strings *text)
{
    *text = (strings){{0}, {0}, {0}};
    return rtlsdr_get_usb_strings(s->device, text->manufacturer, text->product, text->serial) == 0;
}

/* The last that says the same as the one that was opened, and how many do. */
static uint32_t count_alike(const rtlsdr *s, uint32_t *index)
{
    uint32_t n = rtlsdr_get_device_count(), alike = 0;
    for (uint32_t i = 0; i < n; i++) {
        strings text;
        if (read_strings(i, &text) && is_same(&text, &s->identity)) {
            *index = i;
            alike++;
        }
    }
    return alike;
}

static weir_status no_telling(const rtlsdr *s, uint32_t n_alike, weir_error *err)
{
    char serial[64];
    return weir_fail(err, WEIR_ERR_DATA,
                     NAME ": %u dongles have the serial number \"%s\", and which of them was lost "
                          "cannot be told: none is opened (rtl_eeprom -s gives each its own)",
                     n_alike, weir_printable(serial, sizeof serial, s->identity.serial));
}

/* The dongle that was lost: the only one that says the same, then as now. WEIR_ERR_DATA: there is
 * no telling. */
static weir_status find_same(rtlsdr *s, weir_error *err)
{
    char serial[64];
    uint32_t n_alike = count_alike(s, &s->index);
    if (s->n_alike == 0) {
        return weir_fail(err, WEIR_ERR_DATA,
                         NAME ": the dongle that was lost had not said its "
                              "serial number: none is opened");
    }
    if (s->n_alike > 1 || n_alike > 1) {
        return no_telling(s, s->n_alike > n_alike ? s->n_alike : n_alike, err);
    }
    return n_alike == 1 ? WEIR_OK
                        : weir_fail(err, WEIR_ERR_DEVICE, NAME ": %s is not there",
                                    weir_printable(serial, sizeof serial, s->identity.serial));
}

/* At the first opening it is looked at closely; later it must be the same: between finding and
 * opening the numbers may have changed. */
static weir_status identify(rtlsdr *s, bool again, weir_error *err)
{
    strings text;
    uint32_t index;
    bool is_known = read_own_strings(s, &text);
    if (again) {
        return is_known && is_same(&text, &s->identity)
                   ? WEIR_OK
                   : weir_fail(err, WEIR_ERR_DEVICE, NAME ": another dongle came instead");
    }
    s->identity = text;
    s->n_alike = is_known ? count_alike(s, &index) : 0;
    if (s->tuning.retries && s->n_alike > 1) {
        char serial[64];
        weir_log(WEIR_LOG_NOTICE,
                 NAME ": %u dongles have the serial number \"%s\": if this one is lost, weir will "
                      "not know it again (rtl_eeprom -s gives each its own)",
                 s->n_alike, weir_printable(serial, sizeof serial, text.serial));
    }
    return WEIR_OK;
}

/* wanted NULL: the same as before. */
static weir_status open_device(rtlsdr *s, const char *wanted, weir_error *err)
{
    weir_quiet quiet;
    weir_quiet_begin(&quiet);
    weir_status status = wanted ? find(s, wanted, err) : find_same(s, err);
    int result = status == WEIR_OK ? rtlsdr_open(&s->device, s->index) : 0;
    if (status == WEIR_OK && (result < 0 || !s->device)) {
        s->device = NULL;
        status = weir_fail(err, WEIR_ERR_DEVICE,
                           NAME ": dongle %u cannot be opened (error %d): another program has it, "
                                "the kernel's DVB driver has it, or the udev rules are missing",
                           s->index, result);
    }
    status = status == WEIR_OK ? identify(s, !wanted, err) : status;
    status = status == WEIR_OK ? apply(s, err) : status;
    if (status != WEIR_OK && s->device) {
        rtlsdr_close(s->device);
        s->device = NULL;
    }
    weir_quiet_end(&quiet, NAME);
    return status;
}

static const char *tuner_name(rtlsdr_dev_t *device)
{
    static const char *const names[] = {"unknown tuner", "E4000", "FC0012", "FC0013",
                                        "FC2580",        "R820T", "R828D"};
    unsigned type = (unsigned)rtlsdr_get_tuner_type(device);
    return names[type < sizeof names / sizeof names[0] ? type : 0];
}

static void rtlsdr_describe(weir_source *source, char *text, size_t size)
{
    rtlsdr *s = (rtlsdr *)source;
    char rate[32], gain[32], serial[64];
    pthread_mutex_lock(&s->lock);
    weir_snprintf(text, size, "RTL-SDR %s, %s, cu8, %sS/s, %s",
                  weir_printable(serial, sizeof serial, s->identity.serial), s->tuner_name,
                  weir_format_si(rate, sizeof rate, s->tuning.now.rate_hz),
                  weir_gain_text(s->chosen_gain_db, gain));
    pthread_mutex_unlock(&s->lock);
}

static void describe(rtlsdr *s, const char *argument)
{
    weir_source_info *info = &s->base.info;
    s->tuner_name = tuner_name(s->device);
    rtlsdr_describe(&s->base, info->description, sizeof info->description);
    info->format = (weir_sample_format){.scalar = WEIR_U8, .is_complex = true, .channels = 1};
    weir_source_set_live(&s->base, argument, s->tuning.now.rate_hz, s->tuning.now.center_hz);
}

static void rtlsdr_close_source(weir_source *source)
{
    rtlsdr *s = (rtlsdr *)source;
    if (!s) {
        return;
    }
    if (s->device) {
        weir_quiet quiet;
        weir_quiet_begin(&quiet);
        rtlsdr_close(s->device);
        weir_quiet_end(&quiet, NAME);
    }
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static weir_status rtlsdr_open_source(weir_source **out, const char *argument,
                                      const weir_source_options *options, weir_error *err)
{
    rtlsdr *s = calloc(1, sizeof *s);
    if (!s) {
        return weir_fail(err, WEIR_ERR_NOMEM, NAME ": out of memory");
    }
    s->base.class_ = &weir_source_rtlsdr;
    pthread_mutex_init(&s->lock, NULL);
    const char *wanted = argument[strlen(NAME)] ? argument + sizeof NAME : "";
    weir_status status = read_options(s, options, err);
    status = status == WEIR_OK ? open_device(s, wanted, err) : status;
    if (status != WEIR_OK) {
        rtlsdr_close_source(&s->base);
        return status;
    }
    describe(s, argument);
    *out = &s->base;
    return WEIR_OK;
}

/* ---- samples ---- */

static void deliver(rtlsdr *s, const unsigned char *samples, size_t n, int64_t now_ns)
{
    weir_retune_step step = weir_retune_take(&s->retune, n, now_ns);
    size_t passed = step.keep + step.drop;
    if (step.keep > 0) {
        weir_writer_push(s->writer, samples, step.keep);
    }
    weir_writer_lost(s->writer, step.drop);
    if (step.changed) {
        s->rate_hz = step.rate_hz;
        weir_writer_retuned(s->writer, step.rate_hz, step.center_hz);
    }
    if (n > passed) {
        weir_writer_push(s->writer, samples + 2 * passed, n - passed);
    }
}

/* What is missing by now, where n samples have come. */
static void count_absence(rtlsdr *s, size_t n, int64_t now_ns)
{
    weir_writer_lost(s->writer, weir_absence_more(&s->absence, n, now_ns));
}

/* The first data since the device was lost. */
static void end_absence(rtlsdr *s, size_t n, int64_t now_ns)
{
    count_absence(s, n, now_ns);
    weir_writer_lost(s->writer, s->absence.counted == 0); /* a gap, however short */
    weir_absence_end(&s->absence);
    weir_retune_start(&s->retune, s->rate_hz);
    s->has_odd_byte = false;
}

static void on_block(unsigned char *bytes, uint32_t n_bytes, void *user)
{
    rtlsdr *s = user;
    if (n_bytes == 0 || atomic_load(&s->stop)) {
        return;
    }
    int64_t now = weir_now_ns();
    if (now - s->last_data_ns > STALL_NS) {
        atomic_store(&s->was_silent, true);
    }
    s->last_data_ns = now;
    atomic_store(&s->deadline_ns, now + STALL_NS);
    if (weir_absence_lasts(&s->absence)) {
        end_absence(s, n_bytes / 2, now);
    }
    if (s->has_odd_byte) { /* I came with the last block, Q begins this one */
        deliver(s, (unsigned char[]){s->odd_byte, bytes[0]}, 1, now);
        bytes++;
        n_bytes--;
    }
    deliver(s, bytes, n_bytes / 2, now);
    s->has_odd_byte = n_bytes % 2;
    s->odd_byte = s->has_odd_byte ? bytes[n_bytes - 1] : 0;
}

/* ---- threads ---- */

/* What the device took while weir stood still is lost, after what its transfers could hold, and
 * nobody says so: then it is opened anew, and the gap estimated. */
static bool is_stalled(rtlsdr *s, int64_t *last_ns)
{
    bool late = weir_now_ns() > atomic_load(&s->deadline_ns);
    bool silent = atomic_exchange(&s->was_silent, false) || late;
    int64_t before_ns = *last_ns;
    bool stood_still = weir_stood_still(last_ns, STALL_NS) && silent;
    bool stalled = (late || stood_still) && atomic_load(&s->reading);
    if (stalled && stood_still) {
        atomic_store(&s->still_since_ns, before_ns);
    }
    return stalled;
}

static void *watchdog_main(void *user)
{
    rtlsdr *s = user;
    static const atomic_bool never;
    int64_t last_ns = weir_now_ns();
    while (!atomic_load(&s->done)) {
        weir_sleep_unless(&never, WATCH_NS);
        bool stalled = is_stalled(s, &last_ns);
        if (!stalled && !atomic_load(&s->stop)) {
            continue;
        }
        atomic_store(&s->stalled, stalled);
        pthread_mutex_lock(&s->lock);
        if (s->device) {
            rtlsdr_cancel_async(s->device); /* again and again: it may not have begun */
        }
        pthread_mutex_unlock(&s->lock);
    }
    return NULL;
}

static uint32_t transfers_for(double rate_hz)
{
    double n = ceil(BUFFERED_SECONDS * rate_hz * 2 / BLOCK_BYTES);
    return n < 8 ? 8 : n > MOST_TRANSFERS ? MOST_TRANSFERS : (uint32_t)n;
}

/* Reads until something ends it; what that was, in words, if it was not stop. */
static void read_until_lost(rtlsdr *s, char *why, size_t size)
{
    atomic_store(&s->deadline_ns, weir_now_ns() + FIRST_DATA_NS);
    atomic_store(&s->stalled, false);
    atomic_store(&s->reading, true);
    int result = rtlsdr_read_async(s->device, on_block, s, transfers_for(s->rate_hz), BLOCK_BYTES);
    atomic_store(&s->reading, false);
    if (atomic_load(&s->stalled)) {
        weir_snprintf(why, size, "no data came");
    } else {
        weir_snprintf(why, size, "reading ended (result %d): it was unplugged", result);
    }
}

static bool reopen(rtlsdr *s, int64_t until_ns)
{
    bool opened = false, is_said = false;
    pthread_mutex_lock(&s->lock);
    weir_quiet quiet;
    weir_quiet_begin(&quiet);
    rtlsdr_close(s->device);
    weir_quiet_end(&quiet, NAME);
    s->device = NULL;
    pthread_mutex_unlock(&s->lock);
    while (!opened && weir_now_ns() < until_ns && weir_sleep_unless(&s->stop, REOPEN_NS)) {
        weir_error why = {0};
        count_absence(s, 0, weir_now_ns());
        pthread_mutex_lock(&s->lock);
        weir_status status = open_device(s, NULL, &why);
        pthread_mutex_unlock(&s->lock);
        opened = status == WEIR_OK;
        bool is_news = status == WEIR_ERR_DATA && !is_said;
        weir_log(is_news ? WEIR_LOG_WARNING : WEIR_LOG_DEBUG, "%s",
                 opened ? NAME ": opened again" : why.text);
        is_said = is_said || is_news;
    }
    return opened;
}

static bool is_lost(rtlsdr *s, const char *why)
{
    weir_error err = {0};
    if (!atomic_load(&s->stop)) {
        weir_fail(&err, WEIR_ERR_DEVICE, "%s: device lost: %s", s->base.info.name, why);
        weir_writer_ended(s->writer, &err);
    }
    return false;
}

/* False: this was the end. */
static bool survive_loss(rtlsdr *s, const char *why)
{
    int64_t still_since_ns = atomic_exchange(&s->still_since_ns, 0);
    if (still_since_ns) {
        weir_log(WEIR_LOG_WARNING, "%s: weir stood still; it is opened again", s->base.info.name);
    } else if (s->tuning.retries) {
        weir_log(WEIR_LOG_WARNING, "%s: device lost: %s; waiting for it", s->base.info.name, why);
    } else {
        return is_lost(s, why);
    }
    weir_absence_begin(&s->absence, &s->retune.clock,
                       still_since_ns ? still_since_ns : s->last_data_ns);
    if (!reopen(s, s->tuning.retries ? INT64_MAX : weir_now_ns() + BACK_NS)) {
        return is_lost(s, "it does not open again");
    }
    weir_log(WEIR_LOG_WARNING, "%s: the device is back after %.1f s; the gap is estimated",
             s->base.info.name, (double)(weir_now_ns() - s->absence.since_ns) * 1e-9);
    return true;
}

static void *reader_main(void *user)
{
    rtlsdr *s = user;
    char why[96];
    do {
        read_until_lost(s, why, sizeof why);
    } while (!atomic_load(&s->stop) && survive_loss(s, why));
    count_absence(s, 0, weir_now_ns()); /* up to the stop */
    atomic_store(&s->done, true);
    return NULL;
}

static weir_status rtlsdr_start(weir_source *source, weir_writer *writer, weir_error *err)
{
    rtlsdr *s = (rtlsdr *)source;
    s->writer = writer;
    s->rate_hz = s->base.info.rate_hz;
    weir_retune_start(&s->retune, s->rate_hz);
    atomic_store(&s->stop, false);
    atomic_store(&s->done, false);
    s->last_data_ns = weir_now_ns();
    weir_status status = weir_thread_start(&s->reader, "weir-rtlsdr", reader_main, s, err);
    if (status != WEIR_OK) {
        return status;
    }
    status = weir_thread_start(&s->watchdog, "weir-watchdog", watchdog_main, s, err);
    if (status != WEIR_OK) {
        atomic_store(&s->stop, true);
        watchdog_main(s); /* in its stead, until the reader has ended */
        pthread_join(s->reader, NULL);
        return status;
    }
    s->running = true;
    return WEIR_OK;
}

static void rtlsdr_stop(weir_source *source)
{
    rtlsdr *s = (rtlsdr *)source;
    atomic_store(&s->stop, true);
    if (s->running) {
        s->running = false;
        pthread_join(s->reader, NULL);
        pthread_join(s->watchdog, NULL);
    }
}

/* ---- control ---- */

static bool is_there(const void *device)
{
    return ((const rtlsdr *)device)->device != NULL;
}

static weir_status rtlsdr_control(weir_source *source, const char *key, double value,
                                  weir_error *err)
{
    static const weir_control_key keys[] = {{"center_hz", set_center},       {"rate_hz", set_rate},
                                            {"gain_db", set_gain},           {"ppm", set_ppm},
                                            {"bandwidth_hz", set_bandwidth}, {"agc", set_agc},
                                            {"bias_tee", set_bias_tee},      {NULL, NULL}};
    rtlsdr *s = (rtlsdr *)source;
    const weir_control control = {.source = source,
                                  .keys = keys,
                                  .lock = &s->lock,
                                  .retune = &s->retune,
                                  .tuned = &s->tuning.now,
                                  .is_there = is_there};
    return weir_control_change(&control, s, key, value, err);
}

/* ---- weir devices ---- */

static void abilities_of(uint32_t index, char *text, size_t size)
{
    rtlsdr_dev_t *device = NULL;
    int gains[MOST_GAINS];
    if (rtlsdr_open(&device, index) < 0 || !device) {
        weir_snprintf(text, size, "in use, or not accessible");
        return;
    }
    int n = rtlsdr_get_tuner_gains(device, NULL);
    n = n > 0 && n <= MOST_GAINS ? rtlsdr_get_tuner_gains(device, gains) : 0;
    weir_snprintf(text, size, "%s, 225-300 kS/s and 0.9-3.2 MS/s", tuner_name(device));
    if (n > 0) {
        size_t used = strlen(text);
        weir_snprintf(text + used, size - used, ", gain %.1f to %.1f dB in %d steps",
                      gains[0] / 10.0, gains[n - 1] / 10.0, n);
    }
    rtlsdr_close(device);
}

static weir_status rtlsdr_list(weir_device_found *found, void *user, weir_error *err)
{
    (void)err;
    weir_quiet quiet;
    uint32_t n = rtlsdr_get_device_count();
    for (uint32_t i = 0; i < n; i++) {
        strings text;
        char argument[300], what[600], abilities[256];
        weir_quiet_begin(&quiet);
        read_strings(i, &text);
        abilities_of(i, abilities, sizeof abilities);
        weir_quiet_end(&quiet, NAME);
        bool unique = rtlsdr_get_index_by_serial(text.serial) == (int)i && text.serial[0];
        weir_snprintf(argument, sizeof argument, NAME ":%s", text.serial);
        if (!unique) {
            weir_snprintf(argument, sizeof argument, NAME ":%u", i);
        }
        weir_snprintf(what, sizeof what, "%s %s (%s)", text.manufacturer, text.product,
                      rtlsdr_get_device_name(i));
        found(user, argument, what, abilities);
    }
    return WEIR_OK;
}

const weir_source_class weir_source_rtlsdr = {
    .name = NAME,
    .syntax = "rtlsdr[:SERIAL|:INDEX]",
    .help = "an RTL-SDR dongle, by serial number or index; the first without",
    .takes = WEIR_TAKES_TUNING,
    .device_keys = weir_rtl_device_keys,
    .accepts = rtlsdr_accepts,
    .open = rtlsdr_open_source,
    .close = rtlsdr_close_source,
    .start = rtlsdr_start,
    .stop = rtlsdr_stop,
    .control = rtlsdr_control,
    .describe = rtlsdr_describe,
    .devices_title = "RTL-SDR dongles",
    .list = rtlsdr_list,
};

#else

const weir_source_class weir_source_rtlsdr = {
    .name = NAME,
    .syntax = "rtlsdr[:SERIAL|:INDEX]",
    .help = "an RTL-SDR dongle (not in this build)",
    .accepts = rtlsdr_accepts,
    .missing = "RTL-SDR support (librtlsdr was missing); "
               "rtl_sdr -f HZ -s RATE - | weir - -f cu8 works without",
    .devices_title = "RTL-SDR dongles",
};

#endif
