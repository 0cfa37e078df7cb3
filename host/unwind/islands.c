/* SPDX-License-Identifier: MIT */
/*
 * Code that no way leads to, as behind a jump to a place that is not known: only the
 * frame information tells of it. That of clang does not describe epilogues, so it is
 * followed from instruction to instruction here, and believed as long as the code does
 * not move what it is relative to.
 */
#include "following.h"

/* Whether the frame information alone tells of a place, and how far the stack pointer or
 * the frame pointer is from the caller's. */
static bool is_island(const struct found *found)
{
    return !found->begins && !found->opaque && answer_is_definite(found->frame) &&
           (found->frame.where < MCUPROF_UNWIND_END ||
            found->frame.where == MCUPROF_UNWIND_LINK);
}

static unsigned base_of(const struct flow *flow, struct answer frame)
{
    return frame.based ? flow->code->fp : flow->cpu->sp;
}

/* The state that the frame information tells. */
static struct state state_of(const struct flow *flow, uint32_t function,
                             struct answer frame)
{
    struct state state = {.entry = function, .fp = flow->code->fp};
    state.registers[base_of(flow, frame)] = value_stack(-(int64_t)frame.size);
    if (state.fp != 0 && frame.saved == 0 && !frame.based)
        state.registers[state.fp] = (struct value){0, VALUE_FRAME};
    flow->cpu->repair(&state, frame);
    return state;
}

/* Whether the base is where the frame information has it. */
static bool holds(const struct flow *flow, const struct state *state, struct answer frame)
{
    struct value base = state->registers[base_of(flow, frame)];
    return base.kind == VALUE_STACK && base.number == -frame.size;
}

/* Takes the code's word for an instruction. */
static void believe(const struct flow *flow, uint64_t at, struct answer answer)
{
    const struct answer unknown = {.where = MCUPROF_UNWIND_UNKNOWN};
    struct found *found = &flow->found[code_index(flow->code, at)];
    found->begins = true;
    found->code = answer.size < 0 ? unknown : answer;
    found->frame = unknown;
}

/* Does a step of the decoder. Where it takes several instructions and moves the base,
 * nothing is known of those behind the first. Returns its bytes; 0: the code does not go
 * on. */
static unsigned step(struct flow *flow, uint64_t at, struct state *state)
{
    const struct answer unknown = {.where = MCUPROF_UNWIND_UNKNOWN};
    const struct code *code = flow->code;
    struct answer frame = flow->found[code_index(code, at)].frame;
    unsigned bytes = flow->cpu->step(flow, at, state);
    if (!holds(flow, state, frame))
        for (unsigned i = code_length(code, at); i < bytes && code_at(code, at + i);
             i += code_length(code, at + i))
            believe(flow, at + i, unknown);
    return bytes;
}

/* Follows an island up to an instruction that the code does not go on behind, or to code
 * that a way leads to. Returns where that is. */
static uint64_t follow(struct flow *flow, uint32_t function, uint64_t at, uint64_t high)
{
    const struct code *code = flow->code;
    struct state state =
        state_of(flow, function, flow->found[code_index(code, at)].frame);
    while (at < high && code_at(code, at) && flow_count(flow)) {
        const struct found *found = &flow->found[code_index(code, at)];
        if (!is_island(found))
            return at;
        bool right = holds(flow, &state, found->frame);
        struct answer told = flow->cpu->answer(&state);
        unsigned bytes = step(flow, at, &state);
        if (!right)
            believe(flow, at, told);
        at += bytes != 0 ? bytes : code_length(code, at);
        if (bytes == 0)
            return at;
    }
    return at;
}

void islands_follow(struct flow *flow)
{
    const struct code *code = flow->code;
    flow->steps = 0;
    for (uint32_t i = 0; i < code->function_count; i++) {
        const struct code_function *function = &code->functions[i];
        uint64_t at = function->low;
        while (function->typed && at < function->high && flow_count(flow)) {
            const struct found *found = &flow->found[code_index(code, at)];
            if (code_at(code, at) && is_island(found))
                at = follow(flow, i, at, function->high);
            else
                at += found->begins ? code_length(code, at) : code->unit;
        }
    }
}
