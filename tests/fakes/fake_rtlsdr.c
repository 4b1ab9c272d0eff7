/* A stand-in for librtlsdr: same functions, same soname, loaded by LD_LIBRARY_PATH.
 *
 * FAKE_RTLSDR says what it is like, with commas between; read whenever something opens or
 * begins to read:
 *   serials=A;B   the dongles that are there (one, 00000001)
 *   busy          opening fails, as if another program had it
 *   rate=HZ       what get_sample_rate answers, and what is sent, whatever was set
 *   speed=X       times real time (1); 0: as fast as it goes
 *   file=PATH     cu8 samples, again and again; else a ramp: sample n is I = n & 255,
 *                 Q = n >> 8 & 255; in test mode byte n is n & 255
 *   odd           blocks of odd lengths
 *   drop=AT/N     at sample AT, N are missing
 *   stall=AT      at sample AT nothing comes any more, until cancelled
 *   vanish=AT/MS  at sample AT reading ends, and there is no dongle for so long
 *   left=A;B      or those are left meanwhile
 *   after=A;B     the dongles that are there after that (as before)
 *   tune=US       how long tuning takes (2000), during which samples go on
 *   pll=US        and how long the samples after it are rubbish (0): all 7
 *   begin=N       samples count on from N at least
 *   late=AT/MS    what is taken from sample AT on comes so much later, all at once
 *   where         Q says the centre when it was taken, in MHz & 255
 *   log=PATH      what was called, a line each
 * Samples count on through reopening. fake_rtlsdr_least_delay_ns says how late the least late block
 * came between the beginning of reading and the last tuning: by no more can anybody know when
 * samples were taken. */
#include <rtl-sdr.h>

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOST_BLOCKS 128

struct rtlsdr_dev {
    uint32_t index;
    char serial[256];
    atomic_uint rate, center;
    int ppm, gain;
    atomic_bool test_mode, cancel, reading;
    pthread_mutex_t tuning_lock; /* of what a block needs of one moment: */
    unsigned center_before;
    int64_t center_since_ns, rubbish_until_ns;
    FILE *file;
};

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int64_t absent_until_ns;
static atomic_uint_fast64_t sent;                       /* samples, over all openings */
static _Atomic double dropped, stalled, vanished, late; /* the AT of the last one that came */

static _Atomic int64_t least_delay_ns, least_delay_at_tuning_ns;

int64_t fake_rtlsdr_least_delay_ns(void);

