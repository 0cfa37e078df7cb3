/* SPDX-License-Identifier: MIT */
/* What T32 and A32 share. Private to unwind/. */
#ifndef MCUPROF_HOST_UNWIND_ARM_H
#define MCUPROF_HOST_UNWIND_ARM_H

#include "flow.h"

enum { ARM_IP = 12, ARM_SP = 13, ARM_LR = 14, ARM_PC = 15 };

/* Sets a register other than the pc. */
void arm_set(struct state *state, unsigned reg, struct value value);
/* A register's value; the pc's where it reads as `pc`. */
struct value arm_get(const struct state *state, unsigned reg, uint64_t pc);
static inline void arm_forget(struct state *state, unsigned reg)
{
    arm_set(state, reg, (struct value){0});
}

/* Goes to what a register or a word of memory held. */
void arm_go(struct flow *flow, const struct state *state, uint64_t at,
            struct value target);
/* A word of memory, on the stack or a constant. */
struct value arm_load(struct flow *flow, const struct state *state, struct value address);

/* Loads or stores the registers of the list, the lowest at `address`. Returns false where
 * the pc was loaded, and goes there. */
bool arm_multiple(struct flow *flow, struct state *state, uint64_t at,
                  struct value address, unsigned list, bool load);
/* PUSH, POP, LDM, STM: also moves the base register. down: DB, DA; beyond: a word higher
 * than IA and DB have it, as IB and DA do. */
struct arm_block {
    unsigned base, list;
    bool load, down, beyond, writes_back;
};
bool arm_block(struct flow *flow, struct state *state, uint64_t at,
               const struct arm_block *block);

/* A call of that target. Returns whether the code goes on behind it. */
bool arm_call(struct flow *flow, struct state *state, uint64_t at, uint64_t target);
/* The registers that a call leaves alone are kept. */
void arm_called(struct state *state);

unsigned thumb_step(struct flow *flow, uint64_t at, struct state *state);
unsigned thumb_step_wide(struct flow *flow, uint64_t at, uint32_t high, uint32_t low,
                         struct state *state);
unsigned a32_step(struct flow *flow, uint64_t at, struct state *state);

#endif
