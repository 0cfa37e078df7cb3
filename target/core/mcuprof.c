/* SPDX-License-Identifier: MIT */
/*
 * Collect, encode, ring: all that is the same on every chip.
 *
 * Counters are kept in two small caches, of calls and of samples. The assembly of
 * arch/ looks at a key's own place only; what it does not find there comes to
 * mcuprof_count(). What must leave a cache becomes a record in the ring. All here runs
 * with interrupts masked, so that interrupts may be profiled as well.
 */
#include "mcuprof.h"

#include "mcuprof_port.h"
#include "mcuprof_wire.h"

#define FN MCUPROF_NOT_PROFILED

_Static_assert(MCUPROF_RING_BYTES >= 64 && MCUPROF_RING_BYTES <= 32768 &&
                   (MCUPROF_RING_BYTES & (MCUPROF_RING_BYTES - 1)) == 0,
               "MCUPROF_RING_BYTES: a power of two from 64 to 32768");
_Static_assert((MCUPROF_ARC_ENTRIES & (MCUPROF_ARC_ENTRIES - 1)) == 0 &&
                   (MCUPROF_SAMPLE_ENTRIES & (MCUPROF_SAMPLE_ENTRIES - 1)) == 0 &&
                   MCUPROF_ARC_ENTRIES <= 32768 && MCUPROF_SAMPLE_ENTRIES <= 32768,
               "MCUPROF_*_ENTRIES: 0 or a power of two up to 32768");
_Static_assert(MCUPROF_PROBES >= 1, "MCUPROF_PROBES: at least 1");

/* Where assembly looks. */
#if MCUPROF_ARCS && MCUPROF_ARC_ENTRIES
_Static_assert(offsetof(struct mcuprof, arc_to) == MCUPROF_ARC_CACHE_OFFSET, "layout");
#endif
#if MCUPROF_RANDOM
_Static_assert(offsetof(struct mcuprof, random) == MCUPROF_RANDOM_OFFSET, "layout");
#endif
#if MCUPROF_SAMPLES && MCUPROF_SAMPLE_ENTRIES
_Static_assert(offsetof(struct mcuprof, sample_at) == MCUPROF_SAMPLE_CACHE_OFFSET,
               "layout");
#endif

struct mcuprof mcuprof_state;
#if MCUPROF_ARCS
void (*mcuprof_arc_hook)(void) = mcuprof_arc_stopped;
#endif

/* Addresses are sent relative to this, 0 unless the linker is told otherwise: for code at
 * 0x08000000, --defsym=__mcuprof_base=0x08000000 saves two bytes of each. */
extern const uint8_t __mcuprof_base[] __attribute__((weak));
#define MCUPROF_BASE ((uint32_t)(uintptr_t)__mcuprof_base)
/* The note that holds the build ID, from the linker script: 4 words, then the ID. */
extern const uint32_t __mcuprof_build_id[] __attribute__((weak));
enum { NOTE_HEADER_WORDS = 4 };
#define BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* ---- Ring and encoder ---- */

/* Appends `value` in groups of 7 bits; returns the check accumulator. */
static FN uint32_t put(uint32_t check, uint32_t value, unsigned groups)
{
    struct mcuprof *m = &mcuprof_state;
    unsigned head = m->head;

    while (groups--) {
        uint32_t group = value & 0x7F;

        m->ring[head] = (uint8_t)group;
        head = (head + 1) % MCUPROF_RING_BYTES;
        check = MCUPROF_WIRE_CHECK_STEP(check, group);
        value >>= 7;
    }
    m->head = (mcuprof_index)head;
    return check;
}

/* Appends one byte as it is. */
static FN void put_byte(uint8_t byte)
{
    struct mcuprof *m = &mcuprof_state;
    unsigned head = m->head;

    m->ring[head] = byte;
    m->head = (mcuprof_index)((head + 1) % MCUPROF_RING_BYTES);
}

static FN void kick(void)
{
    if (!mcuprof_state.busy) {
        mcuprof_state.busy = 1;
        mcuprof_link_start();
    }
}

