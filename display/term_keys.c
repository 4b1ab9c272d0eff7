#include "display/term_keys.h"

#include <string.h>

typedef struct letter_key {
    char letter;
    int key;
} letter_key;

/* ESC [ ... letter and ESC O letter. */
static const letter_key letters[] = {
    {'A', WEIR_KEY_UP},
    {'B', WEIR_KEY_DOWN},
    {'C', WEIR_KEY_RIGHT},
    {'D', WEIR_KEY_LEFT},
    {'H', WEIR_KEY_HOME},
    {'F', WEIR_KEY_END},
    {'P', WEIR_KEY_F1},
    {'Q', WEIR_KEY_F1 + 1},
    {'R', WEIR_KEY_F1 + 2},
    {'S', WEIR_KEY_F1 + 3},
    {'Z', WEIR_KEY_BACK_TAB},
    {'M', WEIR_KEY_ENTER},
    /* rxvt's shifted arrows */
    {'a', WEIR_KEY_UP + WEIR_KEY_SHIFT},
    {'b', WEIR_KEY_DOWN + WEIR_KEY_SHIFT},
    {'c', WEIR_KEY_RIGHT + WEIR_KEY_SHIFT},
    {'d', WEIR_KEY_LEFT + WEIR_KEY_SHIFT},
};

typedef struct number_key {
    unsigned number;
    int key;
} number_key;

/* ESC [ number ~ */
static const number_key numbers[] = {
    {1, WEIR_KEY_HOME},    {2, WEIR_KEY_INSERT},    {3, WEIR_KEY_DELETE},   {4, WEIR_KEY_END},
    {5, WEIR_KEY_PAGE_UP}, {6, WEIR_KEY_PAGE_DOWN}, {7, WEIR_KEY_HOME},     {8, WEIR_KEY_END},
    {11, WEIR_KEY_F1},     {12, WEIR_KEY_F1 + 1},   {13, WEIR_KEY_F1 + 2},  {14, WEIR_KEY_F1 + 3},
    {15, WEIR_KEY_F1 + 4}, {17, WEIR_KEY_F1 + 5},   {18, WEIR_KEY_F1 + 6},  {19, WEIR_KEY_F1 + 7},
    {20, WEIR_KEY_F1 + 8}, {21, WEIR_KEY_F1 + 9},   {23, WEIR_KEY_F1 + 10}, {24, WEIR_KEY_F1 + 11},
};

size_t weir_keys_feed(weir_keys *keys, const char *bytes, size_t n)
{
    size_t room = sizeof keys->bytes - keys->n_bytes;
    size_t taken = n < room ? n : room;
    memcpy(keys->bytes + keys->n_bytes, bytes, taken);
    keys->n_bytes += taken;
    return taken;
}

static void drop(weir_keys *keys, size_t n)
{
    memmove(keys->bytes, keys->bytes + n, keys->n_bytes - n);
    keys->n_bytes -= n;
}

static int key_of_letter(char letter)
{
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
        if (letters[i].letter == letter) {
            return letters[i].key;
        }
    }
    return WEIR_KEY_NONE;
}

static int key_of_number(unsigned number)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (numbers[i].number == number) {
            return numbers[i].key;
        }
    }
    return WEIR_KEY_NONE;
}

/* xterm: 1 + (1 shift, 2 alt, 4 control) */
static int modifiers(unsigned parameter)
{
    unsigned bits = parameter > 1 ? parameter - 1 : 0;
    return (bits & 1 ? WEIR_KEY_SHIFT : 0) | (bits & 2 ? WEIR_KEY_ALT : 0) |
           (bits & 4 ? WEIR_KEY_CTRL : 0);
}

/* ESC [ < button ; column ; row, then M pressed or m released (mode 1006). Button bits:
 * 0-1 which, 32 moving, 64 the wheel. Other buttons than the left are nothing to us. */
