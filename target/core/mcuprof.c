/* SPDX-License-Identifier: MIT */
/*
 * Collect, encode, ring: all that is the same on every chip.
 *
 * Counters are kept in a small cache. The assembly of arch/ looks at a call's own place
 * only, or for a sample in all of its set; what it does not find there comes to
 * mcuprof_count(). What must leave the cache becomes a record in the ring. All here runs
 * with interrupts masked, so that interrupts may be profiled as well.
 */
#include "mcuprof.h"

#include "mcuprof_port.h"
#include "mcuprof_wire.h"

#define FN MCUPROF_NOT_PROFILED

struct mcuprof mcuprof_state;

/* Addresses are sent relative to this, 0 unless the linker is told otherwise: for code at
 * 0x08000000, --defsym=__mcuprof_base=0x08000000 saves two bytes of each. */
#ifndef MCUPROF_BASE /* a port whose pointers have not 32 bits has its own */
extern const uint8_t __mcuprof_base[] __attribute__((weak));
#define MCUPROF_BASE ((uint32_t)(uintptr_t)__mcuprof_base)
#endif
/* The build ID, from the linker script: 16 bytes into its note. */
extern const uint32_t __mcuprof_build_id[] __attribute__((weak));
#define BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* ---- Ring and encoder ---- */

/* Whether `bytes` more fit; one place stays free, to tell full from empty. */
static FN bool room(unsigned bytes)
{
    const struct mcuprof *m = &mcuprof_state;

    return ((unsigned)m->tail - m->head - 1u) % MCUPROF_RING_BYTES >= bytes;
}

static FN void kick(void)
{
    if (!mcuprof_state.busy) {
        mcuprof_state.busy = 1;
        mcuprof_link_start();
    }
}

/* A bit for each group of 7 bits, the first lowest: 1 where the next of the values
 * begins; and one more 1 behind the last. */
#define TOTALS_WORDS (2 * MCUPROF_KINDS + 1)
#if MCUPROF_SHORT_LAYOUT
typedef uint32_t record_layout;
#define WORDS_LAYOUT(count) (0x42108421u & (((uint32_t)2 << 5 * (count)) - 1))
#else /* no shift by a variable: that might be a call of the compiler's library */
typedef uint64_t record_layout;
#define WORDS_LAYOUT(count)                                                              \
    ((count) == 7 ? 0x842108421u : 0x2108421u & (((uint32_t)2 << 5 * (count)) - 1))
#endif

/* After so many records one is due that announces or closes something. */
#define DUE_RECORDS 32

#ifdef MCUPROF_S_PUT
void mcuprof_put_record(uint32_t start, const uint32_t *values, record_layout layout);
#define put_record mcuprof_put_record
#else
/* Appends a record, for which there is room. One that closes a block begins the next:
 * m->hash keeps the hash that it sends until all of it is in the ring. */
static FN void put_record(uint32_t start, const uint32_t *values, record_layout layout)
{
    struct mcuprof *m = &mcuprof_state;
    mcuprof_index head = m->head;
    uint32_t check = start, value = 0, group;
    uint32_t hash = (MCUPROF_WIRE_CLOSES(start) ? 0 : m->hash * 257u) + start;

    m->ring[head] = (uint8_t)start;
    head = (mcuprof_index)((head + 1u) % MCUPROF_RING_BYTES);
    for (; layout > 1; layout >>= 1) {
        if (layout & 1) {
            value = *values++;
        }
        group = value & 0x7F;
        m->ring[head] = (uint8_t)group;
        head = (mcuprof_index)((head + 1u) % MCUPROF_RING_BYTES);
        check = MCUPROF_WIRE_CHECK_STEP(check, group);
        hash = MCUPROF_WIRE_HASH_STEP(hash, group);
        value >>= 7;
    }
    while (check > MCUPROF_WIRE_CHECK_MODULUS) { /* 128 is 1 modulo 127 */
        check = (check & 0x7F) + (check >> 7);
    }
    group = check == MCUPROF_WIRE_CHECK_MODULUS ? 0 : check;
    m->ring[head] = (uint8_t)group;
    m->head = (mcuprof_index)((head + 1u) % MCUPROF_RING_BYTES);
    m->hash = MCUPROF_WIRE_HASH_STEP(hash, group);
    if (m->due % DUE_RECORDS != 0) { /* else what is due still is */
        m->due++;
    }
    kick();
}
#endif

