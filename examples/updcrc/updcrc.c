/* SPDX-License-Identifier: MIT */
/*
 * A CRC-32 by a table, to see how often each line runs: the example of GNU gprof's
 * manual, on a board. Its basic blocks are counted (example.mk has the flags):
 *
 *     make capture EXAMPLE=updcrc
 *     mcuprof export -e updcrc.elf --to gmon -o gmon.out updcrc.mprof
 *     arm-none-eabi-gprof -l -A -x updcrc.elf gmon.out
 *
 * [5] marks a line that begins basic blocks; the busiest of them runs 5 times.
 */
#include <stddef.h>

#include "board.h"
#include "mcuprof.h"

#define CALLED __attribute__((noinline, noclone, noipa))

static uint32_t table[256];

static CALLED void make_table(void)
{
    for (uint32_t n = 0; n < 256; n++) {
        uint32_t c = n;

        for (unsigned bit = 0; bit < 8; bit++) {
            if (c & 1) {                    /* [2048] */
                c = 0xEDB88320u ^ (c >> 1); /* [1024] */
            } else {
                c >>= 1;
            }
        }
        table[n] = c; /* [256] */
    }
}

/* Adds `size` bytes to the CRC and returns its value so far; NULL begins a new one. */
static CALLED uint32_t updcrc(const uint8_t *bytes, size_t size)
{
    static uint32_t crc;

    if (bytes == NULL) {   /* [27] */
        crc = 0xFFFFFFFFu; /* [2] */
    } else {
        while (size-- > 0) {                                   /* [1234] */
            crc = table[(crc ^ *bytes++) & 0xFF] ^ (crc >> 8); /* [1209] */
        }
    }
    return crc ^ 0xFFFFFFFFu; /* [27] */
}

static CALLED uint32_t feed(unsigned times)
{
    static const uint8_t text[] = "50 bytes, of which the last ends the string: 0123";
    uint32_t crc = updcrc(NULL, 0);

    for (unsigned i = 0; i < times; i++) { /* [25] */
        crc = updcrc(text, sizeof text);   /* [24] */
    }
    return crc;
}

int main(void)
{
    uint32_t check, longer;

    mcuprof_start();
    make_table();
    check = updcrc(NULL, 0);
    check = updcrc((const uint8_t *)"123456789", 9);
    longer = feed(24);
    mcuprof_end();
    board_printf("crc %x %x\n", (unsigned)check, (unsigned)longer);
    board_printf("samples %u\n", board_samples);
    return check == 0xCBF43926u ? 0 : 1;
}
