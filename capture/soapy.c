/* `soapy[:ARGS]`: any radio that SoapySDR drives, in its own sample format.
 *
 * A pull source: readStream writes straight into the ring. Overflows are counted by the
 * driver's timestamps, exactly; where it has none, by the clock, which is an estimate.
 * `lock` guards the device handle between reopening and control; reading takes none.
 */
#include "base/log.h"
#include "base/text.h"
#include "base/units.h"
#include "capture/absence.h"
#include "capture/control.h"
#include "capture/device_options.h"
#include "capture/device_thread.h"
#include "capture/sources.h"
#include "weir_config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME "soapy"

static bool soapy_accepts(const char *argument)
{
    return strcmp(argument, NAME) == 0 || strncmp(argument, NAME ":", sizeof NAME) == 0;
}

#if WEIR_HAVE_SOAPY
#include <SoapySDR/Device.h>
#include <SoapySDR/Errors.h>
#include <SoapySDR/Formats.h>
#include <SoapySDR/Logger.h>

#define READ_US 50000
#define SILENCE_NS 1000000000 /* no data for so long: the device is gone */
#define REOPEN_NS 500000000
#define TEXT_BYTES 256

typedef struct tuning {
    weir_tuned now; /* what the device chose; centre NAN: as it is */
    double gain_db; /* NAN: not said, or automatic                 */
    bool automatic, has_gain;
    double chosen_gain_db; /* what the device says; NAN: automatic */
    double ppm, bandwidth_hz;
    char antenna[64];
} tuning;

/* What tells the device from others that the same arguments find; all empty: it is not found by
 * enumerating, so the arguments are all there is. */
typedef struct identity {
    char driver[TEXT_BYTES], serial[TEXT_BYTES],
        label[TEXT_BYTES]; /* no label if it has a serial */
    size_t n_alike;        /* so many said the same when it was opened */
} identity;

typedef struct soapy {
    weir_source base;
    char args[512];
    identity identity;
    char hardware[64];
    size_t channel;
    bool retries;
    const char *stream_format; /* SOAPY_SDR_CS16 ... */
    char **settings;           /* pairs "key=value" that are the driver's own */
    size_t n_settings;

    pthread_mutex_t lock;
    SoapySDRDevice *device; /* NULL while it is lost */
    SoapySDRStream *stream;
    tuning tuning;
    weir_retune retune;
    atomic_bool interrupted;

    /* The reading thread's own. */
    size_t stride_bytes;
    bool active;
    weir_retune_marks marks;
    bool overflowed;
    weir_absence absence; /* no samples since the device was lost */
    bool doubt_is_said;   /* that what is there may be another    */
    bool has_time;
    long long time_ns; /* of the sample after which ...  */
    uint64_t since;    /* ... so many have come          */
    int64_t last_data_ns;
} soapy;

static void on_log(const SoapySDRLogLevel level, const char *message)
{
    char shown[300];
    weir_printable(shown, sizeof shown, message);
    weir_log(level <= SOAPY_SDR_ERROR ? WEIR_LOG_NOTICE : WEIR_LOG_INFO, NAME ": %s", shown);
}

static weir_status failed(const soapy *s, const char *what, weir_error *err)
{
    char shown[200];
    const char *why = SoapySDRDevice_lastError();
    return weir_fail(err, WEIR_ERR_DEVICE, NAME "%s%s: %s: %s", s->args[0] ? ":" : "", s->args,
                     what, weir_printable(shown, sizeof shown, why && why[0] ? why : "refused"));
}

/* ---- settings ---- */

/* "250 k-2.4 M, 3.2 M": what a list of ranges says. */
static void list_ranges(const SoapySDRRange *ranges, size_t n, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        char low[32], high[32];
        weir_format_si(low, sizeof low, ranges[i].minimum);
        weir_format_si(high, sizeof high, ranges[i].maximum);
        bool is_one = ranges[i].minimum == ranges[i].maximum;
        weir_list_add(text, size, "%s%s%s", low, is_one ? "" : " to ", is_one ? "" : high);
    }
}

