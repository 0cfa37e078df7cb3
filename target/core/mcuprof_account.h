/* SPDX-License-Identifier: MIT */
/*
 * The account of the events: hello, build ID, time, totals, the hash that proves a
 * block of records, and when each of these records is due. It is a part of mcuprof.c
 * alone.
 */
#ifndef MCUPROF_ACCOUNT_H
#define MCUPROF_ACCOUNT_H

#include "mcuprof_encoder.h"

/* The build ID, from the linker script: 16 bytes into its note. */
extern const uint32_t __mcuprof_build_id[] __attribute__((weak));
#define BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

static const uint32_t hello[MCUPROF_WIRE_HELLO_WORDS] MCUPROF_FLASH = {
    MCUPROF_SAMPLES ? MCUPROF_TIMER_HZ : 0,
    MCUPROF_PERIOD |
        MCUPROF_SAMPLES *MCUPROF_TIMER_RESTARTS *MCUPROF_WIRE_PERIOD_RESTARTS,
    MCUPROF_BASE,
    MCUPROF_WIRE_CONFIG(MCUPROF_ARCH, MCUPROF_ARCH_UNIT, MCUPROF_ENTRIES, MCUPROF_PATHS,
                        MCUPROF_RING_BYTES,
                        MCUPROF_WAIT *MCUPROF_WIRE_FLAG_WAIT |
                            MCUPROF_RANDOM * MCUPROF_WIRE_FLAG_DITHER |
                            MCUPROF_SAMPLES * MCUPROF_WIRE_FLAG_SAMPLES |
                            MCUPROF_ARCS * MCUPROF_WIRE_FLAG_ARCS |
                            MCUPROF_BLOCKS * MCUPROF_WIRE_FLAG_BLOCKS |
                            MCUPROF_CALLS * MCUPROF_WIRE_FLAG_CALLS |
                            MCUPROF_BY_TASK * MCUPROF_WIRE_FLAG_TASKS |
                            BIG_ENDIAN * MCUPROF_WIRE_FLAG_BIG_ENDIAN) |
        MCUPROF_THROUGH_INTERRUPTS *MCUPROF_WIRE_CONFIG_THROUGH,
};

static const struct words {
    const uint32_t *words; /* NULL: there is nothing to send */
    uint8_t start, count;
} words_records[] MCUPROF_FLASH = {
    [MCUPROF_PUT_HELLO] = {hello,
                           MCUPROF_WIRE_START(MCUPROF_WIRE_HELLO, MCUPROF_WIRE_VERSION),
                           MCUPROF_WIRE_HELLO_WORDS},
    [MCUPROF_PUT_BUILD_ID] = {__mcuprof_build_id,
                              MCUPROF_WIRE_START(MCUPROF_WIRE_HELLO,
                                                 MCUPROF_WIRE_HELLO_ID |
                                                     MCUPROF_WIRE_VERSION),
                              MCUPROF_WIRE_BUILD_ID_WORDS},
    [MCUPROF_PUT_TOTALS] = {&mcuprof_state.total[0].sent,
                            MCUPROF_WIRE_START(
                                MCUPROF_WIRE_TOTALS,
                                MCUPROF_SAMPLES *MCUPROF_WIRE_TOTALS_SAMPLES |
                                    MCUPROF_ARCS * MCUPROF_WIRE_TOTALS_ARCS |
                                    MCUPROF_BLOCKS * MCUPROF_WIRE_TOTALS_BLOCKS |
                                    MCUPROF_CALLS * MCUPROF_WIRE_TOTALS_CALLS),
                            MCUPROF_TOTALS_WORDS},
#if MCUPROF_TIMED
#if MCUPROF_CALLS
#define TIME_WORDS &mcuprof_state.time.hz
#else
#define TIME_WORDS &mcuprof_state.paths.sampling.ticks
#endif
    [MCUPROF_PUT_TIME] = {TIME_WORDS,
                          MCUPROF_WIRE_START(MCUPROF_WIRE_HELLO,
                                             MCUPROF_WIRE_HELLO_TIME |
                                                 MCUPROF_WIRE_VERSION),
                          MCUPROF_WIRE_TIME_WORDS},
#endif
};

