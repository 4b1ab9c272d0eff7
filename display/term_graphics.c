#include "display/term_graphics.h"

#include "display/png_file.h"
#include "weir_config.h"

#include <string.h>

#define NOT_DRAWN 255
#define BAND_ROWS 6      /* of a sixel */
#define CHUNK_BYTES 4096 /* of base64 in one sequence of the kitty protocol */

bool weir_graphics_is_built(weir_graphics kind)
{
    return kind != WEIR_GRAPHICS_KITTY || WEIR_HAVE_PNG;
}

static void field(weir_bytes *out, const char *name, size_t value)
{
    weir_bytes_text(out, name);
    weir_bytes_decimal(out, (unsigned)value);
}

/* ---- sixels: DEC STD 070 Video Systems Reference Manual, chapter 9 ---- */

/* A band of six rows: for each colour in it a row of masks, made as colours turn up. */
typedef struct band {
    uint8_t *masks; /* [n_used][width] */
    size_t width, stride;
    int slot_of[256]; /* -1: not in this band */
    uint8_t colors[256];
    size_t n_used;
} band;

static void fill_band(band *b, const uint8_t *pixels, int n_rows)
{
    memset(b->slot_of, 0xff, sizeof b->slot_of);
    b->n_used = 0;
    for (int y = 0; y < n_rows; y++) {
        const uint8_t *row = pixels + (size_t)y * b->stride;
        for (size_t x = 0; x < b->width; x++) {
            uint8_t color = row[x];
            if (color == NOT_DRAWN) {
                continue;
            }
            if (b->slot_of[color] < 0) {
                b->slot_of[color] = (int)b->n_used;
                b->colors[b->n_used] = color;
                memset(b->masks + b->n_used++ * b->width, 0, b->width);
            }
            b->masks[(size_t)b->slot_of[color] * b->width + x] |= (uint8_t)(1u << y);
        }
    }
}

static void emit_run(weir_bytes *out, uint8_t mask, size_t n)
{
    char text[4];
    memset(text, '?' + mask, sizeof text);
    if (n < sizeof text) {
        weir_bytes_append(out, text, n);
        return;
    }
    field(out, "!", n);
    weir_bytes_append(out, text, 1);
}

static void emit_masks(weir_bytes *out, const uint8_t *masks, size_t width)
{
    while (width > 0 && masks[width - 1] == 0) {
        width--; /* nothing more in this colour */
    }
    for (size_t x = 0; x < width;) {
        size_t n = 1;
        while (x + n < width && masks[x + n] == masks[x]) {
            n++;
        }
        emit_run(out, masks[x], n);
        x += n;
    }
}

static void emit_band(const band *b, weir_bytes *out)
{
    for (size_t i = 0; i < b->n_used; i++) {
        field(out, i > 0 ? "$#" : "#", b->colors[i]);
        emit_masks(out, b->masks + i * b->width, b->width);
    }
}

static size_t percent(uint8_t value)
{
    return (value * 100u + 127u) / 255u;
}

/* Registers of the colours that the picture has. */
static void emit_palette(const weir_image *image, const uint8_t *pixels, size_t width,
                         weir_bytes *out)
{
    bool is_used[256] = {false};
    for (int y = 0; y < image->n_rows; y++) {
        const uint8_t *row = pixels + (size_t)y * (size_t)image->canvas->width;
        for (size_t x = 0; x < width; x++) {
            is_used[row[x]] = true;
        }
    }
    for (size_t i = 0; i < image->n_colors; i++) {
        if (is_used[i]) {
            field(out, "#", i);
            field(out, ";2;", percent(image->palette[i].r));
            field(out, ";", percent(image->palette[i].g));
            field(out, ";", percent(image->palette[i].b));
        }
    }
}

