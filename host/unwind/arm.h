/* SPDX-License-Identifier: MIT */
/* What T32 and A32 share. Private to unwind/. */
#ifndef MCUPROF_HOST_UNWIND_ARM_H
#define MCUPROF_HOST_UNWIND_ARM_H

#include "flow.h"

enum { ARM_IP = 12, ARM_SP = 13, ARM_LR = 14, ARM_PC = 15 };

/* Sets a register other than the pc. */
void arm_set(struct state *state, unsigned reg, struct value value);
/* A register's value; `pc` is the value that an instruction reads from the pc. */
struct value arm_get(const struct state *state, unsigned reg, uint64_t pc);
static inline void arm_forget(struct state *state, unsigned reg)
{
    arm_set(state, reg, (struct value){0});
}

/* Jumps to an address from a register or from memory. */
void arm_go(struct flow *flow, const struct state *state, uint64_t at,
            struct value target);
/* Jumps to an address that was loaded from `address`. */
void arm_pop(struct flow *flow, const struct state *state, uint64_t at,
             struct value address, struct value target);
/* Loads a word of the stack or of constant memory. */
struct value arm_load(struct flow *flow, const struct state *state, struct value address);

/* Loads or stores the registers of the list, the lowest at `address`. If it loads the pc
 * it jumps there and returns false. */
bool arm_multiple(struct flow *flow, struct state *state, uint64_t at,
                  struct value address, unsigned list, bool load);
/* PUSH, POP, LDM, STM, which may also move the base register. `down`: DB or DA; `beyond`:
 * IB or DA, which are a word higher than IA and DB. */
struct arm_block {
    unsigned base, list;
    bool load, down, beyond, writes_back;
};
bool arm_block(struct flow *flow, struct state *state, uint64_t at,
               const struct arm_block *block);

/* Calls the target. Returns whether the code goes on behind the call. */
bool arm_call(struct flow *flow, struct state *state, uint64_t at, uint64_t target);
/* Forgets all registers but those that a call preserves. */
void arm_called(struct state *state);

unsigned arm_step(struct flow *flow, uint64_t at, struct state *state);
unsigned thumb_step(struct flow *flow, uint64_t at, struct state *state);
unsigned thumb_step_wide(struct flow *flow, uint64_t at, uint32_t high, uint32_t low,
                         struct state *state);
unsigned a32_step(struct flow *flow, uint64_t at, struct state *state);

#endif
