/* Bytes from the terminal into keys. No I/O, no terminal needed; one thread.
 *
 * Understands what xterm, VT100/VT220, rxvt, the Linux console, tmux and screen send.
 * A lone Esc and the start of a sequence look alike: when bytes stop coming for
 * WEIR_KEYS_WAIT_MS, call weir_keys_flush. Unknown sequences are swallowed whole, so
 * that their letters are never taken for commands.
 */
#ifndef WEIR_DISPLAY_TERM_KEYS_H
#define WEIR_DISPLAY_TERM_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#define WEIR_KEYS_WAIT_MS 50

/* Plain characters are themselves (1 .. 0x7f). */
typedef enum weir_key {
    WEIR_KEY_NONE = 0,
    WEIR_KEY_TAB = 9,
    WEIR_KEY_ENTER = 13,
    WEIR_KEY_ESC = 27,
    WEIR_KEY_BACKSPACE = 127,
    WEIR_KEY_UP = 256,
    WEIR_KEY_DOWN,
    WEIR_KEY_RIGHT,
    WEIR_KEY_LEFT,
    WEIR_KEY_HOME,
    WEIR_KEY_END,
    WEIR_KEY_PAGE_UP,
    WEIR_KEY_PAGE_DOWN,
    WEIR_KEY_INSERT,
    WEIR_KEY_DELETE,
    WEIR_KEY_BACK_TAB,
    WEIR_KEY_F1, /* .. F12 = F1 + 11 */
    WEIR_KEY_MOUSE = WEIR_KEY_F1 + 12,
    WEIR_KEY_ANSWER,         /* the terminal has said something of itself */
    WEIR_KEY_SHIFT = 0x1000, /* added to the keys above from UP on */
    WEIR_KEY_ALT = 0x2000,
    WEIR_KEY_CTRL = 0x4000,
} weir_key;

typedef enum weir_mouse_event {
    WEIR_MOUSE_MOVE,
    WEIR_MOUSE_PRESS, /* the left button, as the next two */
    WEIR_MOUSE_DRAG,
    WEIR_MOUSE_RELEASE,
    WEIR_MOUSE_WHEEL_UP,
    WEIR_MOUSE_WHEEL_DOWN,
} weir_mouse_event;

typedef struct weir_mouse {
    weir_mouse_event event;
    size_t column, row; /* from 0 */
} weir_mouse;

/* What the terminal has answered so far (WEIR_KEY_ANSWER). */
typedef struct weir_answers {
    bool has_class;                   /* to "what are you" (DA1), which is asked last */
    bool knows_sixels;                /* said so there */
    bool knows_kitty;                 /* the query of kitty's protocol came back with OK */
    unsigned cell_width, cell_height; /* pixels; 0: not answered */
    unsigned sixel_colors;            /* registers; 0: not answered */
} weir_answers;

typedef struct weir_keys {
    char bytes[64]; /* zero the struct to begin */
    size_t n_bytes;
    weir_mouse mouse; /* of the last WEIR_KEY_MOUSE */
    weir_answers answers;
} weir_keys;

/* Takes bytes; returns how many it took (all unless the buffer is full: read keys). */
size_t weir_keys_feed(weir_keys *keys, const char *bytes, size_t n);
/* The next whole key, or WEIR_KEY_NONE. */
int weir_keys_next(weir_keys *keys);
/* Bytes of an unfinished sequence wait. */
bool weir_keys_is_waiting(const weir_keys *keys);
/* Nothing follows any more: a waiting Esc is the key Esc. Returns it or NONE. */
int weir_keys_flush(weir_keys *keys);

#endif
