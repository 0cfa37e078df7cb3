/* SPDX-License-Identifier: MIT */
/* Writes counters as records. */
#include "../base/compare.h"
#include "mcuprof_records.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Events ---- */

static unsigned groups_of(uint32_t value)
{
    unsigned groups = 1;

    while (value >>= 7)
        groups++;
    return groups;
}

unsigned address_sizes(uint32_t addresses)
{
    unsigned groups = groups_of(addresses);

    return groups > 2 ? groups - 2 : 0;
}

static unsigned sizes_of(uint32_t from, uint32_t to, uint32_t count)
{
    unsigned size = count == 1 ? 0 : groups_of(count) > 2 ? 3 : groups_of(count);

    return address_sizes(from | to) << 2 | size;
}

static bool any_since(const struct record_writer *writer)
{
    for (size_t i = 0; i < EVENT_KINDS; i++) {
        if (writer->since[i] > 0)
            return true;
    }
    return false;
}

uint32_t events_now(const struct record_writer *writer, uint64_t left, uint32_t most)
{
    if (writer->splits && !any_since(writer))
        return 1;
    return left < most ? (uint32_t)left : most;
}

void make_room(struct record_writer *writer, enum event_kind kind, uint32_t count)
{
    if (writer->splits && any_since(writer)) {
        put_totals(writer, true);
        writer->splits = false;
    }
    if (writer->profile->accounted && writer->since[kind] + count > EVENTS_MAX)
        put_totals(writer, false);
    writer->sent[kind] += count;
    writer->since[kind] += count;
}

static const unsigned records[EVENT_KINDS] = {
    [EVENT_SAMPLE] = MCUPROF_WIRE_SAMPLE,
    [EVENT_ARC] = MCUPROF_WIRE_ARC,
    [EVENT_BLOCK] = MCUPROF_WIRE_BLOCK,
    [EVENT_CALL] = MCUPROF_WIRE_CALL,
};

static void put_event(struct record_writer *writer, enum event_kind kind, uint32_t from,
                      uint32_t to, uint32_t count)
{
    unsigned sizes = sizes_of(from, to, count);
    struct record record;

    record_begin(&record, records[kind], sizes);
    if (kind == EVENT_ARC)
        record_put(&record, from, MCUPROF_WIRE_ADDRESS_GROUPS(sizes));
    record_put(&record, to, MCUPROF_WIRE_ADDRESS_GROUPS(sizes));
    if (count != 1)
        record_put(&record, count, MCUPROF_WIRE_COUNT_GROUPS(sizes));
    record_finish(writer, &record);
}

void put_samples(struct record_writer *writer, uint32_t pc, uint32_t count)
{
    put_event(writer, EVENT_SAMPLE, 0, pc, count);
}

/* The address that stands for a block on the wire: its hook's return address, which is
 * one unit further. */
static uint32_t address_on_wire(const struct record_writer *writer, enum event_kind kind,
                                uint64_t address)
{
    uint32_t hook = kind == EVENT_BLOCK ? (uint32_t)1 << writer->unit : 0;

    return ((uint32_t)address + hook) >> writer->unit;
}

/* Writes a sample without a path. Where other samples have paths, it gets an empty path
 * whose end is unsure. */
static bool put_pathless(struct record_writer *writer, const struct counter *counter,
                         uint64_t events, struct error *error)
{
    uint64_t address = counter->to;
    const struct stack stack = {&address, 1, events, counter->task, STACK_UNSURE, 0};

    return put_stack(writer, &stack, error);
}

static bool put_counter(struct record_writer *writer, enum event_kind kind,
                        const struct counter *counter, uint64_t events,
                        struct error *error)
{
    uint32_t to = address_on_wire(writer, kind, counter->to);
    uint32_t from = (uint32_t)counter->from >> writer->unit;

    if (kind == EVENT_SAMPLE && writer->depth > 0)
        return put_pathless(writer, counter, events, error);
    if (events / EVENTS_MAX > RECORDS_MAX)
        return error_set(error, EXIT_BAD_INPUT,
                         "%" PRIu64 " events at 0x%" PRIx64
                         " are more than mcuprof's records should say",
                         events, counter->to);
    for (uint64_t left = events; left > 0;) {
        uint32_t count = events_now(writer, left, EVENTS_MAX);

        make_room(writer, kind, count);
        put_event(writer, kind, from, to, count);
        left -= count;
    }
    return true;
}

/* ---- Timed calls ---- */

static void put_calls(struct record_writer *writer, const struct counter *counter,
                      uint32_t count, const struct call_times *times)
{
    struct record record;

    make_room(writer, EVENT_CALL, count);
    record_begin(&record, MCUPROF_WIRE_CALL, ALL_SIZES);
    record_put_word(&record, (uint32_t)counter->from >> writer->unit);
    record_put_word(&record, (uint32_t)counter->to >> writer->unit);
    record_put_word(&record, count);
    record_put_word(&record, (uint32_t)times->total);
    record_put_word(&record, (uint32_t)times->self);
    record_put_word(&record, (uint32_t)times->shortest);
    record_put_word(&record, (uint32_t)times->longest);
    record_finish(writer, &record);
}