void weir_sixel_encode(const weir_image *image, int x, int width, weir_bytes *work, weir_bytes *out)
{
    band b = {.width = (size_t)width, .stride = (size_t)image->canvas->width};
    const uint8_t *pixels = image->canvas->pixels + x;
    weir_bytes_clear(work);
    if (!weir_bytes_reserve(work, b.width * (image->n_colors + 1))) {
        return;
    }
    b.masks = (uint8_t *)work->data;
    weir_bytes_text(out, "\033P0;1;0q"); /* what is not drawn stays */
    field(out, "\"1;1;", b.width);
    field(out, ";", (size_t)image->n_rows);
    emit_palette(image, pixels, b.width, out);
    for (int y = 0; y < image->n_rows; y += BAND_ROWS) {
        int left = image->n_rows - y;
        fill_band(&b, pixels + (size_t)y * b.stride, left < BAND_ROWS ? left : BAND_ROWS);
        weir_bytes_text(out, y > 0 ? "-" : "");
        emit_band(&b, out);
    }
    weir_bytes_text(out, "\033\\");
}

/* ---- kitty: https://sw.kovidgoyal.net/kitty/graphics-protocol ---- */

#if WEIR_HAVE_PNG

static weir_status keep(void *user, const void *bytes, size_t n, weir_error *err)
{
    weir_bytes *work = user;
    weir_bytes_append(work, bytes, n);
    return work->has_failed ? weir_fail(err, WEIR_ERR_NOMEM, "out of memory") : WEIR_OK;
}

/* RFC 4648, 4. n: a multiple of 3 unless it is the end. */
static void emit_base64(weir_bytes *out, const uint8_t *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        uint32_t group = (uint32_t)bytes[i] << 16;
        group |= i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0u;
        group |= i + 2 < n ? bytes[i + 2] : 0u;
        char text[4] = {digits[group >> 18], digits[group >> 12 & 63],
                        i + 1 < n ? digits[group >> 6 & 63] : '=',
                        i + 2 < n ? digits[group & 63] : '='};
        weir_bytes_append(out, text, sizeof text);
    }
}

bool weir_kitty_send(const weir_image *image, unsigned name, weir_bytes *work, weir_bytes *out)
{
    const size_t piece = CHUNK_BYTES / 4 * 3;
    weir_error ignored;
    weir_bytes_clear(work);
    if (weir_png_encode(image->canvas, image->n_rows, image->palette, image->n_colors, keep, work,
                        &ignored) != WEIR_OK) {
        return false;
    }
    const uint8_t *bytes = (const uint8_t *)work->data;
    for (size_t at = 0; at < work->size; at += piece) {
        bool is_last = work->size - at <= piece;
        weir_bytes_text(out, "\033_G");
        if (at == 0) {
            field(out, "a=t,f=100,q=2,i=", name);
            weir_bytes_text(out, ",");
        }
        weir_bytes_text(out, is_last ? "m=0;" : "m=1;");
        emit_base64(out, bytes + at, is_last ? work->size - at : piece);
        weir_bytes_text(out, "\033\\");
    }
    return true;
}

#else

bool weir_kitty_send(const weir_image *image, unsigned name, weir_bytes *work, weir_bytes *out)
{
    (void)image;
    (void)name;
    (void)work;
    (void)out;
    return false;
}

#endif

void weir_kitty_show(const weir_kitty_place *place, weir_bytes *out)
{
    field(out, "\033[", place->row + 1);
    field(out, ";", place->column + 1);
    field(out, "H\033_Ga=p,p=1,q=2,C=1,z=-1,i=", place->name); /* C: the cursor stays */
    field(out, ",w=", (size_t)place->width);
    field(out, ",h=", (size_t)place->height);
    if (place->y > 0) {
        field(out, ",Y=", (size_t)place->y);
    }
    weir_bytes_text(out, "\033\\");
}

void weir_kitty_drop(unsigned name, weir_bytes *out)
{
    field(out, "\033_Ga=d,d=I,q=2,i=", name);
    weir_bytes_text(out, "\033\\");
}