static weir_status check_range(const soapy *s, const char *what, SoapySDRRange *ranges, size_t n,
                               double hz, weir_error *err)
{
    bool inside = n == 0; /* a driver that says nothing */
    char list[256];
    for (size_t i = 0; i < n; i++) {
        inside = inside || (hz >= ranges[i].minimum - 0.5 && hz <= ranges[i].maximum + 0.5);
    }
    list_ranges(ranges, n, list, sizeof list);
    free(ranges);
    return inside ? WEIR_OK
                  : weir_fail(err, WEIR_ERR_USAGE, NAME ":%s: %s of %.0f Hz: possible are %s",
                              s->args, what, hz, list);
}

static weir_status set_rate(void *device, double hz, weir_error *err)
{
    soapy *s = device;
    size_t n = 0;
    SoapySDRRange *ranges =
        SoapySDRDevice_getSampleRateRange(s->device, SOAPY_SDR_RX, s->channel, &n);
    if (hz > 0) {
        weir_status status = check_range(s, "a rate", ranges, n, hz, err);
        if (status != WEIR_OK) {
            return status;
        }
        if (SoapySDRDevice_setSampleRate(s->device, SOAPY_SDR_RX, s->channel, hz) != 0) {
            return failed(s, "the sample rate", err);
        }
    } else {
        free(ranges);
    }
    double real_hz = SoapySDRDevice_getSampleRate(s->device, SOAPY_SDR_RX, s->channel);
    if (!(real_hz > 0) || !isfinite(real_hz)) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         NAME ":%s: the driver says a sample rate of %g; give one with --rate",
                         s->args, real_hz);
    }
    if (hz > 0 && fabs(real_hz - hz) > 1) {
        weir_log(WEIR_LOG_NOTICE, NAME ": the device chose %.0f samples a second, not %.0f",
                 real_hz, hz);
    }
    s->tuning.now.rate_hz = real_hz;
    return WEIR_OK;
}

static weir_status set_center(void *device, double hz, weir_error *err)
{
    soapy *s = device;
    size_t n = 0;
    SoapySDRRange *ranges =
        SoapySDRDevice_getFrequencyRange(s->device, SOAPY_SDR_RX, s->channel, &n);
    weir_status status = check_range(s, "a centre", ranges, n, hz, err);
    if (status != WEIR_OK) {
        return status;
    }
    if (SoapySDRDevice_setFrequency(s->device, SOAPY_SDR_RX, s->channel, hz, NULL) != 0) {
        return failed(s, "the centre frequency", err);
    }
    s->tuning.now.center_hz = SoapySDRDevice_getFrequency(s->device, SOAPY_SDR_RX, s->channel);
    return WEIR_OK;
}

static void read_gain(soapy *s)
{
    bool is_automatic = SoapySDRDevice_hasGainMode(s->device, SOAPY_SDR_RX, s->channel) &&
                        SoapySDRDevice_getGainMode(s->device, SOAPY_SDR_RX, s->channel);
    s->tuning.chosen_gain_db =
        is_automatic ? (double)NAN : SoapySDRDevice_getGain(s->device, SOAPY_SDR_RX, s->channel);
}

static weir_status set_gain(void *device, double db, weir_error *err)
{
    soapy *s = device;
    bool can_do_it = SoapySDRDevice_hasGainMode(s->device, SOAPY_SDR_RX, s->channel);
    s->tuning.has_gain = true;
    s->tuning.gain_db = db;
    if (isnan(db) && !can_do_it) {
        return weir_fail(err, WEIR_ERR_USAGE, NAME ":%s: it has no automatic gain", s->args);
    }
    if (can_do_it &&
        SoapySDRDevice_setGainMode(s->device, SOAPY_SDR_RX, s->channel, isnan(db)) != 0) {
        return failed(s, "the gain mode", err);
    }
    if (!isnan(db) && SoapySDRDevice_setGain(s->device, SOAPY_SDR_RX, s->channel, db) != 0) {
        return failed(s, "the gain", err);
    }
    read_gain(s);
    return WEIR_OK;
}

static weir_status set_ppm(void *device, double ppm, weir_error *err)
{
    soapy *s = device;
    s->tuning.ppm = ppm;
    return SoapySDRDevice_setFrequencyCorrection(s->device, SOAPY_SDR_RX, s->channel, ppm) == 0
               ? WEIR_OK
               : failed(s, "the frequency correction", err);
}

