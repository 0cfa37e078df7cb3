/* SPDX-License-Identifier: MIT */
/*
 * The counters: all that is the same on every chip.
 *
 * Counters are kept in a small cache. The assembly of arch/ looks at a call's own place
 * only, or for a sample in all of its set; what it does not find there comes to
 * mcuprof_count(). What must leave the cache becomes a record (mcuprof_record.h). All
 * here runs with interrupts masked, so that interrupts may be profiled as well; but for
 * samples with paths, which take long: what outranks them finds MCUPROF_SAYING().
 */
#include "mcuprof.h"

#include "mcuprof_port.h"
#include "mcuprof_wire.h"

#define FN MCUPROF_NOT_PROFILED

/* Timed calls' records take more stack than a call of it does. */
#define PUT_DUE() (MCUPROF_CALLS ? mcuprof_put_due() : put_due_here())

struct mcuprof mcuprof_state;

#include "mcuprof_record.h"

#if MCUPROF_ENTRIES
/* A key may be in the WAYS entries of its set. Two of them, an even one and the next,
 * are its own. */
#define WAYS (MCUPROF_ENTRIES < MCUPROF_WAYS ? MCUPROF_ENTRIES : MCUPROF_WAYS)
#define OWN  MCUPROF_OWN

static FN struct mcuprof_entry *smaller(struct mcuprof_entry *a, struct mcuprof_entry *b)
{
    return b->count < a->count ? b : a;
}

/* Lets two counters change places, but for what is known of the second. */
static inline FN void exchange(struct mcuprof_entry *a, struct mcuprof_entry *b)
{
#ifdef MCUPROF_SHORT_COUNTERS /* a byte at a time, as all is there */
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
 * The counter of an event that is not in its own entries, its count 0 if it is new; NULL:
 * the ring is full. If it is nowhere in its set, the smallest counter there makes room,
 * for it is the least likely to be wanted soon; every 16th time one of its own entries
 * does in turn, so that counters of a phase long past go too. From where it is then, it
 * changes places with the smaller of its own entries, to be found at once from now on.
 */
static FN struct mcuprof_entry *counter_of(mcuprof_key from, mcuprof_key to)
{
    unsigned first = mcuprof_own(from, to);
    struct mcuprof_entry *set = mcuprof_state.entry + (first & ~(WAYS - 1u));
    struct mcuprof_entry *own = mcuprof_state.entry + first;
    struct mcuprof_entry *at = set, *entry = set;
    mcuprof_events count;

    do {
        if (at->to == to && at->from == from && MCUPROF_OF_CONTEXT(at) &&
            (at->count != MCUPROF_EVENTS_MAX || MCUPROF_SENT_IF_FULL(from, to))) {
            entry = at;
            goto found;
        }
        entry = smaller(at, entry);
    } while (++at != set + WAYS);
    if (entry->count != 0) {
        if (mcuprof_state.due % 16 == 0) {
            entry = own + mcuprof_state.due / 16 % OWN;
        }
        if (MCUPROF_SAYING() || !PUT_DUE() || !mcuprof_send_counter((uintptr_t)entry)) {
            return NULL;
        }
    }
found:
    own = smaller(own, own + OWN - 1);
    count = entry->count;
    exchange(entry, own);
    own->to = to;
    own->from = from;
    own->count = count;
    MCUPROF_SET_CONTEXT(own);
    return own;
}

static FN bool try_count(uint32_t from, uint32_t to)
{
    struct mcuprof_entry *counter = counter_of(MCUPROF_KEY(from), MCUPROF_KEY(to));

    if (counter) {
        counter->count++;
    }
    return counter != NULL;
}

#if MCUPROF_CALLS
/* Has room for this call then; NULL: the ring is full. */
static FN struct mcuprof_entry *try_call(mcuprof_key from, mcuprof_key to, uint32_t total)
{
    struct mcuprof_entry *counter = MCUPROF_SAYING() ? NULL : counter_of(from, to);

    if (!counter || (!mcuprof_call_fits(counter, total) &&
                     !mcuprof_send_counter((uintptr_t)counter))) {
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
static FN bool try_count(uint32_t from, uint32_t to)
{
    struct mcuprof_entry event;

    event.from = MCUPROF_KEY(from);
    event.to = MCUPROF_KEY(to);
    event.count = 1;
    MCUPROF_SET_CONTEXT(&event);
    return put_alone(&event);
}
#endif

/* The link has sent something, so that there may be room by now; false: not so, and the
 * code running now may not wait for it. Interrupts may count meanwhile. */
static inline __attribute__((always_inline)) FN bool waited(mcuprof_irq irq)
{
    (void)irq;
#if MCUPROF_WAIT
    if (mcuprof_may_wait()) {
#if MCUPROF_BY_TASK
        uint32_t context = mcuprof_state.context;
#endif
        mcuprof_wait(irq);
#if MCUPROF_BY_TASK
        mcuprof_state.context = context;
#endif
        return true;
    }
#endif
    return false;
}

/* Apart, so that mcuprof_count() has one register less to keep on the stack. */
static __attribute__((noinline)) FN void lose(unsigned kind)
{
    mcuprof_state.total[kind].lost++;
}

/* If the record does not fit into the ring, the new event is lost and the cache stays as
 * it is: that loses least. */
__attribute__((used)) FN void mcuprof_count(uint32_t from, uint32_t to, mcuprof_irq irq)
{
    while (!try_count(from, to)) {
        unsigned kind = mcuprof_kind_of(from, to);

        if ((MCUPROF_SAMPLES && kind == MCUPROF_OF_SAMPLES) || !waited(irq)) {
            lose(kind); /* sampling outranks the link */
            break;
        }
    }
}

#if MCUPROF_CALLS
#if MCUPROF_ENTRIES
FN struct mcuprof_entry *mcuprof_call_counter(mcuprof_key to, mcuprof_key from,
                                              uint32_t total, mcuprof_irq irq)
{
    struct mcuprof_entry *counter;

    while (!(counter = try_call(from, to, total))) {
        if (!waited(irq)) {
            mcuprof_call_lost();
            break;
        }
    }
    return counter;
}
#else
FN void mcuprof_add_call(mcuprof_key from, mcuprof_key to, uint32_t total, uint32_t self,
                         mcuprof_irq irq)
{
    struct mcuprof_entry call;

    call.from = from;
    call.to = to;
    call.count = 1;
    call.total = total;
    call.self = self;
    MCUPROF_SET_CONTEXT(&call);
    while (!put_alone(&call)) {
        if (!waited(irq)) {
            mcuprof_call_lost();
            break;
        }
    }
}
#endif

#ifndef MCUPROF_S_CALLS
FN void mcuprof_call_lost(void)
{
    mcuprof_state.total[MCUPROF_OF_CALLS].lost++;
}
#endif
#endif

FN bool mcuprof_put_text(uint8_t byte, mcuprof_irq irq)
{
    struct mcuprof *m = &mcuprof_state;

    while (!room(MCUPROF_RECORD_BYTES_MAX + 1) || MCUPROF_SAYING()) {
        if (!waited(irq)) {
            return false;
        }
    }
    m->ring[m->head] = byte < 0x80 ? byte : '?';
    m->head = (mcuprof_index)((m->head + 1u) % MCUPROF_RING_BYTES);
    kick();
    return true;
}
