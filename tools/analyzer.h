/* Put before every file by the clang-tidy check of tools/lint, and never compiled.
 *
 * The analyzer does not look into variadic functions, and so thinks that weir_fail could
 * return WEIR_OK: every error path would go on as if nothing had failed. */
#include "base/status.h"

#define weir_fail(err, status, ...) (weir_fail((err), (status), __VA_ARGS__), (status))