/* How many calls of average time fit into a record. */
static uint32_t calls_that_fit(uint64_t count, const struct call_times *times)
{
    long double fit = EVENTS_MAX;

    if (times->total > UINT32_MAX)
        fit = floorl((long double)UINT32_MAX / (long double)times->total *
                     (long double)count);
    return fit < 1 ? 1 : fit < EVENTS_MAX ? (uint32_t)fit : EVENTS_MAX;
}

/* Writes as many records as needed, each with calls of average time, so that the record's
 * total fits its shortest and longest times. */
static bool put_timed(struct record_writer *writer, const struct counter *counter,
                      const struct call_times *times, struct error *error)
{
    uint32_t most = calls_that_fit(counter->count, times);
    struct call_times left = *times;

    if (counter->count / most > RECORDS_MAX || times->longest > UINT32_MAX)
        return error_set(error, EXIT_BAD_INPUT,
                         "the calls of 0x%" PRIx64 ", %" PRIu64 " that took %" PRIu64
                         " ticks, are more than mcuprof's records should say",
                         counter->to, counter->count, times->total);
    for (uint64_t calls = counter->count; calls > 0;) {
        uint32_t count = events_now(writer, calls, most);
        struct call_times part = *times;

        part.total =
            (uint64_t)rintl((long double)left.total * count / (long double)calls);
        part.self = left.self < part.total ? left.self : part.total;
        put_calls(writer, counter, count, &part);
        left.total -= part.total;
        left.self -= part.self;
        calls -= count;
    }
    return true;
}

/* ---- Tasks ---- */

void put_task(struct record_writer *writer, uint32_t number)
{
    struct record record;

    record_begin(&record, MCUPROF_WIRE_TASK, 0);
    record_put(&record, number, MCUPROF_WIRE_TASK_GROUPS);
    record_finish(writer, &record);
    writer->task = number;
}

static void put_name(struct record_writer *writer, const struct task *task)
{
    unsigned length = (unsigned)strlen(task->name);
    struct record record;

    record_begin(&record, MCUPROF_WIRE_TASK, length);
    record_put(&record, task->number | (task->idle ? MCUPROF_WIRE_TASK_IDLE : 0),
               MCUPROF_WIRE_TASK_GROUPS);
    for (unsigned i = 0; i < length; i++)
        record_put(&record, (uint32_t)task->name[i], 1);
    record_finish(writer, &record);
}

void put_tasks(struct record_writer *writer)
{
    const struct profile *profile = writer->profile;

    for (size_t i = 0; i < profile->task_count; i++) {
        if (profile->tasks[i].name[0] != '\0')
            put_name(writer, &profile->tasks[i]);
        else
            put_task(writer, profile->tasks[i].number);
    }
}

/* ---- All counters ---- */

/* A counter's index and number of events; sorting puts those of one task together. */
struct task_events {
    uint32_t task;
    size_t index;
    uint64_t events;
};

static int by_task(const void *left, const void *right)
{
    const struct task_events *a = left, *b = right;

    ORDER_BY(a->task, b->task);
    return (a->index > b->index) - (a->index < b->index);
}

static bool put_places(struct record_writer *writer, enum event_kind kind,
                       const struct task_events *places, size_t count,
                       struct error *error)
{
    const struct profile *profile = writer->profile;

    for (size_t i = 0; i < count && !ferror(writer->out); i++) {
        size_t index = places[i].index;
        const struct counter counter = counter_at(&profile->counters[kind], index);

        if (counter.task != writer->task)
            put_task(writer, counter.task);
        if (kind == EVENT_CALL
                ? !put_timed(writer, &counter, &profile->times[index], error)
                : !put_counter(writer, kind, &counter, places[i].events, error))
            return false;
    }
    return true;
}

static size_t find_places(const struct counters *counters, const uint64_t *elsewhere,
                          bool unknown, struct task_events *places)
{
    size_t count = 0;

    for (size_t i = 0; i < counters->used; i++) {
        const struct counter counter = counter_at(counters, i);
        uint64_t events = counter.count - (elsewhere != NULL ? elsewhere[i] : 0);

        if ((counter.task == TASK_UNKNOWN) == unknown && events > 0)
            places[count++] = (struct task_events){counter.task, i, events};
    }
    qsort(places, count, sizeof *places, by_task);
    return count;
}

static bool put_kind(struct record_writer *writer, enum event_kind kind,
                     const uint64_t *elsewhere, bool unknown, struct error *error)
{
    const struct counters *counters = &writer->profile->counters[kind];
    struct task_events *places = calloc(counters->used + 1, sizeof *places);
    bool done;

    if (places == NULL)
        return error_no_memory(error);
    done = put_places(writer, kind, places,
                      find_places(counters, elsewhere, unknown, places), error);
    free(places);
    return done;
}

bool put_counters(struct record_writer *writer, bool unknown, struct error *error)
{
    uint64_t *with_path = count_with_path(writer->profile, error);
    bool done = with_path != NULL;

    for (enum event_kind kind = 0; kind < EVENT_KINDS && done; kind++)
        done = put_kind(writer, kind, kind == EVENT_SAMPLE ? with_path : NULL, unknown,
                        error);
    free(with_path);
    return done;
}
