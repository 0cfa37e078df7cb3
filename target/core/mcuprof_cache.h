/* SPDX-License-Identifier: MIT */
/*
 * The cache: a few counters, which the most frequent events keep. The assembly of arch/
 * looks for a call in its own entries only, for a sample in its whole set. An event that
 * it does not find there comes here, unless the assembly sees that the ring is full.
 * Without a cache each event is a record. This file is a part of mcuprof.c alone.
 */
#ifndef MCUPROF_CACHE_H
#define MCUPROF_CACHE_H

#include "mcuprof_account.h"

#if MCUPROF_ENTRIES || MCUPROF_SITES
/* Sends the counter whose entry is at this address, if there is one, and frees the
 * entry. */
FN bool mcuprof_send_counter(uintptr_t at, mcuprof_irq irq)
{
    struct mcuprof_entry *entry = (struct mcuprof_entry *)at;

    if (entry->count) {
        if (!room(MCUPROF_RECORD_BYTES_MAX)) {
            return false;
        }
        put_event(entry, irq);
        if ((MCUPROF_BLOCKS || MCUPROF_CALLS) && entry->count == 0) {
            entry->to = 0; /* their hooks do not look at the count */
        }
    }
    return !MCUPROF_LETS_IN || entry->count == 0;
}
#endif

__attribute__((noinline)) FN bool mcuprof_put_due(mcuprof_irq irq)
{
    return put_due_here(irq);
}

#ifndef MCUPROF_S_COUNT
/* Where calls are timed, mcuprof_put_due() may be called: it adds nothing to the deepest
 * stack, for the records of timed calls take more. */
#define PUT_DUE(irq) (MCUPROF_CALLS ? mcuprof_put_due(irq) : put_due_here(irq))

#if MCUPROF_LETS_IN /* behind an mcuprof_end() that was let in nothing is sent */
#define MAY_SEND() (!MCUPROF_SAYING() && mcuprof_state.hooks_on)
#else
#define MAY_SEND() (!MCUPROF_SAYING())
#endif

/* Behind a record that was not appended: whether it was for what had been let in, so that
 * it must be made anew. */
static inline FN bool may_try_again(void)
{
    return MCUPROF_LETS_IN && room(MCUPROF_RECORD_BYTES_MAX);
}

/* Counts a try, and returns the state of interrupts to let in by: masked after the fourth
 * try, so that interrupts which count each time keep no task from going on. */
static inline __attribute__((always_inline)) FN mcuprof_irq of_try(unsigned *tries,
                                                                   mcuprof_irq irq)
{
    return MCUPROF_LETS_IN && ++*tries > 4 ? MCUPROF_IRQ_MASKED : irq;
}

#if MCUPROF_ENTRIES
static FN struct mcuprof_entry *smaller(struct mcuprof_entry *a, struct mcuprof_entry *b)
{
    return b->count < a->count ? b : a;
}

/* Lets two counters change places. Fields that the caller sets in the second afterwards
 * may be left out. */
static inline FN void exchange(struct mcuprof_entry *a, struct mcuprof_entry *b)
{
#ifdef MCUPROF_SHORT_COUNTERS /* by bytes, for an 8-bit processor */
    for (uint8_t *x = (uint8_t *)a, *y = (uint8_t *)b; x != (uint8_t *)(a + 1); x++) {
        uint8_t byte = *x;

        *x = *y;
        *y++ = byte;
    }
#elif MCUPROF_CALLS || MCUPROF_BY_TASK
    struct mcuprof_entry moved = *a;

    *a = *b;
    *b = moved;
#else
    a->from = b->from;
    a->to = b->to;
    a->count = b->count;
#endif
}

/*
 * Returns the counter of an event that is not in its own entries; the count of a new
 * one is 0. NULL: the ring is full. If no entry of its set has the event, the smallest
 * counter there makes room, for it is the least likely to be wanted soon; every 4th
 * time one does in turn, whatever its count, so that counters of a phase long past go
 * too. The counter then changes places with the smaller of the event's own entries,
 * where it is found at once from now on.
 */
