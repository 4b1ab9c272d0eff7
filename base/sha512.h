/* SHA-512 (FIPS 180-4), for checking recordings. Not for secrets. No allocation. */
#ifndef WEIR_BASE_SHA512_H
#define WEIR_BASE_SHA512_H

#include <stddef.h>
#include <stdint.h>

typedef struct weir_sha512 {
    uint64_t hash[8];
    uint64_t n_bytes; /* up to 2^61: more than any file */
    uint8_t block[128];
} weir_sha512;

void weir_sha512_begin(weir_sha512 *sha);
void weir_sha512_add(weir_sha512 *sha, const void *bytes, size_t n);
/* Lower-case hexadecimal and a '\0'. */
void weir_sha512_finish(weir_sha512 *sha, char hex[129]);

#endif