static weir_status set_bandwidth(void *device, double hz, weir_error *err)
{
    soapy *s = device;
    s->tuning.bandwidth_hz = hz;
    return SoapySDRDevice_setBandwidth(s->device, SOAPY_SDR_RX, s->channel, hz) == 0
               ? WEIR_OK
               : failed(s, "the bandwidth", err);
}

static weir_status set_antenna(soapy *s, weir_error *err)
{
    size_t n = 0;
    bool found = false;
    char list[256] = "";
    char **names = SoapySDRDevice_listAntennas(s->device, SOAPY_SDR_RX, s->channel, &n);
    for (size_t i = 0; i < n; i++) {
        found = found || strcmp(names[i], s->tuning.antenna) == 0;
        weir_list_add(list, sizeof list, "%s", names[i]);
    }
    SoapySDRStrings_clear(&names, n);
    if (!found) {
        return weir_fail(err, WEIR_ERR_USAGE, NAME ":%s: no antenna \"%s\"; there are: %s", s->args,
                         s->tuning.antenna, list);
    }
    return SoapySDRDevice_setAntenna(s->device, SOAPY_SDR_RX, s->channel, s->tuning.antenna) == 0
               ? WEIR_OK
               : failed(s, "the antenna", err);
}

/* A pair of the user's that is not ours must be a setting that the driver lists. */
static weir_status write_setting(const soapy *s, const char *pair, weir_error *err)
{
    size_t n = 0;
    bool found = false;
    char key[64], list[300] = "";
    weir_snprintf(key, sizeof key, "%.*s", (int)strcspn(pair, "="), pair);
    SoapySDRArgInfo *infos = SoapySDRDevice_getSettingInfo(s->device, &n);
    for (size_t i = 0; i < n; i++) {
        found = found || strcmp(infos[i].key, key) == 0;
        weir_list_add(list, sizeof list, "%s", infos[i].key);
    }
    SoapySDRArgInfoList_clear(infos, n);
    if (!found) {
        return weir_fail(err, WEIR_ERR_USAGE, NAME ":%s: no setting \"%s\"; the driver has: %s",
                         s->args, key, n ? list : "none");
    }
    return SoapySDRDevice_writeSetting(s->device, key, strchr(pair, '=') + 1) == 0
               ? WEIR_OK
               : failed(s, key, err);
}

static weir_status apply(soapy *s, weir_error *err)
{
    const tuning t = s->tuning;
    weir_status status = WEIR_OK;
    for (size_t i = 0; i < s->n_settings && status == WEIR_OK; i++) {
        status = write_setting(s, s->settings[i], err);
    }
    status = status == WEIR_OK && t.antenna[0] ? set_antenna(s, err) : status;
    status = status == WEIR_OK ? set_rate(s, t.now.rate_hz, err) : status;
    status =
        status == WEIR_OK && t.bandwidth_hz > 0 ? set_bandwidth(s, t.bandwidth_hz, err) : status;
    status = status == WEIR_OK && t.ppm != 0 ? set_ppm(s, t.ppm, err) : status;
    if (status == WEIR_OK && isnan(t.now.center_hz)) {
        s->tuning.now.center_hz = SoapySDRDevice_getFrequency(s->device, SOAPY_SDR_RX, s->channel);
    } else if (status == WEIR_OK) {
        status = set_center(s, t.now.center_hz, err);
    }
    return status == WEIR_OK && t.has_gain ? set_gain(s, t.gain_db, err) : status;
}

/* ---- formats ---- */

/* The driver's own format where its full scale is the integer's: then nothing is converted
 * and levels are right. Else CF32, which drivers scale to 1. */
static void choose_format(soapy *s, weir_sample_format *format)
{
    static const struct {
        const char *name;
        weir_scalar scalar;
        double full_scale;
    } formats[] = {{SOAPY_SDR_CS8, WEIR_S8, 127},
                   {SOAPY_SDR_CU8, WEIR_U8, 127},
                   {SOAPY_SDR_CS16, WEIR_S16LE, 32767},
                   {SOAPY_SDR_CF32, WEIR_F32LE, 1}};
    double full_scale = 0;
    char *native =
        SoapySDRDevice_getNativeStreamFormat(s->device, SOAPY_SDR_RX, s->channel, &full_scale);
    *format = (weir_sample_format){.scalar = WEIR_F32LE, .is_complex = true, .channels = 1};
    s->stream_format = SOAPY_SDR_CF32;
    for (size_t i = 0; native && i < sizeof formats / sizeof formats[0]; i++) {
        double f = formats[i].full_scale;
        if (strcmp(formats[i].name, native) == 0 && full_scale >= f && full_scale <= f + 1) {
            format->scalar = formats[i].scalar;
            s->stream_format = formats[i].name;
        }
    }
    SoapySDR_free(native);
    s->stride_bytes = weir_format_stride_bytes(format);
}

