/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../arch/arch.h"
#include "../port/memory.h"
#include "tasks.h"

static void interrupt_label(char *label, const char *arch, uint32_t interrupt)
{
    const struct arch_port *port = arch_port_named(arch);
    char name[TASK_LABEL_MAX - 2] = "";
    if (port != NULL && port->interrupt != NULL)
        port->interrupt(interrupt, name, sizeof name);
    if (name[0] == '\0')
        snprintf(name, sizeof name, "interrupt %u", (unsigned)interrupt);
    snprintf(label, TASK_LABEL_MAX, "[%s]", name);
}

static const struct task *find(const struct profile *profile, uint32_t number)
{
    for (size_t i = 0; i < profile->task_count; i++)
        if (profile->tasks[i].number == number)
            return &profile->tasks[i];
    return NULL;
}

void task_label(char label[TASK_LABEL_MAX], const struct profile *profile,
                uint32_t number)
{
    const struct task *task = find(profile, number);
    const char *handler;
    if (task != NULL && task->name[0] != '\0' && task->twin > 0)
        snprintf(label, TASK_LABEL_MAX, "%s #%u", task->name, task->twin + 1);
    else if (task != NULL && task->name[0] != '\0')
        snprintf(label, TASK_LABEL_MAX, "%s", task->name);
    else if (number == TASK_NONE)
        snprintf(label, TASK_LABEL_MAX, "[no task]");
    else if (number == TASK_UNKNOWN)
        snprintf(label, TASK_LABEL_MAX, "[unknown]");
    else if ((handler = task_handler(profile, number)) != NULL)
        snprintf(label, TASK_LABEL_MAX, "[%s]", handler);
    else if (number >= TASK_INTERRUPT)
        interrupt_label(label, profile->arch, number - TASK_INTERRUPT);
    else
        snprintf(label, TASK_LABEL_MAX, "[task %u]", (unsigned)number);
}

/* ---- Handlers ---- */

enum {
    CHIP = 16, /* those below belong to the processor: its manual names them */
    INTERRUPTS = TASK_INTERRUPT,
};

const char *task_handler(const struct profile *profile, uint32_t number)
{
    for (size_t i = 0; i < profile->handler_count; i++)
        if (profile->handlers[i].number == number)
            return profile->handlers[i].name;
    return NULL;
}

static void find_interrupts(bool there[INTERRUPTS], const struct profile *profile)
{
    struct timeline_cursor cursor;
    for (size_t i = 0; i < profile->task_count; i++)
        if (profile->tasks[i].number - TASK_INTERRUPT < INTERRUPTS)
            there[profile->tasks[i].number - TASK_INTERRUPT] = true;
    timeline_begin(&cursor, &profile->timeline);
    while (timeline_next(&cursor))
        if (cursor.event.what == TIMELINE_ENTER &&
            cursor.event.number - TASK_INTERRUPT < INTERRUPTS)
            there[cursor.event.number - TASK_INTERRUPT] = true;
}

static bool add_handler(struct profile *profile, uint32_t number, const char *name)
{
    struct handler *moved = port_reallocarray(
        profile->handlers, profile->handler_count + 1, sizeof *profile->handlers);
    if (moved == NULL)
        return false;
    profile->handlers = moved;
    moved[profile->handler_count++] = (struct handler){number, name};
    return true;
}

bool tasks_find_handlers(struct profile *profile, const struct image *image)
{
    const struct arch_port *port = arch_port_named(profile->arch);
    bool there[INTERRUPTS] = {false};
    if (port == NULL || !port->vectors)
        return true;
    find_interrupts(there, profile);
    for (uint32_t i = CHIP; i < INTERRUPTS; i++) {
        const char *name = there[i] ? image_handler(image, i) : NULL;
        if (name != NULL && strlen(name) + sizeof "[]" <= TASK_LABEL_MAX &&
            !add_handler(profile, TASK_INTERRUPT + i, name))
            return false;
    }
    return true;
}

/* ---- Sums ---- */

/* Numbers have 14 bits on the wire, and one more for TASK_UNKNOWN. */
enum { NUMBERS = TASK_UNKNOWN + 1 };

struct summing {
    const struct profile *profile;
    struct task_sums *sums;
    uint32_t *places; /* by number: 1 + the index of its sum; 0: it has none */
};

static struct task_sum *sum_of(struct summing *summing, uint32_t number)
{
    struct task_sums *sums = summing->sums;
    if (number >= NUMBERS)
        return NULL;
    if (summing->places[number] == 0) {
        struct task_sum *moved =
            port_reallocarray(sums->items, sums->count + 1, sizeof *moved);
        if (moved == NULL)
            return NULL;
        const struct task *task = find(summing->profile, number);
        sums->items = moved;
        moved[sums->count] = (struct task_sum){.number = number};
        moved[sums->count].idle = task != NULL && task->idle;
        task_label(moved[sums->count].label, summing->profile, number);
        summing->places[number] = (uint32_t)++sums->count;
    }
    return &sums->items[summing->places[number] - 1];
}