static const uint32_t hello[MCUPROF_WIRE_HELLO_WORDS] MCUPROF_FLASH = {
    MCUPROF_SAMPLES ? MCUPROF_TIMER_HZ : 0,
    MCUPROF_PERIOD,
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
                            BIG_ENDIAN * MCUPROF_WIRE_FLAG_BIG_ENDIAN),
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
                            TOTALS_WORDS},
#if MCUPROF_CALLS
    [MCUPROF_PUT_TIME] = {&mcuprof_state.time.hz,
                          MCUPROF_WIRE_START(MCUPROF_WIRE_HELLO,
                                             MCUPROF_WIRE_HELLO_TIME |
                                                 MCUPROF_WIRE_VERSION),
                          MCUPROF_WIRE_TIME_WORDS},
#endif
};

/* Appends a record of words; false: no room now. */
FN bool mcuprof_put_words(uintptr_t which)
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
    if (!room(2 + MCUPROF_WIRE_WORD_GROUPS * count)) {
        return false;
    }
    if (which == MCUPROF_PUT_HELLO && mcuprof_state.hash == 0) {
        start |= MCUPROF_WIRE_HELLO_FIRST;
    }
#if MCUPROF_CALLS
    if (which == MCUPROF_PUT_TIME) {
        mcuprof_state.time.now = MCUPROF_TIME() - mcuprof_state.time.started;
    }
#endif
    put_record(start, words, WORDS_LAYOUT(count));
    return true;
}

/* What is due at each quarter of 256 records; the hash of a block is due half-way. */
#if MCUPROF_CALLS
#define DUE(quarter) (quarter)
#else
#define DUE(quarter) ((quarter) < 2 ? (quarter) : (unsigned)MCUPROF_PUT_TOTALS)
#endif

/* Appends what is due; false: no room now. Where the link is saturated, events are lost
 * rather than the account of them. */
static __attribute__((noinline)) FN bool announce(void)
{
    unsigned eighth = mcuprof_state.due / DUE_RECORDS;

    if (!mcuprof_put_words(eighth % 2 ? (unsigned)MCUPROF_PUT_CHECK : DUE(eighth / 2))) {
        return false;
    }
    mcuprof_state.due++;
    return true;
}

/* The same, if anything is due. */
static inline __attribute__((always_inline)) FN bool put_due_here(void)
{
    return mcuprof_state.due % DUE_RECORDS != 0 || announce();
}

/* Timed calls' records take more stack than a call of it does. */
#define PUT_DUE() (MCUPROF_CALLS ? mcuprof_put_due() : put_due_here())

/* ---- Counters ---- */

/* Indices into mcuprof_state.total. */
#define SAMPLES 0u
#define ARCS    (MCUPROF_SAMPLES ? 1u : 0u)
#define BLOCKS  (ARCS + (MCUPROF_ARCS ? 1u : 0u))
#define CALLS   (BLOCKS + (MCUPROF_BLOCKS ? 1u : 0u))

/* Of which kind an event is. */
static inline __attribute__((always_inline)) FN unsigned kind_of(uint32_t from,
                                                                 uint32_t to)
{
    if (MCUPROF_BLOCKS && to - from == 1) {
        return BLOCKS;
    }
    if (MCUPROF_CALLS && (MCUPROF_KINDS == 1 || to & 1)) {
        return CALLS;
    }
    return MCUPROF_ARCS && (!MCUPROF_SAMPLES || to & 1) ? ARCS : SAMPLES;
}

/* The longest record. Events wait for room for that, whatever they need themselves, and
 * text for more: else interrupts with their short ones would for ever keep a task from
 * sending a long one. */
