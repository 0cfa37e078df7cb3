/* SPDX-License-Identifier: MIT */
/* zlib packs text, unpacks it, and compares the two. */
#include "board.h"
#include "real.h"
#include <zlib.h>

enum { TEXT_BYTES = 6000, PACKED_BYTES = 8000, ARENA_BYTES = 300000 };

static uint8_t text[TEXT_BYTES], packed[PACKED_BYTES], unpacked[TEXT_BYTES];
static uint8_t arena[ARENA_BYTES] __attribute__((aligned(8)));
static size_t taken;

static voidpf take(voidpf opaque, uInt items, uInt size)
{
    size_t bytes = ((size_t)items * size + 7) & ~(size_t)7;

    (void)opaque;
    if (bytes > ARENA_BYTES - taken) {
        return Z_NULL;
    }
    taken += bytes;
    return arena + taken - bytes;
}

static void give(voidpf opaque, voidpf block)
{
    (void)opaque, (void)block;
}

/* Writes words of a small language, which can be packed. */
static void write_text(void)
{
    size_t at = 0;

    while (at < TEXT_BYTES) {
        uint32_t word = next_random() % 300, letters = 2 + word % 7;

        for (uint32_t i = 0; i < letters && at < TEXT_BYTES; i++) {
            word = word * 31 + 7;
            text[at++] = (uint8_t)('a' + word % 26);
        }
        if (at < TEXT_BYTES) {
            text[at++] = ' ';
        }
    }
}

static size_t pack(int level)
{
    z_stream stream = {.zalloc = take, .zfree = give};

    taken = 0;
    if (deflateInit2(&stream, level, Z_DEFLATED, 12, 5, Z_DEFAULT_STRATEGY) != Z_OK) {
        return 0;
    }
    stream.next_in = text;
    stream.avail_in = TEXT_BYTES;
    stream.next_out = packed;
    stream.avail_out = PACKED_BYTES;
    deflate(&stream, Z_FINISH);
    deflateEnd(&stream);
    return stream.total_out;
}

static size_t unpack(size_t bytes)
{
    z_stream stream = {.zalloc = take, .zfree = give};

    taken = 0;
    if (inflateInit2(&stream, 12) != Z_OK) {
        return 0;
    }
    stream.next_in = packed;
    stream.avail_in = (uInt)bytes;
    stream.next_out = unpacked;
    stream.avail_out = TEXT_BYTES;
    inflate(&stream, Z_FINISH);
    inflateEnd(&stream);
    return stream.total_out;
}

uint32_t program(unsigned rounds)
{
    uint32_t sum = 0;

    write_text();
    for (unsigned i = 0; i < rounds; i++) {
        size_t bytes = pack(1 + (int)(i % 9));

        sum = checksum(sum, packed, bytes);
        if (unpack(bytes) != TEXT_BYTES) {
            board_printf("zlib: not as long as it was\n");
        }
        sum = (sum ^ (uint32_t)crc32(0, unpacked, TEXT_BYTES)) * 31;
        if (crc32(0, unpacked, TEXT_BYTES) != crc32(0, text, TEXT_BYTES)) {
            board_printf("zlib: not what it was\n");
        }
    }
    return sum;
}
