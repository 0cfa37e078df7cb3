/* SPDX-License-Identifier: MIT */
/*
 * Follows the code from the entries of its functions along all ways. A processor's
 * decoder says what an instruction does to the state, and where it goes. Private to
 * unwind/.
 */
#ifndef MCUPROF_HOST_UNWIND_FLOW_H
#define MCUPROF_HOST_UNWIND_FLOW_H

#include "code.h"
#include "state.h"

struct flow;

/* A processor: */
struct cpu {
    const struct arch *arch;
    unsigned word;        /* `where` counts these, bytes */
    uint32_t padding[3];  /* units that fill gaps between functions: 0, its NOPs */
    unsigned sp;          /* of its registers: the stack pointer */
    unsigned fp, fp_wide; /* the frame pointer, and that of A32; or 0 */
    /* In the frame information: the numbers of the stack pointer and of the return
     * address. */
    unsigned dwarf_sp, dwarf_return;
    uint32_t dwarf_stacked; /* a bit for each register that an exception stacks: what an
                               interrupt hit can have its return address there */
    unsigned
        dwarf_window; /* SPARC: the frame pointer, the caller's stack pointer; or 0 */
    bool (*serves)(uint32_t flags); /* of the ELF; NULL: any */
    /* The state at a function's entry, but for its stack pointer: that is VALUE_STACK 0.
     */
    void (*enter)(struct state *state);
    /* What the table says of a state. size: less than 0 where more was freed than the
     * function had: what it was entered with is not what enter() takes for granted. */
    struct answer (*answer)(const struct state *state);
    /* The state that frame information tells of, after state's sp was set. */
    void (*repair)(struct state *state, struct answer answer);
    /* Applies the instruction at `at` to the state; tells the flow of jumps, calls and
     * returns. Returns its bytes where the code goes on behind it, else 0. */
    unsigned (*step)(struct flow *flow, uint64_t at, struct state *state);
};

/* Ends with NULL. */
extern const struct cpu *const unwind_cpus[];
extern const struct cpu cpu_arm, cpu_riscv, cpu_sparc, cpu_avr, cpu_avr_large;

/* What is known of a unit of the code. */
struct found {
    struct answer code, frame; /* by the code; by the frame information */
    uint32_t entry;            /* index of the function that the code was followed from */
    bool trusted;              /* the code is right where the frame information differs */
    bool begins;               /* an instruction that was reached */
    bool raised;               /* the code: see struct state */
    bool opaque;               /* of a function that nothing is said of */
    bool second;               /* of one that is called by a second link register */
    bool has_frame;            /* there is frame information, whatever it says */
};

/* Fills in .code, .begins and .raised, and uses .frame where ways differ that join.
 * found[] is one for each unit. false: out of memory. */
bool flow_follow(const struct code *code, const struct cpu *cpu, struct found *found);

/* ---- For decoders ---- */

const struct code *flow_code(const struct flow *flow);
/* Goes to target with that state. */
void flow_jump(struct flow *flow, const struct state *state, uint64_t target);
/* Leaves the function, or goes to where nothing can be known. */
void flow_return(struct flow *flow, const struct state *state);
/* Leaves a handler of interrupts: nothing calls it. */
void flow_trap(struct flow *flow, const struct state *state);
/* A call. Returns whether it comes back (as far as is known by now: else this code will
 * be run again). */
bool flow_call(struct flow *flow, struct state *state, uint64_t target);
/* A subroutine that has no name: it is entered like a function. */
void flow_enter(struct flow *flow, uint64_t target);
/* Several instructions in one step, of which step() is to be called for each: the state
 * before that at `at`. other: on another way, or NULL. */
void flow_note(struct flow *flow, uint64_t at, const struct state *state,
               const struct state *other);
/* This instruction is one that frame information is known not to tell of. */
void flow_trust(struct flow *flow, uint64_t at);
/* Whether the frame information says anything of this place. */
bool flow_has_frame(const struct flow *flow, uint64_t at);

/* Jumps to all places that a table in memory names: words of so many bytes; `scale` times
 * each, a signed one if `is_signed`, on top of `origin`, is a target. The table ends
 * where its data do, where the nearest target lies, or with a word that names no code of
 * the function that `at` is in. */
struct jump_table {
    uint64_t at, address, origin;
    unsigned bytes, scale;
    bool is_signed;
};
void flow_table(struct flow *flow, const struct state *state,
                const struct jump_table *table);

/* The same for a table of addresses, of 4 bytes each. */
void flow_words(struct flow *flow, const struct state *state, uint64_t at,
                uint64_t address);

#endif
