/* Which pictures a terminal can be asked about, by what the environment says of it.
 *
 * The rest is asked (term_keys.h has the answers): all terminals of today say whether they know
 * sixels when asked what they are, but a question after kitty's pictures is only safe with those
 * that know them: others may print it. Main thread.
 */
#ifndef WEIR_DISPLAY_TERM_GRAPHICS_GUESS_H
#define WEIR_DISPLAY_TERM_GRAPHICS_GUESS_H

#include <stdbool.h>

/* True if libchafa's list of terminals or a variable names a terminal of kitty's pictures. */
bool weir_graphics_may_be_kitty(void);
/* Why pictures do not get through here ("tmux", "GNU screen"), or NULL. */
const char *weir_graphics_obstacle(void);

#endif