enum {
    TASK_BYTES_MAX = 4 + 19, /* before an event: its task's name, and that it is its */
    WORDS_MAX = MCUPROF_CALLS || TOTALS_WORDS > MCUPROF_WIRE_BUILD_ID_WORDS
                    ? 7
                    : MCUPROF_WIRE_BUILD_ID_WORDS,
    RECORD_BYTES_MAX =
        2 + WORDS_MAX * MCUPROF_WIRE_WORD_GROUPS + MCUPROF_BY_TASK * TASK_BYTES_MAX
};

#if MCUPROF_BY_TASK
/* A task's record: its number is the first value, each character of its name another. */
static FN void put_task(uint32_t number, const char *name)
{
    uint32_t values[1 + 15], length = 0;

    values[0] = number;
    for (; length < 15 && name[length]; length++) {
        values[1 + length] = (uint8_t)name[length] & 0x7F;
    }
    put_record(MCUPROF_WIRE_START(MCUPROF_WIRE_TASK, length), values,
               1 | ((2u << length) - 1) << MCUPROF_WIRE_TASK_GROUPS);
}

FN void mcuprof_put_name(struct mcuprof_task *task)
{
    if (!task->named && task->name && task->name[0] && mcuprof_state.hash &&
        room(RECORD_BYTES_MAX)) { /* not before the first hello */
        put_task(task->number | (task->idle ? MCUPROF_WIRE_TASK_IDLE : 0), task->name);
        task->named = true;
    }
}

/* Appends what says that the events that follow are of this task. */
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
/* Appends a record of timed calls. Numbers in 3 groups each where they fit. */
static FN void put_call(const struct mcuprof_entry *call)
{
    uint32_t values[] = {(MCUPROF_FROM(call) - MCUPROF_BASE) >> MCUPROF_ARCH_UNIT,
                         (MCUPROF_TO(call) - MCUPROF_BASE) >> MCUPROF_ARCH_UNIT,
                         call->count,
                         call->total,
                         call->self,
                         call->shortest,
                         call->longest};
    uint32_t start = MCUPROF_WIRE_START(MCUPROF_WIRE_CALL, 0), rest;
    unsigned bits = 4; /* of the layout, of the addresses */
    bool wide = (call->count | call->total) >> 21 != 0;
    record_layout layout = wide ? 0x2108421 : 0x9249; /* five numbers */

    if (call->count == 1) {
        values[2] = call->total;
        values[3] = call->self;
        layout = wide ? 0x421 : 0x49;
    } else {
        start += 2;
    }
    start += wide;
    for (rest = (values[0] | values[1]) >> 14; rest; rest >>= 7) {
        start += 4;
        bits += 2;
    }
    for (rest = bits; rest; rest--) { /* no shift by a variable, as above */
        layout = layout << 1 | (rest == bits / 2 + 1 || rest == 1);
    }
    put_record(start, values, layout);
}
#endif

#if MCUPROF_PATHS
#define COUNT_MAX 0x3FFFu /* of a record of a path's samples */

/* `end`, the layout's last bit where an address has 2 groups, for this one; adds `step`
 * to the start byte for each group more. */
static FN uint32_t address_end(uint32_t address, uint32_t end, uint32_t *start,
                               unsigned step)
{
    for (address >>= 14; address; address >>= 7) {
        *start += step;
        end <<= 1;
    }
    return end;
}

FN void mcuprof_put_node(const struct mcuprof_node *node)
{
    uint32_t start = MCUPROF_WIRE_START(MCUPROF_WIRE_END, MCUPROF_WIRE_END_NODE);
    uint32_t address = node->address & ~(uint32_t)1;
    uint32_t values[] = {node->number, node->parent,
                         (address - MCUPROF_BASE) >> MCUPROF_ARCH_UNIT};
    uint32_t end = address_end(values[2], 1 << 6, &start, 1);

    put_record(start, values, 1 | 1 << 2 | 1 << 4 | end);
}

/* Appends the samples of a path at a program counter; what a record cannot hold stays in
 * the entry. */
