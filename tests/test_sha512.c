/* ctest-labels: unit
 * base/sha512.h: the test vectors of FIPS 180-4 and NIST CAVP, and that pieces do not matter. */
#include "base/sha512.h"
#include "tests/check.h"

static void hash_of(const void *bytes, size_t n, char hex[129])
{
    weir_sha512 sha;
    weir_sha512_begin(&sha);
    weir_sha512_add(&sha, bytes, n);
    weir_sha512_finish(&sha, hex);
}

static void test_published_vectors(void)
{
    char hex[129];
    hash_of("", 0, hex);
    CHECK_STR(hex, "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
                   "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e");
    hash_of("abc", 3, hex);
    CHECK_STR(hex, "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                   "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
    const char *two_blocks = "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                             "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu";
    hash_of(two_blocks, strlen(two_blocks), hex);
    CHECK_STR(hex, "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
                   "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909");
}

static void test_a_million_a(void)
{
    char hex[129], piece[1000];
    memset(piece, 'a', sizeof piece);
    weir_sha512 sha;
    weir_sha512_begin(&sha);
    for (int i = 0; i < 1000; i++) {
        weir_sha512_add(&sha, piece, sizeof piece);
    }
    weir_sha512_finish(&sha, hex);
    CHECK_STR(hex, "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
                   "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b");
}

static void test_pieces_do_not_matter(void)
{
    check_rng rng = check_rng_fresh();
    uint8_t bytes[1024];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)check_random(&rng);
    }
    for (size_t n = 0; n < 400; n++) { /* every way the padding can fall */
        char whole[129], pieces[129];
        hash_of(bytes, n, whole);
        weir_sha512 sha;
        weir_sha512_begin(&sha);
        for (size_t at = 0; at < n;) {
            size_t part = 1 + check_random(&rng) % (n - at);
            weir_sha512_add(&sha, bytes + at, part);
            at += part;
        }
        weir_sha512_finish(&sha, pieces);
        CHECK_STR(pieces, whole);
    }
}

int main(void)
{
    RUN(test_published_vectors);
    RUN(test_a_million_a);
    RUN(test_pieces_do_not_matter);
    return check_finish();
}