FN bool mcuprof_put_words(uintptr_t which, mcuprof_irq irq)
{
    struct words copy;
    uint32_t constants[MCUPROF_WIRE_BUILD_ID_WORDS];
    uint32_t start = MCUPROF_WIRE_START(MCUPROF_WIRE_END, which - MCUPROF_PUT_END);
    const uint32_t *words = &mcuprof_state.hash;
    unsigned count = 1;

    if (which < MCUPROF_PUT_END) {
        const struct words *record = MCUPROF_CONSTANT(&copy, words_records + which);

        words = record->words;
        start = record->start;
        count = record->count;
        if (!words) {
            return true;
        }
    }
    if (which <= MCUPROF_PUT_BUILD_ID) {
        words = MCUPROF_CONSTANT(&constants, words);
    }
#if MCUPROF_PATHS
    if (which >= MCUPROF_PUT_TOTALS) {
        struct mcuprof_paths *p = mcuprof_the_paths();

        if (p->repeats && !put_repeats()) {
            return false; /* their path is in the block that this record closes */
        }
        p->said_used = MCUPROF_PATH_NONE;
    }
#endif
    if (!room(2 + MCUPROF_WIRE_WORD_GROUPS * count)) {
        return false;
    }
    if (which == MCUPROF_PUT_HELLO && mcuprof_state.hash == 0) {
        start |= MCUPROF_WIRE_HELLO_FIRST;
    }
#if MCUPROF_CALLS
    if (which == MCUPROF_PUT_TIME) {
        mcuprof_set_now();
    }
#endif
#if MCUPROF_LETS_IN && MCUPROF_TIMED /* what is let in changes them */
#if MCUPROF_CALLS
    struct mcuprof_time time = mcuprof_state.time;
#else
    struct mcuprof_sampling time = mcuprof_the_paths()->sampling;
#endif

    if (which == MCUPROF_PUT_TIME) {
        words = (const uint32_t *)&time;
    }
#endif
    if (!put_record(start, words, WORDS_LAYOUT(count), irq)) {
        return false;
    }
#if MCUPROF_BY_TASK /* if a block is lost, the next still names its events' task */
    if (which >= MCUPROF_PUT_TOTALS) {
        mcuprof_state.sent_task = UINT32_MAX;
    }
#endif
#if MCUPROF_TIMELINE
    if (which >= MCUPROF_PUT_TOTALS) {
        mcuprof_state.timeline.told = false;
    }
#endif
    return true;
}

/* The records that are due at the start of each quarter of 256 records, and half-way
 * through it. Totals and the hash close a block. With paths, nothing is due half-way
 * through the last two quarters: that makes blocks longer, and an address takes few bytes
 * from its second time in a block on. */
#define DUE(quarter)                                                                     \
    (MCUPROF_TIMED || (quarter) < 2 ? (quarter) : (unsigned)MCUPROF_PUT_TOTALS)
#define DUE_AMID(eighth)                                                                 \
    (MCUPROF_TIMED && MCUPROF_PATHS && (eighth) == 3 ? (unsigned)MCUPROF_PUT_TOTALS      \
                                                     : (unsigned)MCUPROF_PUT_CHECK)
#define DUE_NOW(eighth) ((eighth) % 2 ? DUE_AMID(eighth) : DUE((eighth) / 2))
#if __SIZEOF_INT__ >= 4 && !MCUPROF_CALLS /* a digit of a number is less code */
#define DUE_DIGIT(eighth) (DUE_NOW(eighth) << 4 * (eighth))
#define DUE_DIGITS                                                                       \
    (DUE_DIGIT(0) | DUE_DIGIT(1) | DUE_DIGIT(2) | DUE_DIGIT(3) | DUE_DIGIT(4) |          \
     DUE_DIGIT(5) | DUE_DIGIT(6) | DUE_DIGIT(7))
#define DUE_AT(eighth) ((DUE_DIGITS >> 4 * (eighth)) % 16)
#else
#define DUE_AT(eighth) DUE_NOW(eighth)
#endif

/* Appends the record that is due; false: no room now. With MCUPROF_LETS_IN it is always
 * false, so that most callers let interrupts in before what comes next, and
 * MCUPROF_STILL_DUE() says whether there was no room. Where the link is saturated, events
 * are lost rather than the account of them. */
#if MCUPROF_LETS_IN /* one function calls it */
static inline FN bool announce(mcuprof_irq irq)
#else
static __attribute__((noinline)) FN bool announce(mcuprof_irq irq)
#endif
{
    unsigned eighth = mcuprof_state.due / MCUPROF_DUE_RECORDS;

    if (!(MCUPROF_PATHS && (eighth & 5) == 5) &&
        !mcuprof_put_words(DUE_AT(eighth), irq)) {
        return false;
    }
    mcuprof_state.due++;
    return !MCUPROF_LETS_IN;
}

/* Appends the record that is due, if one is; false: as above. */
static inline __attribute__((always_inline)) FN bool put_due_here(mcuprof_irq irq)
{
    return mcuprof_state.due % MCUPROF_DUE_RECORDS != 0 || announce(irq);
}

#endif
