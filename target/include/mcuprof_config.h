/* SPDX-License-Identifier: MIT */
/*
 * Every knob of the firmware half: what it is, its default, what it gives and what it
 * costs. To change some, write them into a header of your own and name it:
 * -DMCUPROF_CONFIG='"my_config.h"'. C and assembly include it: use #define only,
 * and put a vendor's header between #ifndef __ASSEMBLER__ and #endif.
 *
 * Costs are what a knob adds on a Cortex-M0+ at -Os to a build that counts calls and
 * samples with 8 counters and a ring of 64 bytes. That build takes 1,702 bytes of ROM
 * and 200 of RAM, the link's code included. `make bench` prints all costs.
 */
#ifndef MCUPROF_CONFIG_H
#define MCUPROF_CONFIG_H

#ifdef MCUPROF_CONFIG
#include MCUPROF_CONFIG
#elif defined(ARDUINO) /* packaging/arduino: the IDE has no flags */
#include "mcuprof_arduino_config.h"
#endif

/* ---- What is counted ---- */

/* 1: calls are timed, in files compiled with MCUPROF_CALL_CFLAGS. 0: not.
 * Gives: the time of each call site's calls: total, self, shortest, longest.
 * Costs, beyond those of MCUPROF_ARCS: 1,640 bytes of ROM; 64 of RAM, 16 more a
 * counter, 12 more a level of MCUPROF_DEPTH; 258 cycles a call, 96 of them at its
 * entry. The first mcuprof_start() waits until 16 bytes were sent, to measure the link.
 */
#ifndef MCUPROF_CALLS
#define MCUPROF_CALLS 0
#endif

/* 1: calls are counted, in files compiled with MCUPROF_PROFILE_CFLAGS. 0: not, which is
 * the default where calls are timed, for timing counts them as well.
 * Gives: the exact number of calls of each call site.
 * Costs: 188 bytes of ROM, 12 of RAM, 6 of code a function; 53 cycles a call at least, 25
 * while stopped. */
#ifndef MCUPROF_ARCS
#define MCUPROF_ARCS (!MCUPROF_CALLS)
#endif
#if MCUPROF_ARCS && MCUPROF_CALLS
#error "MCUPROF_CALLS counts calls as well: leave MCUPROF_ARCS at 0"
#endif

/* How many call sites `mcuprof patch` can count in the linked ELF: it leads each call
 * through a counter of its own, and the code needs no other flags. A Cortex-M has it.
 * Gives: the exact number of calls of each call site, of the code that ships.
 * Costs: 380 bytes of ROM, 12 of RAM; 8 of RAM, 36 of ROM and, with MCUPROF_PATHS, 4 of
 * the unwind table a site; 30 cycles and 16 bytes of stack a call, also while stopped. */
#ifndef MCUPROF_SITES
#define MCUPROF_SITES 0
#endif
#if MCUPROF_SITES < 0 || MCUPROF_SITES > 16384
#error "MCUPROF_SITES: from 0 to 16384"
#endif
#if MCUPROF_SITES && !MCUPROF_ARCS
#error "MCUPROF_SITES needs MCUPROF_ARCS=1, for it sends arcs"
#endif

/* With MCUPROF_SITES, 1: their code is in the short form, which shares a part. 0: each
 * site has all of its own.
 * Gives: 16 bytes of ROM a site, and 32 for each 126, in place of 36 each.
 * Costs: 2 cycles a call. */
#ifndef MCUPROF_SITES_SHORT
#define MCUPROF_SITES_SHORT 0
#endif
/* The places for sites: the short form has two for each 126 sites that they share. */
#define MCUPROF_SITE_PLACES                                                              \
    (MCUPROF_SITES + MCUPROF_SITES_SHORT * ((MCUPROF_SITES + 125) / 126 * 2))

/* 1: a timer takes samples of the program counter. 0: not.
 * Gives: where the time goes, interrupts' handlers included.
 * Costs, without paths: 186 bytes of ROM, 12 of RAM; 92 cycles a sample at least. */
#ifndef MCUPROF_SAMPLES
#define MCUPROF_SAMPLES 1
#endif

/* 1: basic blocks are counted, in files compiled with MCUPROF_BLOCK_CFLAGS (GCC 6 and
 * later). 0: not.
 * Gives: how often each line ran.
 * Costs: 92 bytes of ROM, 8 of RAM, 16 of stack, 4 of code a block; 35 to 42 cycles each
 * time a block runs, 12 while stopped. */
