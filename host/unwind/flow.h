/* SPDX-License-Identifier: MIT */
/*
 * Follows the code along all paths from the entries of its functions. A processor's
 * decoder says what an instruction does to the state and where it jumps. Private to
 * unwind/.
 */
#ifndef MCUPROF_HOST_UNWIND_FLOW_H
#define MCUPROF_HOST_UNWIND_FLOW_H

#include "code.h"
#include "state.h"

struct flow;

/* A processor's decoder. */
struct cpu {
    const struct arch *arch;
    unsigned word;            /* bytes of the words that `where` counts */
    uint32_t padding[3];      /* units that fill gaps between functions: 0 and NOPs */
    unsigned sp;              /* the stack pointer's register */
    unsigned fp, fp_wide;     /* the frame pointer's, and that in A32; or 0 */
    unsigned second;          /* RISC-V: the second link register's; or 0 */
    uint32_t padding_wide[3]; /* as `padding`, of two units; or 0 */
    /* Whether the instruction jumps to what the second link register has; NULL: there is
     * none. */
    bool (*goes_back_second)(const struct code *code, uint64_t at);
    /* The frame information's numbers of the stack pointer and of the return address. */
    unsigned dwarf_sp, dwarf_return;
    /* A bit for each register that an exception stacks: code that an interrupt hit may
     * have its return address in one of them. */
    uint32_t dwarf_stacked;
    unsigned
        dwarf_window; /* SPARC: the frame pointer, the caller's stack pointer; or 0 */
    bool (*serves)(uint32_t flags); /* whether it decodes an ELF with these e_flags; NULL:
                                       it decodes any */
    /* Sets the state at a function's entry, where the stack pointer is already
     * VALUE_STACK 0. */
    void (*enter)(struct state *state);
    /* What the table says of a state. A negative size means that the function freed more
     * stack than it had: then its state at the entry was not that of enter(). */
    struct answer (*answer)(const struct state *state);
    /* Sets the rest of the state from the frame information; its stack pointer is already
     * set. */
    void (*repair)(struct state *state, struct answer answer);
    /* Applies the instruction at `at` to the state and tells the flow of jumps, calls and
     * returns. Returns its length if the code goes on behind it, else 0. */
    unsigned (*step)(struct flow *flow, uint64_t at, struct state *state);
};

/* All decoders; the list ends with NULL. */
extern const struct cpu *const unwind_cpus[];
extern const struct cpu cpu_arm, cpu_riscv, cpu_sparc, cpu_avr, cpu_avr_large;

/* What is known of a unit of the code. */
struct found {
    struct answer code, frame; /* what the code tells; what the frame information tells */
    bool trusted;              /* the code is right where the frame information differs */
    bool begins;               /* an instruction that was reached begins here */
    bool raised;    /* `code` comes from a state that is raised: see struct state */
    bool opaque;    /* nothing can be said here: see struct code_function */
    bool second;    /* the function is called by the second link register */
    bool has_frame; /* there is frame information, even if it does not tell */
};

/* Fills in found[], one item for each unit, except for .frame, which it uses where paths
 * with different states join. false: out of memory. */
bool flow_follow(const struct code *code, const struct cpu *cpu, struct found *found);

/* What the code and the frame information together tell of a unit. */
struct answer found_answer(const struct found *found);

/* ---- For decoders ---- */

const struct code *flow_code(const struct flow *flow);
/* A jump to the target. */
void flow_jump(struct flow *flow, const struct state *state, uint64_t target);
/* Whether the function has no frame, and its return address is in the link register. */
bool flow_is_free(const struct flow *flow, const struct state *state);
/* A return from the function, or a jump to an unknown place. */
void flow_return(struct flow *flow, const struct state *state);
/* A jump to a value that may be the return address. */
void flow_go_back(struct flow *flow, const struct state *state, struct value target);
/* A return from an interrupt handler, which nothing calls. */
void flow_trap(struct flow *flow, const struct state *state);
/* A call. Returns whether the function is known to return; if it turns out later that it
 * does, this code is run again. */
bool flow_call(struct flow *flow, struct state *state, uint64_t target);
/* A call by the second link register, of a function that goes back by it. The decoder
 * applies what the function does to the state, unless the result is FLOW_LOST: then the
 * function moves the stack pointer. */
enum flow_second { FLOW_STAYS, FLOW_RETURNS, FLOW_LOST };
enum flow_second flow_call_second(struct flow *flow, uint64_t target);
/* Counts an instruction that a decoder follows by itself; false: there are too many. */
bool flow_count(struct flow *flow);
/* A call of a subroutine without a name, which is entered like a function. */
void flow_enter(struct flow *flow, uint64_t target);
/* A call of a place within a function: of a subroutine without a name, or a jump to a
 * part of the function that has its frame. is_far: most likely it is a jump. Returns
 * whether it goes on behind the call. */
bool flow_enter_inner(struct flow *flow, const struct state *state, uint64_t target,
                      unsigned link, bool is_far);
/* Notes the state before the instruction at `at`, where one step() takes several
 * instructions. other: the state on another path, or NULL. */
void flow_note(struct flow *flow, uint64_t at, const struct state *state,
               const struct state *other);
/* The code takes a return address that another function has saved. */
void flow_overdraw(struct flow *flow, uint64_t at, const struct state *state);
/* The frame information is known not to describe this instruction. */
void flow_trust(struct flow *flow, uint64_t at);
/* Whether there is frame information for this place. */
bool flow_has_frame(const struct flow *flow, uint64_t at);

/* In switches.c. Jumps to all targets in a table in memory. Each word of `bytes` bytes,
 * signed if `is_signed`, gives a target: origin + scale * word. The table ends where its
 * variable or its data end, at the nearest target, or before a word that gives no code of
 * the function of `at`, or its begin while it has a frame: that may be a table of
 * functions. false: it gives no target. */
struct jump_table {
    uint64_t at, address, origin;
    unsigned bytes, scale;
    bool is_signed;
};
bool flow_table(struct flow *flow, const struct state *state,
                const struct jump_table *table);

/* Jumps to all targets in a table of 4-byte addresses, or of 4-byte distances from a
 * label in a variable with a name. If it cannot be read, the jump goes to an unknown
 * place. */
void flow_words(struct flow *flow, const struct state *state, uint64_t at,
                struct value words);

#endif
