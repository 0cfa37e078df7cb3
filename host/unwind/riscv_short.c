/* SPDX-License-Identifier: MIT */
/* Follows the compressed instructions of RV32C: RISC-V Unprivileged ISA 20191213, chapter
 * 16. */
#include "riscv.h"

/* The register that a field of three bits names. */
static unsigned few(uint32_t half, unsigned shift)
{
    return 8 + (half >> shift & 7);
}

static struct value number(int32_t value)
{
    return value_constant((uint32_t)value);
}

static int32_t immediate6(uint32_t half)
{
    return code_signed((half >> 12 & 1) << 5 | (half >> 2 & 31), 6);
}

/* C.ADDI4SPN, C.LW, C.SW; the other instructions use floating-point registers. */
static unsigned quadrant0(struct flow *flow, uint32_t half, struct state *state)
{
    int32_t offset = (half >> 7 & 0x38) | (half >> 4 & 4) | (half << 1 & 0x40);
    int32_t frame =
        (half >> 7 & 0x30) | (half >> 1 & 0x3c0) | (half >> 4 & 4) | (half >> 2 & 8);
    if (half == 0)
        return 0; /* not an instruction: the code ends here */
    if (half >> 13 == 0)
        riscv_set(state, few(half, 2),
                  value_sum(riscv_get(state, RISCV_SP), number(frame)));
    else if (half >> 13 == 2)
        riscv_load(flow, state, few(half, 2), few(half, 7), offset);
    else if (half >> 13 == 6)
        riscv_store(state, few(half, 2), few(half, 7), offset);
    return 2;
}

/* C.LUI, C.ADDI16SP. */
static void upper(uint32_t half, struct state *state)
{
    unsigned reg = half >> 7 & 31;
    uint32_t frame = (half >> 12 & 1) << 9 | (half >> 6 & 1) << 4 | (half >> 5 & 1) << 6 |
                     (half >> 3 & 3) << 7 | (half >> 2 & 1) << 5;
    if (reg == RISCV_SP)
        state_add(state, RISCV_SP, code_signed(frame, 10));
    else
        riscv_set(state, reg, value_constant((uint32_t)immediate6(half) << 12));
}

static unsigned quadrant1(struct flow *flow, uint64_t at, uint32_t half,
                          struct state *state)
{
    unsigned reg = half >> 7 & 31;
    struct value target = value_constant((uint32_t)code_target(flow_code(flow), at));
    switch (half >> 13) {
    case 0:
        riscv_set(state, reg, value_sum(riscv_get(state, reg), number(immediate6(half))));
        return 2;
    case 1:
        return riscv_call(flow, state, RISCV_RA, target) ? 2 : 0;
    case 2:
        riscv_set(state, reg, number(immediate6(half)));
        return 2;
    case 3:
        upper(half, state);
        return 2;
    case 4:
        riscv_set(state, few(half, 7), (struct value){0});
        return 2;
    case 5:
        flow_jump(flow, state, code_target(flow_code(flow), at));
        return 0;
    default:
        flow_jump(flow, state, code_target(flow_code(flow), at));
        return 2;
    }
}

/* C.JR, C.MV, C.JALR, C.ADD. */
static unsigned by_registers(struct flow *flow, uint64_t at, uint32_t half,
                             struct state *state)
{
    unsigned reg = half >> 7 & 31, other = half >> 2 & 31;
    bool second = (half >> 12 & 1) != 0;
    struct value value = riscv_get(state, reg);
    if (other == 0 && !second) {
        riscv_go(flow, state, at, value);
        return 0;
    }
    if (other == 0)
        return reg == 0 || riscv_call(flow, state, RISCV_RA, value) ? 2 : 0;
    riscv_set(state, reg,
              second ? value_sum(value, riscv_get(state, other))
                     : riscv_get(state, other));
    return 2;
}

static unsigned quadrant2(struct flow *flow, uint64_t at, uint32_t half,
                          struct state *state)
{
    int32_t load = (half >> 7 & 0x20) | (half >> 2 & 0x1c) | (half << 4 & 0xc0);
    int32_t store = (half >> 7 & 0x3c) | (half >> 1 & 0xc0);
    unsigned reg = half >> 7 & 31;
    switch (half >> 13) {
    case 0: {
        struct value value = riscv_get(state, reg);
        uint32_t shifted = (uint32_t)value.number << (half >> 2 & 31);
        riscv_set(state, reg,
                  value.kind == VALUE_CONSTANT ? value_constant(shifted)
                                               : (struct value){0});
        return 2;
    }
    case 2:
        riscv_load(flow, state, reg, RISCV_SP, load);
        return 2;
    case 4:
        return by_registers(flow, at, half, state);
    case 6:
        riscv_store(state, half >> 2 & 31, RISCV_SP, store);
        return 2;
    default:
        return 2;
    }
}

unsigned riscv_short_step(struct flow *flow, uint64_t at, uint32_t half,
                          struct state *state)
{
    switch (half & 3) {
    case 0:
        return quadrant0(flow, half, state);
    case 1:
        return quadrant1(flow, at, half, state);
    default:
        return quadrant2(flow, at, half, state);
    }
}
