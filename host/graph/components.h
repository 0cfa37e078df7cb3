/* SPDX-License-Identifier: MIT */
/*
 * Finds nodes that reach each other: the strongly connected components of a graph.
 * Components of two nodes or more are the cycles.
 */
#ifndef MCUPROF_HOST_GRAPH_COMPONENTS_H
#define MCUPROF_HOST_GRAPH_COMPONENTS_H

#include <stdbool.h>
#include <stdint.h>

/* Nodes are numbered from 0 on. Node n has edges to to[first[n] .. first[n + 1]). There
 * are fewer than UINT32_MAX nodes, and fewer than UINT32_MAX edges. */
struct graph {
    uint32_t nodes;
    uint32_t *first; /* has one more than there are nodes */
    uint32_t *to;
};

/* Component `i` is members[ends[i - 1] .. ends[i]) (for i = 0 it begins at 0), in the
 * order in which its nodes were met. Edges that leave a component lead to components
 * before it. */
struct components {
    uint32_t *members;
    uint32_t *ends;
    uint32_t count;
};

/*
 * Searches from node 0 on, along each node's edges in their order, in linear time: H. N.
 * Gabow, "Path-based depth-first search for strong and biconnected components",
 * Information Processing Letters 74, 2000. false: out of memory. The caller releases the
 * components in any case.
 */
bool components_find(struct components *components, const struct graph *graph);
void components_release(struct components *components);

#endif
