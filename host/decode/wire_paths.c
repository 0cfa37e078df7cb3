/* SPDX-License-Identifier: MIT */
/*
 * Call paths. A number means the node that was defined by it last, in what holds; once
 * records were lost it may have been defined anew among these, so that nothing is known
 * of any until definitions come again. What a sample or a child refers to and is not
 * known gets a node without contents, which a definition fills later: not one that comes
 * when NODES / 2 others have, for then the number may be another node's.
 */
#include <stdlib.h>
#include <string.h>

#include "wire.h"

enum { WAITING_MAX = 1 << 20, FRAMES_MAX = 4096 };

static bool prepare(struct paths *paths, struct error *error)
{
    if (paths->place != NULL)
        return true;
    paths->place = calloc(NODES, sizeof *paths->place);
    if (paths->place == NULL)
        return wire_no_memory(error);
    for (unsigned root = 0; root < MCUPROF_WIRE_NODE_FIRST; root++) {
        if (!wire_grow((void **)&paths->nodes, paths->used, &paths->room,
                       sizeof *paths->nodes, error))
            return false;
        paths->nodes[paths->used++] = (struct node){root, 0, true, 0};
        paths->place[root] = root;
    }
    return true;
}

static bool new_node(struct paths *paths, uint32_t number, struct error *error)
{
    if (!wire_grow((void **)&paths->nodes, paths->used, &paths->room,
                   sizeof *paths->nodes, error))
        return false;
    paths->nodes[paths->used] = (struct node){.asked = paths->defined};
    paths->place[number] = (uint32_t)paths->used++;
    return true;
}

/* The node of a number; one without contents if it has none. */
static bool node_of(struct paths *paths, uint32_t number, uint32_t *node,
                    struct error *error)
{
    if (!prepare(paths, error))
        return false;
    if (number >= MCUPROF_WIRE_NODE_FIRST && paths->place[number] == 0 &&
        !new_node(paths, number, error))
        return false;
    *node = paths->place[number];
    return true;
}

/* Whether a definition of this number is of another node than the one known by it. */
static bool is_another(const struct paths *paths, uint32_t number, uint32_t parent,
                       uint32_t address)
{
    const struct node *node = &paths->nodes[paths->place[number]];

    if (paths->place[number] == 0)
        return true;
    return node->known ? node->parent != parent || node->address != address
                       : paths->defined - node->asked > NODES / 2;
}

bool wire_take_node(struct decoder *decoder, const uint8_t *record, struct error *error)
{
    struct wire *wire = decoder->state;
    struct paths *paths = &wire->paths;
    struct record_path path = record_take_path(record);
    struct node *node;
    uint32_t parent;

    if (!node_of(paths, path.parent, &parent, error) ||
        (is_another(paths, path.node, parent, path.address) &&
         !new_node(paths, path.node, error)))
        return false;
    node = &paths->nodes[paths->place[path.node]];
    paths->found += !node->known && paths->waiting_used > 0;
    paths->defined++;
    node->parent = parent;
    node->address = path.address;
    node->known = true;
    return true;
}

void wire_forget_paths(struct wire *wire)
{
    struct paths *paths = &wire->paths;

    for (uint32_t number = MCUPROF_WIRE_NODE_FIRST; paths->place && number < NODES;
         number++)
        paths->place[number] = 0;
}

/* ---- Samples ---- */

/* The frames from a node outwards, as far as they are known; *end UNSURE with false: not
 * to a root. */
static bool follow(const struct wire *wire, uint32_t at, uint64_t *frames, size_t *depth,
                   enum stack_end *end)
{
    static const enum stack_end ends[] = {
        [MCUPROF_WIRE_ROOT_WHOLE] = STACK_WHOLE,
        [MCUPROF_WIRE_ROOT_INTERRUPT] = STACK_INTERRUPT,
        [MCUPROF_WIRE_ROOT_CUT] = STACK_CUT,
        [MCUPROF_WIRE_ROOT_UNSURE] = STACK_UNSURE,
    };
    const struct node *nodes = wire->paths.nodes;
    size_t from = *depth;

    *end = STACK_UNSURE;
    while (at >= MCUPROF_WIRE_NODE_FIRST && nodes[at].known && *depth < FRAMES_MAX) {
        frames[(*depth)++] = wire_address(wire, nodes[at].address);
        at = nodes[at].parent;
    }
    if (*depth == FRAMES_MAX)
        *depth = from; /* it goes round */
    if (at >= MCUPROF_WIRE_NODE_FIRST)
        return false;
    *end = ends[at];
    return true;
}

static bool count_path(struct decoder *decoder, const struct waiting *sample, bool all,
                       bool *counted, struct error *error)
{
    const struct wire *wire = decoder->state;
    static uint64_t frames[FRAMES_MAX];
    size_t depth = 1;
    enum stack_end end;
    bool known = follow(wire, sample->node, frames, &depth, &end);

    *counted = known || all;
    if (!*counted)
        return true;
    frames[0] = wire_address(wire, sample->to);
    decoder->profile->task = wire_whose(wire, sample->task);
    decoder->profile->unresolved += known ? 0 : sample->count;
    return profile_stack(decoder->profile, frames, depth, end, sample->count) ||
           wire_no_memory(error);
}

bool wire_settle_paths(struct decoder *decoder, bool all, struct error *error)
{
    struct wire *wire = decoder->state;
    struct paths *paths = &wire->paths;
    size_t left = 0;

    /* not at each node: that would be a search of all of them for each */
    if (!wire->greeted || (!all && paths->found <= paths->waiting_used / 16))
        return true;
    for (size_t i = 0; i < paths->waiting_used; i++) {
        bool counted;

        if (!count_path(decoder, &paths->waiting[i], all, &counted, error))
            return false;
        if (!counted)
            paths->waiting[left++] = paths->waiting[i];
    }
    paths->waiting_used = left;
    paths->found = 0;
    return true;
}

bool wire_take_path(struct decoder *decoder, const uint8_t *record, struct error *error)
{
    struct wire *wire = decoder->state;
    struct paths *paths = &wire->paths;
    struct record_path path = record_take_path(record);
    struct waiting sample = {.to = path.address, .count = path.count, .task = wire->task};
    bool counted = false;

    wire->since.sent[EVENT_SAMPLE] += path.count;
    wire->flushed = false;
    if (!node_of(paths, path.node, &sample.node, error))
        return false;
    if (wire->greeted && !count_path(decoder, &sample, false, &counted, error))
        return false;
    if (counted)
        return true;
    if (paths->waiting_used == WAITING_MAX && !wire_settle_paths(decoder, true, error))
        return false;
    if (paths->waiting_used == WAITING_MAX)
        return error_set(error, EXIT_BAD_INPUT, "%s: no hello among %d samples",
                         decoder->path, WAITING_MAX);
    if (!wire_grow((void **)&paths->waiting, paths->waiting_used, &paths->waiting_room,
                   sizeof *paths->waiting, error))
        return false;
    paths->waiting[paths->waiting_used++] = sample;
    return true;
}
