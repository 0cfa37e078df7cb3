/* SPDX-License-Identifier: MIT */
#include "components.h"

#include <stdlib.h>

/* A node's place is 1 + its index in `open`, or one of these two: */
enum { UNSEEN = 0 };
#define DONE UINT32_MAX

struct visit {
    uint32_t next; /* the edge to follow next */
    uint32_t place;
};

struct search {
    const struct graph *graph;
    struct components *components;
    struct visit *visits;
    uint32_t *path; /* the nodes from the search's start to the one that is being
                     * visited */
    uint32_t depth;
    uint32_t *open; /* nodes that were met and whose component is not complete, in the
                     * order in which they were met */
    uint32_t open_count;
    uint32_t *heads; /* indices in `open`: at each begins a group of nodes that are
                      * known to belong together */
    uint32_t head_count;
    uint32_t taken; /* members of components so far */
};

static void enter(struct search *search, uint32_t node)
{
    search->path[search->depth++] = node;
    search->heads[search->head_count++] = search->open_count;
    search->open[search->open_count++] = node;
    search->visits[node] = (struct visit){search->graph->first[node], search->open_count};
}

/* Leaves a node whose edges were all followed: if it is still a head, its component is
 * complete. */
static void leave(struct search *search)
{
    struct components *components = search->components;
    uint32_t place = search->visits[search->path[--search->depth]].place - 1;
    if (search->heads[search->head_count - 1] != place)
        return;
    search->head_count--;
    for (uint32_t i = place; i < search->open_count; i++) {
        search->visits[search->open[i]].place = DONE;
        components->members[search->taken++] = search->open[i];
    }
    search->open_count = place;
    components->ends[components->count++] = search->taken;
}

static void search_from(struct search *search, uint32_t start)
{
    const struct graph *graph = search->graph;
    enter(search, start);
    while (search->depth > 0) {
        uint32_t node = search->path[search->depth - 1];
        uint32_t next = search->visits[node].next++;
        if (next == graph->first[node + 1]) {
            leave(search);
            continue;
        }
        uint32_t to = graph->to[next], place = search->visits[to].place;
        if (place == UNSEEN)
            enter(search, to);
        else if (place != DONE) /* it and all behind it in `open` belong together */
            while (search->heads[search->head_count - 1] >= place)
                search->head_count--;
    }
}

bool components_find(struct components *components, const struct graph *graph)
{
    size_t room = (size_t)graph->nodes + 1;
    *components = (struct components){
        .members = calloc(room, sizeof(uint32_t)),
        .ends = calloc(room, sizeof(uint32_t)),
    };
    struct search search = {
        .graph = graph,
        .components = components,
        .visits = calloc(room, sizeof *search.visits),
        .path = calloc(room, sizeof *search.path),
        .open = calloc(room, sizeof *search.open),
        .heads = calloc(room, sizeof *search.heads),
    };
    bool done = components->members != NULL && components->ends != NULL &&
                search.visits != NULL && search.path != NULL && search.open != NULL &&
                search.heads != NULL;
    for (uint32_t i = 0; done && i < graph->nodes; i++)
        if (search.visits[i].place == UNSEEN)
            search_from(&search, i);
    free(search.visits);
    free(search.path);
    free(search.open);
    free(search.heads);
    return done;
}

void components_release(struct components *components)
{
    free(components->members);
    free(components->ends);
    *components = (struct components){.count = 0};
}
