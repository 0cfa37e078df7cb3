/* SPDX-License-Identifier: MIT */
/*
 * Every knob of the firmware half, with its default and what it costs. To change some,
 * write them into a header of your own and name it: -DMCUPROF_CONFIG='"my_config.h"'.
 * Included by C and by assembly: only #define.
 *
 * Costs are of a Cortex-M0+ at -Os; `make bench` prints them all.
 */
#ifndef MCUPROF_CONFIG_H
#define MCUPROF_CONFIG_H

#ifdef MCUPROF_CONFIG
#include MCUPROF_CONFIG
#endif

/* Time calls, in files compiled with MCUPROF_CALL_CFLAGS: 1 or 0. */
#ifndef MCUPROF_CALLS
#define MCUPROF_CALLS 0
#endif

/* Count calls, in files compiled with MCUPROF_PROFILE_CFLAGS: 1 or 0. Where calls are
 * timed they are counted by that. */
#ifndef MCUPROF_ARCS
#define MCUPROF_ARCS (!MCUPROF_CALLS)
#endif
#if MCUPROF_ARCS && MCUPROF_CALLS
#error "MCUPROF_CALLS counts calls as well: leave MCUPROF_ARCS at 0"
#endif

/* With MCUPROF_CALLS: how deep timed calls may nest; 12 bytes each. What is deeper is
 * counted as lost, and its time is its caller's. */
#ifndef MCUPROF_DEPTH
#define MCUPROF_DEPTH 16
#endif

/* With MCUPROF_CALLS: the time base, best the processor's clock: an expression of type
 * uint32_t that counts up by 1 each tick, modulo 2^32; and its clock. No call may take
 * 2^31 ticks. */
#if MCUPROF_CALLS && !(defined(MCUPROF_TIME) && defined(MCUPROF_TIME_HZ))
#error "MCUPROF_CALLS needs MCUPROF_TIME(), which reads a clock, and MCUPROF_TIME_HZ"
#endif

/* Take PC samples: 1 or 0. */
#ifndef MCUPROF_SAMPLES
#define MCUPROF_SAMPLES 1
#endif

/* With MCUPROF_SAMPLES: how many return addresses a sample brings, from its program
 * counter outwards: its call path. 2 to 124, or 0: none. Of a longer path it has the
 * inner ones, and the report says that it is cut. 8 bytes of RAM each. They are found by
 * a table that `mcuprof unwind` writes into the linked ELF. On AVR none, for a sample
 * takes some 2,000 cycles then: 12 are enough for much, at a lower rate. */
#ifndef MCUPROF_PATHS
#if MCUPROF_SAMPLES && !MCUPROF_CALLS && !defined(__AVR__)
#define MCUPROF_PATHS 24
#else
#define MCUPROF_PATHS 0
#endif
#endif
#if MCUPROF_PATHS > 124 || MCUPROF_PATHS == 1 || (MCUPROF_PATHS && !MCUPROF_SAMPLES)
#error "MCUPROF_PATHS: 0, or 2 to 124; paths are those of samples: MCUPROF_SAMPLES"
#endif

/* With MCUPROF_PATHS: how many return addresses are remembered: a power of two from 8 to
 * 64; 4 bytes each. Those are found faster, and said in one byte. There are no paths in
 * code of more than 128 kB for each. */
#ifndef MCUPROF_PATH_CACHE
#ifdef __AVR__
#define MCUPROF_PATH_CACHE 16
#else
#define MCUPROF_PATH_CACHE 64
#endif
#endif
#if MCUPROF_PATH_CACHE < 8 || MCUPROF_PATH_CACHE > 64 ||                                 \
    MCUPROF_PATH_CACHE & (MCUPROF_PATH_CACHE - 1)
#error "MCUPROF_PATH_CACHE: a power of two from 8 to 64"
#endif

/* With MCUPROF_PATHS: a path that leads to an interrupt's handler goes on into what that
 * hit, which `--through-interrupts` shows: 1 or 0. On a Cortex-M; on others nothing says
 * where that is, and 1 is an error. An interrupt takes two of the MCUPROF_PATHS beside
 * its frames. 102 bytes of ROM, 4 of stack, 7 to 15 cycles a sample; where a sixth of the
 * samples is in interrupts, 0.4 bytes of each on the line. */
#ifndef MCUPROF_THROUGH_INTERRUPTS
#define MCUPROF_THROUGH_INTERRUPTS 0
#endif
#if MCUPROF_THROUGH_INTERRUPTS && !MCUPROF_PATHS
#error "MCUPROF_THROUGH_INTERRUPTS: of call paths: MCUPROF_PATHS"
#endif

/* MCUPROF_STACK_TOP: with MCUPROF_PATHS, one past the last byte of all stacks, beyond
 * which nothing is read. A Cortex-M takes it from its vector table; on others it is the
 * address of the symbol __stack_top, unless this says otherwise; on AVR, where it is a
 * symbol or a number, of __stack, which the C library has. */

/* Count basic blocks, in files compiled with MCUPROF_BLOCK_CFLAGS (GCC 6 and later): 1 or
 * 0. About 210 bytes of ROM, 8 of RAM, 16 of stack (beside calls and samples), 4 of code
 * for each block; 35 to 42 cycles each time a block runs, 12 while stopped. */
