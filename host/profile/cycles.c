/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdlib.h>

#include "propagate.h"

/* What Tarjan's algorithm knows of a function. */
struct visit {
    size_t number; /* order of discovery, from 1; 0: not seen */
    size_t low;    /* least number reachable */
    size_t next;   /* outgoing arcs followed so far */
    size_t parent; /* it was entered from */
    bool on_stack;
};

struct search {
    struct analysis *analysis;
    struct visit *visits;
    size_t *stack; /* functions whose component is not complete */
    size_t depth;
    size_t *order;
    size_t ordered;
    size_t numbered;
    size_t *roots; /* where in `order` each component starts */
    size_t root_count;
};

static void enter(struct search *search, size_t function, size_t parent)
{
    struct visit *visit = &search->visits[function];
    visit->number = visit->low = ++search->numbered;
    visit->parent = parent;
    visit->on_stack = true;
    search->stack[search->depth++] = function;
}

/* The component whose first function this is, is complete: move it to the order. */
static void take_component(struct search *search, size_t function)
{
    size_t member;
    search->roots[search->root_count++] = search->ordered;
    do {
        member = search->stack[--search->depth];
        search->visits[member].on_stack = false;
        search->order[search->ordered++] = member;
    } while (member != function);
}

static size_t leave(struct search *search, size_t function)
{
    struct visit *visit = &search->visits[function];
    if (visit->low == visit->number)
        take_component(search, function);
    if (visit->parent != NO_FUNCTION && visit->low < search->visits[visit->parent].low)
        search->visits[visit->parent].low = visit->low;
    return visit->parent;
}

static void explore(struct search *search, size_t start)
{
    const struct analysis *analysis = search->analysis;
    size_t at = start;
    enter(search, start, NO_FUNCTION);
    while (at != NO_FUNCTION) {
        const struct function *function = &analysis->functions[at];
        struct visit *visit = &search->visits[at];
        if (visit->next == function->outs) {
            at = leave(search, at);
            continue;
        }
        size_t arc = function->first_out + visit->next++;
        size_t callee = analysis->arcs[arc].callee;
        const struct visit *other = &search->visits[callee];
        if (other->number == 0) {
            enter(search, callee, at);
            at = callee;
        } else if (other->on_stack && other->number < visit->low) {
            visit->low = other->number;
        }
    }
}

static int by_index(const void *left, const void *right)
{
    const size_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static int by_first_member(const void *left, const void *right)
{
    const struct cycle *a = left, *b = right;
    return (a->members[0] > b->members[0]) - (a->members[0] < b->members[0]);
}

static bool add_cycle(struct analysis *analysis, size_t *members, size_t count)
{
    struct cycle *cycle = &analysis->cycles[analysis->cycle_count];
    cycle->members = calloc(count, sizeof *cycle->members);
    if (cycle->members == NULL)
        return false;
    analysis->cycle_count++;
    cycle->member_count = count;
    for (size_t i = 0; i < count; i++)
        cycle->members[i] = members[i];
    qsort(cycle->members, count, sizeof *cycle->members, by_index);
    return true;
}

static size_t component_end(const struct search *search, size_t component)
{
    return component + 1 < search->root_count ? search->roots[component + 1]
                                              : search->ordered;
}

static bool collect_cycles(struct search *search)
{
    struct analysis *analysis = search->analysis;
    analysis->cycles = calloc(analysis->function_count / 2 + 1, sizeof *analysis->cycles);
    if (analysis->cycles == NULL)
        return false;
    for (size_t i = 0; i < search->root_count; i++) {
        size_t count = component_end(search, i) - search->roots[i];
        if (count > 1 && !add_cycle(analysis, search->order + search->roots[i], count))
            return false;
    }
    qsort(analysis->cycles, analysis->cycle_count, sizeof *analysis->cycles,
          by_first_member);
    for (size_t i = 0; i < analysis->cycle_count; i++) {
        struct cycle *cycle = &analysis->cycles[i];
        cycle->number = (unsigned)i + 1;
        for (size_t j = 0; j < cycle->member_count; j++)
            analysis->functions[cycle->members[j]].cycle = cycle->number;
    }
    return true;
}

bool cycles_find(struct analysis *analysis, size_t **order)
{
    size_t count = analysis->function_count;
    struct search search = {.analysis = analysis};
    search.visits = calloc(count + 1, sizeof *search.visits);
    search.stack = calloc(count + 1, sizeof *search.stack);
    search.order = calloc(count + 1, sizeof *search.order);
    search.roots = calloc(count + 1, sizeof *search.roots);
    bool done = search.visits != NULL && search.stack != NULL && search.order != NULL &&
                search.roots != NULL;
    for (size_t i = 0; done && i < count; i++)
        if (search.visits[i].number == 0)
            explore(&search, i);
    done = done && collect_cycles(&search);
    free(search.visits);
    free(search.stack);
    free(search.roots);
    if (!done) {
        free(search.order);
        search.order = NULL;
    }
    *order = search.order;
    return done;
}
