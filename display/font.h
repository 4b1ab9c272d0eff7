/* A small bitmap font for pictures: printable ASCII, 5 x 7 dots with 2 more below the line.
 * Pure, thread-safe. */
#ifndef WEIR_DISPLAY_FONT_H
#define WEIR_DISPLAY_FONT_H

#include <stdbool.h>

enum {
    WEIR_FONT_WIDTH = 5,
    WEIR_FONT_HEIGHT = 9,  /* of the dots, with descenders          */
    WEIR_FONT_ADVANCE = 6, /* from one character to the next        */
};

/* One dot; outside the glyph there are none. Characters that are not printable ASCII look
 * like '?'. */
bool weir_font_dot(char character, int column, int row);

#endif