static void add(struct task_sums *sums, struct task_sum *sum, enum event_kind kind,
                const struct counter *counter, const struct call_times *times)
{
    bool own = kind == EVENT_CALL && counter->from == 0 && counter->to == 0;
    if (kind == EVENT_SAMPLE) {
        sum->samples += counter->count;
        sums->samples += counter->count;
    } else if (own) {
        sum->runs += counter->count;
        sum->time = *times;
        sums->time += times->total;
    } else if (kind != EVENT_BLOCK) {
        sum->calls += counter->count;
        sums->calls += counter->count;
        if (kind == EVENT_CALL)
            sum->self += times->self;
    }
}

static bool sum_all(struct summing *summing)
{
    const struct profile *profile = summing->profile;
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        const struct counters *counters = &profile->counters[kind];
        for (size_t i = 0; i < counters->used; i++) {
            const struct counter counter = counter_at(counters, i);
            struct task_sum *sum = sum_of(summing, counter.task);
            if (sum == NULL)
                return false;
            add(summing->sums, sum, (enum event_kind)kind, &counter,
                kind == EVENT_CALL ? &profile->times[i] : NULL);
        }
    }
    return true;
}

static int busiest_first(const void *left, const void *right)
{
    const struct task_sum *a = left, *b = right;
    if (a->time.total != b->time.total)
        return a->time.total < b->time.total ? 1 : -1;
    if (a->samples != b->samples)
        return a->samples < b->samples ? 1 : -1;
    if (a->calls != b->calls)
        return a->calls < b->calls ? 1 : -1;
    return (a->number > b->number) - (a->number < b->number);
}

bool task_sums_init(struct task_sums *sums, const struct profile *profile)
{
    *sums = (struct task_sums){.items = NULL};
    struct summing summing = {profile, sums, calloc(NUMBERS, sizeof(uint32_t))};
    bool done = summing.places != NULL && sum_all(&summing);
    free(summing.places);
    if (!done) {
        task_sums_release(sums);
        return false;
    }
    if (sums->count > 0)
        qsort(sums->items, sums->count, sizeof *sums->items, busiest_first);
    return true;
}

struct task_sum *task_sums_find(const struct task_sums *sums, const char *label)
{
    for (size_t i = 0; i < sums->count; i++)
        if (strcmp(sums->items[i].label, label) == 0)
            return &sums->items[i];
    return NULL;
}

bool task_is_called(const struct profile *profile, uint32_t number, const char *name)
{
    char label[TASK_LABEL_MAX];
    const struct task *task = find(profile, number);
    task_label(label, profile, number);
    if (strcmp(label, name) == 0)
        return true;
    if (task != NULL && task->name[0] != '\0' && strcmp(task->name, name) == 0)
        return true;
    if (number < TASK_INTERRUPT || number >= TASK_UNKNOWN)
        return false;
    interrupt_label(label, profile->arch, number - TASK_INTERRUPT);
    return strcmp(label, name) == 0;
}

bool task_is_idle(const struct profile *profile, uint32_t number)
{
    const struct task *task = find(profile, number);
    return task != NULL && task->idle;
}

bool task_sums_keep(struct task_sums *sums, const struct profile *profile,
                    const char *name)
{
    size_t kept = 0;
    for (size_t i = 0; i < sums->count; i++)
        if (task_is_called(profile, sums->items[i].number, name))
            sums->items[kept++] = sums->items[i];
    if (kept > 0)
        sums->count = kept;
    return kept > 0;
}

struct task_sum task_sums_joined(const struct task_sums *sums)
{
    struct task_sum sum = sums->items[0];
    for (size_t i = 1; i < sums->count; i++) {
        const struct task_sum *more = &sums->items[i];
        sum.idle = sum.idle && more->idle;
        sum.samples += more->samples;
        sum.calls += more->calls;
        sum.self += more->self;
        if (sum.runs == 0)
            sum.time = more->time;
        else if (more->runs > 0)
            call_times_add(&sum.time, &more->time);
        sum.runs += more->runs;
    }
    return sum;
}

void task_sums_release(struct task_sums *sums)
{
    free(sums->items);
    *sums = (struct task_sums){.items = NULL};
}

/* ---- Parts ---- */

struct splitting {
    const struct profile *whole;
    const struct task_sums *tasks; /* NULL: one part, of all that are not idle */
    struct profile *parts;
    size_t count;     /* number of parts; a single part has all of `tasks` */
    uint32_t *places; /* by number: 1 + the index of its part; NUMBERS: it has none; 0:
                         not known yet */
};

