/* SPDX-License-Identifier: MIT */
/*
 * The encoder: records of events, byte for byte as mcuprof_wire.h has them. It is a
 * part of mcuprof.c alone: compiled apart, it would cost 48 bytes of ROM and 40 cycles
 * a record more, for functions that are called once are expanded inline.
 */
#ifndef MCUPROF_ENCODER_H
#define MCUPROF_ENCODER_H

#include "mcuprof_ring.h"

/* A record's layout: a bit for each group of 7 bits, the lowest for the first group, is
 * 1 where the next value begins. One more 1 stands behind the last. */
#if MCUPROF_SHORT_LAYOUT
typedef uint32_t record_layout;
#define WORDS_LAYOUT(count) (0x42108421u & (((uint32_t)2 << 5 * (count)) - 1))
#else /* no shift by a variable: that might be a call of the compiler's library */
typedef uint64_t record_layout;
#define WORDS_LAYOUT(count)                                                              \
    ((count) == 7 ? 0x842108421u : 0x2108421u & (((uint32_t)2 << 5 * (count)) - 1))
#endif

/* mcuprof_state.moves, where interrupts are let in. */
static inline __attribute__((always_inline)) FN uint32_t moves_now(void)
{
#if MCUPROF_LETS_IN
    return mcuprof_state.moves;
#else
    return 0;
#endif
}

/* Lets interrupts in, where that is done. Returns whether these, and tasks that ran
 * meanwhile, have left mcuprof_state.moves as it was. */
static inline __attribute__((always_inline)) FN bool let_in(uint32_t moves,
                                                            mcuprof_irq irq)
{
#if MCUPROF_LETS_IN
    mcuprof_irq_let_in(irq);
#endif
    (void)irq;
    return moves_now() == moves;
}

/* put_record() appends a record, for which there is room. With MCUPROF_LETS_IN it returns
 * false where an interrupt or a task that was let in has appended something, begun a
 * record in the same place or moved a counter: then it has appended nothing, and the
 * record must be made anew. `irq` is the state of interrupts before they were masked. */
#ifdef MCUPROF_S_COUNT
bool mcuprof_put_record(uint32_t start, const uint32_t *values, record_layout layout,
                        mcuprof_irq irq);
#define put_record mcuprof_put_record
#elif defined(MCUPROF_S_PUT)
void mcuprof_put_record(uint32_t start, const uint32_t *values, record_layout layout);
static inline __attribute__((always_inline)) FN bool
put_record(uint32_t start, const uint32_t *values, record_layout layout, mcuprof_irq irq)
{
    (void)irq;
    mcuprof_put_record(start, values, layout);
    return true;
}
#else
/* A record that is being appended. */
struct writer {
    mcuprof_index head;
    uint32_t check, hash;
};

static inline __attribute__((always_inline)) FN void put_group(struct writer *writer,
                                                               uint32_t group)
{
    mcuprof_state.ring[writer->head] = (uint8_t)group;
    writer->head = (mcuprof_index)((writer->head + 1u) % MCUPROF_RING_BYTES);
    writer->check = MCUPROF_WIRE_CHECK_STEP(writer->check, group);
    writer->hash = MCUPROF_WIRE_HASH_STEP(writer->hash, group);
}

/* Begins a record. A record that closes a block is also the first of the next block, so
 * its hash starts at 0; mcuprof_state.hash keeps the hash that the record sends until all
 * of the record is in the ring. */
static inline __attribute__((always_inline)) FN struct writer put_start(uint32_t start)
{
    const struct mcuprof *m = &mcuprof_state;
    struct writer writer = {m->head, 0, MCUPROF_WIRE_CLOSES(start) ? 0 : m->hash};

    put_group(&writer, start);
    writer.check = start;
    return writer;
}

static inline __attribute__((always_inline)) FN void put_check(struct writer *writer)
{
    struct mcuprof *m = &mcuprof_state;
    uint32_t check = writer->check;

    while (check > MCUPROF_WIRE_CHECK_MODULUS) { /* 128 is 1 modulo 127 */
        check = (check & 0x7F) + (check >> 7);
    }
    put_group(writer, check == MCUPROF_WIRE_CHECK_MODULUS ? 0 : check);
    publish(writer->head);
#if MCUPROF_LETS_IN
    m->moves++;
#endif
    m->hash = writer->hash;
    if (m->due % MCUPROF_DUE_RECORDS != 0) { /* else what is due stays due */
        m->due++;
    }
    kick();
}

