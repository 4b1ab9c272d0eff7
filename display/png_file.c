#include "display/png_file.h"

#include "weir_config.h"

#if WEIR_HAVE_PNG

#include <assert.h>
#include <png.h>
#include <setjmp.h>
#include <stdbool.h>
#include <string.h>

enum { MOST_TEXTS = 16 };

/* What libpng's callbacks need; the first error is kept in err. */
typedef struct png_output {
    weir_png_out *write;
    void *user;
    const char *name;
    weir_error *err;
    weir_status status;
} png_output;

static weir_status to_file(void *user, const void *bytes, size_t n, weir_error *err)
{
    return weir_outfile_write(user, bytes, n, err);
}

static void on_error(png_structp png, png_const_charp message)
{
    png_output *output = png_get_error_ptr(png);
    if (output->status == WEIR_OK) {
        output->status =
            weir_fail(output->err, WEIR_ERR_INTERNAL, "%s: libpng: %s", output->name, message);
    }
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static void on_write(png_structp png, png_bytep bytes, size_t size)
{
    png_output *output = png_get_io_ptr(png);
    output->status = output->write(output->user, bytes, size, output->err);
    if (output->status != WEIR_OK) {
        png_error(png, "write");
    }
}

static void on_flush(png_structp png)
{
    (void)png; /* the file is completed by its owner */
}

static void set_palette(png_structp png, png_infop info, const weir_rgb *colors, size_t n)
{
    png_color palette[PNG_MAX_PALETTE_LENGTH];
    for (size_t i = 0; i < n; i++) {
        palette[i] = (png_color){colors[i].r, colors[i].g, colors[i].b};
    }
    png_set_PLTE(png, info, palette, (int)n);
}

static bool is_ascii(const char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text >= 0x80) {
            return false;
        }
    }
    return true;
}

/* tEXt is Latin-1 and read by everything; names beyond ASCII go into iTXt, which is UTF-8. */
static void set_texts(png_structp png, png_infop info, const weir_png_text *texts, size_t n)
{
    png_text rows[MOST_TEXTS];
    if (n == 0) {
        return;
    }
    memset(rows, 0, sizeof rows);
    for (size_t i = 0; i < n; i++) {
        rows[i].compression =
            is_ascii(texts[i].text) ? PNG_TEXT_COMPRESSION_NONE : PNG_ITXT_COMPRESSION_NONE;
        rows[i].key = (png_charp)texts[i].key;
        rows[i].text = (png_charp)texts[i].text;
    }
    png_set_text(png, info, rows, (int)n);
}

/* What differs between the kinds of pictures. */
typedef struct png_kind {
    const weir_rgb *palette;
    size_t n_colors;
    const weir_png_text *texts;
    size_t n_texts;
    bool is_quick;
} png_kind;

static void set_head(png_structp png, png_infop info, const weir_canvas *canvas, int n_rows,
                     const png_kind *kind)
{
    png_set_IHDR(png, info, (png_uint_32)canvas->width, (png_uint_32)n_rows, 8,
                 PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    set_palette(png, info, kind->palette, kind->n_colors);
    set_texts(png, info, kind->texts, kind->n_texts);
    if (kind->is_quick) {
        png_byte alpha[WEIR_PNG_CLEAR + 1];
        memset(alpha, 255, sizeof alpha);
        alpha[WEIR_PNG_CLEAR] = 0;
        png_set_tRNS(png, info, alpha, (int)kind->n_colors, NULL);
        png_set_compression_level(png, 1);
        png_set_filter(png, 0, PNG_FILTER_NONE);
    }
}

static weir_status encode(const weir_canvas *canvas, int n_rows, const png_kind *kind,
                          png_output *output)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, output, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info) {
        png_destroy_write_struct(&png, NULL);
        return weir_fail(output->err, WEIR_ERR_NOMEM, "%s: out of memory", output->name);
    }
    if (setjmp(png_jmpbuf(png)) == 0) {
        png_set_write_fn(png, output, on_write, on_flush);
        set_head(png, info, canvas, n_rows, kind);
        png_write_info(png, info);
        for (int y = 0; y < n_rows; y++) {
            png_write_row(png, canvas->pixels + (size_t)y * (size_t)canvas->width);
        }
        png_write_end(png, info);
    }
    png_destroy_write_struct(&png, &info);
    return output->status;
}

weir_status weir_png_write(weir_outfile *file, const weir_canvas *canvas, const weir_rgb *palette,
                           size_t n_colors, const weir_png_text *texts, size_t n_texts,
                           weir_error *err)
{
    assert(n_texts <= MOST_TEXTS && n_colors <= PNG_MAX_PALETTE_LENGTH);
    png_output output = {to_file, file, weir_outfile_path(file), err, WEIR_OK};
    png_kind kind = {palette, n_colors, texts, n_texts, false};
    return encode(canvas, canvas->height, &kind, &output);
}

weir_status weir_png_encode(const weir_canvas *canvas, int n_rows, const weir_rgb *palette,
                            size_t n_colors, weir_png_out *out, void *user, weir_error *err)
{
    assert(n_colors <= WEIR_PNG_CLEAR && n_rows >= 1 && n_rows <= canvas->height);
    weir_rgb colors[WEIR_PNG_CLEAR + 1] = {{0}};
    memcpy(colors, palette, n_colors * sizeof *palette);
    png_output output = {out, user, "picture for the terminal", err, WEIR_OK};
    png_kind kind = {colors, WEIR_PNG_CLEAR + 1, NULL, 0, true};
    return encode(canvas, n_rows, &kind, &output);
}

#endif
