/* SPDX-License-Identifier: MIT */
/*
 * Follows SPARC V8 code. Encodings: The SPARC Architecture Manual, Version 8, appendices
 * B and F. The instruction behind a jump runs before the jump; both are one step.
 */
#include <elf.h>

#include "flow.h"
#include "mcuprof_unwind.h"

enum { G0 = 0, O0 = 8, SP = 14, O7 = 15, L0 = 16, I0 = 24, FP = 30, I7 = 31 };
enum { OP3_RETT = 0x39, OP3_JMPL = 0x38, OP3_SAVE = 0x3c, OP3_RESTORE = 0x3d };

static void set(struct state *state, unsigned reg, struct value value)
{
    if (reg == SP)
        state_move(state, SP, value);
    else if (reg != G0)
        state->registers[reg] = value;
}

static struct value get(const struct state *state, unsigned reg)
{
    return reg == G0 ? value_constant(0) : state->registers[reg];
}

static unsigned rd(uint32_t word)
{
    return word >> 25 & 31;
}

static unsigned op3(uint32_t word)
{
    return word >> 19 & 63;
}

static struct value second(uint32_t word, const struct state *state)
{
    return (word >> 13 & 1) != 0 ? value_constant((uint32_t)code_signed(word, 13))
                                 : get(state, word & 31);
}

/* ---- Instructions that do not jump ---- */

/* The caller's outs are the ins of a new window. */
static void save(uint32_t word, struct state *state)
{
    struct value to = value_sum(get(state, word >> 14 & 31), second(word, state));
    for (unsigned i = 0; i < 8; i++) {
        state->registers[I0 + i] = state->registers[O0 + i];
        state->registers[O0 + i] = state->registers[L0 + i] = (struct value){0};
    }
    state->registers[rd(word) == G0 ? O0 : rd(word)] = to;
}

static void restore(uint32_t word, struct state *state)
{
    struct value to = value_sum(get(state, word >> 14 & 31), second(word, state));
    for (unsigned i = 0; i < 8; i++) {
        state->registers[O0 + i] = state->registers[I0 + i];
        state->registers[I0 + i] = state->registers[L0 + i] = (struct value){0};
    }
    state->raised = true;
    if (rd(word) != G0)
        state->registers[rd(word)] = to;
}

static struct value computed(uint32_t word, const struct state *state)
{
    struct value a = get(state, word >> 14 & 31), b = second(word, state);
    switch (op3(word)) {
    case 0x00:
    case 0x10:
        return value_sum(a, b);
    case 0x02: /* OR: a move, or the low bits of a constant */
    case 0x12:
        if (a.kind == VALUE_CONSTANT && a.number == 0)
            return b;
        if (b.kind == VALUE_CONSTANT && b.number == 0)
            return a;
        return a.kind == VALUE_CONSTANT && b.kind == VALUE_CONSTANT
                   ? value_constant((uint32_t)a.number | (uint32_t)b.number)
                   : (struct value){0};
    case 0x04:
    case 0x14:
        return value_difference(a, b);
    default:
        return (struct value){0};
    }
}

static void compute(uint32_t word, struct state *state)
{
    unsigned kind = op3(word);
    if (kind == OP3_SAVE)
        save(word, state);
    else if (kind == OP3_RESTORE)
        restore(word, state);
    else if (kind < 0x30 && kind != 0x28)
        set(state, rd(word), computed(word, state));
    else if (kind == 0x28) /* RD */
        set(state, rd(word), (struct value){0});
}

/* Stores change no register; a load may read a word of a table. */
static void access_memory(struct flow *flow, uint32_t word, struct state *state)
{
    unsigned kind = op3(word), low = kind & 15;
    struct value address = value_sum(get(state, word >> 14 & 31), second(word, state));
    struct value value = {0};
    uint32_t constant;
    if (kind >= 0x20 || (low >= 4 && low <= 7))
        return;
    if (kind == 0 && address.kind == VALUE_PLACE)
        value = (struct value){address.number, VALUE_TABLE};
    else if (kind == 0 && address.kind == VALUE_CONSTANT &&
             code_constant(flow_code(flow), (uint32_t)address.number, 4, &constant))
        value = value_constant(constant);
    set(state, rd(word), value);
    if (low == 3)
        set(state, rd(word) | 1, (struct value){0});
}

/* Whether it leaves a window that the function did not open. */
static bool is_overdrawn(uint32_t word, const struct state *state)
{
    return word >> 30 == 2 && op3(word) == OP3_RESTORE &&
           state->registers[I7].kind == VALUE_OUTER;
}

static void run_plain(struct flow *flow, uint64_t at, uint32_t word, struct state *state)
{
    if (is_overdrawn(word, state))
        flow_overdraw(flow, at, state);
    if (word >> 30 == 3)
        access_memory(flow, word, state);
    else if (word >> 30 == 2)
        compute(word, state);
    else if (word >> 30 == 0 && (word >> 22 & 7) == 4)
        set(state, rd(word), value_constant(word << 10));
}

/* ---- Jumps ---- */

