/* SPDX-License-Identifier: MIT */
/*
 * Finds the loops of a function in its code: a loop is a strongly connected part of the
 * graph of instructions (Tarjan, "Depth-first search and linear graph algorithms", 1972);
 * what is still connected without the loop's first instruction is a loop in the loop.
 *
 * Parts are found in the order in which execution leaves them, the last ones first. So
 * when one is found, the shortest and the longest ways from all to which it leads are
 * known.
 */
#include <math.h>
#include <stdlib.h>

#include "internal.h"

#define NONE UINT32_MAX

/* Of longer code nothing is said: a function has no more, a hostile file may. */
enum { CODE_BYTES_MAX = 1 << 18 };

struct node {
    uint32_t to[2];         /* where execution goes on; NONE */
    uint32_t order, low;    /* Tarjan's; order 0: not seen in this round */
    uint32_t above;         /* the node from which the search came */
    uint32_t loop;          /* number of the innermost loop found so far, or NONE */
    uint32_t next_loop;     /* of the loop that this round finds, or NONE */
    uint8_t tried;          /* how many of `to` */
    bool waits;             /* on Tarjan's stack */
    bool first;             /* of its loop: no edge of the loop counts that leads here */
    struct image_ways ways; /* on to the end of the function, or of the loop's turn */
};

/* Of a loop that a round has found, while it is found. */
struct found {
    uint32_t first;
    uint32_t owner, votes; /* Boyer and Moore's majority */
};

struct graph {
    struct node *nodes;
    struct image_step *steps;
    uint32_t *stack;
    uint64_t *ends; /* of the steps */
    size_t count;
    uint32_t used, seen, loops;
    struct found *found;       /* loops of the round before */
    struct image_loop *listed; /* all loops; the round before's begin at `before` */
    size_t listed_count, room, before;
    uint32_t owner; /* of the function */
};