static FN struct mcuprof_entry *counter_of(mcuprof_key from, mcuprof_key to,
                                           mcuprof_irq irq)
{
    unsigned first = mcuprof_own(from, to);
    struct mcuprof_entry *set = mcuprof_state.entry + (first & ~(MCUPROF_WAYS - 1u));
    struct mcuprof_entry *own = mcuprof_state.entry + first;
    struct mcuprof_entry *at, *entry;
    mcuprof_events count;
    unsigned tries = 0;

again:
    irq = of_try(&tries, irq);
    (void)let_in(moves_now(), irq);
    at = entry = set;
    do {
        if (at->to == to && at->from == from && MCUPROF_OF_CONTEXT(at) &&
            (at->count != MCUPROF_EVENTS_MAX || MCUPROF_SENT_IF_FULL(from, to))) {
            entry = at;
            goto found;
        }
        entry = smaller(at, entry);
    } while (++at != set + MCUPROF_WAYS);
    if (entry->count != 0) {
        if (mcuprof_state.due % 4 == 0) {
            entry = set + mcuprof_state.due / 4 % MCUPROF_WAYS;
        }
        if (!let_in(moves_now(), irq)) {
            goto again;
        }
        if (!MAY_SEND()) {
            return NULL;
        }
        if (!PUT_DUE(irq) || !mcuprof_send_counter((uintptr_t)entry, irq)) {
            if (may_try_again()) {
                goto again;
            }
            return NULL;
        }
    }
found:
    if (!let_in(moves_now(), irq)) {
        goto again;
    }
    own = smaller(own, own + MCUPROF_OWN - 1);
    count = entry->count;
    exchange(entry, own);
#if MCUPROF_LETS_IN
    mcuprof_state.moves++;
#endif
    own->to = to;
    own->from = from;
    own->count = count;
    MCUPROF_SET_CONTEXT(own);
    return own;
}

static FN bool try_count(uint32_t from, uint32_t to, mcuprof_irq irq)
{
    struct mcuprof_entry *counter = counter_of(MCUPROF_KEY(from), MCUPROF_KEY(to), irq);

    if (counter) {
        counter->count++;
    }
    return counter != NULL;
}

#if MCUPROF_CALLS
/* Returns the counter of a timed call, with room for this one; NULL: the ring is full. */
static FN struct mcuprof_entry *try_call(mcuprof_key from, mcuprof_key to, uint32_t total,
                                         mcuprof_irq irq)
{
    struct mcuprof_entry *counter;

again:
    counter = MCUPROF_SAYING() ? NULL : counter_of(from, to, irq);
    if (!counter) {
        return NULL;
    }
    if (!mcuprof_call_fits(counter, total) &&
        !mcuprof_send_counter((uintptr_t)counter, irq)) {
        if (may_try_again()) {
            goto again;
        }
        return NULL;
    }
    if (counter->count == 0) {
        counter->to = to;
        counter->shortest = (mcuprof_ticks)-1;
        counter->longest = 0;
        counter->self = 0;
        counter->total = 0;
    }
    return MCUPROF_TOO_LONG(total) && !room(MCUPROF_RECORD_BYTES_MAX) ? NULL : counter;
}
#endif
#else
static inline FN bool put_alone(struct mcuprof_entry *event, mcuprof_irq irq)
{
    unsigned tries = 0;

    do { /* once, where no interrupts are let in */
        irq = of_try(&tries, irq);
        (void)let_in(moves_now(), irq);
        if (!MAY_SEND()) {
            return false;
        }
        if (PUT_DUE(irq)) {
            if (!room(MCUPROF_RECORD_BYTES_MAX)) {
                return false;
            }
            put_event(event, irq);
        } else if (!may_try_again()) {
            return false;
        }
    } while (MCUPROF_LETS_IN && event->count);
    return true;
}

static FN bool try_count(uint32_t from, uint32_t to, mcuprof_irq irq)
{
    struct mcuprof_entry event = {
        .from = MCUPROF_KEY(from), .to = MCUPROF_KEY(to), .count = 1};

    MCUPROF_SET_CONTEXT(&event);
    return put_alone(&event, irq);
}
#endif
#endif

#endif
