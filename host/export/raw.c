/* SPDX-License-Identifier: MIT */
#include "raw.h"

#include <string.h>

enum { CLOSE_WORDS = 1 + MCUPROF_WIRE3_SUM_WORDS, TASK_WORDS = 1 };

static unsigned unit_of(const struct raw *raw)
{
    return MCUPROF_WIRE_UNIT(raw->hello[3]);
}

static void put(struct raw *raw, uint32_t word)
{
    raw->words[raw->count++] = word;
}

static void put_pair(struct raw *raw, uint64_t number)
{
    put(raw, (uint32_t)number);
    put(raw, (uint32_t)(number >> 32));
}

/* ---- Blocks ---- */

static void put_totals(struct raw *raw, enum event_kind kind)
{
    put(raw, MCUPROF_WIRE3_RECORD(MCUPROF_WIRE3_TOTALS, 4, kind));
    put_pair(raw, raw->sent[kind]);
    put_pair(raw, raw->lost[kind]);
}

void raw_begin(struct raw *raw)
{
    raw->count = 0;
    put(raw, MCUPROF_WIRE3_MAGIC(0));
    put(raw, raw->run);
    put_pair(raw, raw->number++);
    put_pair(raw, raw->time);
    put(raw, raw->dither);
    for (size_t i = 0; i < MCUPROF_WIRE_HELLO_WORDS; i++)
        put(raw, raw->hello[i]);
    raw->task = 0;
    raw->path = false;
    raw->depth = 0;
    for (enum event_kind kind = 0; kind < EVENT_KINDS; kind++) {
        if (raw->counts[kind])
            put_totals(raw, kind);
    }
}

static unsigned bytes_of(uint32_t word)
{
    return word >> 24 != 0 ? 4 : word >> 16 != 0 ? 3 : word >> 8 != 0 ? 2 : 1;
}

static void write_bytes(const struct raw *raw, uint32_t word, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        putc((int)(word >> 8 * i & 255), raw->out);
}

static void write_group(const struct raw *raw, size_t at)
{
    size_t left = raw->count - at, size = MCUPROF_WIRE3_GROUP_WORDS;
    unsigned tag = MCUPROF_WIRE3_TAG | (at == 0 ? MCUPROF_WIRE3_TAG_FIRST : 0);

    size = left < size ? left : size;
    for (size_t i = 0; i < size; i++)
        tag |= (bytes_of(raw->words[at + i]) - 1) << 2 * i;
    putc((int)tag, raw->out);
    for (size_t i = 0; i < size; i++)
        write_bytes(raw, raw->words[at + i], bytes_of(raw->words[at + i]));
}

void raw_end(struct raw *raw, unsigned why)
{
    uint32_t hash = 0, sum = 0;

    put(raw, MCUPROF_WIRE3_HEAD(MCUPROF_WIRE3_CLOSE, (uint32_t)raw->count << 2 | why));
    for (size_t i = 0; i < raw->count; i++)
        MCUPROF_WIRE3_SUM_STEP(hash, sum, raw->words[i]);
    put(raw, hash);
    put(raw, sum);
    for (size_t i = 0; raw->as_words && i < raw->count; i++)
        write_bytes(raw, raw->words[i], 4);
    for (size_t i = 0; !raw->as_words && i < raw->count; i += MCUPROF_WIRE3_GROUP_WORDS)
        write_group(raw, i);
}

static void make_room(struct raw *raw, size_t words)
{
    size_t most = raw->most > 0 ? raw->most : MCUPROF_WIRE3_BLOCK_WORDS_MAX;

    if (raw->count + words + CLOSE_WORDS > most) {
        raw_end(raw, MCUPROF_WIRE3_FULL);
        raw_begin(raw);
    }
}

/* ---- Records ---- */

void raw_record(struct raw *raw, unsigned kind, uint32_t value, const uint32_t *words,
                size_t count)
{
    make_room(raw, 1 + count);
    put(raw, MCUPROF_WIRE3_RECORD(kind, count, value));
    for (size_t i = 0; i < count; i++)
        put(raw, words[i]);
}

void raw_text_record(struct raw *raw, unsigned kind, uint32_t value, const char *text)
{
    enum { MOST = 1000 };
    uint32_t words[MOST / 4] = {0};
    size_t size = strnlen(text, MOST);

    for (size_t i = 0; i < size; i++)
        words[i / 4] |= (uint32_t)(unsigned char)text[i] << 8 * (i % 4);
    raw_record(raw, kind, value, words, (size + 3) / 4);
}

void raw_totals(struct raw *raw)
{
    for (enum event_kind kind = 0; kind < EVENT_KINDS; kind++) {
        make_room(raw, 5);
        if (raw->counts[kind])
            put_totals(raw, kind);
    }
}

static void begin_event(struct raw *raw, uint32_t task, size_t words)
{
    make_room(raw, TASK_WORDS + words);
    if (raw->task != task)
        put(raw, MCUPROF_WIRE3_HEAD(MCUPROF_WIRE3_TASK, task));
    raw->task = task;
}

static uint32_t on_wire(const struct raw *raw, uint64_t address)
{
    return (uint32_t)address - raw->hello[2];
}

