/* SPDX-License-Identifier: MIT */
/* Follows T32's instructions of 32 bits. Encodings: ARM DDI 0403E, A5.3, A6.7; ARM DDI
 * 0553B for the loops of v8.1-M. */
#include <string.h>

#include "arm.h"

enum { FAR_BYTES = 1900 }; /* B reaches 2,048; GCC guesses lengths on the safe side */

/* An instruction of two halves, and its address. */
struct wide {
    uint64_t at;
    uint32_t high, low;
};

static unsigned rn(const struct wide *wide)
{
    return wide->high & 15;
}

static unsigned rd(const struct wide *wide)
{
    return wide->low >> 8 & 15;
}

static unsigned rt(const struct wide *wide)
{
    return wide->low >> 12;
}

/* ---- Branches ---- */

/* libgcc's switch for Thumb-1: the table is behind the call, the index is in r0. */
static bool call_of_switch(struct flow *flow, const struct wide *wide, uint64_t target,
                           struct state *state)
{
    static const struct {
        const char *name;
        unsigned bytes, scale;
        bool is_signed;
    } kinds[] = {{"__gnu_thumb1_case_sqi", 1, 2, true},
                 {"__gnu_thumb1_case_uqi", 1, 2, false},
                 {"__gnu_thumb1_case_shi", 2, 2, true},
                 {"__gnu_thumb1_case_uhi", 2, 2, false},
                 {"__gnu_thumb1_case_si", 4, 1, true}};
    const struct code_function *function = code_begins(flow_code(flow), target);
    for (size_t i = 0; function != NULL && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(function->name, kinds[i].name) != 0)
            continue;
        uint64_t address = wide->at + 4;
        if (kinds[i].bytes == 4)
            address = (address + 3) & ~(uint64_t)3;
        const struct jump_table table = {wide->at,       address,
                                         address,        kinds[i].bytes,
                                         kinds[i].scale, kinds[i].is_signed};
        arm_forget(state, ARM_LR);
        flow_table(flow, state, &table);
        return true;
    }
    return false;
}

/* GCC jumps by BL as far as a branch of 16 bits does not reach. */
static bool is_far(const struct wide *wide, uint64_t target)
{
    return target + FAR_BYTES < wide->at || wide->at + FAR_BYTES < target;
}

/* In compiled Thumb-1 code a BL within the function is a far jump; in assembly it calls a
 * subroutine without a name, as a rule. */
static bool call_within(struct flow *flow, const struct wide *wide, uint64_t target,
                        struct state *state)
{
    const struct code *code = flow_code(flow);
    bool same = code_in(code, target) == code_in(code, wide->at);
    if (same && flow_has_frame(flow, wide->at)) {
        arm_forget(state, ARM_LR);
        flow_jump(flow, state, target);
        return false;
    }
    bool on = flow_enter_inner(flow, state, target, ARM_LR, same && is_far(wide, target));
    arm_called(state);
    return on;
}

static bool is_within(const struct code *code, uint64_t target)
{
    const struct code_function *function = code_in(code, target);
    return function != NULL && function->low != target && code_at(code, target);
}

static unsigned call(struct flow *flow, const struct wide *wide, struct state *state)
{
    uint64_t target = code_target(flow_code(flow), wide->at);
    bool to_a32 = (wide->low & 0x1000) == 0; /* BLX */
    if (!to_a32 && call_of_switch(flow, wide, target, state))
        return 0;
    if (!to_a32 && is_within(flow_code(flow), target))
        return call_within(flow, wide, target, state) ? 4 : 0;
    return arm_call(flow, state, wide->at, target) ? 4 : 0;
}

/* WLS, DLS, LE: a loop's count is in lr. */
static unsigned loop(struct flow *flow, const struct wide *wide, struct state *state)
{
    bool is_end = (wide->high & 0xf) == 15, has_label = (wide->low & 0x2000) == 0;
    if (!is_end)
        arm_forget(state, ARM_LR);
    if (has_label)
        flow_jump(flow, state, code_target(flow_code(flow), wide->at));
    return 4;
}

