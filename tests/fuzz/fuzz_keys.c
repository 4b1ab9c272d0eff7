/* Any bytes from a terminal: however they are cut, the same keys come out, and all of
 * them are taken. */
#include "display/term_keys.h"
#include "tests/fuzz/in_memory.h"

#define MOST_KEYS 4096

/* Feeds pieces of `piece` bytes, and takes every key that is whole. */
static size_t read_keys(const char *bytes, size_t n, size_t piece, int *found)
{
    weir_keys keys = {.n_bytes = 0};
    size_t n_found = 0;
    int key;
    for (size_t at = 0; at < n;) {
        size_t offered = n - at < piece ? n - at : piece;
        size_t taken = weir_keys_feed(&keys, bytes + at, offered);
        fuzz_require(taken <= offered);
        at += taken;
        size_t before = n_found;
        while (n_found < MOST_KEYS && (key = weir_keys_next(&keys)) != WEIR_KEY_NONE) {
            found[n_found++] = key;
        }
        fuzz_require(taken > 0 || n_found > before);
    }
    while (n_found < MOST_KEYS && weir_keys_is_waiting(&keys)) {
        found[n_found++] = weir_keys_flush(&keys);
        while (n_found < MOST_KEYS && (key = weir_keys_next(&keys)) != WEIR_KEY_NONE) {
            found[n_found++] = key;
        }
    }
    return n_found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int whole[MOST_KEYS], cut[MOST_KEYS];
    if (size > MOST_KEYS / 2) {
        return 0;
    }
    char *bytes = fuzz_text(data, size);
    size_t n_whole = read_keys(bytes, size, 64, whole);
    size_t n_cut = read_keys(bytes, size, 1, cut);
    fuzz_require(n_whole == n_cut && memcmp(whole, cut, n_whole * sizeof *whole) == 0);
    free(bytes);
    return 0;
}