/* Puts a head with the count, if that fits; if not, put_far_count() puts it in a word. */
static void put_count(struct raw *raw, unsigned kind, uint32_t count)
{
    put(raw, MCUPROF_WIRE3_HEAD(kind, count <= MCUPROF_WIRE3_VALUE_MAX ? count : 0));
}

static void put_far_count(struct raw *raw, uint32_t count)
{
    if (count == 0 || count > MCUPROF_WIRE3_VALUE_MAX)
        put(raw, count);
}

void raw_arc(struct raw *raw, uint32_t task, uint32_t from, uint32_t to, uint32_t count)
{
    begin_event(raw, task, 4);
    put_count(raw, MCUPROF_WIRE3_ARC, count);
    put(raw, on_wire(raw, from));
    put(raw, on_wire(raw, to));
    put_far_count(raw, count);
    raw->sent[EVENT_ARC] += count;
}

void raw_block(struct raw *raw, uint32_t task, uint32_t address, uint32_t count)
{
    begin_event(raw, task, 3);
    put_count(raw, MCUPROF_WIRE3_BLOCK, count);
    put(raw, on_wire(raw, address) + (1u << unit_of(raw)));
    put_far_count(raw, count);
    raw->sent[EVENT_BLOCK] += count;
}

void raw_calls(struct raw *raw, uint32_t task, const struct counter *counter,
               const struct call_times *times)
{
    begin_event(raw, task, 13);
    put(raw, MCUPROF_WIRE3_HEAD(MCUPROF_WIRE3_CALL, 0));
    put(raw, on_wire(raw, counter->from));
    put(raw, on_wire(raw, counter->to));
    put_pair(raw, counter->count);
    put_pair(raw, times->total);
    put_pair(raw, times->self);
    put_pair(raw, times->shortest);
    put_pair(raw, times->longest);
    raw->sent[EVENT_CALL] += counter->count;
}

/* ---- Samples ---- */

static uint32_t root_of(enum stack_end end)
{
    static const uint32_t roots[STACK_ENDS] = {
        [STACK_WHOLE] = MCUPROF_WIRE_ROOT_WHOLE,
        [STACK_INTERRUPT] = MCUPROF_WIRE_ROOT_INTERRUPT,
        [STACK_CUT] = MCUPROF_WIRE_ROOT_CUT,
        [STACK_UNSURE] = MCUPROF_WIRE_ROOT_UNSURE,
    };

    return roots[end];
}

static uint32_t frame(const struct raw *raw, const struct stack *stack, size_t number)
{
    return on_wire(raw, stack->addresses[stack->depth - 1 - number]);
}

/* How many outer frames the stack has in common with the last path. */
static size_t count_kept(const struct raw *raw, const struct stack *stack)
{
    size_t kept = 0;

    while (kept < raw->depth && kept + 1 < stack->depth &&
           raw->frames[kept] == frame(raw, stack, kept))
        kept++;
    return kept;
}

static void put_sample(struct raw *raw, const struct stack *stack, uint32_t weight)
{
    bool paths = MCUPROF_WIRE_DEPTH(raw->hello[3]) > 0;
    size_t kept = count_kept(raw, stack), fresh = stack->depth - 1 - kept;
    uint32_t pc = on_wire(raw, stack->addresses[0]);
    uint32_t head = (uint32_t)fresh | (uint32_t)kept << 3 | pc >> unit_of(raw) << 8;

    if (weight == 1 && (!paths || (raw->path && raw->end == stack->end)) &&
        fresh <= MCUPROF_WIRE3_NEW_MAX && kept <= MCUPROF_WIRE3_KEPT_MAX &&
        pc >> unit_of(raw) <= MCUPROF_WIRE3_PC_MAX && !MCUPROF_WIRE3_IS_MAGIC(head)) {
        put(raw, head);
    } else {
        put(raw, MCUPROF_WIRE3_SAMPLE_LONG);
        put(raw, (uint32_t)fresh | (uint32_t)kept << 8 | root_of(stack->end) << 16);
        put(raw, pc);
        put(raw, weight);
    }
    for (raw->depth = kept; raw->depth + 1 < stack->depth; raw->depth++) {
        raw->frames[raw->depth] = frame(raw, stack, raw->depth);
        put(raw, raw->frames[raw->depth]);
    }
    raw->path = true;
    raw->end = stack->end;
}

/* Draws the period of a sample. What a PC has summed has no dither. */
static uint32_t next_period(struct raw *raw)
{
    uint32_t mean = MCUPROF_WIRE_PERIOD(raw->hello[1]);

    if ((MCUPROF_WIRE_FLAGS(raw->hello[3]) & MCUPROF_WIRE_FLAG_DITHER) == 0)
        return mean;
    raw->dither = MCUPROF_WIRE3_DITHER_STEP(raw->dither);
    return MCUPROF_WIRE3_DITHER_PERIOD(raw->dither, mean);
}

void raw_sample(struct raw *raw, uint32_t task, const struct stack *stack,
                uint32_t weight)
{
    begin_event(raw, task, 4 + stack->depth - 1);
    put_sample(raw, stack, weight);
    raw->sent[EVENT_SAMPLE] += weight;
    raw->time += weight == 1 ? next_period(raw)
                             : (uint64_t)weight * MCUPROF_WIRE_PERIOD(raw->hello[1]);
}
