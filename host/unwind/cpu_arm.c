/* SPDX-License-Identifier: MIT */
/* The decoder of Arm's code: T32 and A32, each by its own file. */
#include "arm.h"
#include "mcuprof_unwind.h"
#include "pads.h"

static void enter(struct state *state)
{
    state->registers[ARM_LR] = (struct value){0, VALUE_RETURN};
}

/* At the end of libgcc's switches the caller's code goes on elsewhere than behind the
 * call.
 */
static struct answer answer_target(const struct state *state)
{
    struct value top = state->registers[ARM_SP];
    bool known = top.kind == VALUE_STACK && top.number <= 0 && top.number % 4 == 0;
    return known ? (struct answer){.size = -top.number, .where = MCUPROF_UNWIND_TARGET}
                 : (struct answer){.where = MCUPROF_UNWIND_UNKNOWN};
}

/* In epilogues r0 to r3 or r12 hold the return address, as in `pop {r3}; bx r3`. */
static struct answer answer(const struct state *state)
{
    static const uint8_t regs[] = {ARM_LR, 0, 1, 2, 3, ARM_IP};
    struct answer answer = {.where = MCUPROF_UNWIND_UNKNOWN};
    if (state->registers[ARM_LR].kind == VALUE_TARGET)
        return answer_target(state);
    for (unsigned i = 0; i < sizeof regs && answer.where == MCUPROF_UNWIND_UNKNOWN; i++) {
        answer = state_answer(state, ARM_SP, regs[i], 4);
        if (answer.where == MCUPROF_UNWIND_LINK && i > 0)
            answer.where = (uint8_t)(MCUPROF_UNWIND_R0 + i - 1);
    }
    return answer;
}

static void repair(struct state *state, struct answer answer)
{
    state_repair(state, ARM_LR, 4, answer);
}

/* A call that has a landing pad may go on there. */
static void land(struct flow *flow, uint64_t at, const struct state *state)
{
    const struct code *code = flow_code(flow);
    uint64_t pad = pads_of(code, at);
    if (pad == 0)
        return;
    struct arch_instruction call = code_instruction(code, at);
    if (call.kind != ARCH_CALL && (call.kind != ARCH_GOES_ON || !call.by_pointer))
        return;
    struct state landed = *state;
    arm_called(&landed);
    flow_jump(flow, &landed, pad);
}

unsigned arm_step(struct flow *flow, uint64_t at, struct state *state)
{
    const struct code *code = flow_code(flow);
    bool wide = code->kinds[code_index(code, at)] == CODE_WIDE;
    unsigned bytes = wide ? a32_step(flow, at, state) : thumb_step(flow, at, state);
    land(flow, at, state);
    return bytes;
}

const struct cpu cpu_arm = {
    .arch = &arch_arm,
    .word = 4,
    .padding = {0, 0x46c0, 0xbf00},
    .padding_wide = {0x8000f3af, 0xe1a00000, 0xe320f000},
    .sp = ARM_SP,
    .fp = 7,
    .fp_wide = 11,
    .dwarf_sp = ARM_SP,
    .dwarf_return = ARM_LR,
    .dwarf_stacked = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 3 | 1 << ARM_IP,
    .enter = enter,
    .answer = answer,
    .repair = repair,
    .step = arm_step,
};
