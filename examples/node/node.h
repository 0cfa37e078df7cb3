/* SPDX-License-Identifier: MIT */
/* What the programs of a sensor node share. */
#ifndef NODE_H
#define NODE_H

#include <stdint.h>

#include "mcuprof.h"

/* 0: one node alone. 1, 2: the first and the second of two nodes, whose second UARTs are
 * joined. */
#ifndef NODE_PEER
#define NODE_PEER 0
#endif

/* Functions that are called, never inlined; NODE_CALLED ones are with NODE_INLINE=1. */
#define NODE_TASK __attribute__((noinline, noclone))
#if NODE_INLINE
#define NODE_CALLED inline __attribute__((always_inline))
#else
#define NODE_CALLED NODE_TASK
#endif

static __attribute__((unused)) NODE_CALLED uint16_t crc_byte(uint16_t crc, uint8_t byte)
{
    crc ^= (uint16_t)(byte << 8);
    for (uint8_t bit = 0; bit < 8; bit++) {
        crc = (uint16_t)(crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1);
    }
    return crc;
}

/* Begins to count milliseconds, from 0, by the board's tick. */
void node_tick(void);

/* Sleeps until the count is this. */
void node_sleep_until(uint16_t millisecond);

/* Runs the programs of two nodes: one-way, then ping-pong. */
void node_peers(void);

/* Returns how many packets were right. */
uint16_t node_packets_right(void);

#endif