static int key_of_mouse(const char *body, size_t n, weir_mouse *mouse)
{
    unsigned parameters[3] = {0, 0, 0};
    size_t index = 0;
    for (size_t i = 1; i + 1 < n; i++) {
        if (body[i] == ';') {
            index++;
        } else if (body[i] >= '0' && body[i] <= '9' && index < 3 && parameters[index] < 100000) {
            parameters[index] = parameters[index] * 10 + (unsigned)(body[i] - '0');
        }
    }
    bool is_press = body[n - 1] == 'M';
    unsigned button = parameters[0] & 3u;
    if (index != 2 || parameters[1] == 0 || parameters[2] == 0) {
        return WEIR_KEY_NONE;
    }
    mouse->column = parameters[1] - 1;
    mouse->row = parameters[2] - 1;
    if (parameters[0] & 64u) {
        mouse->event = button == 0 ? WEIR_MOUSE_WHEEL_UP : WEIR_MOUSE_WHEEL_DOWN;
        return button < 2 ? WEIR_KEY_MOUSE : WEIR_KEY_NONE;
    }
    if (parameters[0] & 32u) {
        mouse->event = button == 0 ? WEIR_MOUSE_DRAG : WEIR_MOUSE_MOVE;
        return WEIR_KEY_MOUSE;
    }
    mouse->event = is_press ? WEIR_MOUSE_PRESS : WEIR_MOUSE_RELEASE;
    return button == 0 ? WEIR_KEY_MOUSE : WEIR_KEY_NONE;
}

/* ESC [ ? class ; attribute ; ... c: attribute 4 is sixels. */
static int answer_of_class(const char *body, size_t n, weir_answers *answers)
{
    unsigned value = 0;
    bool is_first = true;
    for (size_t i = 1; i < n; i++) {
        if (body[i] >= '0' && body[i] <= '9' && value < 10000) {
            value = value * 10 + (unsigned)(body[i] - '0');
            continue;
        }
        answers->knows_sixels |= value == 4 && !is_first;
        is_first = false;
        value = 0;
    }
    answers->has_class = true;
    return WEIR_KEY_ANSWER;
}

/* ESC [ ? 1 ; 0 ; registers S: the first number says what was asked, the second that it went
 * well. */
static int answer_of_registers(const char *body, size_t n, weir_answers *answers)
{
    unsigned registers = 0;
    if (n < 7 || memcmp(body, "?1;0;", 5) != 0) {
        return WEIR_KEY_NONE;
    }
    for (size_t i = 5; i + 1 < n && body[i] >= '0' && body[i] <= '9' && registers < 100000; i++) {
        registers = registers * 10 + (unsigned)(body[i] - '0');
    }
    answers->sixel_colors = registers;
    return WEIR_KEY_ANSWER;
}

/* ESC [ 6 ; height ; width t */
static int answer_of_cell(const unsigned parameters[3], weir_answers *answers)
{
    if (parameters[0] != 6 || parameters[1] == 0 || parameters[2] == 0) {
        return WEIR_KEY_NONE;
    }
    answers->cell_height = parameters[1];
    answers->cell_width = parameters[2];
    return WEIR_KEY_ANSWER;
}

/* ESC _ G i = 31 ; OK ESC \ */
static int answer_of_kitty(const char *body, size_t n, weir_answers *answers)
{
    bool is_ours = n >= 8 && memcmp(body, "Gi=31", 5) == 0;
    answers->knows_kitty |= is_ours && memcmp(body + n - 3, ";OK", 3) == 0;
    return is_ours ? WEIR_KEY_ANSWER : WEIR_KEY_NONE;
}

static int key_of_csi(const char *body, size_t n, weir_answers *answers)
{
    unsigned parameters[3] = {0, 0, 0};
    size_t index = 0;
    char final = body[n - 1];
    if (body[0] == '?' && final == 'c') {
        return answer_of_class(body, n, answers);
    }
    if (body[0] == '?' && final == 'S') {
        return answer_of_registers(body, n, answers);
    }
    for (size_t i = 0; i + 1 < n; i++) {
        if (body[i] == ';') {
            index++;
        } else if (body[i] < '0' || body[i] > '9') {
            return WEIR_KEY_NONE; /* a report, not a key */
        } else if (index < 3 && parameters[index] < 10000) {
            parameters[index] = parameters[index] * 10 + (unsigned)(body[i] - '0');
        }
    }
    if (final == 't') {
        return answer_of_cell(parameters, answers);
    }
    bool is_rxvt_shift = final == '$';
    int key = final == '~' || is_rxvt_shift ? key_of_number(parameters[0]) : key_of_letter(final);
    return key == WEIR_KEY_NONE
               ? key
               : key | modifiers(parameters[1]) | (is_rxvt_shift ? WEIR_KEY_SHIFT : 0);
}

