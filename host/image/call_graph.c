/* SPDX-License-Identifier: MIT */
/* Finds who may call whom in the code of all functions. */
#include <stdlib.h>

#include "../base/search.h"
#include "../base/vector.h"
#include "internal.h"

struct edge {
    uint32_t caller, callee;
};

struct call_graph_maker {
    const struct image *image;
    struct image_call_graph *graph;
    struct edge *edges;
    size_t count, room;
    struct edge last; /* added last: calls of the same function are often side by side */
};

/* The function whose code has the address, or the number of functions. */
static uint32_t function_at(const struct image *image, uint64_t address)
{
    size_t low = 0;
    SEARCH(low, image->symbol_count, image->symbols[middle].address <= address);
    bool inside = low > 0 && address < image->symbols[low - 1].end;
    return (uint32_t)(inside ? low - 1 : image->symbol_count);
}

static bool add_edge(struct call_graph_maker *maker, uint32_t caller, uint32_t callee)
{
    struct edge edge = {caller, callee};
    if (maker->count > 0 && maker->last.caller == caller && maker->last.callee == callee)
        return true;
    if (!vector_grow(&maker->edges, maker->count, &maker->room, sizeof edge))
        return false;
    maker->edges[maker->count++] = maker->last = edge;
    return true;
}

/* Reads the code of a function. false: out of memory. */
static bool read_function(struct call_graph_maker *maker, uint32_t function)
{
    const struct image_symbol *symbol = &maker->image->symbols[function];
    struct image_call_graph *graph = maker->graph;
    size_t size;
    const uint8_t *bytes = image_bytes(maker->image, symbol->address, &size);
    if (bytes == NULL) {
        graph->by_pointer[function] = true;
        return !image_bytes_lost(maker->image, symbol->address);
    }
    if (size > symbol->end - symbol->address)
        size = (size_t)(symbol->end - symbol->address);
    for (size_t at = 0; at < size;) {
        struct arch_instruction found;
        arch_decode(image_code_reader(maker->image), symbol->address + at, bytes + at,
                    size - at, &found);
        bool leads = found.kind == ARCH_CALL || found.kind == ARCH_JUMP ||
                     found.kind == ARCH_BRANCH;
        bool inside = found.target >= symbol->address && found.target < symbol->end;
        bool itself = found.kind == ARCH_CALL && found.target == symbol->address;
        graph->by_pointer[function] = graph->by_pointer[function] || found.by_pointer;
        if (leads && (!inside || itself) &&
            !add_edge(maker, function, function_at(maker->image, found.target)))
            return false;
        at += found.bytes + found.delay;
    }
    return true;
}

/* Groups the edges by callee. */
static bool group(struct call_graph_maker *maker)
{
    struct image_call_graph *graph = maker->graph;
    graph->callers = calloc(maker->count + 1, sizeof *graph->callers);
    if (graph->callers == NULL)
        return false;
    for (size_t i = 0; i < maker->count; i++) {
        graph->first[maker->edges[i].callee + 2]++;
        graph->calls[maker->edges[i].caller] = true;
    }
    for (size_t i = 2; i <= graph->count + 1; i++)
        graph->first[i] += graph->first[i - 1];
    for (size_t i = 0; i < maker->count; i++)
        graph->callers[graph->first[maker->edges[i].callee + 1]++] =
            maker->edges[i].caller;
    return true;
}

static bool make(struct image *image, struct image_call_graph *graph)
{
    struct call_graph_maker maker = {.image = image, .graph = graph};
    graph->count = image->symbol_count + 1;
    graph->first = calloc(graph->count + 2, sizeof *graph->first);
    graph->by_pointer = calloc(graph->count, sizeof *graph->by_pointer);
    graph->calls = calloc(graph->count, sizeof *graph->calls);
    bool done = graph->first != NULL && graph->by_pointer != NULL && graph->calls != NULL;
    if (done)
        graph->by_pointer[graph->count - 1] = true;
    for (size_t i = 0; done && i < image->symbol_count; i++)
        done = read_function(&maker, (uint32_t)i) && maker.count < UINT32_MAX;
    done = done && group(&maker);
    free(maker.edges);
    return done;
}

const struct image_call_graph *image_call_graph(struct image *image)
{
    const struct arch *arch = image_arch(image);
    if (image->call_graph != NULL || arch->decode == NULL || arch->ports == NULL)
        return image->call_graph;
    image->call_graph = calloc(1, sizeof *image->call_graph);
    if (image->call_graph != NULL && image_open_hooks(image) &&
        make(image, image->call_graph))
        return image->call_graph;
    image_release_call_graph(image);
    image->call_graph = NULL;
    image->no_memory = true;
    return NULL;
}

void image_release_call_graph(struct image *image)
{
    if (image->call_graph == NULL)
        return;
    free(image->call_graph->first);
    free(image->call_graph->callers);
    free(image->call_graph->by_pointer);
    free(image->call_graph->calls);
    free(image->call_graph);
}