static FN void put_path_samples(struct mcuprof_entry *entry)
{
    uint32_t start = MCUPROF_WIRE_START(MCUPROF_WIRE_END, MCUPROF_WIRE_END_PATH_SAMPLE);
    uint32_t values[] = {entry->from >> 1,
                         (entry->to - MCUPROF_BASE) >> MCUPROF_ARCH_UNIT, entry->count};
    uint32_t end = address_end(values[1], 1 << 4, &start, 2);

    if (values[2] > COUNT_MAX) {
        values[2] = COUNT_MAX;
    }
    entry->count -= values[2];
    mcuprof_state.total[SAMPLES].sent += values[2];
    if (values[2] > 1) {
        start++;
        end |= end << 2;
    }
    put_record(start, values, 1 | 1 << 2 | end);
}
#endif

/* Appends a record of an entry's events, for which there is room. Takes the entry, or a
 * part of its count. */
static FN void put_event(struct mcuprof_entry *entry)
{
    uint32_t to = MCUPROF_TO(entry), count = entry->count, layout = 1, rest;
    uint32_t start = MCUPROF_WIRE_START(MCUPROF_WIRE_SAMPLE, 0);
#ifdef MCUPROF_SHORT_COUNTERS
    struct {
        uint32_t from, to, count;
    } words = {MCUPROF_FROM(entry), to, count}, *event = &words;
#else
    struct mcuprof_entry *event = entry;
#endif
    const uint32_t *values = &event->to; /* samples and blocks send one of the two */
    unsigned kind = kind_of(event->from, to), groups = 2, end;

#if MCUPROF_BY_TASK
    if (entry->task != mcuprof_state.sent_task) {
        put_whose(entry->task);
    }
#endif
#if MCUPROF_PATHS
    if (kind == SAMPLES) {
        put_path_samples(entry);
        return;
    }
#endif
    mcuprof_state.total[kind].sent += count;
#if MCUPROF_CALLS
    if (kind == CALLS) {
        put_call(entry);
        entry->count = 0;
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
    if (MCUPROF_ARCS && kind == ARCS) {
        start += MCUPROF_WIRE_START(MCUPROF_WIRE_ARC, 0) -
                 MCUPROF_WIRE_START(MCUPROF_WIRE_SAMPLE, 0);
        values = &event->from;
        layout |= (uint32_t)1 << end;
        end += groups;
    }
    if (MCUPROF_BLOCKS && kind == BLOCKS) {
        start += MCUPROF_WIRE_START(MCUPROF_WIRE_BLOCK, 0) -
                 MCUPROF_WIRE_START(MCUPROF_WIRE_SAMPLE, 0);
    }
    layout |= (uint32_t)1 << end;
    if (count > 1) {
        for (groups = 0; count && groups < 3; count >>= 7) {
            groups++;
        }
        start += groups;
        if (groups == 3) {
            groups = MCUPROF_WIRE_WORD_GROUPS;
        }
        layout |= (uint32_t)1 << (end + groups);
    }
    put_record(start, values, layout);
    entry->count = 0;
}

#if MCUPROF_ENTRIES == 0
/* Sends an event past the counters; false: no room now. */
static inline FN bool put_alone(struct mcuprof_entry *event)
{
    if (!put_due_here() || !room(RECORD_BYTES_MAX)) {
        return false;
    }
    put_event(event);
    return true;
}
#endif

#if MCUPROF_ENTRIES
/* A key may be in the WAYS entries of its set. Two of them, an even one and the next,
 * are its own. */
#define WAYS (MCUPROF_ENTRIES < MCUPROF_WAYS ? MCUPROF_ENTRIES : MCUPROF_WAYS)
#define OWN  MCUPROF_OWN

/* Sends the counter whose entry is at this address, if there is one, and frees the entry;
 * false: no room now. */
FN bool mcuprof_send_counter(uintptr_t at)
{
    struct mcuprof_entry *entry = (struct mcuprof_entry *)at;

    while (entry->count) {
        if (!room(RECORD_BYTES_MAX)) {
            return false;
        }
        put_event(entry);
#if MCUPROF_BLOCKS || MCUPROF_CALLS /* whose hooks do not look at the count */
        if (entry->count == 0) {
            entry->to = 0;
        }
#endif
    }
    return true;
}

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
        if (!PUT_DUE() || !mcuprof_send_counter((uintptr_t)entry)) {
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
    struct mcuprof_entry *counter = counter_of(from, to);

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
    return MCUPROF_TOO_LONG(total) && !room(RECORD_BYTES_MAX) ? NULL : counter;
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
        unsigned kind = kind_of(from, to);

        if ((MCUPROF_SAMPLES && kind == SAMPLES) || !waited(irq)) {
            lose(kind); /* sampling outranks the link */
            break;
        }
    }
}

