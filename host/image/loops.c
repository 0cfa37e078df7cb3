/* SPDX-License-Identifier: MIT */
/*
 * Finds the loops of a function in its code: a loop is a strongly connected part of the
 * graph of instructions (Tarjan, "Depth-first search and linear graph algorithms", 1972);
 * what is still connected without the loop's first instruction is a loop in the loop.
 */
#include <stdlib.h>

#include "internal.h"

#define NONE UINT32_MAX

/* Of longer code nothing is said: a function has no more, a hostile file may. */
enum { CODE_BYTES_MAX = 1 << 18 };

struct node {
    uint32_t to[2];      /* where execution goes on; NONE */
    uint32_t order, low; /* Tarjan's; order 0: not seen in this round */
    uint32_t above;      /* the node from which the search came */
    uint32_t loop;       /* number of the innermost loop found so far, or NONE */
    uint32_t next_loop;  /* of the loop that this round finds, or NONE */
    uint8_t tried;       /* how many of `to` */
    bool waits;          /* on Tarjan's stack */
    bool first;          /* of its loop: no edge of the loop counts that leads here */
};

struct graph {
    struct node *nodes;
    struct image_step *steps;
    uint32_t *stack;
    uint64_t *ends; /* of the steps */
    size_t count;
    uint32_t used, seen, loops;
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

/* Takes a part off the stack that is connected; it is a loop if it has an edge. */
static void take_part(struct graph *graph, uint32_t root, unsigned round)
{
    bool alone = graph->stack[graph->used - 1] == root;
    bool loop = !alone ||
                (counts(graph, root, graph->nodes[root].to[0]) &&
                 graph->nodes[root].to[0] == root) ||
                (counts(graph, root, graph->nodes[root].to[1]) &&
                 graph->nodes[root].to[1] == root);
    uint32_t number = loop ? graph->loops++ : NONE, at;
    do {
        at = graph->stack[--graph->used];
        graph->nodes[at].waits = false;
        graph->nodes[at].next_loop = number;
        if (loop)
            graph->steps[at].loops = round;
    } while (at != root);
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
static void find_first(struct graph *graph, uint32_t *firsts)
{
    for (uint32_t i = 0; i < graph->loops; i++)
        firsts[i] = NONE;
    for (uint32_t i = 0; i < graph->count; i++)
        for (unsigned j = 0; j < 2; j++) {
            uint32_t to = graph->nodes[i].to[j];
            uint32_t loop = to == NONE ? NONE : graph->nodes[to].next_loop;
            if (loop != NONE && graph->nodes[i].next_loop != loop && to < firsts[loop])
                firsts[loop] = to;
        }
    for (uint32_t i = 0; i < graph->count; i++) {
        struct node *node = &graph->nodes[i];
        node->loop = node->next_loop;
        if (node->loop != NONE && firsts[node->loop] == NONE)
            firsts[node->loop] = i; /* the function begins with it */
        node->first = node->loop != NONE && firsts[node->loop] == i;
        graph->steps[i].begins += node->first;
        node->order = 0;
    }
}

/* Each round finds the loops in the loops that the round before has found. */
static bool find_loops(struct graph *graph)
{
    uint32_t *firsts = calloc(graph->count + 1, sizeof *firsts);
    if (firsts == NULL)
        return false;
    for (unsigned round = 1; round <= IMAGE_LOOPS_MAX; round++) {
        graph->seen = graph->loops = 0;
        for (uint32_t i = 0; i < graph->count; i++)
            graph->nodes[i].next_loop = NONE;
        for (uint32_t i = 0; i < graph->count; i++)
            if (graph->nodes[i].order == 0 &&
                (round == 1 || graph->nodes[i].loop != NONE))
                search(graph, i, round);
        find_first(graph, firsts);
        if (graph->loops == 0)
            break;
    }
    free(firsts);
    return true;
}

/* ---- Code ---- */

/* Notes the instruction; `to[0]` is a target's address until all are known. */
static void add_step(struct graph *graph, const struct arch_instruction *found,
                     uint64_t at, bool hook)
{
    graph->ends[graph->count] = at + found->bytes;
    struct image_step *step = &graph->steps[graph->count++];
    *step = (struct image_step){.address = at, .ends = found->always, .hook = hook};
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

bool image_steps(struct image *image, uint64_t low, uint64_t high,
                 struct image_step **steps, size_t *count)
{
    size_t size;
    struct graph graph = {0};
    *steps = NULL;
    *count = 0;
    if (!image_open_hooks(image))
        return false;
    const uint8_t *bytes = image_bytes(image, low, &size);
    if (bytes == NULL && image_bytes_lost(image, low))
        return false;
    size = size < high - low ? size : (size_t)(high - low);
    if (size > CODE_BYTES_MAX)
        size = 0;
    graph.nodes = calloc(size + 1, sizeof *graph.nodes);
    graph.steps = calloc(size + 1, sizeof *graph.steps);
    graph.stack = calloc(size + 1, sizeof *graph.stack);
    graph.ends = calloc(size + 1, sizeof *graph.ends);
    bool done = graph.nodes != NULL && graph.steps != NULL && graph.stack != NULL &&
                graph.ends != NULL;
    if (done) {
        read_steps(&graph, image, low, bytes, size);
        connect(&graph, low, high);
        mark_cases(&graph);
        done = find_loops(&graph);
    }
    free(graph.nodes);
    free(graph.stack);
    free(graph.ends);
    if (done) {
        *steps = graph.steps;
        *count = graph.count;
    } else {
        free(graph.steps);
    }
    return done;
}
