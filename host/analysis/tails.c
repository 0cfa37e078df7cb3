/* SPDX-License-Identifier: MIT */
#include "tails.h"

#include <stdio.h>
#include <stdlib.h>

#include "../arch/arch.h"

enum { MEMORY = 4096 }; /* return addresses that are remembered */
#define TOLD_FROM 0.02  /* of the samples */

/* What is called in front of a return address; NULL: that is not known. */
struct call {
    uint64_t back;
    const struct image_symbol *called;
};

struct finding {
    struct image *image;
    struct call calls[MEMORY];
    uint64_t *room; /* for a stack */
    size_t one;     /* so many of its functions have one way, */
    bool more;      /* and some have more */
};

static const struct image_symbol *called_before(struct finding *finding, uint64_t back)
{
    struct call *call = &finding->calls[back / 2 % MEMORY];
    uint64_t target;
    if (call->back == back)
        return call->called;
    *call = (struct call){back, NULL};
    if (image_call_target(finding->image, back, &target))
        call->called = image_symbol_at(finding->image, target);
    if (call->called != NULL && call->called->address != target)
        call->called = NULL;
    return call->called;
}

/* The addresses behind the jumps by which the function that was called before the return
 * address `back` has led to the place `at`. Returns their number. */
static size_t jumps(struct finding *finding, uint64_t at, uint64_t back, uint64_t *behind)
{
    const struct image_symbol *called = called_before(finding, back), *symbol;
    bool more = false;
    if (called == NULL || (at >= called->address && at < called->end))
        return 0;
    symbol = image_symbol_at(finding->image, at);
    size_t count = symbol != NULL
                       ? image_tail_calls(finding->image, called, symbol, behind, &more)
                       : 0;
    finding->one += count;
    finding->more = finding->more || more;
    return count;
}

/* Copies the stack's addresses, and what belongs between them, into the room. Returns
 * their number. */
static size_t fill(struct finding *finding, const struct stack *stack)
{
    size_t depth = 0;
    bool is_pc = true;
    finding->one = 0;
    finding->more = false;
    for (size_t level = 0; level < stack->depth; level++) {
        uint64_t address = stack->addresses[level];
        bool returns = arch_exception_return(address);
        finding->room[depth++] = address;
        if (level + 1 < stack->depth && !returns)
            depth += jumps(finding, address - !is_pc, stack->addresses[level + 1],
                           finding->room + depth);
        is_pc = returns;
    }
    return depth;
}

static bool insert(struct finding *finding, struct profile *profile)
{
    struct stacks all = profile->stacks;
    bool done = true;
    profile->stacks = (struct stacks){.items = NULL};
    for (size_t i = 0; i < all.used && done; i++) {
        struct stack stack = all.items[i];
        stack.depth = fill(finding, &all.items[i]);
        stack.addresses = finding->room;
        done = profile_add_path(profile, &stack);
    }
    profile_release_stacks(&all);
    return done;
}

/* Counts the samples of which something is missing. Returns whether something is there to
 * be put in. */
static bool count(struct finding *finding, struct profile *profile, bool shown)
{
    bool any = false;
    for (size_t i = 0; i < profile->stacks.used; i++) {
        fill(finding, &profile->stacks.items[i]);
        any = any || finding->one > 0;
        if (finding->more || (!shown && finding->one > 0))
            profile->tail_samples += profile->stacks.items[i].count;
    }
    return any;
}

bool tails_find(struct profile *profile, struct image *image, bool shown)
{
    struct finding *finding;
    size_t deepest = 0;
    profile->tail_samples = 0;
    profile->tail_calls = shown;
    for (size_t i = 0; i < profile->stacks.used; i++)
        if (profile->stacks.items[i].depth > deepest)
            deepest = profile->stacks.items[i].depth;
    if (deepest < 2)
        return true;
    finding = calloc(1, sizeof *finding);
    if (finding == NULL)
        return false;
    finding->image = image;
    finding->room = calloc(deepest, (1 + IMAGE_TAILS_MAX) * sizeof *finding->room);
    bool done = finding->room != NULL;
    if (done && count(finding, profile, shown) && shown)
        done = insert(finding, profile);
    free(finding->room);
    free(finding);
    return done;
}

bool tails_text(const struct profile *profile, char text[TAILS_TEXT_MAX])
{
    double all = (double)profile->received[EVENT_SAMPLE];
    double share = all > 0 ? (double)profile->tail_samples / all : 0;
    text[0] = '\0';
    if (share < TOLD_FROM)
        return false;
    snprintf(
        text, TAILS_TEXT_MAX,
        "callers that left by a tail call are missing from the paths of %.3g %% of the "
        "samples, and that time from their totals%s",
        100 * share,
        profile->tail_calls ? ", where the code has more than one way"
                            : ": --tail-calls puts in those of which the code tells");
    return true;
}