#if MCUPROF_PATHS
/* Sampling outranks all that waits for room, and comes again and again: it leaves more
 * than text asks for, or text would never get any. */
FN bool mcuprof_sample_fits(void)
{
    return put_due_here() && room(RECORD_BYTES_MAX + 2);
}

/* Sends a sample past the counters. */
static FN void count_alone(uint16_t node, uint32_t pc)
{
    struct mcuprof_entry event;

    event.from = (uint32_t)node << 1;
    event.to = pc;
    event.count = 1;
    MCUPROF_SET_CONTEXT(&event);
    if (mcuprof_sample_fits()) {
        put_event(&event);
    } else {
        lose(SAMPLES);
    }
}

#if MCUPROF_ENTRIES
/* The better of the key's own entries to make room for a sample: the one with fewer
 * samples. A call's or a block's counter stays; NULL: both are such. */
static FN struct mcuprof_entry *victim_of(struct mcuprof_entry *own)
{
    struct mcuprof_entry *victim = NULL;

    for (struct mcuprof_entry *at = own; at < own + OWN; at++) {
        if ((at->count == 0 || kind_of(at->from, at->to) == SAMPLES) &&
            (!victim || at->count < victim->count)) {
            victim = at;
        }
    }
    return victim;
}

/* Samples are in their own entries or nowhere: their program counters differ so much that
 * a search costs more than the few records it saves. */
FN void mcuprof_count_path(uint16_t node, uint32_t pc)
{
    uint32_t from = (uint32_t)node << 1;
    struct mcuprof_entry *own = mcuprof_state.entry + mcuprof_own(from, pc), *victim;

    for (struct mcuprof_entry *at = own; at < own + OWN; at++) {
        if (at->to == pc && at->from == from && MCUPROF_OF_CONTEXT(at) && at->count &&
            at->count != MCUPROF_EVENTS_MAX) {
            at->count++;
            return;
        }
    }
    victim = victim_of(own);
    if (!victim) {
        count_alone(node, pc);
    } else if (victim->count &&
               (!mcuprof_sample_fits() || !mcuprof_send_counter((uintptr_t)victim))) {
        lose(SAMPLES);
    } else {
        victim->from = from;
        victim->to = pc;
        victim->count = 1;
        MCUPROF_SET_CONTEXT(victim);
    }
}
#else
FN void mcuprof_count_path(uint16_t node, uint32_t pc)
{
    count_alone(node, pc);
}
#endif

FN void mcuprof_lose_samples(void)
{
#if MCUPROF_ENTRIES
    for (struct mcuprof_entry *at = mcuprof_state.entry;
         at < mcuprof_state.entry + MCUPROF_ENTRIES; at++) {
        if (at->count && kind_of(at->from, at->to) == SAMPLES) {
            mcuprof_state.total[SAMPLES].lost += at->count;
            at->count = 0;
        }
    }
#endif
}
#endif

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
    mcuprof_state.total[CALLS].lost++;
}
#endif
#endif

__attribute__((noinline)) FN bool mcuprof_put_due(void)
{
    return put_due_here();
}

FN bool mcuprof_put_text(uint8_t byte, mcuprof_irq irq)
{
    struct mcuprof *m = &mcuprof_state;

    while (!room(RECORD_BYTES_MAX + 1)) {
        if (!waited(irq)) {
            return false;
        }
    }
    m->ring[m->head] = byte < 0x80 ? byte : '?';
    m->head = (mcuprof_index)((m->head + 1u) % MCUPROF_RING_BYTES);
    kick();
    return true;
}