#ifndef MCUPROF_BLOCKS
#define MCUPROF_BLOCKS 0
#endif

#if !MCUPROF_ARCS && !MCUPROF_CALLS && !MCUPROF_SAMPLES && !MCUPROF_BLOCKS
#error                                                                                   \
    "MCUPROF_ARCS, _CALLS, _SAMPLES, _BLOCKS are all 0: leave mcuprof out of this build"
#endif

/* 1 to 64: counters are kept for each task and interrupt, and this many tasks can be
 * known at once: see mcuprof_task_switch(). 0: there is one profile of all.
 * Gives: a profile of each task and each interrupt.
 * Costs: 790 bytes of ROM; 4 of RAM a counter, 12 a task; 17 cycles a call, 13 a
 * sample, 95 to 140 a switch. A call takes 228 bytes of its task's stack at most, a
 * timed one 336. With MCUPROF_CALLS: 1,140 bytes of ROM; 44 of RAM a task, and 12 for
 * each level of MCUPROF_DEPTH; 312 cycles a switch at least, for it counts the task's
 * time, too. */
#ifndef MCUPROF_TASKS
#define MCUPROF_TASKS 0
#endif

/* 1: each switch of tasks, each beginning and end of an interrupt's handler that calls
 * mcuprof_interrupt_enter() and _leave(), and each mcuprof_mark() is sent with its time.
 * Where the line is full, events are dropped and counted; MCUPROF_WAIT does not hold
 * here. 0: none.
 * Gives: what ran when; the load, the longest stretches, percentiles; user marks.
 * Costs: 1,232 bytes of ROM, 72 of RAM; 150 cycles and 3.6 bytes on the line a switch in
 * the mean: 64 to 84 cycles, and some 500 more each 8th time, for the record. */
#ifndef MCUPROF_TIMELINE
#define MCUPROF_TIMELINE 0
#endif

/* ---- Sampling ---- */

/* MCUPROF_TIMER_HZ: with MCUPROF_SAMPLES, the clock of the sampling timer. It has no
 * default. */
#if MCUPROF_SAMPLES && !defined(MCUPROF_TIMER_HZ)
#error                                                                                   \
    "define MCUPROF_TIMER_HZ, for assembly too: the clock of the timer that mcuprof_timer_set() drives"
#endif

#if !MCUPROF_SAMPLES && !defined(MCUPROF_TIMER_HZ)
#define MCUPROF_TIMER_HZ 0 /* nothing is driven by it */
#endif

/* The mean sampling rate.
 * Gives: from n samples, a share p has a standard error of sqrt(p * (1 - p) / n).
 * Costs: at 1000 Hz on 48 MHz, 2.3 % of the time in zlib and 4.1 % in Mbed TLS, the
 * link's interrupts included; without paths 0.2 %. */
#ifndef MCUPROF_SAMPLE_HZ
#define MCUPROF_SAMPLE_HZ 1000
#endif

/* 1: the sampling period varies at random from half to one and a half of its mean. 0: it
 * is always the same.
 * Gives: sampling cannot run in step with the program, which would make shares false.
 * Where the timer starts over (MCUPROF_TIMER_RESTARTS), what mcuprof_start() and
 * mcuprof_stop() enclose is also told right if it is shorter than a period, down to a
 * sixteenth of one: the first sample comes after what is left of a period then.
 * Costs: 76 bytes of ROM, 4 of RAM; 8 cycles a sample. */
#ifndef MCUPROF_DITHER
#define MCUPROF_DITHER 1
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

/* 1: samples are counted in the histogram that profil() was given, too: compile
 * target/gmon. 0: profil() starts and stops the profiler, and no more. On a Cortex-M, and
 * on ARM7 and ARM9 without paths, the interrupt is assembly that knows no histogram.
 * Gives: firmware that reads its histogram itself has it.
 * Costs, on RISC-V: 140 bytes of ROM, 16 of RAM; 28 instructions a sample. */
#ifndef MCUPROF_PROFIL
#define MCUPROF_PROFIL 0
#endif
#if MCUPROF_PROFIL && !MCUPROF_SAMPLES
#error "MCUPROF_PROFIL needs MCUPROF_SAMPLES, which it counts"
#endif

/* ---- The call paths of samples ---- */

