/* SPDX-License-Identifier: MIT */
/*
 * Records and the ring: what is said over the link, byte for byte as mcuprof_wire.h has
 * it. A part of mcuprof.c, and of that alone: compiled apart, it would be 48 bytes of ROM
 * and 40 cycles a record more, for what is called once is expanded where it is called.
 */
#ifndef MCUPROF_RECORD_H
#define MCUPROF_RECORD_H

/* The build ID, from the linker script: 16 bytes into its note. */
extern const uint32_t __mcuprof_build_id[] __attribute__((weak));
#define BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* Whether `bytes` more fit; one place stays free, to tell full from empty. */
static inline __attribute__((always_inline)) FN bool room_here(unsigned bytes)
{
    const struct mcuprof *m = &mcuprof_state;

    return ((unsigned)m->tail - m->head - 1u) % MCUPROF_RING_BYTES >= bytes;
}

static FN bool room(unsigned bytes)
{
    return room_here(bytes);
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
#if MCUPROF_SHORT_LAYOUT
typedef uint32_t record_layout;
#define WORDS_LAYOUT(count) (0x42108421u & (((uint32_t)2 << 5 * (count)) - 1))
#else /* no shift by a variable: that might be a call of the compiler's library */
typedef uint64_t record_layout;
#define WORDS_LAYOUT(count)                                                              \
    ((count) == 7 ? 0x842108421u : 0x2108421u & (((uint32_t)2 << 5 * (count)) - 1))
#endif

#ifdef MCUPROF_S_PUT
void mcuprof_put_record(uint32_t start, const uint32_t *values, record_layout layout);
#define put_record mcuprof_put_record
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

/* One that closes a block begins the next: mcuprof_state.hash keeps the hash that it
 * sends until all of it is in the ring. */
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
    m->head = writer->head;
    m->hash = writer->hash;
    if (m->due % MCUPROF_DUE_RECORDS != 0) { /* else what is due still is */
        m->due++;
    }
    kick();
}

