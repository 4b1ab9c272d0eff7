/* Whether a signal that comes again is another wish. Sent twice at once it is one: timeout(1) sends
 * it to the program and then to its group; when a terminal closes, kernel and shell both hang up.
 * For handlers: async-signal-safe.
 */
#ifndef WEIR_BASE_SIGNAL_TIME_H
#define WEIR_BASE_SIGNAL_TIME_H

#include <stdbool.h>
#include <stdint.h>

/* Now, half a second and more after the first one came (weir_now_ns). */
bool weir_signal_is_another(int64_t first_ns);

#endif
