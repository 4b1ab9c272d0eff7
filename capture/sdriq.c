/* .sdriq of SDRangel: a header of 32 bytes with a CRC, then I/Q of 16 or 24 bits.
 *
 *   u32 rate, u64 centre Hz, u64 start ms, u32 sample bits, u32 0, u32 CRC-32 of the
 *   28 bytes before it; all little-endian. 24-bit samples are right-aligned in 32.
 */
#include "capture/file_reader.h"

#include "base/text.h"

#include <math.h>

enum { HEADER_BYTES = 32, CRC_OFFSET = 28 };

static uint64_t get_le(const uint8_t *p, int bytes)
{
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; i--) {
        value = value << 8 | p[i];
    }
    return value;
}

/* CRC-32 of IEEE 802.3, bit by bit: 28 bytes once per file need no table. */
static uint32_t crc32_of(const uint8_t *bytes, size_t n)
{
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < n; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
        }
    }
    return ~crc;
}

static bool is_header(const uint8_t *head, size_t n)
{
    return n >= HEADER_BYTES && crc32_of(head, CRC_OFFSET) == get_le(head + CRC_OFFSET, 4);
}

static weir_probe probe_sdriq(const weir_file *file, const uint8_t *head, size_t n)
{
    if (is_header(head, n)) {
        return WEIR_MINE;
    }
    return weir_path_ending(file->path, ".sdriq") > 0 ? WEIR_MINE_BY_NAME : WEIR_NOT_MINE;
}

static weir_status choose_format(weir_file *file, uint32_t bits, weir_error *err)
{
    if (bits != 16 && bits != 24) {
        return weir_fail(err, WEIR_ERR_DATA,
                         "the .sdriq header says samples of %u bits, not 16 or 24", bits);
    }
    file->base.info.format = (weir_sample_format){
        .scalar = bits == 24 ? WEIR_S32LE : WEIR_S16LE,
        .is_complex = true,
        .channels = 1,
        .valid_bits = bits == 24 ? 24 : 0,
    };
    return WEIR_OK;
}

static weir_status open_sdriq(weir_file *file, const weir_source_options *options, weir_error *err)
{
    const uint8_t *head;
    size_t n;
    weir_status status = weir_input_peek(file->input, HEADER_BYTES, &head, &n, err);
    if (status != WEIR_OK) {
        return status;
    }
    if (!is_header(head, n)) {
        return weir_fail(err, WEIR_ERR_DATA, "the .sdriq header is damaged (%s)",
                         n < HEADER_BYTES ? "it ends too early" : "wrong checksum");
    }
    uint64_t start_ms = get_le(head + 12, 8), center = get_le(head + 4, 8);
    uint32_t rate = (uint32_t)get_le(head, 4), bits = (uint32_t)get_le(head + 20, 4);
    status = choose_format(file, bits, err);
    if (status == WEIR_OK) {
        status = weir_file_choose_rate(file, options, rate, err);
    }
    if (status == WEIR_OK) {
        status = weir_file_choose_center(file, options, (double)center, err);
    }
    if (status != WEIR_OK) {
        return status;
    }
    bool has_time = start_ms > 0 && start_ms <= (uint64_t)INT64_MAX / 1000000;
    weir_file_choose_time(file, has_time ? (int64_t)start_ms * 1000000 : WEIR_UNKNOWN_TIME);
    weir_file_describe(file, "SDRangel");
    status = weir_file_store_one(file, HEADER_BYTES, WEIR_INPUT_UNKNOWN_BYTES, err);
    if (status == WEIR_OK && bits == 24) {
        weir_stored_expand24(file->stored);
    }
    return status;
}

const weir_file_reader weir_reader_sdriq = {
    .name = "SDRangel",
    .probe = probe_sdriq,
    .open = open_sdriq,
};