/* ---- opening ---- */

static void close_device(soapy *s)
{
    if (s->stream && s->active) {
        SoapySDRDevice_deactivateStream(s->device, s->stream, 0, 0);
    }
    if (s->stream) {
        SoapySDRDevice_closeStream(s->device, s->stream);
    }
    if (s->device) {
        SoapySDRDevice_unmake(s->device);
    }
    s->device = NULL;
    s->stream = NULL;
    s->active = false;
    s->has_time = false;
}

static void copy_argument(const SoapySDRKwargs *found, const char *key, char *text)
{
    const char *value = SoapySDRKwargs_get(found, key);
    weir_snprintf(text, TEXT_BYTES, "%s", value ? value : "");
}

static identity identity_of(const SoapySDRKwargs *found)
{
    identity id = {.n_alike = 0};
    copy_argument(found, "driver", id.driver);
    copy_argument(found, "serial", id.serial);
    if (!id.serial[0]) {
        copy_argument(found, "label", id.label);
    }
    return id;
}

static bool is_same(const identity *a, const identity *b)
{
    return strcmp(a->driver, b->driver) == 0 && strcmp(a->serial, b->serial) == 0 &&
           strcmp(a->label, b->label) == 0;
}

/* How many of what is found are like that one, and the last of them. */
static size_t count_alike(const identity *wanted, const SoapySDRKwargs *list, size_t n,
                          size_t *index)
{
    size_t alike = 0;
    for (size_t i = 0; i < n; i++) {
        const identity id = identity_of(&list[i]);
        if (is_same(&id, wanted)) {
            *index = i;
            alike++;
        }
    }
    return alike;
}

/* Which of the n that the arguments find now: the first; or, after a loss, the one that was lost.
 * WEIR_ERR_DATA: there is no telling. */
static weir_status choose(soapy *s, const SoapySDRKwargs *list, size_t n, bool again, size_t *index,
                          weir_error *err)
{
    *index = 0;
    if (!again) {
        s->identity = n > 0 ? identity_of(&list[0]) : (identity){.n_alike = 0};
        s->identity.n_alike = count_alike(&s->identity, list, n, index);
        *index = 0;
        return WEIR_OK;
    }
    const identity *lost = &s->identity;
    char name[100];
    weir_printable(name, sizeof name, lost->serial[0] ? lost->serial : lost->label);
    size_t alike = count_alike(lost, list, n, index);
    size_t most = lost->n_alike > alike ? lost->n_alike : alike;
    if (most > 1) {
        return weir_fail(err, WEIR_ERR_DATA,
                         NAME ":%s: %zu devices are called \"%s\", and which of them was lost "
                              "cannot be told: none is opened",
                         s->args, most, name);
    }
    bool is_there = alike == 1 || (lost->n_alike == 0 && n == 0);
    return is_there
               ? WEIR_OK
               : weir_fail(err, WEIR_ERR_DEVICE, NAME ":%s: \"%s\" is not there", s->args, name);
}

/* What was found does not say all that the user did; a driver may want it. */
static void add_arguments(const soapy *s, SoapySDRKwargs *found)
{
    SoapySDRKwargs args = SoapySDRKwargs_fromString(s->args);
    for (size_t i = 0; i < args.size; i++) {
        if (!SoapySDRKwargs_get(found, args.keys[i])) {
            SoapySDRKwargs_set(found, args.keys[i], args.vals[i]);
        }
    }
    SoapySDRKwargs_clear(&args);
}

