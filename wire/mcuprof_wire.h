/* SPDX-License-Identifier: MIT */
/*
 * The wire: what firmware sends and the PC reads. Both halves include this header;
 * docs/wire.md shows every byte with worked examples.
 *
 *   record = start byte (top bit set), payload groups (top bit clear), check group
 *   start  = 1 kkk pppp      kind, parameters
 *
 * Values are cut into groups of 7 bits, lowest first. The start byte tells how many
 * groups each value has, and so the record's length; only a path's length follows from
 * its groups. A byte that belongs to no record is the program's console text.
 *
 * An address is sent as (address - base) >> unit, modulo 2^32; base and unit are in the
 * hello. The address of a basic block is the return address of the hook that it calls.
 */
#ifndef MCUPROF_WIRE_H
#define MCUPROF_WIRE_H

#ifndef __ASSEMBLER__
#include <stdint.h>
#endif

#define MCUPROF_WIRE_VERSION 2

/* Kinds of record: bits 6..4 of the start byte. */
#define MCUPROF_WIRE_HELLO  0 /* parameters: HELLO_FIRST, HELLO_ID | version */
#define MCUPROF_WIRE_SAMPLE 1 /* parameters: sizes; pc, count */
#define MCUPROF_WIRE_ARC    2 /* parameters: sizes; call site, callee, count */
#define MCUPROF_WIRE_BLOCK  3 /* parameters: sizes; address, count */
#define MCUPROF_WIRE_CALL   4 /* parameters: sizes; call site, callee, times */
#define MCUPROF_WIRE_TOTALS 5 /* parameters: one bit for each kind of event */
#define MCUPROF_WIRE_TASK   6 /* parameters: length of a name; number, name */
#define MCUPROF_WIRE_END    7 /* parameters: END_..., PATH..., or STEPS, STATE */

#define MCUPROF_WIRE_END_STOPPED 0 /* mcuprof_end(): the hash of the block (a word) */
#define MCUPROF_WIRE_END_CHECK   1 /* the same hash; a block ends */
#define MCUPROF_WIRE_END_FLUSHED 2 /* the same hash; all counters were sent before it */
#define MCUPROF_WIRE_END_RESET   3 /* the recorder, not the firmware, adds RESET_WORD: */
#define MCUPROF_WIRE_RESET_WORD  0x6d637572u
/* it says that another run follows, and that the first bytes of that run were lost. */

/*
 * Call paths, version 2. If the hello gives a depth, each sample has the path that was
 * sent last: the return addresses of the calls that led to it, outermost first. A record
 * of a path tells how the path differs from the last one; the first of a block tells all
 * of it.
 *
 *   END | PATH_SAMPLE + aa   shape, [drop], n addresses, program counter (2 + aa groups)
 *   END | PATH               shape, [drop], n addresses; more of the path follows
 *   END | PATH + pp          as PATH_SAMPLE, but pp, 1 to 3, are the program counter's
 *                            bits 14 and 15, and 2 groups hold the others
 *   SAMPLE                   the path is as before; sizes; pc, count
 *
 * The shape is a group: n (bits 0 to 2); then either (bit 6 clear) the number of
 * innermost frames that the last path loses (bits 3 to 5; PATH_DROP_MORE: a group with
 * the number follows); or (bit 6 set) the path is new, and bits 3 and 4 (ROOT_...; bit 5
 * is 0) tell how it ends at its outer side. Then n more frames come.
 *
 * Each address has a place. If it is the last address that the block sent for its place,
 * one group with the place stands for it. Else all of it is sent, in as many groups as
 * its first group tells, and it becomes the last address of its place.
 */
#define MCUPROF_WIRE_END_PATH_SAMPLE 8 /* + aa, up to 11 */
#define MCUPROF_WIRE_END_PATH        12
#define MCUPROF_WIRE_PATH_FRAMES     7 /* the most that a record has */
#define MCUPROF_WIRE_PATH_DROP(n)    ((n) << 3)
#define MCUPROF_WIRE_PATH_DROP_MORE  7
#define MCUPROF_WIRE_PATH_ANEW(root) (64 | (root) << 3)
#define MCUPROF_WIRE_ROOT_WHOLE      0 /* nothing called the outermost function */
#define MCUPROF_WIRE_ROOT_INTERRUPT  1 /* it is an interrupt's handler */
#define MCUPROF_WIRE_ROOT_CUT        2 /* there are more frames than the depth */
#define MCUPROF_WIRE_ROOT_UNSURE     3 /* there may be more, but they are not known */
/* The first group of an address in a path; the other groups have 7 bits each. */
#define MCUPROF_WIRE_PLACES           64 /* 0pppppp: the place */
#define MCUPROF_WIRE_PATH_SHORT       64 /* 10aaaaa: 1 more, 12 bits in all */
#define MCUPROF_WIRE_PATH_SHORT_BITS  12
#define MCUPROF_WIRE_PATH_MIDDLE      96 /* 110aaaa: 2 more, 18 bits */
#define MCUPROF_WIRE_PATH_MIDDLE_BITS 18
#define MCUPROF_WIRE_PATH_LONG        112 /* 111aaaa: 4 more, 32 bits */
/*
 * Firmware whose configuration has CONFIG_THROUGH follows paths through interrupts. In
 * such a path an address from 0xFFFFFF00 on is the EXC_RETURN of the handler next to it
 * on the inner side. The address next to it on the outer side, if there is one, is no
 * return address but the program counter of the interrupted code.
 */
