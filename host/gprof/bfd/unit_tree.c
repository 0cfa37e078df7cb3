/* SPDX-License-Identifier: MIT */
/*
 * Knows which units may have an address, in the order in which GNU's BFD asks them. The
 * ranges are in a tree of 256 branches by the bytes of the address; a leaf is divided
 * when it would have more than 16 ranges. BFD adds a unit's lines when they are read, in
 * the middle of all look-ups, so the order depends on the exact tree.
 */
#include <stdlib.h>

#include "../../port/memory.h"
#include "internal.h"

enum { ADDRESS_BITS = 64, BRANCH_BITS = 8, BRANCHES = 1 << BRANCH_BITS, LEAF_MAX = 16 };
/* What a new node and a new range cost; hostile ranges have a limited budget
 * (tree->left). */
enum { NODE_COST = 256, RANGE_COST = 8 };

struct bfd_node {
    struct bfd_node *branches; /* NULL: a leaf */
    struct bfd_leaf leaf;
};

/* The place of a node in the tree: the bits with which all its addresses begin. */
struct position {
    uint64_t low;
    unsigned bits;
};

/* Frees the node and its branches, which are eight levels deep at most. */
static void release_node(struct bfd_node *node)
{
    for (size_t i = 0; node->branches != NULL && i < BRANCHES; i++)
        release_node(&node->branches[i]);
    free(node->branches);
    free(node->leaf.ranges);
}

void bfd_tree_release(struct bfd_tree *tree)
{
    if (tree->root != NULL)
        release_node(tree->root);
    free(tree->root);
}

/* Joins the range to the first one of the same unit that it meets. Ranges that the result
 * meets then are not joined. */
static bool extend_leaf(struct bfd_leaf *leaf, const struct span *range)
{
    for (size_t i = 0; i < leaf->count; i++) {
        struct span *other = &leaf->ranges[i];
        bool meets = range->low == other->low || range->high == other->high ||
                     (range->low < other->low ? other->low <= range->high
                                              : range->low <= other->high);
        if (other->owner != range->owner || !meets)
            continue;
        other->low = range->low < other->low ? range->low : other->low;
        other->high = range->high > other->high ? range->high : other->high;
        return true;
    }
    return false;
}

static bool append_to_leaf(struct bfd_leaf *leaf, const struct span *range)
{
    if ((leaf->count & (leaf->count - 1)) == 0) {
        size_t room = leaf->count == 0 ? 1 : leaf->count * 2;
        void *moved = port_reallocarray(leaf->ranges, room, sizeof(*leaf->ranges));
        if (moved == NULL)
            return false;
        leaf->ranges = moved;
    }
    leaf->ranges[leaf->count++] = *range;
    return true;
}

static bool spend(struct bfd_tree *tree, uint64_t cost)
{
    bool can = tree->left >= cost;
    tree->left -= can ? cost : tree->left;
    return can;
}

static bool add_to_node(struct bfd_tree *tree, struct bfd_node *node, struct position at,
                        const struct span *range);

static bool add_to_branches(struct bfd_tree *tree, struct bfd_node *node,
                            struct position at, const struct span *range)
{
    unsigned shift = ADDRESS_BITS - BRANCH_BITS - at.bits;
    uint64_t last = at.low + (UINT64_MAX >> at.bits);
    uint64_t low = range->low < at.low ? at.low : range->low;
    /* As in BFD: where a range goes on behind this node, its last byte here is left out.
     */
    uint64_t high = range->high > last ? last : range->high;
    unsigned to = (unsigned)((high - 1) >> shift) & (BRANCHES - 1);
    for (unsigned i = (unsigned)(low >> shift) & (BRANCHES - 1); i <= to; i++) {
        struct position below = {at.low + ((uint64_t)i << shift), at.bits + BRANCH_BITS};
        if (!add_to_node(tree, &node->branches[i], below, range))
            return false;
    }
    return true;
}

/* Moves the leaf's ranges to branches, in their order. */
static bool part_leaf(struct bfd_tree *tree, struct bfd_node *node, struct position at)
{
    struct bfd_leaf leaf = node->leaf;
    bool done = true;
    node->branches = calloc(BRANCHES, sizeof(*node->branches));
    if (node->branches == NULL)
        return false;
    node->leaf = (struct bfd_leaf){0};
    for (size_t i = 0; done && i < leaf.count; i++)
        done = add_to_branches(tree, node, at, &leaf.ranges[i]);
    free(leaf.ranges);
    return done;
}

static bool add_to_node(struct bfd_tree *tree, struct bfd_node *node, struct position at,
                        const struct span *range)
{
    if (!spend(tree, 1 + node->leaf.count))
        return true;
    if (node->branches == NULL) {
        if (extend_leaf(&node->leaf, range))
            return true;
        if (node->leaf.count < LEAF_MAX || at.bits == ADDRESS_BITS)
            return !spend(tree, RANGE_COST) || append_to_leaf(&node->leaf, range);
        if (!spend(tree, (uint64_t)BRANCHES * NODE_COST))
            return true;
        if (!part_leaf(tree, node, at))
            return false;
    }
    return add_to_branches(tree, node, at, range);
}

bool bfd_tree_add(struct bfd_tree *tree, const struct span *range)
{
    if (tree->root == NULL)
        tree->root = calloc(1, sizeof(*tree->root));
    if (tree->root == NULL)
        return false;
    return range->low >= range->high ||
           add_to_node(tree, tree->root, (struct position){0}, range);
}

const struct bfd_leaf *bfd_tree_at(const struct bfd_tree *tree, uint64_t address,
                                   uint64_t *until)
{
    static const struct bfd_leaf none = {0};
    const struct bfd_node *node = tree->root;
    if (node == NULL)
        return &none;
    unsigned shift = ADDRESS_BITS;
    while (node->branches != NULL) {
        shift -= BRANCH_BITS;
        node = &node->branches[(address >> shift) & (BRANCHES - 1)];
    }
    uint64_t last =
        shift == ADDRESS_BITS ? UINT64_MAX : address | (((uint64_t)1 << shift) - 1);
    *until = last != UINT64_MAX && last + 1 < *until ? last + 1 : *until;
    return &node->leaf;
}