/* 2 to 124: a sample brings up to this many return addresses, from its program counter
 * outwards. 0: none. If a path is longer, the sample brings its inner addresses, and the
 * report says that the path is cut. `mcuprof unwind` must write a table into the linked
 * ELF for this.
 * Gives: the callers of the function that a sample hit, without hooks in the code.
 * Costs: 1,460 bytes of ROM on a Cortex-M0; the table, 3 to 11 % of the code; 60 bytes
 * of RAM, 8 more for each address, and those of MCUPROF_PATH_CACHE; 640 to 1,630 cycles
 * a sample, the mean by program. The most, by which sampling delays the interrupts that
 * it outranks: 1,800 to 12,400 cycles in real programs. Each address costs up to 370
 * cycles where all are new, so 7,000 with 24, and 45,100 with 124. On AVR a sample takes
 * some 2,000, so the default is 0; there 12 addresses at a lower rate are enough for many
 * programs. */
#ifndef MCUPROF_PATHS
#if MCUPROF_SAMPLES && !MCUPROF_CALLS && !defined(__AVR__)
#define MCUPROF_PATHS 24
#else
#define MCUPROF_PATHS 0
#endif
#endif
#if MCUPROF_PATHS > 124 || MCUPROF_PATHS == 1 || (MCUPROF_PATHS && !MCUPROF_SAMPLES)
#error "MCUPROF_PATHS must be 0, or from 2 to 124 with MCUPROF_SAMPLES"
#endif

/* With MCUPROF_PATHS: how many return addresses are remembered, a power of two from 8
 * to 64. If the code has more than 128 kB for each of them, samples have no paths.
 * Gives: a remembered address is found faster, and is sent in one byte.
 * Costs: 4 bytes of RAM each. */
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

/* With MCUPROF_PATHS, 1: a path that leads to an interrupt's handler goes on into the
 * code that was interrupted. 0: it ends at the handler. Only a Cortex-M can tell what
 * was interrupted; on others 1 is an error. An interrupt takes two of the MCUPROF_PATHS
 * addresses beside those of its frames.
 * Gives: `--through-interrupts`.
 * Costs: 84 bytes of ROM, 4 of stack; 13 to 29 cycles a sample; 0.4 bytes a sample on
 * the line, where a sixth of the samples is in interrupts. */
#ifndef MCUPROF_THROUGH_INTERRUPTS
#define MCUPROF_THROUGH_INTERRUPTS 0
#endif
#if MCUPROF_THROUGH_INTERRUPTS && !MCUPROF_PATHS
#error "MCUPROF_THROUGH_INTERRUPTS needs MCUPROF_PATHS"
#endif

/* MCUPROF_STACK_TOP: with MCUPROF_PATHS, one past the last byte of all stacks; nothing
 * is read beyond it. By default a Cortex-M takes it from its vector table, and others
 * use the address of the symbol __stack_top. On AVR it must be a symbol or a number;
 * the default is __stack, which the C library has. */

/* 1: mcuprof_timer_set() starts the timer over, so that the next sample is due that many
 * ticks after the call. 0: the timer runs on in the sampling interrupt.
 * Gives: each period holds the program's time alone. With 0, each period also holds the
 * time of a sample, so code whose samples take long gets too many of them: deep code of
 * Lua a fifth too many, at 10 kHz on 25 MHz. Costs: nothing. */
#ifndef MCUPROF_TIMER_RESTARTS
#define MCUPROF_TIMER_RESTARTS 0
#endif

/* MCUPROF_TIMER_SINCE(): with MCUPROF_PATHS, an expression of type uint32_t that says
 * how many ticks ago the sampling interrupt was due, modulo the period where the timer
 * cannot tell more. It is read before mcuprof_timer_set().
 * Gives: the sampling interrupt's own time is measured, so that the PC can tell it from
 * the program's; and interrupts masked for long are noticed.
 * Costs: about 70 bytes of ROM, 20 of RAM; 45 cycles a sample. */
#if MCUPROF_PATHS && !MCUPROF_CALLS && defined(MCUPROF_TIMER_SINCE)
#define MCUPROF_SAMPLES_TIMED 1
#else
#define MCUPROF_SAMPLES_TIMED 0
#endif

/* ---- Timed calls ---- */

