/* SPDX-License-Identifier: MIT */
/*
 * Events and text: all that is the same on every chip. An event that the assembly of
 * arch/ does not find in the cache comes to mcuprof_count(); a counter that must leave
 * the cache becomes a record; records wait in the ring for the link. All of it runs with
 * interrupts masked, so that interrupts may be profiled as well. Only samples with paths
 * do not mask them, for they take long: code that interrupts one finds MCUPROF_SAYING()
 * true.
 */
#include "mcuprof_cache.h"
#include "mcuprof_path_encoder.h"
#include "mcuprof_timeline_encoder.h"

struct mcuprof mcuprof_state;

/* Where no interrupts are let in, nothing needs to know the state before. */
#define IRQ(irq) (MCUPROF_LETS_IN ? (irq) : MCUPROF_IRQ_MASKED)

#ifndef MCUPROF_S_COUNT
/* This is a function of its own so that mcuprof_count() saves one register less. */
static __attribute__((noinline)) FN void lose(unsigned kind)
{
    mcuprof_state.total[kind].lost++;
}

/* If the record does not fit into the ring, the new event is lost and the cache stays as
 * it is: that loses least. */
__attribute__((used)) FN void mcuprof_count(uint32_t from, uint32_t to, mcuprof_irq irq)
{
    while (!try_count(from, to, IRQ(irq))) {
        unsigned kind = mcuprof_kind_of(from, to);

        if ((MCUPROF_SAMPLES && kind == MCUPROF_OF_SAMPLES) || !waited(irq)) {
            lose(kind); /* sampling outranks the link */
            break;
        }
    }
}
#endif

#if MCUPROF_CALLS
#if MCUPROF_ENTRIES
FN struct mcuprof_entry *mcuprof_call_counter(mcuprof_key to, mcuprof_key from,
                                              uint32_t total, mcuprof_irq irq)
{
    struct mcuprof_entry *counter;

    while (!(counter = try_call(from, to, total, IRQ(irq)))) {
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
    call.shortest = call.longest = 0; /* of one call they are not sent */
    MCUPROF_SET_CONTEXT(&call);
    while (!put_alone(&call, IRQ(irq))) {
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

/* Whether there is room for a byte of text. In half of the ring's places text leaves room
 * for a sample's record, which would never get any from text that fills the ring; in the
 * other half it asks for less than a sample does, and gets as much as it needs from
 * samples that fill the ring. */
static inline FN bool text_fits(void)
{
    unsigned bytes = MCUPROF_RECORD_BYTES_MAX;

#if MCUPROF_PATHS
    if (mcuprof_state.head >= MCUPROF_RING_BYTES / 2) {
        bytes = MCUPROF_PATH_ROOM;
    }
#endif
    return room(bytes + 1);
}

FN bool mcuprof_put_text(uint8_t byte, mcuprof_irq irq)
{
    struct mcuprof *m = &mcuprof_state;

    while (!text_fits() || MCUPROF_SAYING()) {
        if (!waited(irq)) {
            return false;
        }
    }
    m->ring[m->head] = byte < 0x80 ? byte : '?';
#if MCUPROF_LETS_IN
    m->moves++;
#endif
    publish((m->head + 1u) % MCUPROF_RING_BYTES);
    kick();
    return true;
}
