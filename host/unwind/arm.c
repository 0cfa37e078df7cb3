/* SPDX-License-Identifier: MIT */
/* What T32 and A32 share: registers, memory, calls. */
#include "arm.h"

#include <string.h>

#include "mcuprof_unwind.h"

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

static void go_by_table(struct flow *flow, const struct state *state, uint64_t at,
                        uint32_t address)
{
    const struct jump_table table = {
        .at = at, .address = address, .bytes = 4, .scale = 1};
    flow_table(flow, state, &table);
}

void arm_go(struct flow *flow, const struct state *state, uint64_t at,
            struct value target)
{
    if (target.kind == VALUE_CONSTANT)
        flow_jump(flow, state, (uint32_t)target.number & ~(uint32_t)1);
    else if (target.kind == VALUE_TABLE)
        go_by_table(flow, state, at, (uint32_t)target.number);
    else
        flow_return(flow, state);
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
            arm_go(flow, state, at,
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

/* It pops the word that was pushed for it, to where it came from. */
static void counted(struct state *state)
{
    state->registers[ARM_LR] = state_load(state, state->registers[ARM_SP]);
    state->registers[ARM_IP] = (struct value){0};
    state_add(state, ARM_SP, 4);
}

bool arm_call(struct flow *flow, struct state *state, uint64_t at, uint64_t target)
{
    const struct code_function *function = code_begins(flow_code(flow), target);
    bool returns = flow_call(flow, target);
    if (function != NULL && strcmp(function->name, "__gnu_mcount_nc") == 0) {
        flow_trust(flow, at);
        counted(state);
        return true;
    }
    arm_called(state);
    return returns;
}

/* ---- The processor ---- */

static void enter(struct state *state)
{
    state->registers[ARM_LR] = (struct value){0, VALUE_RETURN};
}

/* The first word of the stack, from the caller's side, that holds the return address. */
static unsigned slot_of(const struct state *state)
{
    unsigned best = 0;
    for (unsigned i = 0; i < state->slot_count; i++) {
        int32_t at = state->slots[i].at;
        if (state->slots[i].value.kind == VALUE_RETURN && at < 0 && at % 4 == 0 &&
            at >= -4 * 239 && (best == 0 || (unsigned)(-at / 4) < best))
            best = (unsigned)(-at / 4);
    }
    return best;
}

static unsigned where_of(const struct state *state)
{
    static const uint8_t regs[] = {0, 1, 2, 3, ARM_IP};
    unsigned slot = slot_of(state);
    if (slot != 0)
        return slot;
    if (state->registers[ARM_LR].kind == VALUE_RETURN)
        return MCUPROF_UNWIND_LINK;
    for (unsigned i = 0; i < sizeof regs; i++)
        if (state->registers[regs[i]].kind == VALUE_RETURN)
            return MCUPROF_UNWIND_R0 + i;
    return MCUPROF_UNWIND_UNKNOWN;
}

static struct answer answer(const struct state *state)
{
    struct value sp = state->registers[ARM_SP];
    struct answer none = {0, MCUPROF_UNWIND_UNKNOWN};
    if (state->first)
        return (struct answer){0, MCUPROF_UNWIND_END};
    if (sp.kind != VALUE_STACK || sp.number % 4 != 0)
        return none;
    if (sp.number > 0)
        return (struct answer){-sp.number, MCUPROF_UNWIND_UNKNOWN};
    unsigned where = where_of(state);
    return where == MCUPROF_UNWIND_UNKNOWN ? none
                                           : (struct answer){-sp.number, (uint8_t)where};
}

static void repair(struct state *state, struct answer answer)
{
    struct value ra = {0, VALUE_RETURN};
    if (answer.where == MCUPROF_UNWIND_LINK)
        state->registers[ARM_LR] = ra;
    else if (answer.where < MCUPROF_UNWIND_END)
        state_store(state, value_stack(-4 * (int64_t)answer.where), ra);
}

static unsigned step(struct flow *flow, uint64_t at, struct state *state)
{
    const struct code *code = flow_code(flow);
    if (code->kinds[code_index(code, at)] == CODE_WIDE)
        return a32_step(flow, at, state);
    return thumb_step(flow, at, state);
}

static unsigned length(const struct code *code, uint64_t at)
{
    if (code->kinds[code_index(code, at)] == CODE_WIDE)
        return 4;
    return thumb_length(code, at);
}

const struct cpu cpu_arm = {
    .machine = EM_ARM,
    .unit = 2,
    .word = 4,
    .padding = {0, 0x46c0, 0xbf00},
    .sp = ARM_SP,
    .dwarf_sp = ARM_SP,
    .dwarf_return = ARM_LR,
    .enter = enter,
    .answer = answer,
    .repair = repair,
    .length = length,
    .step = step,
};
