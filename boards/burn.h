/* SPDX-License-Identifier: MIT */
/* A loop that takes the same time wherever the compiler puts it, for examples whose
 * functions take known shares of it. */
#ifndef BURN_H
#define BURN_H

#if defined(__arm__)
#define BURN_TURN     ".syntax unified\n1: subs %0, %0, #1\n\tbne 1b"
#define BURN_REGISTER "+l"
#elif defined(__riscv)
#define BURN_TURN     "1: addi %0, %0, -1\n\tbnez %0, 1b"
#define BURN_REGISTER "+r"
#elif defined(__sparc__)
#define BURN_TURN     "1: subcc %0, 1, %0\n\tbne 1b\n\tnop"
#define BURN_REGISTER "+r"
#else
#error "write a loop that counts %0 down to 0"
#endif

/* `turns` of the loop, 1 to 65535. */
#define BURN(turns)                                                                      \
    do {                                                                                 \
        unsigned burn_turns = (turns);                                                   \
        __asm__ volatile(BURN_TURN : BURN_REGISTER(burn_turns) : : "cc");                \
    } while (0)

#endif
