#include "app/view_settings.h"

#include <math.h>

weir_view_config weir_view_config_of(const weir_settings *s)
{
    weir_view_config config;
    weir_view_config_init(&config);
    config.charset = s->ascii  ? WEIR_CHARSET_ASCII
                     : s->utf8 ? WEIR_CHARSET_UTF8
                               : WEIR_CHARSET_AUTO;
    config.color = (weir_view_color)s->color;
    config.pictures = (weir_view_pictures)s->graphics;
    config.colormap = s->colormap;
    config.keys = s->keys;
    config.folder = s->folder;
    config.labels = s->labels;
    config.axis = (weir_view_axis)s->axis;
    config.low_db = (float)s->levels_db.low;
    config.high_db = (float)s->levels_db.high;
    config.low_hz = s->range_hz.low;
    config.high_hz = s->range_hz.high;
    config.reducer = weir_settings_reducer(s);
    config.max_fps = s->fps;
    config.decay_s = s->decay_seconds;
    config.exit_at_end = s->exit_at_end;
    return config;
}