static FN bool put_record(uint32_t start, const uint32_t *values, record_layout layout,
                          mcuprof_irq irq)
{
    struct writer writer;
    uint32_t value = 0, moves;

#if MCUPROF_LETS_IN
    mcuprof_state.moves++; /* another record that is being made is written over */
#endif
    moves = moves_now();
    if (!let_in(moves, irq)) {
        return false;
    }
    writer = put_start(start);
    for (; layout > 1; layout >>= 1) {
        if (layout & 1) {
            if (!let_in(moves, irq)) {
                return false;
            }
            value = *values++;
        }
        put_group(&writer, value & 0x7F);
        value >>= 7;
    }
    if (!let_in(moves, irq)) {
        return false;
    }
    put_check(&writer);
    return true;
}
#endif

#if MCUPROF_BY_TASK
/* Appends a task's record: the task's number is the first value, each character of its
 * name is another. */
static FN void put_task(uint32_t number, const char *name)
{
    uint32_t values[1 + 15], length = 0;

    values[0] = number;
    for (; length < 15 && name[length]; length++) {
        values[1 + length] = (uint8_t)name[length] & 0x7F;
    }
    put_record(MCUPROF_WIRE_START(MCUPROF_WIRE_TASK, length), values,
               1 | (((uint32_t)2 << length) - 1) << MCUPROF_WIRE_TASK_GROUPS,
               MCUPROF_IRQ_MASKED);
}

FN void mcuprof_put_name(struct mcuprof_task *task)
{
    if (!task->named && task->name && task->name[0] && mcuprof_state.hash &&
        !mcuprof_state.ended && room(MCUPROF_RECORD_BYTES_MAX)) {
        put_task(task->number | (task->idle ? MCUPROF_WIRE_TASK_IDLE : 0), task->name);
        task->named = true;
    }
}

/* Appends a record which says that the events after it are of this task. */
static FN void put_whose(uint32_t number)
{
    struct mcuprof_task *task = mcuprof_task_of(number);

    if (task) {
        mcuprof_put_name(task);
    }
    put_task(number, "");
    mcuprof_state.sent_task = number;
}
#endif

#if MCUPROF_CALLS
/* Appends a record of timed calls, and takes them off their counter. Its numbers take 3
 * groups each if they fit, else 5. */
static FN void put_call(struct mcuprof_entry *call, mcuprof_irq irq)
{
    uint32_t values[] = {(MCUPROF_FROM(call) - MCUPROF_BASE) >> MCUPROF_ARCH_UNIT,
                         (MCUPROF_TO(call) - MCUPROF_BASE) >> MCUPROF_ARCH_UNIT,
                         call->count,
                         call->total,
                         call->self,
                         call->shortest,
                         call->longest};
    const uint32_t count = call->count, total = call->total, self = call->self;
    uint32_t start = MCUPROF_WIRE_START(MCUPROF_WIRE_CALL, 0), rest;
    unsigned groups = 2; /* of an address */
    bool wide = (count | total) >> 21 != 0;
    record_layout layout = wide ? 0x2108421 : 0x9249; /* five numbers */

    if (count == 1) {
        values[2] = total;
        values[3] = self;
        layout = wide ? 0x421 : 0x49;
    } else {
        start += 2;
    }
    start += wide;
    for (rest = (values[0] | values[1]) >> 14; rest; rest >>= 7) {
        start += 4;
        groups++;
    }
    for (unsigned i = 0; i < 2; i++) { /* no shift by a variable, as above */
        for (rest = groups; rest; rest--) {
            layout <<= 1;
        }
        layout |= 1;
    }
#if MCUPROF_LETS_IN
    if (put_record(start, values, layout, irq)) { /* it may have counted meanwhile */
        mcuprof_state.total[MCUPROF_OF_CALLS].sent += count;
        call->count -= count;
        call->total -= total;
        call->self -= self;
        /* where more are left, the shortest and longest may be of those sent */
        if (call->count == 1) {
            call->shortest = call->longest = call->total;
        }
    }
#else
    put_record(start, values, layout, irq);
    call->count = 0;
#endif
}
#endif

