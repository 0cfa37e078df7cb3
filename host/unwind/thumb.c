/* SPDX-License-Identifier: MIT */
/*
 * Follows T32's instructions of 16 bits. Encodings: ARM DDI 0403E, A5.2. thumb_wide.c
 * has those of 32 bits.
 */
#include <string.h>

#include "arm.h"

static unsigned goes(bool on, unsigned bytes)
{
    return on ? bytes : 0;
}

/* ---- Data processing ---- */

static void shift(struct state *state, uint32_t half)
{
    struct value from = state->registers[half >> 3 & 7];
    unsigned count = half >> 6 & 31, kind = half >> 11 & 3;
    struct value value = {0};
    if (kind == 0 && count == 0)
        value = from; /* MOVS */
    else if (value_is_offset(from) && kind == 0 && count == 1)
        value = value_offset((uint32_t)from.number, value_offset_bytes(from),
                             value_offset_signed(from), 2 * value_offset_scale(from));
    else if (from.kind == VALUE_CONSTANT && kind == 0)
        value = value_constant((uint32_t)from.number << count);
    else if (from.kind == VALUE_CONSTANT && kind == 1 && count != 0)
        value = value_constant((uint32_t)from.number >> count);
    arm_set(state, half & 7, value);
}

static void add_or_subtract(struct state *state, uint32_t half)
{
    struct value left = state->registers[half >> 3 & 7];
    struct value right = (half >> 10 & 1) != 0 ? value_constant(half >> 6 & 7)
                                               : state->registers[half >> 6 & 7];
    arm_set(state, half & 7,
            (half >> 9 & 1) != 0 ? value_difference(left, right)
                                 : value_sum(left, right));
}

static void immediate(struct state *state, uint32_t half)
{
    unsigned reg = half >> 8 & 7;
    struct value number = value_constant(half & 255), old = state->registers[reg];
    switch (half >> 11 & 3) {
    case 0:
        arm_set(state, reg, number);
        break;
    case 2:
        arm_set(state, reg, value_sum(old, number));
        break;
    case 3:
        arm_set(state, reg, value_difference(old, number));
        break;
    }
}

static void data_processing(struct state *state, uint32_t half)
{
    unsigned op = half >> 6 & 15;
    struct value from = state->registers[half >> 3 & 7], value = {0};
    if (op == 8 || op == 10 || op == 11) /* TST, CMP, CMN */
        return;
    if (op == 9) /* RSBS */
        value = value_difference(value_constant(0), from);
    if (op == 15 && from.kind == VALUE_CONSTANT) /* MVNS */
        value = value_constant(~(uint32_t)from.number);
    arm_set(state, half & 7, value);
}

/* ---- Branches ---- */

/* BX to a register; BX pc goes to the A32 code behind it. */
static void exchange(struct flow *flow, uint64_t at, struct state *state, unsigned reg)
{
    if (reg == ARM_PC)
        flow_jump(flow, state, (at + 4) & ~(uint64_t)3);
    else
        arm_go(flow, state, at, state->registers[reg]);
}

/* ADD pc, pc, Rm: a switch by offsets in a table. Otherwise the pc is not known. */
static void add_to_pc(struct flow *flow, uint64_t at, const struct state *state,
                      struct value offset)
{
    const struct jump_table table = {.at = at,
                                     .address = (uint32_t)offset.number,
                                     .origin = at + 4,
                                     .bytes = value_offset_bytes(offset),
                                     .scale = value_offset_scale(offset),
                                     .is_signed = value_offset_signed(offset)};
    if (value_is_offset(offset))
        flow_table(flow, state, &table);
    else
        arm_go(flow, state, at, value_sum(value_constant((uint32_t)at + 4), offset));
}

/* libgcc's switches make the return address that of their target. */
static bool is_switch(const struct flow *flow, uint64_t at)
{
    static const char name[] = "__gnu_thumb1_case_";
    const struct code_function *function = code_in(flow_code(flow), at);
    return function != NULL && strncmp(function->name, name, sizeof name - 1) == 0;
}

