/* SPDX-License-Identifier: MIT */
/* Registers, memory and calls, which T32 and A32 share. */
#include "arm.h"

#include <string.h>

#include "mcuprof_unwind.h"
#include "pads.h"

void arm_set(struct state *state, unsigned reg, struct value value)
{
    if (reg == ARM_SP)
        state_move(state, ARM_SP, value);
    else if (reg < ARM_PC)
        state->registers[reg] = value;
}

struct value arm_get(const struct state *state, unsigned reg, uint64_t pc)
{
    return reg == ARM_PC ? value_constant((uint32_t)pc) : state->registers[reg];
}

void arm_go(struct flow *flow, const struct state *state, uint64_t at,
            struct value target)
{
    if (target.kind == VALUE_CONSTANT)
        flow_jump(flow, state, (uint32_t)target.number & ~(uint32_t)1);
    else if (value_is_table(target))
        flow_words(flow, state, at, target);
    else
        flow_go_back(flow, state, target);
}

void arm_pop(struct flow *flow, const struct state *state, uint64_t at,
             struct value address, struct value target)
{
    if (address.kind == VALUE_FRAME || address.kind == VALUE_OUTER ||
        (address.kind == VALUE_STACK && address.number >= 0))
        flow_overdraw(flow, at, state);
    if (address.kind == VALUE_STACK && target.kind == VALUE_NONE)
        flow_return(flow, state);
    else
        arm_go(flow, state, at, target);
}

struct value arm_load(struct flow *flow, const struct state *state, struct value address)
{
    uint32_t word;
    if (address.kind == VALUE_CONSTANT &&
        code_constant(flow_code(flow), (uint32_t)address.number, 4, &word))
        return value_constant(word);
    if (address.kind == VALUE_PLACE)
        return (struct value){address.number, VALUE_TABLE};
    return state_load(state, address);
}

bool arm_multiple(struct flow *flow, struct state *state, uint64_t at,
                  struct value address, unsigned list, bool load)
{
    const struct state before = *state;
    struct value stack = {0};
    for (unsigned reg = 0; reg < 16; reg++) {
        if ((list >> reg & 1) == 0)
            continue;
        struct value value = load ? arm_load(flow, &before, address) : (struct value){0};
        if (!load)
            state_store(state, address, arm_get(&before, reg, at));
        else if (reg == ARM_PC)
            arm_pop(flow, state, at, address,
                    value.kind == VALUE_CONSTANT ? (struct value){0} : value);
        else if (reg == ARM_SP)
            stack = value;
        else
            arm_set(state, reg, value);
        address = value_sum(address, value_constant(4));
    }
    if (load && (list >> ARM_SP & 1) != 0)
        arm_set(state, ARM_SP, stack);
    return !load || (list >> ARM_PC & 1) == 0;
}

bool arm_block(struct flow *flow, struct state *state, uint64_t at,
               const struct arm_block *block)
{
    int32_t bytes = 4 * __builtin_popcount(block->list & 0xffff);
    struct value base = arm_get(state, block->base, at);
    struct value after =
        value_sum(base, value_constant((uint32_t)(block->down ? -bytes : bytes)));
    struct value lowest =
        value_sum(block->down ? after : base, value_constant(block->beyond ? 4 : 0));
    bool moves =
        block->writes_back && (!block->load || (block->list >> block->base & 1) == 0);
    if (moves && !block->load)
        arm_set(state, block->base, after);
    bool goes_on = arm_multiple(flow, state, at, lowest, block->list, block->load);
    if (moves && block->load)
        arm_set(state, block->base, after);
    return goes_on;
}

void arm_called(struct state *state)
{
    static const uint8_t lost[] = {0, 1, 2, 3, ARM_IP, ARM_LR};
    for (unsigned i = 0; i < sizeof lost; i++)
        arm_forget(state, lost[i]);
}

/* __gnu_mcount_nc pops the word that was pushed for it into lr. */
static void counted(struct state *state)
{
    state->registers[ARM_LR] = state_load(state, state->registers[ARM_SP]);
    state->registers[ARM_IP] = (struct value){0};
    state_add(state, ARM_SP, 4);
}

/* Whether this is the hook of counted calls or, for code that is far from it, a veneer of
 * the linker's. */
static bool is_hook(const struct code_function *function)
{
    return function != NULL && (strcmp(function->name, "__gnu_mcount_nc") == 0 ||
                                strcmp(function->name, "____gnu_mcount_nc_veneer") == 0);
}

bool arm_call(struct flow *flow, struct state *state, uint64_t at, uint64_t target)
{
    const struct code_function *function = code_begins(flow_code(flow), target);
    bool returns = flow_call(flow, state, target);
    if (is_hook(function)) {
        flow_trust(flow, at);
        counted(state);
        return true;
    }
    arm_called(state);
    return returns;
}
