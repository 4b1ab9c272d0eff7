#include "display/sinks.h"

static weir_status png_open(weir_sink **out, const weir_sink_config *config,
                            const weir_stream_info *stream, weir_error *err)
{
    (void)stream;
    *out = NULL;
    return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                     "%s: this build has no libpng and so writes no pictures", config->path);
}

const weir_sink_class weir_sink_png = {
    .name = "png", .endings = ".png", .help = "", .open = png_open};