/* Length of the CSI sequence that starts with ESC [, or 0 while it is unfinished. */
static size_t csi_length(const char *bytes, size_t n)
{
    if (n > 2 && bytes[2] == '[') { /* Linux console: ESC [ [ A is F1 */
        return n > 3 ? 4 : 0;
    }
    for (size_t i = 2; i < n; i++) {
        if ((bytes[i] >= 0x40 && bytes[i] <= 0x7e) || bytes[i] == '$') {
            return i + 1;
        }
        if ((unsigned char)bytes[i] < 0x20) {
            return i; /* broken off */
        }
    }
    return 0;
}

/* Length of a string, ESC _ or ESC P to ESC \, or 0 while it is unfinished. */
static size_t string_length(const char *bytes, size_t n)
{
    for (size_t i = 2; i + 1 < n; i++) {
        if (bytes[i] == '\033' && bytes[i + 1] == '\\') {
            return i + 2;
        }
    }
    return 0;
}

static int next_escape(weir_keys *keys)
{
    const char *b = keys->bytes;
    size_t n = keys->n_bytes, length;
    int key = WEIR_KEY_NONE;
    if (n < 2) {
        return WEIR_KEY_NONE;
    }
    if (b[1] == '[') {
        length = csi_length(b, n);
        if (length == 4 && b[2] == '[') {
            key = b[3] >= 'A' && b[3] <= 'E' ? WEIR_KEY_F1 + (b[3] - 'A') : WEIR_KEY_NONE;
        } else if (length > 3 && b[2] == '<') {
            key = key_of_mouse(b + 2, length - 2, &keys->mouse);
        } else if (length > 2) {
            key = key_of_csi(b + 2, length - 2, &keys->answers);
        }
    } else if (b[1] == 'O') {
        length = n > 2 ? 3 : 0;
        key = length ? key_of_letter(b[2]) : WEIR_KEY_NONE;
    } else if (b[1] == '_' || b[1] == 'P') {
        length = string_length(b, n);
        if (length > 4 && b[1] == '_') {
            key = answer_of_kitty(b + 2, length - 4, &keys->answers);
        }
    } else if (b[1] == '\033') {
        length = 1; /* the first one was the key Esc */
        key = WEIR_KEY_ESC;
    } else {
        length = 2; /* Alt and a character: no command of ours */
    }
    drop(keys, length);
    return key;
}

int weir_keys_next(weir_keys *keys)
{
    while (keys->n_bytes > 0) {
        unsigned char first = (unsigned char)keys->bytes[0];
        if (first == '\033') {
            size_t before = keys->n_bytes;
            int key = next_escape(keys);
            if (key != WEIR_KEY_NONE) {
                return key;
            }
            if (keys->n_bytes == before && before < sizeof keys->bytes) {
                return WEIR_KEY_NONE; /* unfinished */
            }
            if (keys->n_bytes == before) {
                keys->n_bytes = 0; /* garbage that never ends */
            }
            continue;
        }
        drop(keys, 1);
        if (first > 0 && first < 0x80) {
            return first == '\n' ? WEIR_KEY_ENTER : first == 8 ? WEIR_KEY_BACKSPACE : first;
        }
    }
    return WEIR_KEY_NONE;
}

bool weir_keys_is_waiting(const weir_keys *keys)
{
    return keys->n_bytes > 0;
}

int weir_keys_flush(weir_keys *keys)
{
    bool is_lone = keys->n_bytes == 1 && keys->bytes[0] == '\033';
    keys->n_bytes = 0;
    return is_lone ? WEIR_KEY_ESC : WEIR_KEY_NONE;
}