#define MCUPROF_WIRE_CONFIG_THROUGH 0x00800000u
/* The place of a return address, which is not relative to the base. */
#define MCUPROF_WIRE_PLACE(address, unit) (((address) >> (unit)) % MCUPROF_WIRE_PLACES)

/*
 * Timeline, version 2, sent with MCUPROF_TIMELINE:
 *
 *   END | STEPS   8 steps of 3 groups each: a code, then 14 bits
 *   END | STATE   five words: Hz of the time base; when the next step begins, by it;
 *                 the task that runs then, its number in STATE_TASK bits, and above these
 *                 how many interrupts' handlers have begun and not returned; how many
 *                 events were sent before; how many were lost before; modulo 2^32
 *
 * In a step with a code below STEP_LATER, the 14 bits are the ticks since the step
 * before. Steps with the other codes go before such a step and give bits of its ticks,
 * its value or its name, the highest first; they hold for that step alone. A STATE comes
 * before the first STEPS of each block, and where events were lost before.
 */
#define MCUPROF_WIRE_END_STEPS        4
#define MCUPROF_WIRE_END_STATE        5
#define MCUPROF_WIRE_STEPS            8
#define MCUPROF_WIRE_STEP_GROUPS      3
#define MCUPROF_WIRE_STEP_BITS        14 /* beside the code */
#define MCUPROF_WIRE_STEP(code, bits) ((uint32_t)(code) | (uint32_t)(bits) << 7)
#define MCUPROF_WIRE_STATE_WORDS      5
#define MCUPROF_WIRE_STATE_TASK       14 /* bits of a task's number */
#define MCUPROF_WIRE_STEP_RETURN      0  /* the last handler that began returns */
#define MCUPROF_WIRE_STEP_TASK        0 /* + number, 1 to 31: this task runs from now on */
#define MCUPROF_WIRE_STEP_TASKS       31
#define MCUPROF_WIRE_STEP_IRQ         32 /* + number, 0 to 79: its handler begins */
#define MCUPROF_WIRE_STEP_IRQS        79
#define MCUPROF_WIRE_STEP_TASK_FAR    112 /* VALUE: the task's number */
#define MCUPROF_WIRE_STEP_IRQ_FAR     113 /* VALUE: the interrupt's number */
#define MCUPROF_WIRE_STEP_READY       114 /* VALUE: the number of a task that may run */
#define MCUPROF_WIRE_STEP_MARK        115 /* NAME; VALUE: a number with a sign */
#define MCUPROF_WIRE_STEP_BEGIN       116 /* NAME; a span begins */
#define MCUPROF_WIRE_STEP_END         117 /* NAME; it ends */
#define MCUPROF_WIRE_STEP_NOTHING     118 /* time passes; no event */
#define MCUPROF_WIRE_STEP_LATER       125 /* higher bits of the ticks */
#define MCUPROF_WIRE_STEP_VALUE       126 /* bits of the value */
#define MCUPROF_WIRE_STEP_NAME        127 /* bits of the address of the name, in the ELF */

#define MCUPROF_WIRE_START(kind, parameters) (0x80 | (kind) << 4 | (parameters))

/*
 * Sizes in the parameters of an event: aacc.
 * aa: groups of each address, less 2. cc: groups of the count: 0 (the count is 1), 1,
 * 2, 5.
 */
#define MCUPROF_WIRE_ADDRESS_GROUPS(parameters) (2 + ((parameters) >> 2 & 3))
#define MCUPROF_WIRE_COUNT_GROUPS(parameters)   (((parameters)&3) == 3 ? 5 : (parameters)&3)
#define MCUPROF_WIRE_WORD_GROUPS                5 /* of a 32-bit word */

