/* SPDX-License-Identifier: MIT */
/* The data of flow.c, entries.c, islands.c, switches.c and steps.c. Private to these. */
#ifndef MCUPROF_HOST_UNWIND_FOLLOWING_H
#define MCUPROF_HOST_UNWIND_FOLLOWING_H

#include "flow.h"
#include "labels.h"
#include "mcuprof_unwind.h"

/* Code from a place where paths join (an entry or the target of a jump) to the next such
 * place or jump, as it is reached from one entry. */
struct block {
    struct state in;
    uint64_t at;
    uint32_t entry;
    uint32_t next; /* another entry's block at this place: its index + 1; or 0 */
    bool reached, queued;
    bool spreads; /* no code: it goes on at all labels of the function that begins here */
};

/* A call in a block, or a jump, to a function that is not known to return yet. */
struct wait {
    uint32_t block, function, by; /* by: the function that jumps to `function` and returns
                                     if that one returns; UINT32_MAX: this is a call */
};

/* What a pass over all code finds out about an entry. */
struct known {
    bool returns;
    bool proved; /* it returned by the return address that it was entered with */
    bool called;
    bool continued;        /* reached by a jump from code that nothing called */
    bool jumped;           /* reached by a jump of a function that has freed its frame */
    bool lent;             /* reached by a jump of a function with a frame */
    bool traps;            /* a handler of interrupts */
    bool overdrawn;        /* it freed more stack than it had */
    bool overdrawn_itself; /* in its own code, not in another's to which it jumps */
    bool framed;    /* an inner entry: called with the return address in the frame */
    bool came_back; /* an inner entry: goes back behind its call; any other: goes back
                       by the second link register */
};

/* A place where code is entered: a function or, behind those in the list, an inner entry,
 * which is a place within a function that is called. */
struct entry {
    struct known known;
    uint64_t at;
    uint32_t function;
    bool borrows; /* it is entered by jumps, with the frame of the code that jumps */
    bool decided; /* `borrows` of an inner entry is no guess any more */
    bool returns; /* it did before it borrowed */
    bool second;  /* it is called by the second link register */
    bool moves;   /* it goes back by that with another stack pointer */
};

/* An array of distances by which a function jumps: a value_distance(). */
struct distances {
    const struct code_function *function;
    struct value words;
};
enum { DISTANCES_MAX = 64 };

struct flow {
    const struct code *code;
    const struct cpu *cpu;
    struct found *found;
    uint32_t *block_of; /* each unit: the index in blocks[] + 1; 0: none */
    uint32_t
        *spread_of; /* each function: the index in blocks[] + 1 of those that spread */
    struct labels labels;
    struct distances distances[DISTANCES_MAX]; /* what is lost where paths join */
    size_t distance_count;
    uint32_t *inner_of; /* each unit: the index in entries[] of an inner entry; 0: none */
    struct block *blocks;
    uint32_t block_count, block_room;
    size_t further;       /* blocks at places that have another one */
    size_t further_looks; /* how many of them were looked at in this pass */
    uint32_t *queue;
    uint32_t queued;
    struct entry *entries;
    uint32_t entry_count, entry_room;
    struct wait *waits;
    size_t wait_count, wait_room;
    uint32_t current;    /* block */
    struct found *noted; /* the last instruction that was noted */
    bool grew;           /* a new block began */
    bool checking;       /* this pass looks for what cannot be */
    bool noting;         /* this pass fills in found[] */
    struct answer fresh; /* at each entry */
    uint64_t steps;      /* instructions that were followed */
    bool failed;         /* out of memory */
};

static inline bool answer_is_definite(struct answer answer)
{
    return answer.where != MCUPROF_UNWIND_UNKNOWN;
}

/* In steps.c. Whether memory ran out, or the code takes far longer than what a compiler
 * makes. */
bool flow_stops(const struct flow *flow);

/* Adds an entry. false: out of memory. */
bool entry_add(struct flow *flow, uint64_t at, uint32_t function);

/* In islands.c. Follows the code that was not reached, by its frame information. */
void islands_follow(struct flow *flow);

/* In switches.c. Notes the arrays of distances which are not known any more where the
 * state joins that of the block. */
void distances_note(struct flow *flow, const struct block *block,
                    const struct state *state);
/* Jumps to the targets of all that were noted of a function. Returns how many arrays
 * there are; state: NULL to jump nowhere. */
size_t distances_jump(struct flow *flow, const struct state *state,
                      const struct code_function *function);

/* After a pass over all code: changes how code is entered where what the code does to the
 * stack contradicts it. Returns whether something changed. */
bool entries_decide(struct flow *flow);
/* Marks the code of entries whose return address is in the second link register. */
void entries_mark_second(const struct flow *flow);

#endif