/* Whether `bytes` more fit; one place stays free, to tell full from empty. */
static FN bool room(unsigned bytes)
{
    const struct mcuprof *m = &mcuprof_state;

    return ((unsigned)m->tail - m->head - 1u) % MCUPROF_RING_BYTES >= bytes;
}

/* Ends a record: its check group. */
static FN void finish(uint32_t check)
{
    while (check > MCUPROF_WIRE_CHECK_MODULUS) { /* 128 is 1 modulo 127 */
        check = (check & 0x7F) + (check >> 7);
    }
    put_byte(check == MCUPROF_WIRE_CHECK_MODULUS ? 0 : (uint8_t)check);
    mcuprof_state.due++;
    kick();
}

/* Appends a record of whole words; false: no room now. */
static FN bool put_words(unsigned start, const uint32_t *words, unsigned count)
{
    uint32_t check = start;

    if (!room(2 + MCUPROF_WIRE_WORD_GROUPS * count)) {
        return false;
    }
    put_byte((uint8_t)start);
    while (count--) {
        check = put(check, *words++, MCUPROF_WIRE_WORD_GROUPS);
    }
    finish(check);
    return true;
}

static FN bool put_hello(void)
{
    static const uint32_t words[MCUPROF_WIRE_HELLO_WORDS] = {
        MCUPROF_SAMPLES ? MCUPROF_TIMER_HZ : 0,
        MCUPROF_PERIOD,
        MCUPROF_BASE,
        MCUPROF_WIRE_CONFIG(
            MCUPROF_ARCH, MCUPROF_ARCH_UNIT, MCUPROF_ARCS ? MCUPROF_ARC_ENTRIES : 0,
            MCUPROF_SAMPLES ? MCUPROF_SAMPLE_ENTRIES : 0, MCUPROF_RING_BYTES,
            MCUPROF_WAIT * MCUPROF_WIRE_FLAG_WAIT |
                MCUPROF_RANDOM * MCUPROF_WIRE_FLAG_DITHER |
                MCUPROF_SAMPLES * MCUPROF_WIRE_FLAG_SAMPLES |
                MCUPROF_ARCS * MCUPROF_WIRE_FLAG_ARCS |
                BIG_ENDIAN * MCUPROF_WIRE_FLAG_BIG_ENDIAN),
    };
    unsigned start = MCUPROF_WIRE_START(MCUPROF_WIRE_HELLO, MCUPROF_WIRE_VERSION);

    if (mcuprof_state.sum == 0) {
        start |= MCUPROF_WIRE_HELLO_FIRST;
    }
    return put_words(start, words, MCUPROF_WIRE_HELLO_WORDS);
}

static FN bool put_build_id(void)
{
    static const uint32_t none[MCUPROF_WIRE_BUILD_ID_WORDS];

    return put_words(MCUPROF_WIRE_START(MCUPROF_WIRE_HELLO,
                                        MCUPROF_WIRE_HELLO_ID | MCUPROF_WIRE_VERSION),
                     __mcuprof_build_id ? __mcuprof_build_id + NOTE_HEADER_WORDS : none,
                     MCUPROF_WIRE_BUILD_ID_WORDS);
}

static FN bool put_totals(void)
{
    return put_words(MCUPROF_WIRE_START(MCUPROF_WIRE_TOTALS,
                                        MCUPROF_SAMPLES * MCUPROF_WIRE_TOTALS_SAMPLES |
                                            MCUPROF_ARCS * MCUPROF_WIRE_TOTALS_ARCS),
                     &mcuprof_state.total[0].sent, 2 * MCUPROF_KINDS + 1);
}

static FN bool put_end(void)
{
    return put_words(MCUPROF_WIRE_START(MCUPROF_WIRE_END, MCUPROF_WIRE_END_STOPPED), 0,
                     0);
}

/* Before every 64th record comes one of these, or no other: where the link is
 * saturated, events are lost rather than the account of them. */
static FN bool put_due(void)
{
    unsigned due = mcuprof_state.due;

    if (due % 64 != 0) {
        return true;
    }
    return due == 0 ? put_hello() : due == 64 ? put_build_id() : put_totals();
}

