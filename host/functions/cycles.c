/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdlib.h>

#include "../graph/components.h"
#include "propagate.h"

static bool find_components(const struct analysis *analysis,
                            struct components *components)
{
    struct graph graph = {
        .nodes = (uint32_t)analysis->function_count,
        .first = calloc(analysis->function_count + 1, sizeof *graph.first),
        .to = calloc(analysis->arc_count + 1, sizeof *graph.to),
    };
    bool done = graph.first != NULL && graph.to != NULL;
    for (uint32_t i = 0; done && i < graph.nodes; i++)
        graph.first[i + 1] = graph.first[i] + analysis->functions[i].outs;
    for (size_t i = 0; done && i < analysis->arc_count; i++)
        graph.to[i] = analysis->arcs[i].callee;
    done = done && components_find(components, &graph);
    free(graph.first);
    free(graph.to);
    return done;
}

/* Marks the functions that are in cycles with the number of their component, and returns
 * how many cycles there are. Members are put in reverse order, since sums over a cycle
 * begin with the member that was met last. */
static size_t mark_members(struct analysis *analysis, const struct components *components)
{
    size_t cycles = 0;
    for (uint32_t i = 0, first = 0; i < components->count; i++) {
        uint32_t end = components->ends[i], *members = components->members;
        for (uint32_t low = first, high = end; low + 1 < high; low++) {
            uint32_t member = members[--high];
            members[high] = members[low];
            members[low] = member;
        }
        for (uint32_t j = first; end - first > 1 && j < end; j++)
            analysis->functions[members[j]].cycle = i + 1;
        cycles += end - first > 1;
        first = end;
    }
    return cycles;
}

static bool collect_cycles(struct analysis *analysis, const struct components *components)
{
    uint32_t *numbers = calloc((size_t)components->count + 1, sizeof *numbers);
    size_t count = mark_members(analysis, components);
    analysis->cycles = calloc(count + 1, sizeof *analysis->cycles);
    bool done = numbers != NULL && analysis->cycles != NULL;
    for (uint32_t i = 0; done && i < analysis->function_count; i++) {
        unsigned mark = analysis->functions[i].cycle;
        if (mark == NO_CYCLE)
            continue;
        if (numbers[mark] == 0)
            numbers[mark] = (uint32_t)++analysis->cycle_count;
        struct cycle *cycle = &analysis->cycles[numbers[mark] - 1];
        if (cycle->members == NULL) {
            uint32_t first = mark > 1 ? components->ends[mark - 2] : 0;
            cycle->members = calloc(components->ends[mark - 1] - first, sizeof(uint32_t));
            cycle->number = numbers[mark];
        }
        done = cycle->members != NULL;
        if (done)
            cycle->members[cycle->member_count++] = i;
        analysis->functions[i].cycle = cycle->number;
    }
    free(numbers);
    return done;
}

bool cycles_find(struct analysis *analysis, uint32_t **order)
{
    struct components components = {.count = 0};
    bool done =
        find_components(analysis, &components) && collect_cycles(analysis, &components);
    *order = NULL;
    if (done) {
        *order = components.members;
        components.members = NULL;
    }
    components_release(&components);
    return done;
}
