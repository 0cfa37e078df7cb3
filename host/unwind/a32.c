/* SPDX-License-Identifier: MIT */
/* Follows A32 code. Encodings: ARM DDI 0406C, A5.1 to A5.7. */
#include "arm.h"

static unsigned rn(uint32_t word)
{
    return word >> 16 & 15;
}

static unsigned rd(uint32_t word)
{
    return word >> 12 & 15;
}

static bool bit(uint32_t word, unsigned number)
{
    return (word >> number & 1) != 0;
}

static struct value number(int32_t value)
{
    return value_constant((uint32_t)value);
}

/* ---- Branches ---- */

static unsigned call(struct flow *flow, uint64_t at, struct state *state, uint64_t target)
{
    const struct code_function *function = code_in(flow_code(flow), target);
    if (function != NULL && function->low != target) {
        bool on = flow_enter_inner(flow, state, target, ARM_LR, false);
        arm_called(state);
        return on ? 4 : 0;
    }
    return arm_call(flow, state, at, target) ? 4 : 0;
}

static unsigned branch(struct flow *flow, uint64_t at, uint32_t word, struct state *state)
{
    uint64_t target = code_target(flow_code(flow), at);
    if (word >> 28 == 15 || bit(word, 24)) /* BLX, BL */
        return call(flow, at, state, target);
    flow_jump(flow, state, target);
    return 0;
}

/* ADD PC, PC, Rn, LSL #2: a table of branches follows, behind one word. */
static void branch_table(struct flow *flow, uint64_t at, const struct state *state)
{
    uint32_t word;
    for (uint64_t entry = at + 8; code_at(flow_code(flow), entry); entry += 4) {
        if (!code_fetch(flow_code(flow), entry, 4, &word) || word >> 24 != 0xea)
            return;
        flow_jump(flow, state, entry);
    }
}

/* ---- Data processing ---- */

static struct value operand(uint32_t word, const struct state *state, uint64_t at)
{
    uint32_t byte = word & 255, turn = (word >> 8 & 15) * 2;
    if (bit(word, 25))
        return value_constant(turn == 0 ? byte : byte >> turn | byte << (32 - turn));
    struct value value = arm_get(state, word & 15, at + 8);
    unsigned count = word >> 7 & 31;
    if ((word & 0xff0) == 0)
        return value;
    if ((word & 0x70) == 0 && value.kind == VALUE_CONSTANT)
        return value_constant((uint32_t)value.number << count);
    return (struct value){0};
}

static struct value computed(uint32_t word, struct value left, struct value right)
{
    switch (word >> 21 & 15) {
    case 2:
        return value_difference(left, right);
    case 3:
        return value_difference(right, left);
    case 4:
        return value_sum(left, right);
    case 12: /* ORR: may set the Thumb bit of an address to jump to */
        return left.kind == VALUE_CONSTANT && right.kind == VALUE_CONSTANT
                   ? value_constant((uint32_t)left.number | (uint32_t)right.number)
                   : (struct value){0};
    case 13:
        return right;
    case 15:
        return right.kind == VALUE_CONSTANT ? value_constant(~(uint32_t)right.number)
                                            : (struct value){0};
    default:
        return (struct value){0};
    }
}

static unsigned process(struct flow *flow, uint64_t at, uint32_t word,
                        struct state *state)
{
    unsigned op = word >> 21 & 15;
    if (op >= 8 && op <= 11) /* TST to CMN */
        return 4;
    struct value value =
        computed(word, arm_get(state, rn(word), at + 8), operand(word, state, at));
    if (rd(word) != ARM_PC) {
        arm_set(state, rd(word), value);
        return 4;
    }
    if (bit(word, 20)) /* SUBS PC, LR returns from an interrupt */
        flow_trap(flow, state);
    else if ((word & 0x0ffffff0) == 0x008ff100)
        branch_table(flow, at, state);
    else
        arm_go(flow, state, at, value);
    return 0;
}

static void move_wide(uint32_t word, struct state *state)
{
    uint32_t half = (word >> 4 & 0xf000) | (word & 0xfff);
    struct value old = arm_get(state, rd(word), 0);
    if (!bit(word, 22))
        arm_set(state, rd(word), value_constant(half));
    else if (old.kind == VALUE_CONSTANT)
        arm_set(state, rd(word),
                value_constant(((uint32_t)old.number & 0xffff) | half << 16));
    else
        arm_forget(state, rd(word));
}

/* Whether MOV lr, pc made lr return behind this instruction: ARMv4 has no BLX. */
static bool is_linked(const struct state *state, uint64_t at)
{
    struct value link = state->registers[ARM_LR];
    return link.kind == VALUE_CONSTANT && (uint32_t)link.number == (uint32_t)at + 4;
}

/* BX, BLX, MRS, CLZ and others, in the encodings of compares that set no flags. */
static unsigned miscellaneous(struct flow *flow, uint64_t at, uint32_t word,
                              struct state *state)
{
    if ((word & 0x0fffffd0) == 0x012fff10) {
        if (!bit(word, 5) && !is_linked(state, at)) {
            arm_go(flow, state, at, arm_get(state, word & 15, at + 8));
            return 0;
        }
        arm_called(state);
    } else if ((word & 0x0fb000f0) != 0x01200000 && (word & 0xf0) != 0x70) {
        arm_forget(state, rd(word)); /* MSR and BKPT set no register */
    }
    return 4;
}

static void multiply(uint32_t word, struct state *state)
{
    arm_forget(state, rn(word));
    if (bit(word, 23))
        arm_forget(state, rd(word));
}

/* ---- Memory ---- */

