/* SPDX-License-Identifier: MIT */
/* Runs one program with sampling on, and is its C library's way to the console. */
#include "real.h"
#include "board.h"
#include "mcuprof.h"

uint32_t checksum(uint32_t sum, const void *data, size_t bytes)
{
    const uint8_t *at = data;

    for (size_t i = 0; i < bytes; i++) {
        sum = (sum ^ at[i]) * 16777619u; /* FNV-1a */
    }
    return sum;
}

uint32_t next_random(void)
{
    static uint32_t state = 1;

    state = state * 1664525u + 1013904223u; /* Numerical Recipes */
    return state >> 8;
}

/* Of newlib. */
int _write(int file, const char *text, int bytes);
int _write(int file, const char *text, int bytes)
{
    int left = bytes;

    (void)file;
    while (left) {
        size_t taken = mcuprof_write(text, (size_t)left);

        text += taken;
        left -= (int)taken;
    }
    return bytes;
}

int main(void)
{
    mcuprof_start();
    board_printf("checksum %x\n", (unsigned)program(REAL_ROUNDS));
    mcuprof_end();
    return 0;
}