/* MCUPROF_TIME(), MCUPROF_TIME_HZ: with MCUPROF_CALLS or MCUPROF_TIMELINE, the time base
 * and its frequency; the processor's own clock is best. MCUPROF_TIME() is an expression
 * of type uint32_t that counts up by 1 each tick, modulo 2^32. No call may take 2^31
 * ticks, and no two events of the timeline may be 2^32 ticks apart. */
#if MCUPROF_CALLS && !(defined(MCUPROF_TIME) && defined(MCUPROF_TIME_HZ))
#error "MCUPROF_CALLS needs MCUPROF_TIME(), which reads a clock, and MCUPROF_TIME_HZ"
#endif
#if MCUPROF_TIMELINE && !(defined(MCUPROF_TIME) && defined(MCUPROF_TIME_HZ))
#error "MCUPROF_TIMELINE needs MCUPROF_TIME(), which reads a clock, and MCUPROF_TIME_HZ"
#endif

/* With MCUPROF_CALLS: how deep timed calls may nest.
 * Gives: deeper calls are counted as lost, and their time is their caller's.
 * Costs: 12 bytes of RAM each. */
#ifndef MCUPROF_DEPTH
#define MCUPROF_DEPTH 16
#endif

/* ---- Counters, ring, link ---- */

/* Counters in RAM, shared by calls, samples without paths and blocks: a power of two, or
 * 0: each event is a record.
 * On a Cortex-M that counts samples alone, in up to 16 counters, a sample is sent as a
 * record if others have its two own counters, except each 32nd time. This takes 300
 * cycles; a search for a counter would take 700 and would seldom find one.
 * Gives: events in a counter are not sent until it must make room. With twice as many
 * counters as there are call sites, sampled addresses and blocks, nothing is sent until
 * mcuprof_flush().
 * `mcuprof info` says how many the program wants if it has too few.
 * Costs: 472 bytes of ROM, 12 of RAM each. Without counters an event takes 887 cycles
 * at least, the link's interrupts included, in place of 53 to 98. */
#ifndef MCUPROF_ENTRIES
#if MCUPROF_PATHS && !MCUPROF_ARCS && !MCUPROF_BLOCKS && !MCUPROF_CALLS
#define MCUPROF_ENTRIES 0
#else
#define MCUPROF_ENTRIES 16
#endif
#endif
#if MCUPROF_ENTRIES > 32768 || MCUPROF_ENTRIES & (MCUPROF_ENTRIES - 1)
#error "MCUPROF_ENTRIES: 0 or a power of two up to 32768"
#endif

/* The bytes of the ring between the program and the link: a power of two from 64 to
 * 32768.
 * Gives: room for what comes faster than the link sends it.
 * Costs: its bytes of RAM; above 256, 20 bytes of ROM and 4 of RAM more. */
#ifndef MCUPROF_RING_BYTES
#define MCUPROF_RING_BYTES 256
#endif
#if MCUPROF_RING_BYTES < 64 || MCUPROF_RING_BYTES > 32768 ||                             \
    MCUPROF_RING_BYTES & (MCUPROF_RING_BYTES - 1)
#error "MCUPROF_RING_BYTES: a power of two from 64 to 32768"
#endif

/* When the ring is full, 0: the event is dropped and counted as lost. 1: the program
 * waits for the link, but not in an interrupt that outranks the link's.
 * Gives: exact counts over any line; but the link then slows the program down.
 * Costs, on a Cortex-M: interrupts are masked for up to 1,411 cycles where a record is
 * made, in place of some 200; 68 bytes of ROM less. */
#ifndef MCUPROF_WAIT
#define MCUPROF_WAIT 0
#endif

/* 1: the library starts itself before main(), as a constructor. First it calls
 * mcuprof_setup(), which the board may define to set up the link and the timer and to let
 * their interrupts in; else it does nothing. 0: the program calls mcuprof_start().
 * Gives: a profile of firmware whose code is not touched. Its start-up code must run
 * constructors, as those of C libraries do.
 * Costs: 18 bytes of ROM, and the costs of MCUPROF_FLUSH_MS. */
#ifndef MCUPROF_AUTO_START
#define MCUPROF_AUTO_START 0
#endif

/* The sampling interrupt sends all counters and the totals every so many milliseconds,
 * one record a sample. 0: it does not.
 * Gives: a right profile of firmware that never calls mcuprof_flush() or mcuprof_end():
 * at most the counts of so many milliseconds are missing.
 * With MCUPROF_SITES it takes as many samples as there are sites, if that is longer.
 * Costs: 120 bytes of ROM, 4 of RAM; some 54 cycles a sample. Each record of it masks
 * interrupts for as long as any other record does; with MCUPROF_SITES, amid a
 * mcuprof_flush(), for a walk over all sites, too. */