/* ---- Counters ---- */

/* A cache of counters. `from` is `to` where keys are one address: then all that follows
 * treats both kinds alike. */
struct cache {
    uint32_t *to, *from, *count;
    uint16_t entries;
    uint8_t kind;  /* of record */
    uint8_t total; /* index into mcuprof_state.total */
};

#if MCUPROF_SAMPLES && MCUPROF_SAMPLE_ENTRIES
#define SAMPLE_CACHE                                                                     \
    mcuprof_state.sample_at, mcuprof_state.sample_at, mcuprof_state.sample_count,        \
        MCUPROF_SAMPLE_ENTRIES
#else
#define SAMPLE_CACHE 0, 0, 0, 0
#endif
#if MCUPROF_ARCS && MCUPROF_ARC_ENTRIES
#define ARC_CACHE                                                                        \
    mcuprof_state.arc_to, mcuprof_state.arc_from, mcuprof_state.arc_count,               \
        MCUPROF_ARC_ENTRIES
#else
#define ARC_CACHE 0, 0, 0, 0
#endif

static const struct cache caches[] = {
#if MCUPROF_SAMPLES
    {SAMPLE_CACHE, MCUPROF_WIRE_SAMPLE, 0},
#endif
#if MCUPROF_ARCS
    {ARC_CACHE, MCUPROF_WIRE_ARC, MCUPROF_SAMPLES},
#endif
};

/* Sends `count` events; false: no room now. */
static FN bool put_events(const struct cache *cache, uint32_t from, uint32_t to,
                          uint32_t count)
{
    struct mcuprof *m = &mcuprof_state;
    unsigned groups = 2, size = 0, count_groups, bytes;
    uint32_t check, high;

    to = (to - MCUPROF_BASE) >> MCUPROF_ARCH_UNIT;
    from = (from - MCUPROF_BASE) >> MCUPROF_ARCH_UNIT;
    for (high = (to | from) >> 14; high; high >>= 7) {
        groups++;
    }
    if (count > 1) {
        size = count < 1u << 7 ? 1 : count < 1u << 14 ? 2 : 3;
    }
    count_groups = size == 3 ? MCUPROF_WIRE_WORD_GROUPS : size;
    check = MCUPROF_WIRE_START(cache->kind, (groups - 2) << 2 | size);
    bytes = 2 + groups + count_groups;
    if (cache->kind == MCUPROF_WIRE_ARC) {
        bytes += groups;
    }
    if (!put_due() || !room(bytes)) {
        return false;
    }
    put_byte((uint8_t)check);
    if (cache->kind == MCUPROF_WIRE_ARC) {
        check = put(check, from, groups);
    }
    check = put(check, to, groups);
    check = put(check, count, count_groups);
    m->total[cache->total].sent += count;
    m->sum += check;
    finish(check);
    return true;
}

/* Sends entry i and frees it; true also if it was free. */
static FN bool send_counter(const struct cache *cache, unsigned i)
{
    if (cache->count[i] &&
        !put_events(cache, cache->from[i], cache->to[i], cache->count[i])) {
        return false;
    }
    cache->count[i] = 0;
    return true;
}

/* Lets the link send: by hand if it is ready, by its interrupt if that was not masked. */
static FN void wait(mcuprof_irq irq)
{
    mcuprof_link_isr();
    mcuprof_irq_restore(irq);
    (void)mcuprof_irq_mask();
}

/*
 * Counts an event that is not at its own place in the cache; false: the ring is full.
 * Searches MCUPROF_PROBES entries from the key's own place on. If all are taken, the one
 * with the smallest count makes room, for it is the least likely to be wanted soon; every
 * eighth time another is taken in turn, so that counters of a phase long past go too.
 */