#ifndef MCUPROF_BLOCKS
#define MCUPROF_BLOCKS 0
#endif

/* Keep counters for each task and interrupt, and know this many tasks at once: 0 to 64;
 * see mcuprof_task_switch(). 790 bytes of ROM, 4 of RAM a counter, 12 a task; 17 cycles a
 * call, 13 a sample, 95 to 140 a switch. With MCUPROF_CALLS 1,140 bytes of ROM, a task 44
 * and 12 for each level of MCUPROF_DEPTH, a switch 312 cycles at least: it counts its
 * time, too. A call takes 228 bytes of its task's stack at most, a timed one 336. */
#ifndef MCUPROF_TASKS
#define MCUPROF_TASKS 0
#endif

#if !MCUPROF_ARCS && !MCUPROF_CALLS && !MCUPROF_SAMPLES && !MCUPROF_BLOCKS
#error                                                                                   \
    "MCUPROF_ARCS, _CALLS, _SAMPLES, _BLOCKS are all 0: leave mcuprof out of this build"
#endif

/* Counters in RAM, shared by calls, samples and blocks: 0 or a power of two; 12 bytes
 * each. 0: each event is a record. Twice the number of call sites, sampled addresses and
 * blocks: nothing is sent until mcuprof_flush(). Samples with paths are never in it. */
#ifndef MCUPROF_ENTRIES
#if MCUPROF_PATHS && !MCUPROF_ARCS && !MCUPROF_BLOCKS
#define MCUPROF_ENTRIES 0
#else
#define MCUPROF_ENTRIES 16
#endif
#endif
#if MCUPROF_ENTRIES > 32768 || MCUPROF_ENTRIES & (MCUPROF_ENTRIES - 1)
#error "MCUPROF_ENTRIES: 0 or a power of two up to 32768"
#endif

/* Bytes between the program and the link: a power of two from 64 to 32768. */
#ifndef MCUPROF_RING_BYTES
#define MCUPROF_RING_BYTES 256
#endif
#if MCUPROF_RING_BYTES < 64 || MCUPROF_RING_BYTES > 32768 ||                             \
    MCUPROF_RING_BYTES & (MCUPROF_RING_BYTES - 1)
#error "MCUPROF_RING_BYTES: a power of two from 64 to 32768"
#endif

/* When the ring is full: 0 drops the event and counts it as lost; 1 waits for the link
 * (exact and intrusive), but not in an interrupt that outranks the link's. */
#ifndef MCUPROF_WAIT
#define MCUPROF_WAIT 0
#endif

/* MCUPROF_LINK_IRQ: with MCUPROF_WAIT on a Cortex-M, the number of the link's interrupt,
 * as in NVIC_EnableIRQ(). On others the board provides mcuprof_may_wait(). */

/* MCUPROF_LINK_ADDRESS: with a driver of target/link/, the address of its UART's
 * registers. */

/* Mean sampling rate. At 1000 Hz of 48 MHz a sample with its path costs 2.5 % in
 * zlib, 4.7 % in Mbed TLS, the link's interrupts included; without, about 100 cycles: 0.2
 * %. */
#ifndef MCUPROF_SAMPLE_HZ
#define MCUPROF_SAMPLE_HZ 1000
#endif

/* Clock of the sampling timer. */
#if MCUPROF_SAMPLES && !defined(MCUPROF_TIMER_HZ)
#error "define MCUPROF_TIMER_HZ: the clock of the timer that mcuprof_timer_set() drives"
#endif

/* MCUPROF_TIMER_SINCE(): with MCUPROF_PATHS, an expression of type uint32_t: how many
 * ticks ago the sampling interrupt was due, before mcuprof_timer_set(); modulo the period
 * where the timer cannot tell more. If it is defined, the interrupt's own time is
 * measured, and the PC takes it off; and interrupts masked for long are noticed. Not for
 * a timer that mcuprof_timer_set() restarts, whose periods are the program's alone. About
 * 70 bytes of ROM, 20 of RAM, 45 cycles a sample. */
#if MCUPROF_PATHS && !MCUPROF_CALLS && defined(MCUPROF_TIMER_SINCE)
#define MCUPROF_SAMPLES_TIMED 1
#else
#define MCUPROF_SAMPLES_TIMED 0
#endif

/* Vary the sampling period at random from half to one and a half of its mean, so that
 * sampling cannot run in step with the program: 1 or 0. 8 cycles a sample. */
#ifndef MCUPROF_DITHER
#define MCUPROF_DITHER 1
#endif

/* Leave the processor's flags as they were around the counting of a call: 1 or 0.
 * Compiled code never needs it (a call may change the flags); assembly might. 8 cycles a
 * call. */
#ifndef MCUPROF_KEEP_FLAGS
#define MCUPROF_KEEP_FLAGS 1
#endif

/* Mean sampling period in ticks of its timer. */
#if MCUPROF_SAMPLES
#define MCUPROF_PERIOD (MCUPROF_TIMER_HZ / MCUPROF_SAMPLE_HZ)
#if defined(MCUPROF_TIMER_HZ) && (MCUPROF_PERIOD < 2 || MCUPROF_PERIOD >= 16777216)
#error "MCUPROF_TIMER_HZ / MCUPROF_SAMPLE_HZ: from 2 to 16777215 ticks a sample"
#endif
#else
#define MCUPROF_PERIOD 0
#endif

#endif
