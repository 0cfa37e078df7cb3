/* SPDX-License-Identifier: MIT */
/*
 * Cycles and numbering: a depth-first search over the symbols in order of their
 * addresses, callees newest arc first, which joins cycles as it meets them: the
 * path-based search for strongly connected components of H. N. Gabow ("Path-based
 * depth-first search for strong and biconnected components", Information Processing
 * Letters 74, 2000). Its second stack, of the heads of what was joined so far, gives the
 * order of a cycle's members that GNU gprof prints, in linear time.
 */
#include <limits.h>
#include <stdlib.h>

#include "graph.h"

/* top_order of a symbol that has been met and belongs to no finished cycle yet. */
enum { BUSY = -1 };

struct visit {
    uint32_t arc;              /* the next to follow */
    struct gprof_symbol *tail; /* last of the list that begins here, if it is a head */
    size_t met;                /* how many symbols had been met before */
};

struct search {
    const struct gprof *gprof;
    struct visit *visits;       /* one for each symbol */
    struct gprof_symbol **path; /* from the first symbol to the one being visited */
    size_t depth;
    struct gprof_symbol **heads; /* of what is joined, in order of `met` */
    size_t head_count;
    size_t met;
    int finished; /* the last number given */
};

static struct visit *visit_of(const struct search *search,
                              const struct gprof_symbol *symbol)
{
    return &search->visits[symbol - search->gprof->symbols];
}

static void enter(struct search *search, struct gprof_symbol *symbol)
{
    struct visit *visit = visit_of(search, symbol);
    visit->arc = symbol->children;
    visit->tail = symbol;
    visit->met = search->met++;
    symbol->top_order = BUSY;
    search->path[search->depth++] = symbol;
    search->heads[search->head_count++] = symbol;
}

/* A call back to a symbol that is busy: all heads met after it join the last head that
 * was not, oldest first. */
static void join(struct search *search, const struct gprof_symbol *to)
{
    size_t met = visit_of(search, to)->met;
    size_t first = search->head_count;
    while (visit_of(search, search->heads[first - 1])->met > met)
        first--;
    struct visit *head = visit_of(search, search->heads[first - 1]);
    for (size_t i = first; i < search->head_count; i++) {
        head->tail->cycle_next = search->heads[i];
        head->tail = visit_of(search, search->heads[i])->tail;
    }
    search->head_count = first;
}

/* The symbol's callees are done: if it still is a head, so is its cycle. */
static void leave(struct search *search)
{
    struct gprof_symbol *symbol = search->path[--search->depth];
    if (search->heads[search->head_count - 1] != symbol)
        return;
    search->head_count--;
    search->finished++;
    for (struct gprof_symbol *member = symbol; member != NULL;
         member = member->cycle_next) {
        member->top_order = search->finished;
        member->cycle_head = symbol;
    }
}

/* Calls to itself are counted apart. */
static void take_out_self_calls(const struct gprof_arc *arc)
{
    arc->child->calls -= arc->count;
    arc->child->self_calls = arc->count;
}

static void search_from(struct search *search, struct gprof_symbol *start)
{
    enter(search, start);
    while (search->depth > 0) {
        struct visit *visit = visit_of(search, search->path[search->depth - 1]);
        if (visit->arc == 0) {
            leave(search);
            continue;
        }
        const struct gprof_arc *arc = &search->gprof->arcs[visit->arc];
        visit->arc = arc->next_child;
        if (arc->child == arc->parent)
            take_out_self_calls(arc);
        else if (arc->child->top_order == 0)
            enter(search, arc->child);
        else if (arc->child->top_order == BUSY)
            join(search, arc->child);
    }
}

static bool number_symbols(struct gprof *gprof)
{
    size_t count = gprof->symbol_count;
    struct search search = {.gprof = gprof};
    search.visits = calloc(count + 1, sizeof *search.visits);
    search.path = calloc(count + 1, sizeof(struct gprof_symbol *));
    search.heads = calloc(count + 1, sizeof(struct gprof_symbol *));
    bool done = search.visits != NULL && search.path != NULL && search.heads != NULL;
    for (size_t i = 0; done && i < count; i++)
        if (gprof->symbols[i].top_order == 0)
            search_from(&search, &gprof->symbols[i]);
    free(search.visits);
    free(search.path);
    free(search.heads);
    return done;
}

static bool heads_cycle(const struct gprof_symbol *symbol)
{
    return symbol->cycle_head == symbol && symbol->cycle_next != NULL;
}

/* Gives each cycle, by the addresses of their heads, a symbol of its own. */
static bool make_cycles(struct gprof *gprof)
{
    size_t count = 0;
    for (size_t i = 0; i < gprof->symbol_count; i++)
        count += heads_cycle(&gprof->symbols[i]);
    gprof->cycles = calloc(count + 1, sizeof *gprof->cycles);
    if (gprof->cycles == NULL)
        return false;
    for (size_t i = 0; i < gprof->symbol_count; i++) {
        struct gprof_symbol *head = &gprof->symbols[i];
        if (!heads_cycle(head))
            continue;
        struct gprof_symbol *cycle = &gprof->cycles[++gprof->cycle_count];
        cycle->cycle = (unsigned)gprof->cycle_count;
        cycle->cycle_head = cycle;
        cycle->cycle_next = head;
        cycle->print = true;
        for (struct gprof_symbol *member = head; member != NULL;
             member = member->cycle_next) {
            member->cycle = cycle->cycle;
            member->cycle_head = cycle;
        }
    }
    return true;
}

/* Calls into the cycle, and those among its members: the "+N" of its entry. */
static void add_up_calls(const struct gprof *gprof, struct gprof_symbol *cycle)
{
    for (struct gprof_symbol *member = cycle->cycle_next; member != NULL;
         member = member->cycle_next)
        for (uint32_t i = member->parents; i != 0; i = gprof->arcs[i].next_parent) {
            const struct gprof_arc *arc = &gprof->arcs[i];
            if (arc->parent == member)
                continue;
            if (arc->parent->cycle == member->cycle)
                cycle->self_calls += arc->count;
            else
                cycle->calls += arc->count;
        }
}

bool gprof_find_cycles(struct gprof *gprof, struct error *error)
{
    /* top_order is an int, like [index] in the output of GNU gprof. */
    if (gprof->symbol_count >= INT_MAX)
        return error_set(error, EXIT_NO, "%s: too many symbols: %zu",
                         gprof->options.image, gprof->symbol_count);
    if (!number_symbols(gprof) || !make_cycles(gprof))
        return error_set(error, EXIT_NO, "out of memory");
    for (size_t i = 1; i <= gprof->cycle_count; i++)
        add_up_calls(gprof, &gprof->cycles[i]);
    return true;
}