static weir_status make_device(soapy *s, bool again, weir_error *err)
{
    size_t n = 0, index;
    SoapySDRKwargs *list = SoapySDRDevice_enumerateStrArgs(s->args, &n);
    weir_status status = choose(s, list, n, again, &index, err);
    if (status == WEIR_OK && n > 0) {
        add_arguments(s, &list[index]);
        s->device = SoapySDRDevice_make(&list[index]);
    } else if (status == WEIR_OK) {
        s->device = SoapySDRDevice_makeStrArgs(s->args);
    }
    SoapySDRKwargsList_clear(list, n);
    if (status == WEIR_OK && !s->device) {
        return failed(s, "no such device can be opened (weir devices lists them)", err);
    }
    return status;
}

/* again: after a loss, only the same. */
static weir_status open_device(soapy *s, bool again, weir_error *err)
{
    weir_status status = make_device(s, again, err);
    if (status != WEIR_OK) {
        return status;
    }
    if (s->channel >= SoapySDRDevice_getNumChannels(s->device, SOAPY_SDR_RX)) {
        return weir_fail(err, WEIR_ERR_USAGE, NAME ":%s: no receive channel %zu", s->args,
                         s->channel);
    }
    status = apply(s, err);
    if (status != WEIR_OK) {
        return status;
    }
    weir_sample_format format;
    choose_format(s, &format);
    s->base.info.format = format;
    s->stream =
        SoapySDRDevice_setupStream(s->device, SOAPY_SDR_RX, s->stream_format, &s->channel, 1, NULL);
    if (!s->stream) {
        return failed(s, "the stream", err);
    }
    /* The first sample is a good one. */
    weir_sleep_unless(&s->interrupted, (int64_t)(s->tuning.now.settle_seconds * 1e9));
    return WEIR_OK;
}

static weir_status read_pairs(soapy *s, const weir_source_options *o, weir_error *err)
{
    static const char *const ours[] = {"gain",   "ppm",     "bandwidth", "antenna",
                                       "settle", "on-loss", "channel",   NULL};
    const char *const *pairs = o->device_options;
    size_t n = 0;
    while (pairs && pairs[n]) {
        n++;
    }
    s->settings = calloc(n + 1, sizeof *s->settings);
    for (size_t i = 0; s->settings && i < n; i++) {
        const char *const one[] = {pairs[i], NULL};
        const weir_source_options only = {.device_options = one};
        if (weir_devopt_check_keys(&only, NAME, ours, NULL) == WEIR_OK) {
            continue;
        }
        if (!strchr(pairs[i], '=')) {
            return weir_devopt_check_keys(&only, NAME, ours, err);
        }
        s->settings[s->n_settings] = strdup(pairs[i]);
        s->n_settings += s->settings[s->n_settings] != NULL;
    }
    return s->settings ? WEIR_OK : weir_fail(err, WEIR_ERR_NOMEM, NAME ": out of memory");
}

static weir_status read_options(soapy *s, const weir_source_options *o, weir_error *err)
{
    tuning *t = &s->tuning;
    weir_error own = {0};
    err = err ? err : &own;
    double channel = 0;
    t->now = (weir_tuned){o->rate_hz, o->center_hz, .settle_seconds = 0.020};
    t->has_gain = weir_devopt_text(o, "gain") != NULL;
    bool good = read_pairs(s, o, err) == WEIR_OK &&
                weir_devopt_gain(o, NAME, "gain", &t->gain_db, err) == WEIR_OK &&
                weir_devopt_number(o, NAME, "ppm", &t->ppm, err) == WEIR_OK &&
                weir_devopt_hz(o, NAME, "bandwidth", &t->bandwidth_hz, err) == WEIR_OK &&
                weir_devopt_settle(o, NAME, &t->now.settle_seconds, err) == WEIR_OK &&
                weir_devopt_number(o, NAME, "channel", &channel, err) == WEIR_OK &&
                weir_devopt_retries(o, NAME, &s->retries, err) == WEIR_OK;
    if (!good) { /* the first that is wrong is the one that is said */
        return err->status;
    }
    if (!(channel >= 0 && channel < 64 && channel == floor(channel))) {
        return weir_fail(err, WEIR_ERR_USAGE, NAME ": channel %g: they count from 0", channel);
    }
    if (t->bandwidth_hz < 0) {
        return weir_fail(err, WEIR_ERR_USAGE,
                         NAME ": a bandwidth of %.0f Hz: 0 or more is possible", t->bandwidth_hz);
    }
    s->channel = (size_t)channel;
    const char *antenna = weir_devopt_text(o, "antenna");
    weir_printable(t->antenna, sizeof t->antenna, antenna ? antenna : "");
    return WEIR_OK;
}