static bool jumps(uint32_t word)
{
    unsigned kind = word >> 22 & 7;
    switch (word >> 30) {
    case 0:
        return kind == 2 || kind == 6 || kind == 7;
    case 1:
        return true;
    case 2:
        return op3(word) == OP3_JMPL || op3(word) == OP3_RETT;
    default:
        return false;
    }
}

/* Runs the instruction behind the jump at `at`. */
static void run_delayed(struct flow *flow, uint64_t at, struct state *state)
{
    uint32_t word;
    flow_note(flow, at + 4, state, NULL);
    if (code_fetch(flow_code(flow), at + 4, 4, &word) && !jumps(word))
        run_plain(flow, at + 4, word, state);
}

static unsigned branch(struct flow *flow, uint64_t at, uint32_t word, struct state *state)
{
    uint64_t target = code_target(flow_code(flow), at);
    unsigned condition = word >> 25 & 15;
    bool annuls = (word >> 29 & 1) != 0;
    struct state other = *state;
    if (condition == 8 && annuls) {
        flow_jump(flow, state, target);
        return 0;
    }
    run_delayed(flow, at, state);
    if (condition != 0)
        flow_jump(flow, state, target);
    if (annuls)
        *state = other;
    return condition == 8 ? 0 : 8;
}

static void called(struct state *state)
{
    for (unsigned i = 1; i < SP; i++)
        set(state, i, (struct value){0});
    set(state, O7, (struct value){0});
}

/* If the delayed instruction restores the return address, this is a tail call. A word
 * behind it that is no instruction tells the callee the size of the struct to return. */
static unsigned call(struct flow *flow, uint64_t at, struct state *state,
                     struct value target)
{
    uint32_t word;
    uint64_t address = (uint32_t)target.number;
    set(state, O7, (struct value){0});
    run_delayed(flow, at, state);
    if (get(state, O7).kind == VALUE_RETURN) {
        if (target.kind == VALUE_CONSTANT)
            flow_jump(flow, state, address);
        else
            flow_return(flow, state);
        return 0;
    }
    called(state);
    if (target.kind == VALUE_CONSTANT && !flow_call(flow, state, address))
        return 0;
    bool skips = code_fetch(flow_code(flow), at + 8, 4, &word) && word >> 22 == 0;
    return skips ? 12 : 8;
}

static unsigned jump(struct flow *flow, uint64_t at, uint32_t word, struct state *state)
{
    struct value target = value_sum(get(state, word >> 14 & 31), second(word, state));
    uint32_t next = 0;
    if (op3(word) == OP3_RETT) {
        flow_trap(flow, state);
        return 0;
    }
    if (rd(word) == O7)
        return call(flow, at, state, target);
    if (value_is_table(get(state, word >> 14 & 31)))
        target = get(state, word >> 14 & 31);
    if (code_fetch(flow_code(flow), at + 4, 4, &next) && jumps(next))
        flow_trap(flow, state); /* RETT */
    run_delayed(flow, at, state);
    if (target.kind == VALUE_CONSTANT)
        flow_jump(flow, state, (uint32_t)target.number);
    else if (value_is_table(target))
        flow_words(flow, state, at, target);
    else
        flow_go_back(flow, state, target);
    return 0;
}

static unsigned step(struct flow *flow, uint64_t at, struct state *state)
{
    uint32_t word;
    if (!code_fetch(flow_code(flow), at, 4, &word)) {
        flow_return(flow, state);
        return 0;
    }
    if (word >> 22 == 0) /* UNIMP */
        return 0;
    if (!jumps(word)) {
        run_plain(flow, at, word, state);
        return 4;
    }
    if (word >> 30 == 1)
        return call(flow, at, state,
                    value_constant((uint32_t)code_target(flow_code(flow), at)));
    return word >> 30 == 0 ? branch(flow, at, word, state) : jump(flow, at, word, state);
}

/* ---- The processor ---- */

static void enter(struct state *state)
{
    state->registers[O7] = (struct value){0, VALUE_RETURN};
    state->registers[I7] = (struct value){0, VALUE_OUTER};
}

static struct answer answer(const struct state *state)
{
    if (state->registers[I7].kind == VALUE_RETURN && !state->first)
        return (struct answer){.where = MCUPROF_UNWIND_WINDOW};
    return state_answer(state, SP, O7, 4);
}

static void repair(struct state *state, struct answer answer)
{
    unsigned reg = answer.where == MCUPROF_UNWIND_WINDOW ? I7 : O7;
    if (answer.where == MCUPROF_UNWIND_WINDOW || answer.where == MCUPROF_UNWIND_LINK)
        state->registers[reg] = (struct value){0, VALUE_RETURN};
}

const struct cpu cpu_sparc = {
    .arch = &arch_sparc,
    .word = 4,
    .padding = {0, 0x01000000},
    .sp = SP,
    .dwarf_sp = SP,
    .dwarf_return = O7,
    .dwarf_window = FP,
    .enter = enter,
    .answer = answer,
    .repair = repair,
    .step = step,
};