static FN bool try_count(const struct cache *cache, uint32_t from, uint32_t to)
{
    unsigned mask = cache->entries - 1u, i = (from + to) >> 2 & mask;
    unsigned probes = mask < MCUPROF_PROBES ? mask + 1 : MCUPROF_PROBES;
    unsigned turn = mcuprof_state.due % 64u, victim = i;
    uint32_t least = UINT32_MAX;

    if (cache->entries == 0) {
        return put_events(cache, from, to, 1);
    }
    do {
        uint32_t count = cache->count[i];

        if (count == 0) {
            victim = i;
            break;
        }
        if (cache->to[i] == to && cache->from[i] == from && count != UINT32_MAX) {
            cache->count[i] = count + 1;
            return true;
        }
        if (turn == probes * 8) {
            count = 0;
        }
        if (count < least) {
            least = count;
            victim = i;
        }
        i = (i + 1) & mask;
    } while (--probes);
    if (!send_counter(cache, victim)) {
        return false;
    }
    cache->to[victim] = to;
    cache->from[victim] = from;
    cache->count[victim] = 1;
    return true;
}

/* Counts an event; with interrupts masked, `irq` is the state before. If its record does
 * not fit into the ring it is lost and the cache stays as it is: that loses least. */
static FN void count_event(const struct cache *cache, uint32_t from, uint32_t to,
                           mcuprof_irq irq)
{
    (void)irq;
    while (!try_count(cache, from, to)) {
#if MCUPROF_WAIT
        if (mcuprof_may_wait()) {
            wait(irq); /* interrupts may count meanwhile: search again */
            continue;
        }
#endif
        mcuprof_state.total[cache->total].lost++;
        break;
    }
}

#if MCUPROF_ARCS
__attribute__((used)) FN void mcuprof_arc_miss(uint32_t from, uint32_t to,
                                               mcuprof_irq irq)
{
    count_event(&caches[MCUPROF_SAMPLES], from, to, irq);
}
#endif

#if MCUPROF_SAMPLES
__attribute__((used)) FN void mcuprof_sample_miss(uint32_t pc, mcuprof_irq irq)
{
    count_event(&caches[0], pc, pc, irq);
}
#endif

/* ---- What the program calls ---- */

/* Does `put` until it succeeds, with interrupts masked; returns with them as they were.
 */
static FN void put_surely(bool (*put_record)(void))
{
    mcuprof_irq irq = mcuprof_irq_mask();

    while (!put_record()) {
        wait(irq);
    }
    mcuprof_irq_restore(irq);
}

FN void mcuprof_start(void)
{
    put_surely(put_hello);
    put_surely(put_build_id);
#if MCUPROF_ARCS
    mcuprof_arc_hook = mcuprof_arc_running;
#endif
#if MCUPROF_SAMPLES
    mcuprof_timer_start(MCUPROF_PERIOD);
#endif
}

FN void mcuprof_stop(void)
{
#if MCUPROF_ARCS
    mcuprof_arc_hook = mcuprof_arc_stopped;
#endif
#if MCUPROF_SAMPLES
    mcuprof_timer_stop();
#endif
}

FN void mcuprof_flush(void)
{
    const struct cache *cache;
    unsigned i;

    for (cache = caches; cache < caches + MCUPROF_KINDS; cache++) {
        for (i = 0; i < cache->entries; i++) {
            mcuprof_irq irq = mcuprof_irq_mask();

            while (!send_counter(cache, i)) {
                wait(irq);
            }
            mcuprof_irq_restore(irq);
        }
    }
    put_surely(put_totals);
}

static FN bool all_sent(void)
{
    return !mcuprof_state.busy;
}

FN void mcuprof_end(void)
{
    mcuprof_stop();
    mcuprof_flush();
    put_surely(put_end);
    put_surely(all_sent);
}

FN size_t mcuprof_write(const char *text, size_t bytes)
{
    size_t i;

    for (i = 0; i < bytes; i++) {
        mcuprof_irq irq = mcuprof_irq_mask();

#if MCUPROF_WAIT
        while (!room(1) && mcuprof_may_wait()) {
            wait(irq);
        }
#endif
        if (!room(1)) {
            mcuprof_irq_restore(irq);
            break;
        }
        put_byte((uint8_t)text[i] < 0x80 ? (uint8_t)text[i] : '?');
        kick();
        mcuprof_irq_restore(irq);
    }
    return i;
}