#ifndef MCUPROF_FLUSH_MS
#define MCUPROF_FLUSH_MS (MCUPROF_AUTO_START && MCUPROF_SAMPLES ? 1000 : 0)
#endif
#if MCUPROF_FLUSH_MS && !MCUPROF_SAMPLES
#error "MCUPROF_FLUSH_MS needs MCUPROF_SAMPLES, whose interrupt sends"
#endif
#define MCUPROF_FLUSH_SAMPLES ((MCUPROF_FLUSH_MS * 1L * MCUPROF_SAMPLE_HZ + 999) / 1000)
#if MCUPROF_FLUSH_MS < 0 || MCUPROF_FLUSH_SAMPLES > 65535
#error "MCUPROF_FLUSH_MS: from 0 to the time of 65535 samples"
#endif

/* With a link that sends spans of bytes (DMA, a FIFO, USB): a span is sent when this many
 * bytes wait, or at mcuprof_flush(), _end() and _write(). 0: the link sends bytes one by
 * one. From 1 to half of MCUPROF_RING_BYTES; a quarter of them is a good choice.
 * Gives: one interrupt for many records.
 * Costs: 280 bytes of ROM, the driver's included, 4 of RAM; 28 cycles a record with
 * spans of 128 bytes, 44 with 64, in place of 60 a byte. Up to this many bytes wait until
 * more come. */
#ifndef MCUPROF_SPAN_BYTES
#define MCUPROF_SPAN_BYTES 0
#endif
#if MCUPROF_SPAN_BYTES < 0 || MCUPROF_SPAN_BYTES > MCUPROF_RING_BYTES / 2
#error "MCUPROF_SPAN_BYTES: from 1 to half of MCUPROF_RING_BYTES, or 0"
#endif

/* 1: the ring is an RTT buffer, which a debug probe (OpenOCD, pyOCD, J-Link, probe-rs)
 * reads in the target's RAM: the link `rtt`. 0: it is not.
 * Gives: no UART and no interrupt.
 * Costs: 60 bytes of ROM, 56 of RAM; 8 cycles a record in place of 60 a byte. */
#ifndef MCUPROF_RTT
#define MCUPROF_RTT 0
#endif
#if MCUPROF_RTT && (__SIZEOF_POINTER__ != 4 || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
#error "MCUPROF_RTT: for little-endian processors of 32 bits only"
#endif
#if MCUPROF_RTT && MCUPROF_SPAN_BYTES
#error "MCUPROF_RTT sends no spans: leave MCUPROF_SPAN_BYTES at 0"
#endif

/* With MCUPROF_RTT: code that waits for a probe which reads nothing gives up after this
 * many turns of some 40 cycles, and throws away the bytes in the ring. Then no code waits
 * until the probe reads again. The turns should take longer than the probe's polling
 * interval, which is 100 ms in OpenOCD. */
#ifndef MCUPROF_RTT_TURNS
#define MCUPROF_RTT_TURNS 500000
#endif

/* MCUPROF_LINK_IRQ: with MCUPROF_WAIT on a Cortex-M, the number of the link's interrupt,
 * as in NVIC_EnableIRQ(). On others the board provides mcuprof_may_wait(). */

/* 1: mcuprof_link_entry() masks interrupts.
 * Gives: an interrupt that outranks the link's may call mcuprof_start(), mcuprof_flush()
 * and mcuprof_end(). With 0, it sends amid the link's interrupt, and a record is damaged.
 * Costs, on a Cortex-M0+: 18 bytes of ROM, 8 of stack; some 19 cycles for each byte sent.
 */
#ifndef MCUPROF_LINK_MASKED
#define MCUPROF_LINK_MASKED 0
#endif

/* MCUPROF_LINK_ADDRESS: with a driver of target/link/, the address of its UART's
 * registers. */

/* 1: counting a call leaves the processor's flags as they were. 0: it may change them.
 * Gives: assembly may keep flags across a call that is counted. Compiled code does not.
 * Costs, on a Cortex-M: 28 bytes of ROM; 12 cycles a call. */
#ifndef MCUPROF_KEEP_FLAGS
#define MCUPROF_KEEP_FLAGS 0
#endif

#endif
