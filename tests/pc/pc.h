/* SPDX-License-Identifier: MIT */
/*
 * The firmware half on the PC. Compile target/core/mcuprof.c and tests/pc/port.c with
 *   -Itests/pc -Itarget/include -Itarget/core -Iwire -DMCUPROF_CONFIG='"mcuprof_pc.h"'
 * and the same knobs as the file that includes this.
 *
 * There is no interrupt: bytes leave when someone calls mcuprof_link_isr(), one at a
 * time, as a full ring that may wait does by itself.
 */
#ifndef PC_H
#define PC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What was sent since pc_link_release(), and how much more the transmitter takes until it
 * is no longer ready: SIZE_MAX, from the start, is no limit. A program that waits for a
 * transmitter that is not ready waits for ever. */
struct pc_link {
    uint8_t *bytes;
    size_t used, allocated;
    size_t ready;
};
extern struct pc_link pc_link;

/* Sends all that is in the ring, as far as the transmitter is ready. */
void pc_link_drain(void);

/* Frees the bytes; none were sent. */
void pc_link_release(void);

/* The sampling timer: whether it runs, and the period it was given last. */
struct pc_timer {
    bool running;
    uint32_t ticks;
};
extern struct pc_timer pc_timer;

/* The power-on state: nothing counted, nothing sent, stopped. */
void pc_reset(void);

/* What the assembly of a port does for a call from the return address `from` into `to`
 * (bit 0 of both is set), for a sample at `pc` (bit 0 clear), and for a block whose hook
 * returns to `to`: nothing if the profiler is stopped; counts in the key's own entries,
 * else through mcuprof_count(). */
void pc_call(uint32_t from, uint32_t to);
void pc_sample(uint32_t pc);
void pc_block(uint32_t to);

#endif