/* Names the task in its part. */
static bool name_part(struct profile *part, const struct profile *whole, uint32_t number)
{
    const struct task *task = find(whole, number);
    if (!profile_task(part, number, NULL, false))
        return false;
    if (task != NULL)
        part->tasks[part->task_count - 1] = *task;
    const char *handler = task_handler(whole, number);
    return handler == NULL || add_handler(part, number, handler);
}

/* The number of a task's part, SIZE_MAX: it is in none. */
static size_t place_of(const struct splitting *splitting, uint32_t number)
{
    const struct task *task = find(splitting->whole, number);
    if (splitting->tasks == NULL)
        return task != NULL && task->idle ? SIZE_MAX : 0;
    for (size_t i = 0; i < splitting->tasks->count; i++)
        if (splitting->tasks->items[i].number == number)
            return splitting->count > 1 ? i : 0;
    return SIZE_MAX;
}

/* Finds the part of a task and, if the firmware has tasks, names the task in it. */
static bool find_place(struct splitting *splitting, uint32_t number)
{
    size_t place = place_of(splitting, number);
    splitting->places[number] = place != SIZE_MAX ? (uint32_t)place + 1 : NUMBERS;
    return place == SIZE_MAX || splitting->whole->task_count == 0 ||
           name_part(&splitting->parts[place], splitting->whole, number);
}

/* Finds the part of a task; NULL: it is in none. false: out of memory. */
static bool find_part(struct splitting *splitting, uint32_t number, struct profile **part)
{
    *part = NULL;
    if (number >= NUMBERS ||
        (splitting->places[number] == 0 && !find_place(splitting, number)))
        return false;
    if (splitting->places[number] == NUMBERS)
        return true;
    *part = &splitting->parts[splitting->places[number] - 1];
    (*part)->task = number;
    return true;
}

static bool copy_counter(struct splitting *splitting, enum event_kind kind, size_t index,
                         uint64_t count)
{
    const struct profile *whole = splitting->whole;
    const struct counter counter = counter_at(&whole->counters[kind], index);
    struct profile *part;
    if (!find_part(splitting, counter.task, &part))
        return false;
    if (part == NULL || (kind == EVENT_SAMPLE && count == 0))
        return true;
    return kind == EVENT_CALL
               ? profile_call_copy(part, whole, index)
               : profile_count(part, kind, counter.from, counter.to, count);
}

static bool copy_counters(struct splitting *splitting, enum event_kind kind)
{
    const struct counters *counters = &splitting->whole->counters[kind];
    for (size_t i = 0; i < counters->used; i++)
        if (!copy_counter(splitting, kind, i, counter_at(counters, i).count))
            return false;
    return true;
}

/* Copies the samples that have no stack: copy_stacks() adds the others. */
static bool copy_samples(struct splitting *splitting)
{
    const struct profile *whole = splitting->whole;
    size_t count = whole->counters[EVENT_SAMPLE].used;
    uint64_t *counts = calloc(count + 1, sizeof *counts);
    bool done = counts != NULL;
    if (done)
        profile_stackless(whole, counts);
    for (size_t i = 0; done && i < count; i++)
        done = copy_counter(splitting, EVENT_SAMPLE, i, counts[i]);
    free(counts);
    return done;
}

static bool copy_stacks(struct splitting *splitting)
{
    const struct stacks *stacks = &splitting->whole->stacks;
    for (size_t i = 0; i < stacks->used; i++) {
        const struct stack *stack = &stacks->items[i];
        struct profile *part;
        if (!find_part(splitting, stack->task, &part))
            return false;
        if (part != NULL && !profile_add_stack(part, stack))
            return false;
    }
    return true;
}

static bool copy_all(struct splitting *splitting)
{
    for (int kind = 0; kind < EVENT_KINDS; kind++)
        if (kind != EVENT_SAMPLE && !copy_counters(splitting, (enum event_kind)kind))
            return false;
    return copy_samples(splitting) && copy_stacks(splitting);
}

static bool split(struct profile *parts, size_t count, const struct profile *whole,
                  const struct task_sums *tasks)
{
    struct splitting splitting = {whole, tasks, parts, count,
                                  calloc(NUMBERS, sizeof(uint32_t))};
    for (size_t i = 0; i < count; i++) {
        profile_init_part(&parts[i], whole);
        parts[i].one_task = tasks != NULL;
    }
    bool done = splitting.places != NULL && copy_all(&splitting);
    free(splitting.places);
    for (size_t i = 0; i < count && !done; i++)
        profile_release(&parts[i]);
    return done;
}

bool profile_split(struct profile *parts, const struct profile *whole,
                   const struct task_sums *tasks)
{
    return split(parts, tasks->count, whole, tasks);
}

bool profile_part(struct profile *part, const struct profile *whole,
                  const struct task_sums *tasks)
{
    return split(part, 1, whole, tasks);
}

bool profile_busy(struct profile *part, const struct profile *whole)
{
    return split(part, 1, whole, NULL);
}