/* The node at an address; NONE: no instruction begins there. */
static uint32_t node_at(const struct graph *graph, uint64_t address)
{
    size_t low = 0, high = graph->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (graph->steps[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < graph->count && graph->steps[low].address == address ? (uint32_t)low
                                                                      : NONE;
}

/* ---- Rounds ---- */

/* Whether the edge is in a loop that was found so far, and does not begin it anew. */
static bool counts(const struct graph *graph, uint32_t from, uint32_t to)
{
    return to != NONE && graph->nodes[to].loop == graph->nodes[from].loop &&
           !graph->nodes[to].first;
}

static void visit(struct graph *graph, uint32_t at, uint32_t above)
{
    struct node *node = &graph->nodes[at];
    node->order = node->low = ++graph->seen;
    node->above = above;
    node->tried = 0;
    node->waits = true;
    graph->stack[graph->used++] = at;
}

/* Adds another way on to those that are known. */
static void add_ways(struct image_ways *ways, const struct image_ways *other)
{
    if (!other->known)
        return;
    ways->least = ways->known ? fmin(ways->least, other->least) : other->least;
    ways->most = ways->known ? fmax(ways->most, other->most) : other->most;
    ways->known = true;
}

/* Adds the ways that leave the part on the stack at a node of it. */
static void add_ways_from(const struct graph *graph, uint32_t at, unsigned round,
                          struct image_ways *ways)
{
    static const struct image_ways end = {.known = true};
    const struct node *node = &graph->nodes[at];
    const struct image_step *step = &graph->steps[at];
    for (unsigned i = 0; i < 2; i++) {
        const struct node *to = node->to[i] != NONE ? &graph->nodes[node->to[i]] : NULL;
        if (to != NULL && counts(graph, at, node->to[i])) {
            if (!to->waits)
                add_ways(ways, &to->ways);
        } else if (to != NULL && round > 1 && to->loop == node->loop) {
            add_ways(ways, &end); /* a turn is over */
        }
    }
    if (round == 1 && ((step->ends && node->to[0] == NONE) ||
                       (step->jumps != 0 && node->to[0] == NONE)))
        add_ways(ways, &end);
}

/* What an instruction weighs in the ways of this round. */
static double weight_of(const struct graph *graph, uint32_t at, unsigned round)
{
    uint32_t loop = graph->nodes[at].loop;
    uint32_t owner = round == 1 ? graph->owner : graph->found[loop].owner;
    return graph->steps[at].owner == owner ? graph->steps[at].weight : 0;
}

/* Takes a part off the stack that is connected; it is a loop if it has an edge. */
static void take_part(struct graph *graph, uint32_t root, unsigned round)
{
    bool alone = graph->stack[graph->used - 1] == root;
    bool loop = !alone ||
                (counts(graph, root, graph->nodes[root].to[0]) &&
                 graph->nodes[root].to[0] == root) ||
                (counts(graph, root, graph->nodes[root].to[1]) &&
                 graph->nodes[root].to[1] == root);
    uint32_t number = loop ? graph->loops++ : NONE, at, low = graph->used;
    struct image_ways ways = {.known = false};
    do {
        at = graph->stack[--low];
        add_ways_from(graph, at, round, &ways);
    } while (at != root);
    double weight = loop ? 0 : weight_of(graph, root, round);
    ways.least += weight;
    ways.most += weight;
    while (graph->used > low) {
        at = graph->stack[--graph->used];
        graph->nodes[at].ways = ways;
        graph->nodes[at].waits = false;
        graph->nodes[at].next_loop = number;
        if (loop && round <= IMAGE_LOOPS_MAX)
            graph->steps[at].loops = round;
    }
}

static void search(struct graph *graph, uint32_t root, unsigned round)
{
    uint32_t at = root;
    visit(graph, at, NONE);
    while (at != NONE) {
        struct node *node = &graph->nodes[at];
        if (node->tried < 2) {
            uint32_t to = node->to[node->tried++];
            if (!counts(graph, at, to))
                continue;
            if (graph->nodes[to].order == 0) {
                visit(graph, to, at);
                at = to;
            } else if (graph->nodes[to].waits && graph->nodes[to].order < node->low) {
                node->low = graph->nodes[to].order;
            }
            continue;
        }
        uint32_t above = node->above;
        if (node->low == node->order)
            take_part(graph, at, round);
        if (above != NONE && node->low < graph->nodes[above].low)
            graph->nodes[above].low = node->low;
        at = above;
    }
}

/* A loop's first instruction is the lowest one to which an edge leads from outside. */
static void find_first(struct graph *graph)
{
    for (uint32_t i = 0; i < graph->loops; i++)
        graph->found[i] = (struct found){.first = NONE};
    for (uint32_t i = 0; i < graph->count; i++)
        for (unsigned j = 0; j < 2; j++) {
            uint32_t to = graph->nodes[i].to[j];
            uint32_t loop = to == NONE ? NONE : graph->nodes[to].next_loop;
            if (loop != NONE && graph->nodes[i].next_loop != loop &&
                to < graph->found[loop].first)
                graph->found[loop].first = to;
        }
    for (uint32_t i = 0; i < graph->count; i++) {
        struct node *node = &graph->nodes[i];
        struct found *found =
            node->next_loop != NONE ? &graph->found[node->next_loop] : NULL;
        node->loop = node->next_loop;
        if (found != NULL && found->first == NONE)
            found->first = i; /* the function begins with it */
        node->first = found != NULL && found->first == i;
        graph->steps[i].begins += node->first;
        node->order = 0;
    }
}

static void find_owners(struct graph *graph)
{
    for (size_t i = 0; i < graph->count; i++) {
        uint32_t loop = graph->nodes[i].loop, owner = graph->steps[i].owner;
        struct found *found = loop != NONE ? &graph->found[loop] : NULL;
        if (found == NULL)
            continue;
        if (found->votes == 0)
            found->owner = owner;
        found->votes += found->owner == owner ? 1 : (uint32_t)-1;
    }
}

/* Lists the loops that the round has found. */
static bool list_loops(struct graph *graph, unsigned round)
{
    size_t need = graph->listed_count + graph->loops;
    if (need > graph->room) {
        struct image_loop *listed = realloc(graph->listed, 2 * need * sizeof *listed);
        if (listed == NULL)
            return false;
        graph->listed = listed;
        graph->room = 2 * need;
    }
    graph->before = graph->listed_count;
    for (size_t i = 0; i < graph->loops; i++)
        graph->listed[graph->listed_count++] =
            (struct image_loop){.depth = round, .owner = graph->found[i].owner};
    for (size_t i = 0; i < graph->count; i++) {
        const struct image_step *step = &graph->steps[i];
        struct image_loop *loop =
            graph->nodes[i].loop == NONE
                ? NULL
                : &graph->listed[graph->before + graph->nodes[i].loop];
        if (loop != NULL && loop->owner == step->owner && step->line > 0 &&
            (loop->line == 0 || step->line < loop->line))
            loop->line = step->line;
    }
    return true;
}

/* Notes the ways through the function or, in later rounds, through the loops that the
 * round before has found. */
static void note_ways(struct graph *graph, unsigned round, struct image_ways *ways)
{
    if (round == 1 && graph->count > 0)
        *ways = graph->nodes[0].ways;
    for (size_t i = graph->before; round > 1 && i < graph->listed_count; i++)
        graph->listed[i].ways = graph->nodes[graph->found[i - graph->before].first].ways;
}

/* Each round finds the loops in the loops that the round before has found. */
static bool find_loops(struct graph *graph, struct image_ways *ways)
{
    graph->found = calloc(graph->count + 1, sizeof *graph->found);
    if (graph->found == NULL)
        return false;
    for (unsigned round = 1; round <= IMAGE_LOOPS_MAX + 1; round++) {
        graph->seen = graph->loops = 0;
        for (uint32_t i = 0; i < graph->count; i++)
            graph->nodes[i].next_loop = NONE;
        for (uint32_t i = 0; i < graph->count; i++)
            if (graph->nodes[i].order == 0 &&
                (round == 1 || graph->nodes[i].loop != NONE))
                search(graph, i, round);
        note_ways(graph, round, ways);
        if (graph->loops == 0 || round > IMAGE_LOOPS_MAX)
            break;
        find_first(graph);
        find_owners(graph);
        if (!list_loops(graph, round))
            return false;
    }
    return true;
}

/* ---- Code ---- */

/* Notes the instruction; `to[0]` is a target's address until all are known. */
static void add_step(struct graph *graph, const struct arch_instruction *found,
                     uint64_t at, bool hook)
{
    graph->ends[graph->count] = at + found->bytes;
    struct image_step *step = &graph->steps[graph->count++];
    *step = (struct image_step){
        .address = at, .ends = found->always, .hook = hook, .weight = 1};
    if (found->kind == ARCH_CALL)
        step->calls = found->target;
    else if (found->kind == ARCH_JUMP || found->kind == ARCH_BRANCH)
        step->jumps = found->target;
}

/* Marks instructions that nothing leads to, but one that fills up in front of data. */
static void mark_cases(struct graph *graph)
{
    for (size_t i = 1; i < graph->count; i++)
        graph->steps[i].cased =
            i + 1 < graph->count && graph->steps[i + 1].address == graph->ends[i];
    for (size_t i = 0; i < graph->count; i++)
        for (unsigned j = 0; j < 2; j++)
            if (graph->nodes[i].to[j] != NONE)
                graph->steps[graph->nodes[i].to[j]].cased = false;
}

static void connect(struct graph *graph, uint64_t low, uint64_t high)
{
    for (size_t i = 0; i < graph->count; i++) {
        struct image_step *step = &graph->steps[i];
        struct node *node = &graph->nodes[i];
        if (step->calls > low && step->calls < high) { /* a far jump of Thumb-1 */
            step->jumps = step->calls;
            step->calls = 0;
            step->ends = true;
        }
        node->loop = node->next_loop = NONE;
        node->to[0] = step->jumps != 0 ? node_at(graph, step->jumps) : NONE;
        bool next = !step->ends && i + 1 < graph->count &&
                    graph->steps[i + 1].address == graph->ends[i];
        node->to[1] = next ? (uint32_t)(i + 1) : NONE;
    }
}

static void read_steps(struct graph *graph, struct image *image, uint64_t low,
                       const uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        struct arch_instruction found;
        arch_decode(image_code_reader(image), low + at, bytes + at, size - at, &found);
        if (!found.data)
            add_step(graph, &found, low + at,
                     found.kind == ARCH_CALL && image_is_hook(image, found.target));
        at += found.bytes;
    }
}

static bool find_all(struct graph *graph, struct image *image, uint64_t low,
                     uint64_t high, const uint8_t *bytes, size_t size, image_weigh *weigh,
                     void *context, struct image_ways *ways)
{
    graph->nodes = calloc(size + 1, sizeof *graph->nodes);
    graph->steps = calloc(size + 1, sizeof *graph->steps);
    graph->stack = calloc(size + 1, sizeof *graph->stack);
    graph->ends = calloc(size + 1, sizeof *graph->ends);
    if (graph->nodes == NULL || graph->steps == NULL || graph->stack == NULL ||
        graph->ends == NULL)
        return false;
    read_steps(graph, image, low, bytes, size);
    connect(graph, low, high);
    mark_cases(graph);
    for (size_t i = 0; weigh != NULL && i < graph->count; i++)
        weigh(context, &graph->steps[i]);
    return find_loops(graph, ways);
}

bool image_read_code(struct image *image, uint64_t low, uint64_t high, uint32_t owner,
                     image_weigh *weigh, void *context, struct image_code *code)
{
    size_t size;
    struct graph graph = {.owner = owner};
    *code = (struct image_code){.steps = NULL};
    if (!image_open_hooks(image))
        return false;
    const uint8_t *bytes = image_bytes(image, low, &size);
    if (bytes == NULL && image_bytes_lost(image, low))
        return false;
    size = size < high - low ? size : (size_t)(high - low);
    if (size > CODE_BYTES_MAX)
        size = 0;
    bool done =
        find_all(&graph, image, low, high, bytes, size, weigh, context, &code->ways);
    *code = (struct image_code){.steps = graph.steps,
                                .step_count = graph.count,
                                .loops = graph.listed,
                                .loop_count = graph.listed_count,
                                .ways = code->ways};
    free(graph.nodes);
    free(graph.stack);
    free(graph.ends);
    free(graph.found);
    if (!done)
        image_release_code(code);
    return done;
}

void image_release_code(struct image_code *code)
{
    free(code->steps);
    free(code->loops);
    *code = (struct image_code){.steps = NULL};
}