/* Appends a record, for which there is room. */
static FN void put_record(uint32_t start, const uint32_t *values, record_layout layout)
{
    struct writer writer = put_start(start);
    uint32_t value = 0;

    for (; layout > 1; layout >>= 1) {
        if (layout & 1) {
            value = *values++;
        }
        put_group(&writer, value & 0x7F);
        value >>= 7;
    }
    put_check(&writer);
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
#if MCUPROF_CALLS || MCUPROF_SAMPLES_TIMED
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

#if MCUPROF_PATHS
static FN bool put_repeats(void);
#endif

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
#if MCUPROF_PATHS
    if (which >= MCUPROF_PUT_TOTALS) {
        struct mcuprof_paths *p = mcuprof_paths();

        if (p->repeats && !put_repeats()) {
            return false; /* their path is said in the block that this closes */
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
        mcuprof_state.time.now = MCUPROF_TIME() - mcuprof_state.time.started;
    }
#endif
    put_record(start, words, WORDS_LAYOUT(count));
#if MCUPROF_BY_TASK /* if a block is lost, the next says whose its events are */
    if (which >= MCUPROF_PUT_TOTALS) {
        mcuprof_state.sent_task = UINT32_MAX;
    }
#endif
    return true;
}

/* What is due at each quarter of 256 records, and half-way. Totals and the hash close a
 * block; with paths, whose addresses are short the second time in one, none does in the
 * last two quarters but the totals between them. */
#define TIMED        (MCUPROF_CALLS || MCUPROF_SAMPLES_TIMED)
#define DUE(quarter) (TIMED || (quarter) < 2 ? (quarter) : (unsigned)MCUPROF_PUT_TOTALS)
#define DUE_AMID(eighth)                                                                 \
    (TIMED && MCUPROF_PATHS && (eighth) == 3 ? (unsigned)MCUPROF_PUT_TOTALS              \
                                             : (unsigned)MCUPROF_PUT_CHECK)

/* Appends what is due; false: no room now. Where the link is saturated, events are lost
 * rather than the account of them. */
static __attribute__((noinline)) FN bool announce(void)
{
    unsigned eighth = mcuprof_state.due / MCUPROF_DUE_RECORDS;

    if (!(MCUPROF_PATHS && (eighth & 5) == 5) &&
        !mcuprof_put_words(eighth % 2 ? DUE_AMID(eighth) : DUE(eighth / 2))) {
        return false;
    }
    mcuprof_state.due++;
    return true;
}

/* The same, if anything is due. */
static inline __attribute__((always_inline)) FN bool put_due_here(void)
{
    return mcuprof_state.due % MCUPROF_DUE_RECORDS != 0 || announce();
}

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
        room(MCUPROF_RECORD_BYTES_MAX)) { /* not before the first hello */
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
    unsigned kind = mcuprof_kind_of(event->from, to), groups = 2, end;

#if MCUPROF_BY_TASK
    if (entry->task != mcuprof_state.sent_task) {
        put_whose(entry->task);
    }
#endif
    mcuprof_state.total[kind].sent += count;
#if MCUPROF_CALLS
    if (kind == MCUPROF_OF_CALLS) {
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
static inline FN bool put_alone(struct mcuprof_entry *event)
{
    if (MCUPROF_SAYING() || !put_due_here() || !room(MCUPROF_RECORD_BYTES_MAX)) {
        return false;
    }
    put_event(event);
    return true;
}
#endif

#if MCUPROF_ENTRIES
/* Sends the counter whose entry is at this address, if there is one, and frees the entry;
 * false: no room now. */
FN bool mcuprof_send_counter(uintptr_t at)
{
    struct mcuprof_entry *entry = (struct mcuprof_entry *)at;

    while (entry->count) {
        if (!room(MCUPROF_RECORD_BYTES_MAX)) {
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
#endif

__attribute__((noinline)) FN bool mcuprof_put_due(void)
{
    return put_due_here();
}

#if MCUPROF_PATHS
/* ---- Samples with paths ---- */

/* Appends the samples that are as the last one; false: no room now. */
static __attribute__((noinline)) FN bool put_repeats(void)
{
    struct mcuprof_paths *p = mcuprof_paths();
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
    put_event(&event);
    return true;
}

#if !defined(MCUPROF_S_PUT) && !defined(MCUPROF_S_TABLE)
static FN void put_groups(struct writer *writer, uint32_t value, unsigned groups)
{
    for (; groups; groups--) {
        put_group(writer, value & 0x7F);
        value >>= 7;
    }
}

/* Appends a return address: its place, if the reader has it there, or all of it. */
static FN void put_back(struct mcuprof_paths *p, struct writer *writer, uint32_t address)
{
    uint32_t key = MCUPROF_PATH_KEY(address);
    uint32_t *frame = &p->frame[key % MCUPROF_PATH_CACHE];
    uint32_t differs = *frame ^ (MCUPROF_PATH_TAG(key) | p->block);
    uint32_t sent = ((address & ~(uint32_t)1) - MCUPROF_BASE) >> MCUPROF_ARCH_UNIT;

    if (differs >> 9 == 0) {
        put_group(writer, key % MCUPROF_WIRE_PLACES);
        return;
    }
    *frame &= ~MCUPROF_PATH_BLOCKS;
    if (differs >> 16 == 0) {
        *frame |= p->block;
    }
    if (sent >> MCUPROF_WIRE_PATH_SHORT_BITS == 0) {
        put_group(writer, MCUPROF_WIRE_PATH_SHORT | (sent & 31));
        put_group(writer, sent >> 5);
    } else if (sent >> MCUPROF_WIRE_PATH_MIDDLE_BITS == 0) {
        put_group(writer, MCUPROF_WIRE_PATH_MIDDLE | (sent & 15));
        put_groups(writer, sent >> 4, 2);
    } else {
        put_group(writer, MCUPROF_WIRE_PATH_LONG | (sent & 15));
        put_groups(writer, sent >> 4, 4);
    }
}

/* Appends how the path differs from the last one that was said. */
static FN void put_shape(struct mcuprof_paths *p, struct writer *writer, unsigned known,
                         unsigned frames)
{
    unsigned gone = p->said - known;

    if (known == 0) {
        put_group(writer, MCUPROF_WIRE_PATH_ANEW(p->root) | frames);
    } else if (gone < MCUPROF_WIRE_PATH_DROP_MORE) {
        put_group(writer, MCUPROF_WIRE_PATH_DROP(gone) | frames);
    } else {
        put_group(writer, MCUPROF_WIRE_PATH_DROP(MCUPROF_WIRE_PATH_DROP_MORE) | frames);
        put_group(writer, gone);
    }
}

FN void mcuprof_put_path(struct mcuprof_paths *p, unsigned frames, uint32_t pc)
{
    bool last = frames <= MCUPROF_PATH_FRAMES;
    unsigned known = p->known / sizeof p->slot[0];
    uint32_t sent = (pc - MCUPROF_BASE) >> MCUPROF_ARCH_UNIT, groups = 0, rest;
    bool high = (rest = last ? sent >> 14 : 0) - 1 < 3; /* is in the start byte */
    bool differs = known == 0 || p->said != known || frames != 0 || high;
    struct writer writer;

    frames = last ? frames : MCUPROF_PATH_FRAMES;
    for (; rest && !high; rest >>= 7) {
        groups++;
    }
    writer = put_start(
        !last || high ? MCUPROF_WIRE_START(MCUPROF_WIRE_END, MCUPROF_WIRE_END_PATH) + rest
        : differs
            ? MCUPROF_WIRE_START(MCUPROF_WIRE_END, MCUPROF_WIRE_END_PATH_SAMPLE) + groups
            : MCUPROF_WIRE_START(MCUPROF_WIRE_SAMPLE, 0) + groups * 4);
    if (differs) {
        put_shape(p, &writer, known, frames);
    }
    p->said = (uint16_t)(known + frames);
    for (; frames; frames--) {
        if (p->known != p->used) {
            put_back(p, &writer, p->slot[known++].address);
            p->known += sizeof p->slot[0];
        } else {
            put_back(p, &writer, p->link);
        }
    }
    if (last) {
        put_groups(&writer, sent, 2 + groups);
    }
    put_check(&writer);
}
#endif

/* The reader knows no address. The number of the block comes again after 127 of them; by
 * then each entry of the cache has lost its own, one at a block. */
static FN void begin_block(struct mcuprof_paths *p)
{
    p->known = p->said = p->said_used = 0;
    p->block += MCUPROF_PATH_BLOCK;
    if (p->block >> 16) {
        p->block = MCUPROF_PATH_BLOCK;
    }
    p->frame[p->block / MCUPROF_PATH_BLOCK % MCUPROF_PATH_CACHE] &= ~MCUPROF_PATH_BLOCKS;
}

/* Whether a record of a path fits. Sampling outranks all that waits for room, and comes
 * again and again: it leaves more than text asks for, or text would never get any. */
static inline FN bool sample_fits(void)
{
    enum {
        FEW = 3, /* fit where any record does */
        MORE = MCUPROF_WIRE_WORD_GROUPS * (MCUPROF_PATH_FRAMES - FEW)
    };
    _Static_assert(9 + MCUPROF_WIRE_WORD_GROUPS * FEW <= MCUPROF_RECORD_BYTES_MAX, "");
    return room_here(MCUPROF_RECORD_BYTES_MAX + 2 + MORE);
}

/* Appends the records of a sample; false: no room now. */
static inline FN bool put_sample(struct mcuprof_paths *p, uint32_t pc)
{
    unsigned frames;

    p->said_link = 1; /* a part of a path is repeated by none */
    do {
        if (!put_due_here()) {
            return false;
        }
        if (p->said_used == MCUPROF_PATH_NONE) {
            begin_block(p);
        }
        if (p->repeats && !put_repeats()) {
            return false;
        }
        frames = (p->used - p->known) / sizeof p->slot[0] + (p->link != 0);
        if (!sample_fits()) {
            return false;
        }
#if MCUPROF_BY_TASK
        if (p->context != mcuprof_state.sent_task) {
            put_whose(p->context);
        }
#endif
        mcuprof_put_path(p, frames, pc);
    } while (frames > MCUPROF_PATH_FRAMES);
    p->said_link = p->link;
    p->pc = pc;
    p->said_used = p->used;
#if MCUPROF_BY_TASK
    p->task = p->context;
#endif
    return true;
}

FN void mcuprof_say_sample(struct mcuprof_paths *p, uint32_t pc)
{
    if (put_sample(p, pc)) {
        mcuprof_state.total[MCUPROF_OF_SAMPLES].sent++;
    } else {
        mcuprof_state.total[MCUPROF_OF_SAMPLES].lost++;
    }
}
#endif

#endif
