/* SPDX-License-Identifier: MIT */
/*
 * What calls each other, however indirectly: the strongly connected components of a
 * graph. Components of two nodes or more are the cycles.
 */
#ifndef MCUPROF_HOST_GRAPH_COMPONENTS_H
#define MCUPROF_HOST_GRAPH_COMPONENTS_H

#include <stdbool.h>
#include <stdint.h>

/* Nodes are numbered from 0 on. A node leads to those in to[first[node] .. first[node +
 * 1]). There are less than UINT32_MAX nodes, and less than UINT32_MAX edges. */
struct graph {
    uint32_t nodes;
    uint32_t *first; /* nodes + 1 */
    uint32_t *to;
};

/* Component `i` is members[ends[i - 1] .. ends[i]), from 0 on for the first one, in the
 * order in which its nodes were met. All other nodes that it leads to are in components
 * before it. */
struct components {
    uint32_t *members;
    uint32_t *ends;
    uint32_t count;
};

/*
 * Searches from the first node on, along each one's edges in their order, in linear time:
 * H. N. Gabow, "Path-based depth-first search for strong and biconnected components",
 * Information Processing Letters 74, 2000. false: out of memory. To be released in any
 * case.
 */
bool components_find(struct components *components, const struct graph *graph);
void components_release(struct components *components);

#endif