static unsigned high_registers(struct flow *flow, uint64_t at, uint32_t half,
                               struct state *state)
{
    unsigned to = (half >> 4 & 8) | (half & 7), from = half >> 3 & 15;
    struct value value = arm_get(state, from, at + 4);
    switch (half >> 8 & 3) {
    case 0:
        if (to == ARM_PC) {
            add_to_pc(flow, at, state, value);
            return 0;
        }
        value = value_sum(arm_get(state, to, at + 4), value);
        break;
    case 1: /* CMP */
        return 2;
    case 3:
        if ((half >> 7 & 1) == 0) {
            exchange(flow, at, state, from);
            return 0;
        }
        arm_called(state);
        return 2;
    }
    if (to == ARM_PC) {
        arm_go(flow, state, at, value);
        return 0;
    }
    if (to == ARM_LR && state->registers[ARM_LR].kind == VALUE_RETURN &&
        is_switch(flow, at))
        value = (struct value){0, VALUE_TARGET};
    arm_set(state, to, value);
    return 2;
}

static unsigned conditional(struct flow *flow, uint64_t at, uint32_t half,
                            struct state *state)
{
    unsigned condition = half >> 8 & 15;
    if (condition == 14) { /* UDF */
        return 0;
    }
    if (condition != 15) /* else SVC */
        flow_jump(flow, state, code_target(flow_code(flow), at));
    return 2;
}

/* ---- Memory ---- */

/* A byte or halfword of an array, which a switch may have for its targets. */
static struct value load_part(struct value address, unsigned bytes, bool is_signed)
{
    bool is_array = address.kind == VALUE_PLACE;
    return is_array ? value_offset((uint32_t)address.number, bytes, is_signed, 1)
                    : (struct value){0};
}

static void transfer_indexed(struct flow *flow, uint32_t half, struct state *state)
{
    unsigned op = half >> 9 & 7;
    struct value address =
        value_sum(state->registers[half >> 3 & 7], state->registers[half >> 6 & 7]);
    if (op == 0)
        state_store(state, address, state->registers[half & 7]);
    else if (op == 4)
        arm_set(state, half & 7, arm_load(flow, state, address));
    else if (op >= 3) /* LDRSB, LDRH, LDRB, LDRSH */
        arm_set(state, half & 7,
                load_part(address, op == 3 || op == 6 ? 1 : 2, op == 3 || op == 7));
}

static void transfer(struct flow *flow, uint32_t half, struct state *state)
{
    unsigned kind = half >> 11; /* 12: STR, 13: LDR, from 14: bytes and halfwords */
    unsigned bytes = kind < 14 ? 4 : kind < 16 ? 1 : 2;
    struct value address = value_sum(state->registers[half >> 3 & 7],
                                     value_constant((half >> 6 & 31) * bytes));
    if (kind == 12)
        state_store(state, address, state->registers[half & 7]);
    else if (kind == 13)
        arm_set(state, half & 7, arm_load(flow, state, address));
    else if ((kind & 1) != 0)
        arm_set(state, half & 7, load_part(address, bytes, false));
}

static void transfer_stack(struct flow *flow, uint32_t half, struct state *state)
{
    struct value address =
        value_sum(state->registers[ARM_SP], value_constant((half & 255) * 4));
    if ((half >> 11 & 1) == 0)
        state_store(state, address, state->registers[half >> 8 & 7]);
    else
        arm_set(state, half >> 8 & 7, arm_load(flow, state, address));
}

static unsigned multiple(struct flow *flow, uint64_t at, uint32_t half,
                         struct state *state)
{
    bool load = (half >> 11 & 1) != 0;
    const struct arm_block block = {half >> 8 & 7, half & 255, load, false, false, true};
    return goes(arm_block(flow, state, at, &block), 2);
}

static unsigned push_or_pop(struct flow *flow, uint64_t at, uint32_t half,
                            struct state *state)
{
    bool load = (half >> 11 & 1) != 0;
    unsigned list = (half & 255) | (half >> 8 & 1) << (load ? ARM_PC : ARM_LR);
    const struct arm_block block = {ARM_SP, list, load, !load, false, true};
    return goes(arm_block(flow, state, at, &block), 2);
}

/* ---- IT: both ways through its instructions ---- */

struct ways {
    struct state states[2]; /* for "else" and for "then" */
    bool goes[2];
};

/* Runs the instruction at `at` on one of the paths; returns its length. */
static unsigned run_one(struct flow *flow, uint64_t at, struct ways *ways, unsigned way)
{
    unsigned bytes = code_length(flow_code(flow), at);
    const struct state *other = ways->goes[!way] ? &ways->states[!way] : NULL;
    if (!ways->goes[way]) {
        if (other != NULL)
            flow_note(flow, at, other, NULL);
        return bytes;
    }
    flow_note(flow, at, &ways->states[way], other);
    ways->goes[way] = arm_step(flow, at, &ways->states[way]) != 0;
    return bytes;
}

