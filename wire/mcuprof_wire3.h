/* SPDX-License-Identifier: MIT */
/*
 * Version 3 of the wire: the chip stores words, and the PC makes sense of them. No
 * firmware sends it yet; the PC reads and writes it. docs/wire.md shows it with a worked
 * example, and says why it is so. What the hello's words mean is in mcuprof_wire.h.
 *
 *   block  = MAGIC, run, number (2 words), time (2 words), dither, hello (4 words),
 *            records, CLOSE, sum (2 words)
 *   record = a head word, and the words that it announces
 *
 * A number of 64 bits has its lower word first. Addresses are (address - base).
 */
#ifndef MCUPROF_WIRE3_H
#define MCUPROF_WIRE3_H

#ifndef __ASSEMBLER__
#include <stdint.h>
#endif

#define MCUPROF_WIRE3_VERSION 3

/* The first word of a block; bits 8 to 15 are the core that sent it. The hello's words
 * are those of version 2. */
#define MCUPROF_WIRE3_MAGIC(core)     (0xF38F00B3u | (uint32_t)(core) << 8)
#define MCUPROF_WIRE3_IS_MAGIC(word)  (((word)&0xFFFF00FFu) == 0xF38F00B3u)
#define MCUPROF_WIRE3_HEADER_WORDS    11
#define MCUPROF_WIRE3_SUM_WORDS       2
#define MCUPROF_WIRE3_BLOCK_WORDS_MAX 4096 /* with header and sum */

/*
 * On a line of bytes, words come in groups of three: a tag, then the bytes of each word,
 * lowest first, without the zeros above them. Console text stands between groups.
 * Elsewhere words come as they lie in memory, and text stands between blocks.
 */
#define MCUPROF_WIRE3_TAG         0x80
#define MCUPROF_WIRE3_TAG_FIRST   0x40 /* the first group of a block */
#define MCUPROF_WIRE3_GROUP_WORDS 3
/* Of the group's word 0, 1 or 2: its bytes, 1 to 4. */
#define MCUPROF_WIRE3_TAG_BYTES(tag, word) (((tag) >> 2 * (word)&3) + 1)

/*
 * A sample's head: new frames (3 bits, 0 to 5), frames kept (5 bits, outermost ones of
 * the path before), program counter >> unit (24 bits). The new return addresses follow,
 * the outermost first.
 * SAMPLE_LONG in place of the new frames: the head's other bits are 0, and three words
 * follow: new frames (8 bits), frames kept (8), how the path ends (2, ROOT_...); program
 * counter; weight: as many samples as that. The first path of a block is such a one, and
 * so is each that ends in another way than the one before, or whose head would be MAGIC.
 */
#define MCUPROF_WIRE3_NEW(head)   ((head)&7)
#define MCUPROF_WIRE3_NEW_MAX     5
#define MCUPROF_WIRE3_KEPT(head)  ((head) >> 3 & 31)
#define MCUPROF_WIRE3_KEPT_MAX    31
#define MCUPROF_WIRE3_PC(head)    ((head) >> 8)
#define MCUPROF_WIRE3_PC_MAX      0xFFFFFFu
#define MCUPROF_WIRE3_SAMPLE_LONG 6u
#define MCUPROF_WIRE3_OTHER       7u /* any other record: its kind is in bits 3 to 7 */
#define MCUPROF_WIRE3_HEAD(kind, value)                                                  \
    (MCUPROF_WIRE3_OTHER | (uint32_t)(kind) << 3 | (uint32_t)(value) << 8)
#define MCUPROF_WIRE3_KIND(head)  ((head) >> 3 & 31)
#define MCUPROF_WIRE3_VALUE(head) ((head) >> 8)
#define MCUPROF_WIRE3_VALUE_MAX   0xFFFFFFu

/* Kinds below 16 have a fixed number of words, and a value of 24 bits in the head. */
#define MCUPROF_WIRE3_NOTHING 0 /* fills up */
#define MCUPROF_WIRE3_TASK    1 /* value: whose is what follows; 0 at a block's begin */
#define MCUPROF_WIRE3_SKIP    2 /* value: samples that were taken and not sent, here */
#define MCUPROF_WIRE3_ARC     3 /* value: count; from, to; the count if value is 0 */
#define MCUPROF_WIRE3_BLOCK   4 /* value: count; address; the same */
#define MCUPROF_WIRE3_CALL    5 /* from, to; count, total, self, least, most: 2 each */
#define MCUPROF_WIRE3_CLOSE   6 /* value: why (2 bits), words before it; then the sum */
#define MCUPROF_WIRE3_EVENT   7 /* value: a metric; its weight (2): of the next sample */

/* Others have the number of their words in bits 8 to 15, and a value in the 16 above: a
 * reader passes over kinds that it does not know, and says so. */