/*
 * Sizes in the parameters of a timed call: aacc, aa as above.
 * cc: 0, 1: a single call: its total and self time, of 3 (cc 0) or 5 groups each;
 *     2, 3: count, total, self, shortest and longest time, of 3 (cc 2) or 5 groups each.
 * Times are in ticks of the time base, of calls that have ended. The total time is from
 * entry to exit without interrupts and other tasks in between; the self time is the total
 * without the timed calls that the call made.
 */
#define MCUPROF_WIRE_CALL_TIMES(parameters)  ((parameters)&2 ? 5 : 2)
#define MCUPROF_WIRE_CALL_GROUPS(parameters) ((parameters)&1 ? 5 : 3)

/*
 * A task's record without a name holds a number (2 groups): the events up to the next
 * such record are that task's. With a name (parameter: its length, 1 to 15), it names the
 * task of that number: each ASCII character is a group. From the first hello since
 * power-on up to the first record without a name, events belong to number 0, the program
 * without tasks. Behind a damaged record the task of the events is not known up to the
 * next record without a name.
 */
#define MCUPROF_WIRE_TASK_GROUPS    2
#define MCUPROF_WIRE_TASK_INTERRUPT 0x1000 /* + number of the interrupt */
#define MCUPROF_WIRE_TASK_IDLE      0x2000 /* with a name: the task only waits */

/*
 * Hello, in records of words (5 groups each), one after the other:
 * HELLO_FIRST | version:       HELLO_ID | version:
 *   0  timer clock, Hz            0-4  build ID, as the target reads its bytes as words;
 *   1  mean sampling period            all 0: the firmware has none
 *      in its ticks (31 bits), and PERIOD_RESTARTS if it begins when a sampling
 *      interrupt ends, not when it was due
 *   2  base of addresses
 *   3  configuration, below
 * Where calls are timed, HELLO_TIME | version:
 *   0  time base, Hz
 *   1  ticks that a pair of hooks takes between its two time stamps
 *   2  ticks that the rest of the pair takes, in its caller's time
 *   3  ticks that the profiler has spent beside these while it was on, modulo 2^32
 *   4  ticks that the profiler was on, modulo 2^32
 * The times of calls contain none of 1 to 3: the firmware subtracts them.
 * Firmware that samples, times no calls and measures what its sampling interrupt takes
 * sends the same record, in ticks of the timer clock:
 *   0  ticks between the first and the last reading of the timer in sampling interrupts
 *      so far, modulo 2^32
 *   1  the number of these interrupts, modulo 2^32
 *   2  least ticks from when an interrupt was due to its first reading, since the last
 *      mcuprof_start()
 *   3  most such ticks
 *   4  interrupts that were late by more than half a mean period, modulo 2^32
 */
#define MCUPROF_WIRE_HELLO_FIRST     8  /* parameter: the first record since power-on */
#define MCUPROF_WIRE_HELLO_ID        4  /* parameter: the build ID */
#define MCUPROF_WIRE_HELLO_TIME      12 /* parameter: the time base */
#define MCUPROF_WIRE_TIME_WORDS      5
#define MCUPROF_WIRE_HELLO_VERSION   3 /* mask of the version */
#define MCUPROF_WIRE_HELLO_WORDS     4
#define MCUPROF_WIRE_BUILD_ID_WORDS  5
#define MCUPROF_WIRE_PERIOD_RESTARTS 0x80000000u
#define MCUPROF_WIRE_PERIOD(word)    ((word)&0x7FFFFFFFu)
#define MCUPROF_WIRE_RESTARTS(word)  (((word)&MCUPROF_WIRE_PERIOD_RESTARTS) != 0)
#define MCUPROF_WIRE_CONFIG(arch, unit, entries, depth, ring, flags)                     \
    ((uint32_t)(arch) | (uint32_t)(unit) << 4 |                                          \
     (uint32_t)MCUPROF_WIRE_LOG2(entries) << 8 | ((uint32_t)(depth)&31) << 13 |          \
     (uint32_t)(depth) >> 5 << 6 | (uint32_t)MCUPROF_WIRE_LOG2(ring) << 18 |             \
     (uint32_t)(flags) << 24)