static void system_register(const struct wide *wide, struct state *state)
{
    unsigned which = wide->low & 255;
    if ((wide->high & 0xffe0) == 0xf3e0) /* MRS */
        arm_forget(state, rd(wide));
    else if ((wide->high & 0xffe0) == 0xf380 && (which == 8 || which == 20))
        arm_forget(state, ARM_SP); /* MSR of MSP, CONTROL */
}

static unsigned branch_or_system(struct flow *flow, const struct wide *wide,
                                 struct state *state)
{
    unsigned kind = wide->low & 0xd000;
    if (kind == 0xc000 && (wide->low & 1) != 0)
        return loop(flow, wide, state);
    if (kind >= 0xc000)
        return call(flow, wide, state);
    if (kind == 0x9000) {
        flow_jump(flow, state, code_target(flow_code(flow), wide->at));
        return 0;
    }
    if ((wide->high & 0x380) != 0x380) {
        flow_jump(flow, state, code_target(flow_code(flow), wide->at));
        return 4;
    }
    if ((wide->high & 0xfff0) == 0xf7f0 && (wide->low & 0xf000) == 0xa000) /* UDF */
        return 0;
    system_register(wide, state);
    return 4;
}

/* ---- Data processing ---- */

static uint32_t immediate12(const struct wide *wide)
{
    return (wide->high >> 10 & 1) << 11 | (wide->low >> 12 & 7) << 8 | (wide->low & 255);
}

/* ThumbExpandImm. */
static uint32_t expanded(const struct wide *wide)
{
    uint32_t code = immediate12(wide), byte = code & 255, count = code >> 7;
    if (code >> 10 != 0) {
        byte = (code & 127) | 128;
        return byte >> count | byte << (32 - count);
    }
    switch (code >> 8) {
    case 0:
        return byte;
    case 1:
        return byte << 16 | byte;
    case 2:
        return byte << 24 | byte << 8;
    default:
        return byte * 0x01010101u;
    }
}

/* The result for operands that may be known; op is as in the instruction. */
static struct value computed(unsigned op, unsigned reg, struct value left,
                             struct value right)
{
    switch (op) {
    case 2: /* MOV, ORR, which may set the Thumb bit of an address to jump to */
        if (value_is_table(left) && right.kind == VALUE_CONSTANT)
            return left;
        return reg == ARM_PC ? right : (struct value){0};
    case 3: /* MVN */
        return reg == ARM_PC && right.kind == VALUE_CONSTANT
                   ? value_constant(~(uint32_t)right.number)
                   : (struct value){0};
    case 8:
        return value_sum(left, right);
    case 13:
        return value_difference(left, right);
    case 14:
        return value_difference(right, left);
    default:
        return (struct value){0};
    }
}

static void process(const struct wide *wide, struct state *state, struct value right)
{
    unsigned op = wide->high >> 5 & 15;
    bool sets_flags = (wide->high >> 4 & 1) != 0;
    if (rd(wide) == ARM_PC && sets_flags) /* CMP, TST */
        return;
    arm_set(state, rd(wide),
            computed(op, rn(wide), arm_get(state, rn(wide), wide->at + 4), right));
}

static struct value shifted(const struct wide *wide, const struct state *state)
{
    unsigned count = (wide->low >> 12 & 7) << 2 | (wide->low >> 6 & 3);
    unsigned kind = wide->low >> 4 & 3;
    struct value value = arm_get(state, wide->low & 15, wide->at + 4);
    if (count == 0 && kind == 0)
        return value;
    if (kind == 0 && value.kind == VALUE_CONSTANT)
        return value_constant((uint32_t)value.number << count);
    return (struct value){0};
}

