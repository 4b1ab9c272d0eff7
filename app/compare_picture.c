#include "app/compare_picture.h"

#include "weir_config.h"

#if WEIR_HAVE_PNG

#include "base/text.h"
#include "display/difference.h"
#include "display/picture.h"
#include "display/png_file.h"
#include "display/selection.h"

#include <string.h>

weir_status weir_comparison_picture_open(weir_outfile **file, const char *path, weir_error *err)
{
    return weir_outfile_open(file, path, false, err);
}

static const weir_check *check_to_draw(const weir_comparison *comparison)
{
    for (size_t i = 0; i < comparison->n_checks; i++) {
        if (!comparison->checks[i].passed) {
            return &comparison->checks[i];
        }
    }
    return &comparison->checks[0];
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static weir_status write_canvas(weir_outfile *file, const weir_canvas *canvas,
                                const weir_difference *difference, weir_error *err)
{
    const weir_png_text texts[] = {{"Title", difference->title},
                                   {"Software", "weir " WEIR_VERSION},
                                   {"Description", difference->subtitle},
                                   {"Comment", difference->settings}};
    weir_rgb palette[WEIR_INK_COUNT];
    weir_picture_palette(weir_colormap_at(0), palette);
    weir_status status = weir_png_write(file, canvas, palette, WEIR_INK_COUNT, texts,
                                        sizeof texts / sizeof texts[0], err);
    return status == WEIR_OK ? weir_outfile_finish(file, err) : status;
}

weir_status weir_comparison_picture_write(weir_outfile *file, const weir_comparison *comparison,
                                          const weir_stream_info *stream, weir_error *err)
{
    char title[400], subtitle[400], summary[400];
    const weir_check *check = check_to_draw(comparison);
    const char *against = check->limits ? comparison->mask_path : comparison->golden_path;
    weir_snprintf(title, sizeof title, "%s against %s", weir_source_name(stream, true),
                  last_part(against));
    weir_snprintf(subtitle, sizeof subtitle, "%s, N %zu, %s", stream->description, stream->n_fft,
                  stream->window);
    weir_check_summary(check, summary, sizeof summary);
    weir_difference difference = {.title = title,
                                  .subtitle = subtitle,
                                  .settings = summary,
                                  .unit = comparison->unit,
                                  .reference = check->limits ? "limits" : "golden",
                                  .start_hz = check->start_hz,
                                  .bin_hz = check->bin_hz,
                                  .n_bins = check->n_bins,
                                  .measured_db = check->measured_db,
                                  .low_db = check->low_db,
                                  .high_db = check->high_db,
                                  .difference_db = check->difference_db,
                                  .allowed_db = check->allowed_db};
    weir_canvas canvas;
    weir_status status = weir_difference_draw(&difference, &canvas, err);
    if (status == WEIR_OK) {
        status = write_canvas(file, &canvas, &difference, err);
    }
    weir_canvas_deinit(&canvas);
    return status;
}

#else

weir_status weir_comparison_picture_open(weir_outfile **file, const char *path, weir_error *err)
{
    *file = NULL;
    return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                     "%s: pictures need libpng, which this build of weir was made without", path);
}

weir_status weir_comparison_picture_write(weir_outfile *file, const weir_comparison *comparison,
                                          const weir_stream_info *stream, weir_error *err)
{
    (void)file;
    (void)comparison;
    (void)stream;
    return weir_fail(err, WEIR_ERR_INTERNAL, "a picture that was never opened");
}

#endif
