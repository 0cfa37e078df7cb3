/* SPDX-License-Identifier: MIT */
/* Shared by instructions of 32 and of 16 bits. Private to unwind/. */
#ifndef MCUPROF_HOST_UNWIND_RISCV_H
#define MCUPROF_HOST_UNWIND_RISCV_H

#include "flow.h"

enum { RISCV_RA = 1, RISCV_SP = 2, RISCV_T0 = 5, RISCV_S0 = 8 };

void riscv_set(struct state *state, unsigned reg, struct value value);
struct value riscv_get(const struct state *state, unsigned reg);
/* Loads the word at base + offset. */
void riscv_load(struct flow *flow, struct state *state, unsigned reg, unsigned base,
                int32_t offset);
void riscv_store(struct state *state, unsigned reg, unsigned base, int32_t offset);

/* A call that sets a link register. Returns whether the code goes on behind it. */
bool riscv_call(struct flow *flow, struct state *state, unsigned link,
                struct value target);
void riscv_go(struct flow *flow, const struct state *state, uint64_t at,
              struct value target);

unsigned riscv_short_step(struct flow *flow, uint64_t at, uint32_t half,
                          struct state *state);

#endif