#define MCUPROF_WIRE3_BUILD_ID 17 /* up to 5 words, as the target reads its bytes */
#define MCUPROF_WIRE3_NAME     18 /* value: a task, | IDLE; its name */
#define MCUPROF_WIRE3_TOTALS   19 /* value: kind of event; sent, lost before it */
#define MCUPROF_WIRE3_TIMES    20 /* clock, inside, outside; other, run (2 words each) */
#define MCUPROF_WIRE3_SAMPLING 21 /* least, most; ticks, interrupts, late (2 each) */
#define MCUPROF_WIRE3_ACCOUNT  22 /* by the PC: what a reader found, below */
/* These are defined, and not shown by the PC yet. */
#define MCUPROF_WIRE3_METRIC   23 /* value: its number; its unit and name, as text */
#define MCUPROF_WIRE3_DEVICE   25 /* text */
#define MCUPROF_WIRE3_WALL     26 /* seconds since 1970 (2 words), at the block's time */
#define MCUPROF_WIRE3_SETUP    27 /* value: what is wrong, SETUP_...; words about it */
#define MCUPROF_WIRE3_FAULT    28 /* registers; an event behind it has the path */
#define MCUPROF_WIRE3_COUNTERS 29 /* address of a table, counters as they lie there */
#define MCUPROF_WIRE3_STATE    30 /* of the timeline, as version 2's words */
#define MCUPROF_WIRE3_STEPS    31 /* of the timeline, a word each */
#define MCUPROF_WIRE3_RECORD(kind, words, value)                                         \
    MCUPROF_WIRE3_HEAD(kind, (uint32_t)(words) | (uint32_t)(value) << 8)
#define MCUPROF_WIRE3_WORDS(head)      ((head) >> 8 & 255)
#define MCUPROF_WIRE3_LONG_VALUE(head) ((head) >> 16)

/* Why a block ends. */
#define MCUPROF_WIRE3_FULL          0
#define MCUPROF_WIRE3_FLUSHED       1 /* all counters were sent before */
#define MCUPROF_WIRE3_STOPPED       2 /* the same, and nothing follows: mcuprof_end() */
#define MCUPROF_WIRE3_FROZEN        3 /* the recorder was stopped */
#define MCUPROF_WIRE3_WHY(value)    ((value)&3)
#define MCUPROF_WIRE3_BEFORE(value) ((value) >> 2)

/* Totals: of samples, arcs, basic blocks, timed calls; TOTALS_METRIC + n: of a metric. */
#define MCUPROF_WIRE3_TOTALS_METRIC 16

/* What is wrong with the firmware's set-up. */
#define MCUPROF_WIRE3_SETUP_OUTRANKED 1 /* an interrupt not outranked */
#define MCUPROF_WIRE3_SETUP_MASKED    2 /* for so many ticks, until pc */
#define MCUPROF_WIRE3_SETUP_STANDS    3 /* clock of times: 0, timeline: 1 */
#define MCUPROF_WIRE3_SETUP_BACK      4 /* it goes back */
#define MCUPROF_WIRE3_SETUP_WRAPS     5 /* it may have wrapped unread */
#define MCUPROF_WIRE3_SETUP_LONG      6 /* than a period: how many, of all */
#define MCUPROF_WIRE3_SETUP_STACK     7 /* of a task: bytes left */
#define MCUPROF_WIRE3_SETUP_KNOBS     8 /* hashes: the library's, an object's */

/* An account has flags as its value, and figures of 2 words each: damaged, discarded,
 * repaired, foreign, unproven, unsent, resets, starts, and those of them behind which a
 * whole period passes without a sample; then for each kind of event, how many came before
 * the recording. */
#define MCUPROF_WIRE3_ACCOUNT_FIGURES     13
#define MCUPROF_WIRE3_ACCOUNT_MAX         0xFFFFFFFu /* of the first 9 of them */
#define MCUPROF_WIRE3_ACCOUNT_INCOMPLETE  1
#define MCUPROF_WIRE3_ACCOUNT_MISMATCH    2
#define MCUPROF_WIRE3_ACCOUNT_UNACCOUNTED 4
#define MCUPROF_WIRE3_ACCOUNT_UNTOLD      8 /* nothing says what was lost */

/*
 * The sum: two words, from 0. It takes in each word of the block before them, MAGIC and
 * CLOSE's head included. In Thumb-1 that is 6 instructions of a cycle each, without a
 * multiplication.
 */
#define MCUPROF_WIRE3_SUM_STEP(hash, sum, word)                                          \
    ((hash) += (word), (hash) += (hash) << 10, (hash) ^= (hash) >> 6, (sum) += (hash))

/*
 * Dither: each sample draws its period, whether it is sent or not. The state of the
 * generator before the block's first sample is in the header.
 */
#define MCUPROF_WIRE3_DITHER_STEP(state) ((state)*1664525u + 1u)
#define MCUPROF_WIRE3_DITHER_PERIOD(state, mean)                                         \
    ((mean) < 65536 ? (((state) >> 16) * (mean) >> 16) + (mean) / 2 +                    \
                          ((mean) % 2 || ((state) >> 16) * (mean)&0x8000)                \
                    : (((state) >> 16) * ((mean) / 256) >> 8) + ((mean) + 1) / 2)

#endif