/* ADDW, SUBW, MOVW, MOVT, ADR; after bit-field instructions the register is unknown. */
static void plain_immediate(const struct wide *wide, struct state *state)
{
    unsigned op = wide->high >> 4 & 31;
    struct value base = arm_get(state, rn(wide), (wide->at + 4) & ~(uint64_t)3);
    struct value number = value_constant(immediate12(wide));
    struct value old = arm_get(state, rd(wide), 0), value = {0};
    if (op == 0)
        value = value_sum(base, number);
    else if (op == 10)
        value = value_difference(base, number);
    else if (op == 4)
        value = value_constant(rn(wide) << 12 | immediate12(wide));
    else if (op == 12 && old.kind == VALUE_CONSTANT)
        value = value_constant(((uint32_t)old.number & 0xffff) |
                               (rn(wide) << 12 | immediate12(wide)) << 16);
    arm_set(state, rd(wide), value);
}

/* ---- Memory ---- */

static unsigned multiple(struct flow *flow, const struct wide *wide, struct state *state)
{
    unsigned op = wide->high >> 7 & 3;
    bool load = (wide->high >> 4 & 1) != 0, writes_back = (wide->high >> 5 & 1) != 0;
    const struct arm_block block = {rn(wide), wide->low, load,
                                    op == 2,  false,     writes_back};
    if (op == 0 || op == 3) /* RFE, SRS: not on M profiles */
        return 4;
    return arm_block(flow, state, wide->at, &block) ? 4 : 0;
}

/* The address of a load or store, and the new value of its base register. */
struct access {
    struct value address, after;
    bool writes_back;
};

static struct access access_of(struct value base, int32_t offset, bool before,
                               bool writes_back)
{
    struct value moved = value_sum(base, value_constant((uint32_t)offset));
    return (struct access){before ? moved : base, moved, writes_back};
}

static void load_or_store_two(struct flow *flow, const struct wide *wide,
                              struct state *state)
{
    bool before = (wide->high >> 8 & 1) != 0, load = (wide->high >> 4 & 1) != 0;
    int32_t offset = (int32_t)(wide->low & 255) * ((wide->high >> 7 & 1) != 0 ? 4 : -4);
    struct access access =
        access_of(arm_get(state, rn(wide), (wide->at + 4) & ~(uint64_t)3), offset, before,
                  (wide->high >> 5 & 1) != 0);
    struct value second = value_sum(access.address, value_constant(4));
    const struct state old = *state;
    if (load) {
        arm_set(state, rt(wide), arm_load(flow, &old, access.address));
        arm_set(state, rd(wide), arm_load(flow, &old, second));
    }
    if (access.writes_back)
        arm_set(state, rn(wide), access.after);
    if (!load) {
        state_store(state, access.address, arm_get(&old, rt(wide), 0));
        state_store(state, second, arm_get(&old, rd(wide), 0));
    }
}

static unsigned table_branch(struct flow *flow, const struct wide *wide,
                             const struct state *state)
{
    struct value base = arm_get(state, rn(wide), wide->at + 4);
    const struct jump_table table = {.at = wide->at,
                                     .address = (uint32_t)base.number,
                                     .origin = wide->at + 4,
                                     .bytes = (wide->low & 16) != 0 ? 2 : 1,
                                     .scale = 2};
    if (base.kind == VALUE_CONSTANT)
        flow_table(flow, state, &table);
    else
        flow_return(flow, state);
    return 0;
}

static unsigned two_or_exclusive(struct flow *flow, const struct wide *wide,
                                 struct state *state)
{
    bool plain = (wide->high & 0x120) != 0;
    if (!plain && (wide->high & 0x1f0) == 0xd0 && (wide->low & 0xe0) == 0)
        return table_branch(flow, wide, state);
    if (plain) {
        load_or_store_two(flow, wide, state);
        return 4;
    }
    if ((wide->high & 0x10) != 0) { /* LDREX and kin */
        arm_forget(state, rt(wide));
        if (rd(wide) != ARM_SP)
            arm_forget(state, rd(wide));
    } else if ((wide->high & 0x80) == 0) { /* STREX, TT */
        arm_forget(state, rd(wide));
    } else {
        arm_forget(state, wide->low & 15); /* STREXB */
    }
    return 4;
}

