/* SPDX-License-Identifier: MIT */
/* A loop that takes the same time wherever the compiler puts it, for examples whose
 * functions take known shares of the time. */
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
#elif defined(__AVR__)
#define BURN_TURN     "1: sbiw %0, 1\n\tbrne 1b"
#define BURN_REGISTER "+w"
#define BURN_TURNS    4 /* of 1 cycle */
#else
#error "write a loop that counts %0 down to 0"
#endif

#ifndef BURN_TURNS /* turns of BURN() in one turn of the loop */
#define BURN_TURNS 1
#endif

/* Runs `turns` turns: a multiple of 4 from 4 to 65532. */
#define BURN(turns)                                                                      \
    do {                                                                                 \
        unsigned burn_turns = (turns) / BURN_TURNS;                                      \
        __asm__ volatile(BURN_TURN : BURN_REGISTER(burn_turns) : : "cc");                \
    } while (0)

#endif