int64_t fake_rtlsdr_least_delay_ns(void)
{
    return atomic_load(&least_delay_at_tuning_ns);
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The text after "key" or "key=", up to the comma; NULL if it is not said. */
static const char *said(const char *key, char *value, size_t size)
{
    const char *at = getenv("FAKE_RTLSDR");
    size_t length = strlen(key);
    while (at && *at) {
        size_t item = strcspn(at, ",");
        if (item >= length && strncmp(at, key, length) == 0 &&
            (item == length || at[length] == '=')) {
            size_t skip = item > length ? length + 1 : length;
            snprintf(value, size, "%.*s", (int)(item - skip), at + skip);
            return value;
        }
        at += item + (at[item] == ',');
    }
    return NULL;
}

static double number(const char *key, double otherwise)
{
    char text[64];
    return said(key, text, sizeof text) ? atof(text) : otherwise;
}

static void two_numbers(const char *key, double *first, double *second)
{
    char text[64];
    *first = *second = -1;
    if (said(key, text, sizeof text)) {
        char *slash = strchr(text, '/');
        *first = atof(text);
        *second = slash ? atof(slash + 1) : 0;
    }
}

static void note(const char *what, long value)
{
    char path[256];
    if (!said("log", path, sizeof path)) {
        return;
    }
    pthread_mutex_lock(&log_lock);
    FILE *log = fopen(path, "a");
    if (log) {
        fprintf(log, "%s %ld\n", what, value);
        fclose(log);
    }
    pthread_mutex_unlock(&log_lock);
}

/* ---- which there are ---- */

static void list_of(char *list, size_t size)
{
    double vanish_at, away_ms;
    two_numbers("vanish", &vanish_at, &away_ms);
    snprintf(list, size, "00000001");
    said("serials", list, size);
    if (now_ns() < atomic_load(&absent_until_ns)) {
        list[0] = '\0';
        said("left", list, size);
    } else if (vanish_at >= 0 && atomic_load(&vanished) == vanish_at) {
        said("after", list, size);
    }
}

static bool serial_of(uint32_t index, char *serial, size_t size)
{
    char list[256];
    list_of(list, sizeof list);
    if (list[0] == '\0') {
        return false;
    }
    const char *at = list;
    for (; index > 0; index--) {
        at = strchr(at, ';');
        if (!at) {
            return false;
        }
        at++;
    }
    snprintf(serial, size, "%.*s", (int)strcspn(at, ";"), at);
    return true;
}

uint32_t rtlsdr_get_device_count(void)
{
    char serial[256];
    uint32_t n = 0;
    while (serial_of(n, serial, sizeof serial)) {
        n++;
    }
    return n;
}

const char *rtlsdr_get_device_name(uint32_t index)
{
    (void)index;
    return "Fake RTL2832U";
}

int rtlsdr_get_device_usb_strings(uint32_t index, char *manufact, char *product, char *serial)
{
    strcpy(manufact, "weir");
    strcpy(product, "test dongle");
    return serial_of(index, serial, 256) ? 0 : -2;
}

int rtlsdr_get_usb_strings(rtlsdr_dev_t *d, char *manufact, char *product, char *serial)
{
    strcpy(manufact, "weir");
    strcpy(product, "test dongle");
    memcpy(serial, d->serial, sizeof d->serial);
    return 0;
}

int rtlsdr_get_index_by_serial(const char *wanted)
{
    char serial[256];
    for (uint32_t i = 0; serial_of(i, serial, sizeof serial); i++) {
        if (strcmp(serial, wanted) == 0) {
            return (int)i;
        }
    }
    return -3;
}

/* ---- settings ---- */

int rtlsdr_open(rtlsdr_dev_t **out, uint32_t index)
{
    char serial[256], text[256];
    if (!serial_of(index, serial, sizeof serial) || said("busy", text, sizeof text)) {
        return -6;
    }
    fprintf(stderr, "Found Fake R820T tuner\n"); /* the real one chatters like this */
    rtlsdr_dev_t *d = calloc(1, sizeof *d);
    d->index = index;
    pthread_mutex_init(&d->tuning_lock, NULL);
    memcpy(d->serial, serial, sizeof serial);
    atomic_store(&d->rate, 2048000);
    d->file = said("file", text, sizeof text) ? fopen(text, "rb") : NULL;
    note("open", (long)index);
    *out = d;
    return 0;
}

int rtlsdr_close(rtlsdr_dev_t *d)
{
    note("close", (long)d->index);
    if (d->file) {
        fclose(d->file);
    }
    pthread_mutex_destroy(&d->tuning_lock);
    free(d);
    return 0;
}

int rtlsdr_set_center_freq(rtlsdr_dev_t *d, uint32_t freq)
{
    atomic_store(&least_delay_at_tuning_ns, atomic_load(&least_delay_ns));
    usleep((useconds_t)number("tune", 2000));
    pthread_mutex_lock(&d->tuning_lock);
    d->center_before = atomic_exchange(&d->center, freq);
    d->center_since_ns = now_ns();
    d->rubbish_until_ns = d->center_since_ns + (int64_t)(number("pll", 0) * 1e3);
    pthread_mutex_unlock(&d->tuning_lock);
    note("center", (long)freq);
    return 0;
}

uint32_t rtlsdr_get_center_freq(rtlsdr_dev_t *d)
{
    return atomic_load(&d->center);
}

int rtlsdr_set_freq_correction(rtlsdr_dev_t *d, int ppm)
{
    int result = d->ppm == ppm ? -2 : 0;
    d->ppm = ppm;
    note("ppm", ppm);
    return result;
}

int rtlsdr_get_freq_correction(rtlsdr_dev_t *d)
{
    return d->ppm;
}

enum rtlsdr_tuner rtlsdr_get_tuner_type(rtlsdr_dev_t *d)
{
    (void)d;
    return RTLSDR_TUNER_R820T;
}

int rtlsdr_get_tuner_gains(rtlsdr_dev_t *d, int *gains)
{
    static const int list[] = {0,   9,   14,  27,  37,  77,  87,  125, 144, 157,
                               166, 197, 207, 229, 254, 280, 297, 328, 338, 364,
                               372, 386, 402, 421, 434, 439, 445, 480, 496};
    (void)d;
    if (gains) {
        memcpy(gains, list, sizeof list);
    }
    return sizeof list / sizeof list[0];
}

int rtlsdr_set_tuner_gain(rtlsdr_dev_t *d, int gain)
{
    d->gain = gain;
    note("gain", gain);
    return 0;
}

int rtlsdr_get_tuner_gain(rtlsdr_dev_t *d)
{
    return d->gain;
}

static int noted(const char *what, long value)
{
    note(what, value);
    return 0;
}

int rtlsdr_set_tuner_bandwidth(rtlsdr_dev_t *d, uint32_t bw)
{
    (void)d;
    return noted("bandwidth", (long)bw);
}

int rtlsdr_set_tuner_gain_mode(rtlsdr_dev_t *d, int manual)
{
    (void)d;
    return noted("manual", manual);
}

int rtlsdr_set_sample_rate(rtlsdr_dev_t *d, uint32_t rate)
{
    if (rate <= 225000 || rate > 3200000 || (rate > 300000 && rate <= 900000)) {
        return -22;
    }
    atomic_store(&d->rate, (unsigned)number("rate", rate));
    return noted("rate", (long)rate);
}

uint32_t rtlsdr_get_sample_rate(rtlsdr_dev_t *d)
{
    return atomic_load(&d->rate);
}

int rtlsdr_set_testmode(rtlsdr_dev_t *d, int on)
{
    atomic_store(&d->test_mode, on != 0);
    return 0;
}

int rtlsdr_set_agc_mode(rtlsdr_dev_t *d, int on)
{
    (void)d;
    return noted("agc", on);
}

int rtlsdr_set_direct_sampling(rtlsdr_dev_t *d, int on)
{
    (void)d;
    return noted("direct", on);
}

int rtlsdr_set_offset_tuning(rtlsdr_dev_t *d, int on)
{
    (void)d;
    return noted("offset", on);
}

int rtlsdr_set_bias_tee(rtlsdr_dev_t *d, int on)
{
    (void)d;
    return noted("bias", on);
}

int rtlsdr_reset_buffer(rtlsdr_dev_t *d)
{
    (void)d;
    return 0;
}

/* Nobody calls it, but rtl_sdr names it, and where programs are bound as they start (Ubuntu) that
 * is enough for it not to start without. */
int rtlsdr_read_sync(rtlsdr_dev_t *d, void *buffer, int length, int *n_read)
{
    (void)d;
    (void)buffer;
    (void)length;
    *n_read = 0;
    return -1;
}

/* ---- samples ---- */

/* What a change of tuning makes of a sample, by when it was taken. */
static void show_tuning(rtlsdr_dev_t *d, unsigned char *bytes, uint32_t n, int64_t first_ns,
                        double byte_ns)
{
    char text[8];
    bool where = said("where", text, sizeof text) != NULL;
    pthread_mutex_lock(&d->tuning_lock);
    int64_t since = d->center_since_ns, until = d->rubbish_until_ns;
    const unsigned centers[] = {d->center_before, atomic_load(&d->center)};
    pthread_mutex_unlock(&d->tuning_lock);
    for (uint32_t i = 0; i < n; i++) {
        int64_t taken_ns = first_ns + (int64_t)((double)i * byte_ns);
        bool before = taken_ns < since;
        if (!before && taken_ns < until) {
            bytes[i] = 7;
        } else if (where && i % 2) {
            bytes[i] = (unsigned char)(centers[!before] / 1000000);
        }
    }
}

static void fill(rtlsdr_dev_t *d, unsigned char *bytes, uint32_t n, uint64_t first_byte)
{
    bool test = atomic_load(&d->test_mode);
    for (uint32_t i = 0; i < n && !d->file; i++) {
        uint64_t byte = first_byte + i, sample = byte / 2;
        bytes[i] = (unsigned char)(test ? byte : byte % 2 ? sample >> 8 : sample);
    }
    for (uint32_t got = 0; d->file && got < n;) {
        size_t more = fread(bytes + got, 1, n - got, d->file);
        got += (uint32_t)more;
        if (more == 0 && (ftell(d->file) == 0 || fseek(d->file, 0, SEEK_SET) != 0)) {
            memset(bytes + got, 127, n - got);
            break;
        }
    }
}

/* True once, when the event's sample has come. */
static bool is_due(_Atomic double *done, double at, uint64_t sample)
{
    return at >= 0 && (double)sample >= at && atomic_exchange(done, at) != at;
}

static void wait_until(rtlsdr_dev_t *d, int64_t ns)
{
    while (now_ns() < ns && !atomic_load(&d->cancel)) {
        int64_t left = ns - now_ns();
        struct timespec step = {.tv_nsec = left < 5000000 ? (long)(left > 0 ? left : 0) : 5000000};
        nanosleep(&step, NULL);
    }
}

/* Blocks that were taken and not handed over yet. */
typedef struct queue {
    rtlsdr_read_async_cb_t call;
    void *ctx;
    unsigned char *bytes;
    uint32_t block, most, n, lengths[MOST_BLOCKS];
    int64_t taken_ns[MOST_BLOCKS]; /* the last sample */
    int64_t held_until_ns;
} queue;

static void hand_over(queue *q)
{
    for (uint32_t i = 0; i < q->n; i++) {
        q->call(q->bytes + (size_t)i * q->block, q->lengths[i], q->ctx);
        int64_t delay = now_ns() - q->taken_ns[i];
        if (delay < atomic_load(&least_delay_ns)) {
            atomic_store(&least_delay_ns, delay);
        }
    }
    q->n = 0;
}

/* One reading: what FAKE_RTLSDR says of it, and how far it is. */
typedef struct reading {
    double speed, stall_at, drop_at, drop_n, vanish_at, away_ms, late_at, late_ms;
    bool is_odd;
    uint64_t byte;
    double paced; /* samples/s; 0: as fast as it goes */
    /* Of what is sent at this pace: the first sample, and when it was taken. */
    uint64_t anchor;
    int64_t anchor_ns;
} reading;

static reading reading_begin(void)
{
    char text[8];
    double begin = number("begin", 0);
    uint64_t now_at = atomic_load(&sent);
    reading r = {.speed = number("speed", 1),
                 .stall_at = number("stall", -1),
                 .is_odd = said("odd", text, sizeof text) != NULL,
                 .byte = 2 * (begin > (double)now_at ? (uint64_t)begin : now_at)};
    two_numbers("drop", &r.drop_at, &r.drop_n);
    two_numbers("vanish", &r.vanish_at, &r.away_ms);
    two_numbers("late", &r.late_at, &r.late_ms);
    r.anchor = r.byte / 2;
    r.anchor_ns = now_ns();
    return r;
}

/* When a byte is taken; only while it is paced. */
static int64_t taken_ns(const reading *r, uint64_t byte)
{
    return r->anchor_ns + (int64_t)(((double)byte / 2 - (double)r->anchor) / r->paced * 1e9);
}

/* Waits until the next n bytes are there. */
static void keep_pace(rtlsdr_dev_t *d, reading *r, uint32_t n)
{
    double rate = r->speed > 0 ? (double)atomic_load(&d->rate) * r->speed : 0;
    if (rate != r->paced) { /* it is counted anew: what was sent came at the old one */
        r->anchor_ns = r->paced > 0 ? taken_ns(r, r->byte) : r->anchor_ns;
        r->anchor = r->byte / 2;
        r->paced = rate;
    }
    if (r->paced > 0) {
        wait_until(d, taken_ns(r, r->byte + n));
    }
}

/* What ends the reading here: true, and what read_async returns. */
static bool is_over(rtlsdr_dev_t *d, const reading *r, int *result)
{
    if (is_due(&stalled, r->stall_at, r->byte / 2)) {
        wait_until(d, INT64_MAX);
        *result = 0;
        return true;
    }
    if (is_due(&vanished, r->vanish_at, r->byte / 2)) {
        atomic_store(&absent_until_ns, now_ns() + (int64_t)(r->away_ms * 1e6));
        *result = -5;
        return true;
    }
    return false;
}

/* n bytes into the queue; what is missing or late begins with them. */
static void take_block(rtlsdr_dev_t *d, reading *r, queue *q, uint32_t n)
{
    unsigned char *bytes = q->bytes + (size_t)q->n * q->block;
    if (is_due(&dropped, r->drop_at, r->byte / 2)) {
        r->byte += 2 * (uint64_t)r->drop_n;
    }
    if (is_due(&late, r->late_at, r->byte / 2)) {
        q->held_until_ns = now_ns() + (int64_t)(r->late_ms * 1e6);
    }
    fill(d, bytes, n, r->byte);
    if (r->paced > 0) {
        show_tuning(d, bytes, n, taken_ns(r, r->byte), 0.5e9 / r->paced);
    }
    r->byte += n;
    q->taken_ns[q->n] = r->paced > 0 ? taken_ns(r, r->byte) : 0;
    q->lengths[q->n++] = n;
    atomic_store(&sent, r->byte / 2);
}

/* Sends until cancelled or an event; 0 or the error that read_async returns. */
static int pump(rtlsdr_dev_t *d, queue *q)
{
    reading r = reading_begin();
    int result = 0;
    atomic_store(&least_delay_ns, INT64_MAX);
    for (unsigned turn = 0; !atomic_load(&d->cancel); turn++) {
        uint32_t n = r.is_odd ? 1 + (turn * 7919u) % (q->block - 1) : q->block;
        keep_pace(d, &r, n);
        if (is_over(d, &r, &result)) {
            break;
        }
        take_block(d, &r, q, n);
        if (q->n == q->most || now_ns() >= q->held_until_ns) {
            hand_over(q);
        }
    }
    return result;
}

int rtlsdr_read_async(rtlsdr_dev_t *d, rtlsdr_read_async_cb_t cb, void *ctx, uint32_t buf_num,
                      uint32_t buf_len)
{
    uint32_t most = buf_num == 0 ? 15 : buf_num < MOST_BLOCKS ? buf_num : MOST_BLOCKS;
    buf_len = buf_len ? buf_len : 262144; /* as the real one */
    queue q = {.call = cb, .ctx = ctx, .block = buf_len, .most = most};
    q.bytes = malloc((size_t)most * buf_len);
    note("read", (long)buf_len);
    atomic_store(&d->cancel, false);
    atomic_store(&d->reading, true);
    int result = pump(d, &q);
    atomic_store(&d->reading, false);
    free(q.bytes);
    return result;
}

int rtlsdr_cancel_async(rtlsdr_dev_t *d)
{
    if (!atomic_load(&d->reading)) {
        return -2; /* as the real one: before it reads there is nothing to cancel */
    }
    atomic_store(&d->cancel, true);
    return 0;
}