static struct access single_access(const struct wide *wide, const struct state *state)
{
    struct value base = arm_get(state, rn(wide), (wide->at + 4) & ~(uint64_t)3);
    int32_t number = (int32_t)(wide->low & 0xfff);
    if (rn(wide) == ARM_PC)
        return access_of(base, (wide->high & 0x80) != 0 ? number : -number, true, false);
    if ((wide->high & 0x80) != 0)
        return access_of(base, number, true, false);
    if ((wide->low & 0x800) != 0)
        return access_of(base, (wide->low & 0x200) != 0 ? number & 255 : -(number & 255),
                         (wide->low & 0x400) != 0, (wide->low & 0x100) != 0);
    struct value index = arm_get(state, wide->low & 15, 0), none = {0};
    if ((wide->low & 0x30) != 0)
        index = none; /* shifted */
    return (struct access){value_sum(base, index), none, false};
}

static unsigned load_or_store(struct flow *flow, const struct wide *wide,
                              struct state *state)
{
    bool load = (wide->high & 0x10) != 0, word = (wide->high & 0x60) == 0x40;
    struct access access = single_access(wide, state);
    struct value value = arm_get(state, rt(wide), 0);
    if (load)
        value = access.address.kind == VALUE_TABLE
                    ? access.address
                    : arm_load(flow, state, access.address);
    if (access.writes_back)
        arm_set(state, rn(wide), access.after);
    if (!load && word)
        state_store(state, access.address, value);
    if (!load)
        return 4;
    if (word && rt(wide) == ARM_PC) {
        arm_pop(flow, state, wide->at, access.address, value);
        return 0;
    }
    arm_set(state, rt(wide), word ? value : (struct value){0});
    return 4;
}

/* ---- Coprocessors, the floating-point unit ---- */

/* VPUSH, VPOP and the like move their base; some instructions write core registers. */
static void coprocessor(const struct wide *wide, struct state *state)
{
    if ((wide->high & 0xef00) == 0xee00) {
        if ((wide->high & 0x10) != 0 && (wide->low & 0x10) != 0)
            arm_forget(state, rt(wide));
        return;
    }
    if ((wide->high & 0xeff0) == 0xec50) {
        arm_forget(state, rt(wide));
        arm_forget(state, rn(wide));
    } else if ((wide->high & 0xee20) == 0xec20) {
        int32_t bytes = (int32_t)(wide->low & 255) * 4;
        bool up = (wide->high & 0x80) != 0;
        arm_set(state, rn(wide),
                value_sum(arm_get(state, rn(wide), 0),
                          value_constant((uint32_t)(up ? bytes : -bytes))));
    }
}

static void registers(const struct wide *wide, struct state *state)
{
    arm_forget(state, rd(wide));
    if ((wide->high & 0xff80) == 0xfb80)
        arm_forget(state, rt(wide));
}

unsigned thumb_step_wide(struct flow *flow, uint64_t at, uint32_t high, uint32_t low,
                         struct state *state)
{
    const struct wide wide = {at, high, low};
    if (high >> 11 == 0x1e && (low & 0x8000) != 0)
        return branch_or_system(flow, &wide, state);
    if ((high & 0xfe40) == 0xe800)
        return multiple(flow, &wide, state);
    if ((high & 0xfe40) == 0xe840)
        return two_or_exclusive(flow, &wide, state);
    if ((high & 0xfe00) == 0xf800)
        return load_or_store(flow, &wide, state);
    if ((high & 0xfe00) == 0xea00)
        process(&wide, state, shifted(&wide, state));
    else if ((high & 0xfa00) == 0xf000)
        process(&wide, state, value_constant(expanded(&wide)));
    else if ((high & 0xfa00) == 0xf200)
        plain_immediate(&wide, state);
    else if ((high & 0xec00) == 0xec00)
        coprocessor(&wide, state);
    else
        registers(&wide, state);
    return 4;
}
