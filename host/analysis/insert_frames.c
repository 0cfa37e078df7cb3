/* SPDX-License-Identifier: MIT */
#include "insert_frames.h"

#include <stdlib.h>

#include "../arch/arch.h"

enum { CALL_BYTES = 4 }; /* bl, which is all that the table names */

struct inserting {
    struct image_skipped_frames *skipped;
    size_t skipped_count;
    uint64_t *room; /* for a stack */
};

/* The return address that the walk went past behind this level; 0: none. A return address
 * is behind its call, but a program counter is at a call that has not been made. */
static uint64_t behind(const struct inserting *inserting, uint64_t address, bool is_pc)
{
    for (size_t i = 0; i < inserting->skipped_count; i++)
        if (address + (is_pc ? CALL_BYTES : 0) == inserting->skipped[i].behind)
            return inserting->skipped[i].back;
    return 0;
}

/* Copies the stack's addresses, and the return addresses that belong between them, into
 * the room. Returns their number. */
static size_t fill(const struct inserting *inserting, const struct stack *stack)
{
    size_t depth = 0;
    bool is_pc = true;
    for (size_t level = 0; level < stack->depth; level++) {
        uint64_t address = stack->addresses[level];
        uint64_t back = behind(inserting, address, is_pc);
        bool more = level + 1 < stack->depth;
        inserting->room[depth++] = address;
        if (back != 0 && (!more || stack->addresses[level + 1] != back))
            inserting->room[depth++] = back;
        is_pc = arch_exception_return(address);
    }
    return depth;
}

static bool insert(const struct inserting *inserting, struct profile *profile)
{
    struct stacks all = profile->stacks;
    bool done = true;
    profile->stacks = (struct stacks){.items = NULL};
    for (size_t i = 0; i < all.used && done; i++) {
        struct stack stack = all.items[i];
        stack.depth = fill(inserting, &all.items[i]);
        stack.addresses = inserting->room;
        done = profile_add_path(profile, &stack);
    }
    profile_release_stacks(&all);
    return done;
}

bool insert_skipped_frames(struct profile *profile, const struct image *image)
{
    struct inserting inserting = {NULL, 0, NULL};
    size_t deepest = 0;
    for (size_t i = 0; i < profile->stacks.used; i++)
        if (profile->stacks.items[i].depth > deepest)
            deepest = profile->stacks.items[i].depth;
    if (deepest == 0)
        return true;
    bool done = image_skipped_frames(image, &inserting.skipped, &inserting.skipped_count);
    if (done && inserting.skipped_count > 0) {
        inserting.room = calloc(deepest, 2 * sizeof *inserting.room);
        done = inserting.room != NULL && insert(&inserting, profile);
    }
    free(inserting.room);
    free(inserting.skipped);
    return done;
}