/* The address of a load or store; also updates its base register. */
static struct value access_of(uint32_t word, uint64_t at, struct value offset,
                              struct state *state)
{
    struct value base = arm_get(state, rn(word), at + 8);
    struct value moved =
        bit(word, 23) ? value_sum(base, offset) : value_difference(base, offset);
    if (!bit(word, 24) || bit(word, 21))
        arm_set(state, rn(word), moved);
    return bit(word, 24) ? moved : base;
}

static unsigned load_or_store(struct flow *flow, uint64_t at, uint32_t word,
                              struct state *state)
{
    const struct state before = *state;
    struct value offset = number((int32_t)(word & 0xfff));
    if (bit(word, 25))
        offset = (word & 0xff0) == 0 ? arm_get(state, word & 15, 0) : (struct value){0};
    struct value address = access_of(word, at, offset, state), value = {0};
    if (!bit(word, 20)) {
        if (!bit(word, 22))
            state_store(state, address, arm_get(&before, rd(word), 0));
        return 4;
    }
    if (!bit(word, 22))
        value = arm_load(flow, &before, address);
    if (rd(word) == ARM_PC) {
        arm_pop(flow, state, at, address, value);
        return 0;
    }
    arm_set(state, rd(word), value);
    return 4;
}

/* Loads and stores of halfwords, signed bytes and two words. */
static unsigned extra_load_or_store(uint32_t word, uint64_t at, struct state *state)
{
    int32_t offset = (int32_t)((word >> 4 & 0xf0) | (word & 15));
    bool two = !bit(word, 20) && bit(word, 6), load = bit(word, 20) || !bit(word, 5);
    struct value address =
        access_of(word, at, bit(word, 22) ? number(offset) : (struct value){0}, state);
    if (load)
        arm_forget(state, rd(word));
    if (two && load)
        arm_forget(state, rd(word) + 1);
    if (two && !load) {
        state_store(state, address, arm_get(state, rd(word), 0));
        state_store(state, value_sum(address, number(4)),
                    arm_get(state, (rd(word) + 1) & 15, 0));
    }
    return 4;
}

static unsigned multiple(struct flow *flow, uint64_t at, uint32_t word,
                         struct state *state)
{
    bool up = bit(word, 23), load = bit(word, 20);
    const struct arm_block block = {rn(word), word & 0xffff,       load,
                                    !up,      bit(word, 24) == up, bit(word, 21)};
    if (bit(word, 22) && load && bit(word, ARM_PC)) {
        flow_trap(flow, state);
        return 0;
    }
    return arm_block(flow, state, at, &block) ? 4 : 0;
}

static void coprocessor(uint32_t word, struct state *state)
{
    if (bit(word, 25)) { /* CDP, MCR, MRC */
        if (bit(word, 4) && bit(word, 20))
            arm_forget(state, rd(word));
    } else if ((word & 0x0ff00000) == 0x0c500000) { /* MRRC */
        arm_forget(state, rd(word));
        arm_forget(state, rn(word));
    } else if (bit(word, 21)) {
        int32_t bytes = (int32_t)(word & 255) * 4;
        arm_set(state, rn(word),
                value_sum(arm_get(state, rn(word), 0),
                          number(bit(word, 23) ? bytes : -bytes)));
    }
}

/* ---- All ---- */

static unsigned without_operand(struct flow *flow, uint64_t at, uint32_t word,
                                struct state *state)
{
    if ((word & 0x0e000090) == 0x00000090) {
        if ((word & 0x60) != 0)
            return extra_load_or_store(word, at, state);
        if (bit(word, 24))
            arm_forget(state, rd(word)); /* SWP, LDREX, STREX */
        else
            multiply(word, state);
        return 4;
    }
    if ((word & 0x0f900000) == 0x01000000)
        return miscellaneous(flow, at, word, state);
    return process(flow, at, word, state);
}

/* MSR of a number, of which the lowest byte says the mode: each has its own stack pointer
 * and link register. One of a register masks interrupts, as a rule. */
static void change_mode(struct state *state)
{
    arm_forget(state, ARM_SP);
    arm_forget(state, ARM_LR);
}

static unsigned execute(struct flow *flow, uint64_t at, uint32_t word,
                        struct state *state)
{
    switch (word >> 25 & 7) {
    case 0:
        return without_operand(flow, at, word, state);
    case 1:
        if ((word & 0x0fb00000) == 0x03000000)
            move_wide(word, state);
        else if ((word & 0x0fb00000) != 0x03200000)
            return process(flow, at, word, state);
        else if (bit(word, 16))
            change_mode(state);
        return 4;
    case 2:
        return load_or_store(flow, at, word, state);
    case 3:
        if (!bit(word, 4))
            return load_or_store(flow, at, word, state);
        if ((word & 0x0ff000f0) == 0x07f000f0) /* UDF */
            return 0;
        arm_forget(state, rd(word));
        if (rn(word) != ARM_SP)
            arm_forget(state, rn(word));
        return 4;
    case 4:
        return multiple(flow, at, word, state);
    case 5:
        return branch(flow, at, word, state);
    default:
        if (!bit(word, 25) || !bit(word, 24)) /* else SVC */
            coprocessor(word, state);
        return 4;
    }
}

unsigned a32_step(struct flow *flow, uint64_t at, struct state *state)
{
    const struct state before = *state;
    uint32_t word;
    if (!code_fetch(flow_code(flow), at, 4, &word)) {
        flow_return(flow, state);
        return 0;
    }
    if (word >> 28 == 15)
        return (word >> 25 & 7) == 5 ? branch(flow, at, word, state) : 4;
    bool goes_on = execute(flow, at, word, state) != 0;
    if (word >> 28 == 14)
        return goes_on ? 4 : 0;
    if (goes_on)
        state_join(state, &before);
    else
        *state = before;
    return 4;
}