static void soapy_describe(weir_source *source, char *text, size_t size)
{
    soapy *s = (soapy *)source;
    char rate[32], format[32], gain[32];
    pthread_mutex_lock(&s->lock);
    weir_snprintf(text, size, "%s, %s, %sS/s, %s", s->hardware,
                  weir_format_name(&source->info.format, format, sizeof format),
                  weir_format_si(rate, sizeof rate, s->tuning.now.rate_hz),
                  weir_gain_text(s->tuning.chosen_gain_db, gain));
    pthread_mutex_unlock(&s->lock);
}

static void describe(soapy *s, const char *argument)
{
    weir_source_info *info = &s->base.info;
    char *key = SoapySDRDevice_getHardwareKey(s->device);
    weir_printable(s->hardware, sizeof s->hardware, key && key[0] ? key : "SoapySDR");
    SoapySDR_free(key);
    read_gain(s);
    soapy_describe(&s->base, info->description, sizeof info->description);
    s->marks.rate_hz = s->tuning.now.rate_hz;
    s->marks.center_hz = s->tuning.now.center_hz;
    weir_source_set_live(&s->base, argument, s->marks.rate_hz, s->marks.center_hz);
}

static void soapy_close(weir_source *source)
{
    soapy *s = (soapy *)source;
    if (!s) {
        return;
    }
    close_device(s);
    for (size_t i = 0; i < s->n_settings; i++) {
        free(s->settings[i]);
    }
    free(s->settings);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static weir_status soapy_open(weir_source **out, const char *argument,
                              const weir_source_options *options, weir_error *err)
{
    soapy *s = calloc(1, sizeof *s);
    if (!s) {
        return weir_fail(err, WEIR_ERR_NOMEM, NAME ": out of memory");
    }
    s->base.class_ = &weir_source_soapy;
    pthread_mutex_init(&s->lock, NULL);
    SoapySDR_registerLogHandler(on_log);
    weir_printable(s->args, sizeof s->args, argument[strlen(NAME)] ? argument + sizeof NAME : "");
    weir_status status = read_options(s, options, err);
    status = status == WEIR_OK ? open_device(s, false, err) : status;
    if (status != WEIR_OK) {
        soapy_close(&s->base);
        return status;
    }
    describe(s, argument);
    *out = &s->base;
    return WEIR_OK;
}

/* ---- reading ---- */

static bool giving_up(const soapy *s)
{
    return atomic_load(&s->interrupted);
}

static weir_status survive_loss(soapy *s, const char *why, weir_error *err)
{
    if (!s->retries) {
        return weir_fail(err, WEIR_ERR_DEVICE, "%s: device lost: %s", s->base.info.name, why);
    }
    bool is_new = !weir_absence_lasts(&s->absence);
    weir_log(is_new ? WEIR_LOG_WARNING : WEIR_LOG_DEBUG, "%s: device lost: %s; waiting for it",
             s->base.info.name, why);
    weir_sample_clock clock;
    weir_sample_clock_start(&clock, s->marks.rate_hz);
    weir_absence_begin(&s->absence, &clock, s->last_data_ns);
    s->doubt_is_said = s->doubt_is_said && !is_new;
    s->overflowed = false; /* all of it is lost */
    pthread_mutex_lock(&s->lock);
    close_device(s);
    pthread_mutex_unlock(&s->lock);
    return WEIR_OK;
}

/* One attempt, if it is away. */
static weir_status reopen(soapy *s, weir_error *err)
{
    const char *format = s->stream_format;
    if (s->device || !weir_sleep_unless(&s->interrupted, REOPEN_NS)) {
        return WEIR_OK;
    }
    weir_error why = {0};
    pthread_mutex_lock(&s->lock);
    weir_status status = open_device(s, true, &why);
    if (status != WEIR_OK) {
        close_device(s);
    }
    pthread_mutex_unlock(&s->lock);
    if (status != WEIR_OK) {
        bool is_news = status == WEIR_ERR_DATA && !s->doubt_is_said;
        weir_log(is_news ? WEIR_LOG_WARNING : WEIR_LOG_DEBUG, "%s", why.text);
        s->doubt_is_said = s->doubt_is_said || is_news;
        return WEIR_OK;
    }
    if (strcmp(format, s->stream_format) != 0) {
        return weir_fail(err, WEIR_ERR_DEVICE, "%s: it is back with another sample format",
                         s->base.info.name);
    }
    s->marks.rate_hz = s->tuning.now.rate_hz;
    s->marks.center_hz = s->tuning.now.center_hz;
    s->marks.new_segment = true;
    return WEIR_OK;
}

/* How many samples are missing before these n, after the driver said "overflow". */
static uint64_t count_overflow(const soapy *s, bool has_time, long long time_ns, size_t n)
{
    if (has_time && s->has_time) {
        long long due_ns = s->time_ns + llround((double)s->since * 1e9 / s->marks.rate_hz);
        long long late = llround((double)(time_ns - due_ns) * 1e-9 * s->marks.rate_hz);
        return late > 0 ? (uint64_t)late : 0;
    }
    uint64_t missing = weir_sample_clock_missing(&s->retune.clock, n, weir_now_ns());
    return missing > 0 ? missing : 1;
}

static void take_good(soapy *s, size_t n, int flags, long long time_ns)
{
    bool has_time = flags & SOAPY_SDR_HAS_TIME;
    weir_absence_end(&s->absence);
    if (s->overflowed) {
        uint64_t missing = count_overflow(s, has_time, time_ns, n);
        weir_retune_lost(&s->marks, missing);
        weir_sample_clock_lost(&s->retune.clock, missing);
        s->overflowed = false;
    }
    if (has_time) {
        s->time_ns = time_ns;
        s->since = 0;
    }
    s->has_time = s->has_time || has_time;
    s->since += n;
    s->last_data_ns = weir_now_ns();
}

/* One readStream; *n = 0: nothing yet. */
static weir_status take_samples(soapy *s, void *memory, size_t max_samples, size_t *n,
                                weir_error *err)
{
    int flags = 0;
    long long time_ns = 0;
    void *const buffers[] = {memory};
    int result = SoapySDRDevice_readStream(s->device, s->stream, buffers, max_samples, &flags,
                                           &time_ns, READ_US);
    *n = 0;
    if (result > 0) {
        *n = (size_t)result;
        take_good(s, *n, flags, time_ns);
        return WEIR_OK;
    }
    if (result == SOAPY_SDR_OVERFLOW) {
        s->overflowed = true;
        return WEIR_OK;
    }
    bool silent = weir_now_ns() - s->last_data_ns > SILENCE_NS;
    if ((result == 0 || result == SOAPY_SDR_TIMEOUT) && !silent) {
        return WEIR_OK;
    }
    return survive_loss(s, silent ? "no data came" : SoapySDR_errToStr(result), err);
}

/* After a loss, all the time until its stream begins is missing. */
static weir_status activate(soapy *s, weir_error *err)
{
    if (s->active || !s->stream) {
        return WEIR_OK;
    }
    if (SoapySDRDevice_activateStream(s->device, s->stream, 0, 0, 0) != 0) {
        weir_status status = failed(s, "the stream does not start", err);
        return s->last_data_ns ? survive_loss(s, "the stream does not start", err) : status;
    }
    weir_retune_absence(&s->marks, &s->absence, 0, weir_now_ns());
    s->active = true;
    s->last_data_ns = weir_now_ns();
    weir_retune_start(&s->retune, s->marks.rate_hz);
    return WEIR_OK;
}

static weir_status soapy_read(weir_source *source, void *memory, size_t max_samples,
                              weir_read *result, weir_error *err)
{
    soapy *s = (soapy *)source;
    size_t n = 0;
    weir_status status = reopen(s, err);
    if (status != WEIR_OK) {
        return status;
    }
    while (n == 0 && s->device && !giving_up(s)) {
        status = activate(s, err);
        if (status == WEIR_OK && s->active) {
            status = take_samples(s, memory, max_samples, &n, err);
        }
        if (status != WEIR_OK) {
            return status;
        }
        double before_hz = s->marks.rate_hz;
        n = weir_retune_cut(&s->retune, &s->marks, memory, n, s->stride_bytes);
        s->has_time = s->has_time && s->marks.rate_hz == before_hz;
    }
    if (n == 0) {
        weir_retune_absence(&s->marks, &s->absence, 0, weir_now_ns());
    }
    weir_retune_report(&s->marks, n, result);
    result->is_away = n == 0 && !giving_up(s);
    return WEIR_OK;
}

static void soapy_interrupt(weir_source *source)
{
    atomic_store(&((soapy *)source)->interrupted, true);
}

/* ---- control ---- */

static bool is_there(const void *device)
{
    return ((const soapy *)device)->device != NULL;
}

static weir_status soapy_control(weir_source *source, const char *key, double value,
                                 weir_error *err)
{
    static const weir_control_key keys[] = {{"center_hz", set_center},       {"rate_hz", set_rate},
                                            {"gain_db", set_gain},           {"ppm", set_ppm},
                                            {"bandwidth_hz", set_bandwidth}, {NULL, NULL}};
    soapy *s = (soapy *)source;
    const weir_control control = {.source = source,
                                  .keys = keys,
                                  .lock = &s->lock,
                                  .retune = &s->retune,
                                  .tuned = &s->tuning.now,
                                  .is_there = is_there};
    return weir_control_change(&control, s, key, value, err);
}

/* ---- weir devices ---- */

static void abilities_of(const SoapySDRKwargs *args, char *text, size_t size)
{
    SoapySDRDevice *device = SoapySDRDevice_make(args);
    if (!device) {
        weir_snprintf(text, size, "in use, or not accessible");
        return;
    }
    size_t n = 0;
    char rates[256], centers[256];
    SoapySDRRange *ranges = SoapySDRDevice_getSampleRateRange(device, SOAPY_SDR_RX, 0, &n);
    list_ranges(ranges, n, rates, sizeof rates);
    free(ranges);
    ranges = SoapySDRDevice_getFrequencyRange(device, SOAPY_SDR_RX, 0, &n);
    list_ranges(ranges, n, centers, sizeof centers);
    free(ranges);
    SoapySDRRange gain = SoapySDRDevice_getGainRange(device, SOAPY_SDR_RX, 0);
    double scale = 0;
    char *format = SoapySDRDevice_getNativeStreamFormat(device, SOAPY_SDR_RX, 0, &scale);
    weir_snprintf(text, size, "%s, rates %s, centres %s, gain %.1f to %.1f dB",
                  format ? format : "", rates, centers, gain.minimum, gain.maximum);
    SoapySDR_free(format);
    SoapySDRDevice_unmake(device);
}

static weir_status soapy_list(weir_device_found *found, void *user, weir_error *err)
{
    (void)err;
    size_t n = 0;
    SoapySDR_registerLogHandler(on_log);
    SoapySDRKwargs *list = SoapySDRDevice_enumerate(NULL, &n);
    for (size_t i = 0; i < n; i++) {
        char argument[600], abilities[700];
        const char *driver = SoapySDRKwargs_get(&list[i], "driver");
        const char *label = SoapySDRKwargs_get(&list[i], "label");
        const char *serial = SoapySDRKwargs_get(&list[i], "serial");
        weir_snprintf(argument, sizeof argument, NAME ":driver=%s%s%s", driver ? driver : "",
                      serial ? ",serial=" : "", serial ? serial : "");
        abilities_of(&list[i], abilities, sizeof abilities);
        found(user, argument, label ? label : "", abilities);
    }
    SoapySDRKwargsList_clear(list, n);
    return WEIR_OK;
}

const weir_source_class weir_source_soapy = {
    .name = NAME,
    .syntax = "soapy[:ARGS]",
    .help = "a radio through SoapySDR: soapy:driver=hackrf,serial=...",
    .takes = WEIR_TAKES_TUNING,
    .accepts = soapy_accepts,
    .open = soapy_open,
    .close = soapy_close,
    .read = soapy_read,
    .interrupt = soapy_interrupt,
    .control = soapy_control,
    .describe = soapy_describe,
    .devices_title = "SoapySDR radios",
    .list = soapy_list,
};

#else

const weir_source_class weir_source_soapy = {
    .name = NAME,
    .syntax = "soapy[:ARGS]",
    .help = "a radio through SoapySDR (not in this build)",
    .accepts = soapy_accepts,
    .missing = "SoapySDR support (libsoapysdr was missing)",
    .devices_title = "SoapySDR radios",
};

#endif