/* 0 if n is 0, else 1 + the exponent of n, a power of two up to 2^15. */
#define MCUPROF_WIRE_LOG2(n)                                                             \
    ((n) == 0       ? 0                                                                  \
     : (n) == 1     ? 1                                                                  \
     : (n) == 2     ? 2                                                                  \
     : (n) == 4     ? 3                                                                  \
     : (n) == 8     ? 4                                                                  \
     : (n) == 16    ? 5                                                                  \
     : (n) == 32    ? 6                                                                  \
     : (n) == 64    ? 7                                                                  \
     : (n) == 128   ? 8                                                                  \
     : (n) == 256   ? 9                                                                  \
     : (n) == 512   ? 10                                                                 \
     : (n) == 1024  ? 11                                                                 \
     : (n) == 2048  ? 12                                                                 \
     : (n) == 4096  ? 13                                                                 \
     : (n) == 8192  ? 14                                                                 \
     : (n) == 16384 ? 15                                                                 \
                    : 16)
#define MCUPROF_WIRE_ARCH(config)    ((config)&15)
#define MCUPROF_WIRE_UNIT(config)    ((config) >> 4 & 3)
#define MCUPROF_WIRE_ENTRIES(config) ((uint32_t)1 << ((config) >> 8 & 31) >> 1)
#define MCUPROF_WIRE_DEPTH(config)                                                       \
    (((config) >> 13 & 31) | ((config) >> 1 & 96)) /* 0: none */
#define MCUPROF_WIRE_RING_BYTES(config) ((uint32_t)1 << ((config) >> 18 & 31) >> 1)
#define MCUPROF_WIRE_FLAGS(config)      ((config) >> 24 & 255)
#define MCUPROF_WIRE_FLAG_WAIT          1 /* waits when the ring is full; else drops */
#define MCUPROF_WIRE_FLAG_DITHER        2 /* sampling is dithered */
#define MCUPROF_WIRE_FLAG_SAMPLES       4 /* samples are counted */
#define MCUPROF_WIRE_FLAG_ARCS          8 /* arcs are counted */
#define MCUPROF_WIRE_FLAG_BIG_ENDIAN    16
#define MCUPROF_WIRE_FLAG_BLOCKS        32  /* basic blocks are counted */
#define MCUPROF_WIRE_FLAG_CALLS         64  /* calls are timed */
#define MCUPROF_WIRE_FLAG_TASKS         128 /* counters are kept for each task */

/* Architectures. */
#define MCUPROF_WIRE_ARCH_PC       0
#define MCUPROF_WIRE_ARCH_CORTEX_M 1
#define MCUPROF_WIRE_ARCH_ARM      2
#define MCUPROF_WIRE_ARCH_RISCV    3
#define MCUPROF_WIRE_ARCH_SPARC    4
#define MCUPROF_WIRE_ARCH_AVR      5

/*
 * Totals hold, for each kind of event whose bit is set, lowest first: the events sent in
 * records so far and the events lost so far (words); then the sum of the check
 * accumulators of all records of any kind sent before this one (a word). All of them
 * count from power-on, modulo 2^32.
 */
#define MCUPROF_WIRE_TOTALS_SAMPLES 1
#define MCUPROF_WIRE_TOTALS_ARCS    2
#define MCUPROF_WIRE_TOTALS_BLOCKS  4
#define MCUPROF_WIRE_TOTALS_CALLS   8

/*
 * Blocks, version 2: totals, end and CHECK hold the hash of the block before them; in
 * totals and end it takes the place of that sum. A block is such a record and the records
 * behind it up to the next such record; the first block begins with the first record
 * since power-on. The hash starts as 0 and takes in each byte of the block's records,
 * start bytes and checks included.
 */
#define MCUPROF_WIRE_HASH_STEP(hash, byte)                                               \
    ((hash) + ((hash) << 8) + (byte)) /* 257 * hash + byte */
/* Whether a record with this start byte closes a block and begins the next, if the
 * firmware sent it. */
#define MCUPROF_WIRE_CLOSES(start)                                                       \
    (((start)&0xF0) == MCUPROF_WIRE_START(MCUPROF_WIRE_TOTALS, 0) ||                     \
     ((start)&0xFC) == MCUPROF_WIRE_START(MCUPROF_WIRE_END, 0))

/*
 * The check: an accumulator of 32 bits starts as the start byte, and takes in each group
 * as a = 3a + group. The check group is a mod 127. 3 generates the units modulo 127, and
 * 2^k is never 0 modulo 127, so every flipped payload bit is found where the accumulator
 * does not overflow (in events and the end). Other damage passes with probability 1/127,
 * and then shows in the sum of the totals and of the end.
 *
 * The fifth group of a word holds its 4 highest bits: if it is above 15, the record is
 * damaged, too.
 */
#define MCUPROF_WIRE_CHECK_STEP(a, group) ((a)*3u + (group))
#define MCUPROF_WIRE_CHECK_MODULUS        127u

#endif