static unsigned if_then(struct flow *flow, uint64_t at, uint32_t half,
                        struct state *state)
{
    unsigned condition = half >> 4 & 15, mask = half & 15;
    unsigned count = 4 - (unsigned)__builtin_ctz(mask);
    struct ways ways = {{*state, *state}, {condition < 14, true}};
    uint64_t next = at + 2;
    for (unsigned i = 0; i < count && code_at(flow_code(flow), next); i++) {
        bool then = i == 0 || condition >= 14 || (mask >> (4 - i) & 1) == (condition & 1);
        next += run_one(flow, next, &ways, then);
    }
    *state = ways.states[ways.goes[1]];
    if (ways.goes[0] && ways.goes[1])
        state_join(state, &ways.states[0]);
    return goes(ways.goes[0] || ways.goes[1], (unsigned)(next - at));
}

static unsigned miscellaneous(struct flow *flow, uint64_t at, uint32_t half,
                              struct state *state)
{
    if ((half & 0xff00) == 0xb000)
        state_add(state, ARM_SP, (int32_t)(half & 127) * ((half & 128) != 0 ? -4 : 4));
    else if ((half & 0xf500) == 0xb100) /* CBZ, CBNZ */
        flow_jump(flow, state, code_target(flow_code(flow), at));
    else if ((half & 0xff00) == 0xb200 || (half & 0xff00) == 0xba00) /* SXTH, REV */
        arm_forget(state, half & 7);
    else if ((half & 0xf600) == 0xb400)
        return push_or_pop(flow, at, half, state);
    else if ((half & 0xff00) == 0xbf00 && (half & 15) != 0)
        return if_then(flow, at, half, state);
    return 2;
}

static void address_of(uint64_t at, uint32_t half, struct state *state)
{
    struct value base = (half >> 11 & 1) != 0
                            ? state->registers[ARM_SP]
                            : value_constant((uint32_t)(at + 4) & ~(uint32_t)3);
    arm_set(state, half >> 8 & 7, value_sum(base, value_constant((half & 255) * 4)));
}

static void load_literal(struct flow *flow, uint64_t at, uint32_t half,
                         struct state *state)
{
    uint32_t address = ((uint32_t)(at + 4) & ~(uint32_t)3) + (half & 255) * 4;
    arm_set(state, half >> 8 & 7, arm_load(flow, state, value_constant(address)));
}

static unsigned load_or_store(struct flow *flow, uint64_t at, uint32_t half,
                              struct state *state)
{
    if (half >> 12 == 5)
        transfer_indexed(flow, half, state);
    else if (half >> 12 == 9)
        transfer_stack(flow, half, state);
    else if (half >> 12 == 10)
        address_of(at, half, state);
    else
        transfer(flow, half, state);
    return 2;
}

static unsigned arithmetic(struct flow *flow, uint64_t at, uint32_t half,
                           struct state *state)
{
    if (half >> 11 == 3)
        add_or_subtract(state, half);
    else if (half >> 13 == 0)
        shift(state, half);
    else if (half >> 13 == 1)
        immediate(state, half);
    else if (half >> 10 == 0x10)
        data_processing(state, half);
    else if (half >> 10 == 0x11)
        return high_registers(flow, at, half, state);
    else
        load_literal(flow, at, half, state);
    return 2;
}

static unsigned narrow(struct flow *flow, uint64_t at, uint32_t half, struct state *state)
{
    switch (half >> 12) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
        return arithmetic(flow, at, half, state);
    case 11:
        return miscellaneous(flow, at, half, state);
    case 12:
        return multiple(flow, at, half, state);
    case 13:
        return conditional(flow, at, half, state);
    case 14:
        flow_jump(flow, state, code_target(flow_code(flow), at));
        return 0;
    default:
        return load_or_store(flow, at, half, state);
    }
}

unsigned thumb_step(struct flow *flow, uint64_t at, struct state *state)
{
    uint32_t half, low;
    if (!code_fetch(flow_code(flow), at, 2, &half)) {
        flow_return(flow, state);
        return 0;
    }
    if (half >> 11 < 0x1d)
        return narrow(flow, at, half, state);
    if (!code_fetch(flow_code(flow), at + 2, 2, &low)) {
        flow_return(flow, state);
        return 0;
    }
    return thumb_step_wide(flow, at, half, low, state);
}
