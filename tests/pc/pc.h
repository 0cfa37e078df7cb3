/* SPDX-License-Identifier: MIT */
/*
 * The firmware half on the PC. Compile target/core/mcuprof.c and tests/pc/port.c with
 *   -Itests/pc -Itarget/include -Itarget/core -Iwire -DMCUPROF_CONFIG='"mcuprof_pc.h"'
 * and the same knobs as the file that includes this.
 *
 * There is no interrupt: each call of mcuprof_link_isr() sends one byte, or with
 * MCUPROF_SPAN_BYTES a span. A full ring that may wait calls it by itself.
 */
#ifndef PC_H
#define PC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes that were sent since pc_link_release(), and how many more the transmitter
 * takes before it is no longer ready: SIZE_MAX, the first value, means no limit. A
 * program that waits for a transmitter that is not ready waits for ever. */
struct pc_link {
    uint8_t *bytes;
    size_t used, allocated;
    size_t ready;
};
extern struct pc_link pc_link;

/* Sends the bytes in the ring as long as the transmitter is ready. */
void pc_link_drain(void);

/* Frees the bytes; then none were sent. */
void pc_link_release(void);

/* The sampling timer: whether it runs, and its last period. */
struct pc_timer {
    bool running;
    uint32_t ticks;
};
extern struct pc_timer pc_timer;

/* Sets the power-on state: nothing was counted or sent, and the profiler is stopped. */
void pc_reset(void);

/* These do what a port's assembly does for a call into `to` with the return address
 * `from` (bit 0 of both is set), for a sample at `pc` (bit 0 clear), and for a block
 * whose hook returns to `to`: nothing if the profiler is stopped; else they count in the
 * key's own entries or with mcuprof_count(). */
void pc_call(uint32_t from, uint32_t to);
void pc_sample(uint32_t pc);
void pc_block(uint32_t to);

#endif