#ifdef MCUPROF_S_COUNT
#define put_event mcuprof_put_event
#else
/* Appends a record of an entry's events, for which there is room, and frees the entry:
 * its count is 0 then, and its addresses may be overwritten. Where interrupts were let in
 * it may have appended nothing, or the entry may have counted more. */
static FN void put_event(struct mcuprof_entry *entry, mcuprof_irq irq)
{
    uint32_t to = MCUPROF_TO(entry), count = entry->count, layout = 1, rest;
    uint32_t start = MCUPROF_WIRE_START(MCUPROF_WIRE_SAMPLE, 0);
#if defined(MCUPROF_SHORT_COUNTERS) || MCUPROF_LETS_IN
    struct {
        uint32_t from, to, count;
    } words = {MCUPROF_FROM(entry), to, count}, *event = &words;
#else
    struct mcuprof_entry *event = entry;
#endif
    const uint32_t *values = &event->to; /* samples and blocks send one of the two */
    unsigned kind = mcuprof_kind_of(event->from, to), groups = 2, end;

#if MCUPROF_BY_TASK
    if (entry->task != mcuprof_state.sent_task) {
        put_whose(entry->task);
    }
#endif
#if !MCUPROF_LETS_IN
    mcuprof_state.total[kind].sent += count;
#endif
#if MCUPROF_CALLS
    if (kind == MCUPROF_OF_CALLS) {
        put_call(entry, irq);
        return;
    }
#endif
    event->to = (to - MCUPROF_BASE) >> MCUPROF_ARCH_UNIT;
    event->from = (event->from - MCUPROF_BASE) >> MCUPROF_ARCH_UNIT;
    for (rest = (event->to | event->from) >> 14; rest; rest >>= 7) {
        start += 4;
        groups++;
    }
    end = groups;
    if (MCUPROF_ARCS && kind == MCUPROF_OF_ARCS) {
        start += MCUPROF_WIRE_START(MCUPROF_WIRE_ARC, 0) -
                 MCUPROF_WIRE_START(MCUPROF_WIRE_SAMPLE, 0);
        values = &event->from;
        layout |= (uint32_t)1 << end;
        end += groups;
    }
    if (MCUPROF_BLOCKS && kind == MCUPROF_OF_BLOCKS) {
        start += MCUPROF_WIRE_START(MCUPROF_WIRE_BLOCK, 0) -
                 MCUPROF_WIRE_START(MCUPROF_WIRE_SAMPLE, 0);
    }
    layout |= (uint32_t)1 << end;
    if (count > 1) {
        for (groups = 0, rest = count; rest && groups < 3; rest >>= 7) {
            groups++;
        }
        start += groups;
        if (groups == 3) {
            groups = MCUPROF_WIRE_WORD_GROUPS;
        }
        layout |= (uint32_t)1 << (end + groups);
    }
#if MCUPROF_LETS_IN
    if (put_record(start, values, layout, irq)) {
        mcuprof_state.total[kind].sent += count;
        entry->count -= count;
    }
#else
    (void)put_record(start, values, layout, irq);
    entry->count = 0;
#endif
}
#endif

#if MCUPROF_PATHS
/* Appends a record of the samples that were like the last one; false: no room now. */
static __attribute__((noinline)) FN bool put_repeats(void)
{
    struct mcuprof_paths *p = mcuprof_the_paths();
    struct mcuprof_entry event;

    if (!room(MCUPROF_RECORD_BYTES_MAX)) {
        return false;
    }
    event.from = event.to = MCUPROF_KEY(p->pc);
    event.count = (mcuprof_events)p->repeats;
#if MCUPROF_BY_TASK
    event.task = p->task;
#endif
    p->repeats = 0;
    do { /* surely at the second time: nothing else appends meanwhile, but sampling comes
          * here with interrupts open, and one that outranks it may move a counter; the
          * first time leaves them masked */
        put_event(&event, MCUPROF_IRQ_MASKED);
    } while (MCUPROF_LETS_IN && event.count);
    return true;
}
#endif

#endif
