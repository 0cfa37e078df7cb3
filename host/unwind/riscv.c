/* SPDX-License-Identifier: MIT */
/*
 * Follows RV32 code with any extensions that GCC uses. Encodings: RISC-V Unprivileged
 * ISA 20191213, chapters 2, 16 and 24. riscv_short.c has the compressed instructions.
 */
#include "riscv.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "mcuprof_unwind.h"

enum { OUTLINED_MAX = 64 /* instructions */ };

enum {
    OP_LOAD = 0x03,
    OP_IMMEDIATE = 0x13,
    OP_AUIPC = 0x17,
    OP_STORE = 0x23,
    OP_ATOMIC = 0x2f,
    OP_REGISTER = 0x33,
    OP_LUI = 0x37,
    OP_FLOAT = 0x53,
    OP_BRANCH = 0x63,
    OP_JALR = 0x67,
    OP_JAL = 0x6f,
    OP_SYSTEM = 0x73
};

void riscv_set(struct state *state, unsigned reg, struct value value)
{
    if (reg == RISCV_SP)
        state_move(state, RISCV_SP, value);
    else if (reg != 0)
        state->registers[reg] = value;
}

struct value riscv_get(const struct state *state, unsigned reg)
{
    return reg == 0 ? value_constant(0) : state->registers[reg];
}

void riscv_load(struct flow *flow, struct state *state, unsigned reg, unsigned base,
                int32_t offset)
{
    struct value address =
        value_sum(riscv_get(state, base), value_constant((uint32_t)offset));
    uint32_t word;
    if (address.kind == VALUE_CONSTANT &&
        code_constant(flow_code(flow), (uint32_t)address.number, 4, &word))
        riscv_set(state, reg, value_constant(word));
    else if (address.kind == VALUE_PLACE)
        riscv_set(state, reg, (struct value){address.number, VALUE_TABLE});
    else
        riscv_set(state, reg, state_load(state, address));
}

void riscv_store(struct state *state, unsigned reg, unsigned base, int32_t offset)
{
    state_store(state,
                value_sum(riscv_get(state, base), value_constant((uint32_t)offset)),
                riscv_get(state, reg));
}

/* ---- Jumps and calls ---- */

static unsigned step(struct flow *flow, uint64_t at, struct state *state);

static void called(struct state *state)
{
    static const uint8_t lost[] = {1,  5,  6,  7,  10, 11, 12, 13,
                                   14, 15, 16, 17, 28, 29, 30, 31};
    for (unsigned i = 0; i < sizeof lost; i++)
        riscv_set(state, lost[i], (struct value){0});
}

/* libgcc's __riscv_save_N, which is called with the link t0, saves ra and s0 to s(N - 1)
 * in a frame of a multiple of 16 bytes, or of 12 bytes if there are only 16 registers.
 * Returns the frame's bytes; 0: the target is another function. */
static int32_t save_bytes(const struct code *code, uint64_t target)
{
    static const char name[] = "__riscv_save_";
    const struct code_function *function = code_begins(code, target);
    if (function == NULL || strncmp(function->name, name, sizeof name - 1) != 0)
        return 0;
    if ((code->flags & EF_RISCV_RVE) != 0)
        return 12;
    unsigned long count = strtoul(function->name + sizeof name - 1, NULL, 10);
    return count > 12 ? 0 : (int32_t)((count + 1) * 4 + 15) / 16 * 16;
}

static void saved(struct state *state, int32_t bytes)
{
    struct value sp = riscv_get(state, RISCV_SP);
    struct value top = value_sum(sp, value_constant((uint32_t)-4));
    riscv_set(state, RISCV_SP, value_sum(sp, value_constant((uint32_t)-bytes)));
    state_store(state, top, riscv_get(state, RISCV_RA));
    state_store(state, value_sum(top, value_constant((uint32_t)-4)),
                riscv_get(state, RISCV_S0));
    state->registers[5] = state->registers[6] = (struct value){0};
}

/* Whether only the state changes here, and the code goes on with the next instruction. */
static bool is_plain(const struct arch_instruction *next, uint32_t word)
{
    return next->kind == ARCH_GOES_ON && !next->by_pointer &&
           (word & 0x707f) != OP_SYSTEM;
}

static bool is_jump_by_t0(uint32_t word)
{
    return word == 0x8282 || word == 0x00028067;
}

static bool goes_back_second(const struct code *code, uint64_t at)
{
    uint32_t word;
    return code_fetch(code, at, (unsigned)code_length(code, at), &word) &&
           is_jump_by_t0(word);
}

/* Applies a function that goes back by t0, if it is one run of instructions, as what
 * clang's outliner makes is. That may take down the frame of its caller, or make it. */
static bool run_outlined(struct flow *flow, struct state *state, uint64_t at)
{
    const struct code *code = flow_code(flow);
    struct state inside = *state;
    uint32_t word;
    inside.registers[RISCV_T0] = (struct value){0, VALUE_SECOND};
    for (unsigned i = 0; i < OUTLINED_MAX && code_at(code, at) && flow_count(flow); i++) {
        struct arch_instruction next = code_instruction(code, at);
        if (!code_fetch(code, at, next.bytes, &word))
            return false;
        if (next.kind == ARCH_LEAVE && is_jump_by_t0(word) &&
            inside.registers[RISCV_T0].kind == VALUE_SECOND) {
            inside.registers[RISCV_T0] = (struct value){0};
            *state = inside;
            return true;
        }
        if (!is_plain(&next, word))
            return false;
        at += step(flow, at, &inside);
    }
    return false;
}

/* A call by which t0 is set. */
static bool call_second(struct flow *flow, struct state *state, struct value target)
{
    uint64_t address = (uint32_t)target.number;
    bool known = target.kind == VALUE_CONSTANT;
    int32_t bytes = known ? save_bytes(flow_code(flow), address) : 0;
    enum flow_second does = known ? flow_call_second(flow, address) : FLOW_RETURNS;
    if (bytes != 0) {
        saved(state, bytes);
        return true;
    }
    if (does != FLOW_STAYS && known && run_outlined(flow, state, address))
        return true;
    called(state);
    state->spoiled |= does == FLOW_LOST;
    return does != FLOW_STAYS;
}

static bool is_within(const struct code *code, uint64_t target)
{
    const struct code_function *function = code_in(code, target);
    return function != NULL && function->low != target && code_at(code, target);
}

bool riscv_call(struct flow *flow, struct state *state, unsigned link,
                struct value target)
{
    if (link == RISCV_T0)
        return call_second(flow, state, target);
    bool known = target.kind == VALUE_CONSTANT;
    uint64_t address = known ? (uint32_t)target.number : 0;
    bool inner = known && link == RISCV_RA && is_within(flow_code(flow), address);
    bool returns = inner ? flow_enter_inner(flow, state, address, RISCV_RA, false)
                         : !known || flow_call(flow, state, address);
    called(state);
    riscv_set(state, link, (struct value){0});
    return returns;
}

void riscv_go(struct flow *flow, const struct state *state, uint64_t at,
              struct value target)
{
    if (target.kind == VALUE_CONSTANT)
        flow_jump(flow, state, (uint32_t)target.number & ~(uint32_t)1);
    else if (value_is_table(target))
        flow_words(flow, state, at, target);
    else
        flow_go_back(flow, state, target);
}

static unsigned jump(struct flow *flow, uint64_t at, uint32_t word, struct state *state,
                     struct value target)
{
    unsigned link = word >> 7 & 31;
    if (link == 0) {
        riscv_go(flow, state, at, target);
        return 0;
    }
    return riscv_call(flow, state, link, target) ? 4 : 0;
}

/* ---- Arithmetic ---- */

static struct value by_immediate(uint32_t word, struct value left)
{
    int32_t number = code_signed(word >> 20, 12);
    unsigned kind = word >> 12 & 7;
    if (kind == 0)
        return value_sum(left, value_constant((uint32_t)number));
    if (left.kind != VALUE_CONSTANT)
        return (struct value){0};
    if (kind == 1)
        return value_constant((uint32_t)left.number << (number & 31));
    if (kind == 5 && (word >> 30 & 1) == 0)
        return value_constant((uint32_t)left.number >> (number & 31));
    return (struct value){0};
}

static struct value by_register(uint32_t word, struct value left, struct value right)
{
    unsigned kind = (word >> 25) << 3 | (word >> 12 & 7);
    if (kind == 0)
        return value_sum(left, right);
    if (kind == 0x20 << 3)
        return value_difference(left, right);
    return (struct value){0};
}

/* MRET and the like end a handler, which nothing calls. */
static unsigned system_step(struct flow *flow, uint32_t word, struct state *state)
{
    if (word == 0x30200073 || word == 0x10200073 || word == 0x00200073) {
        flow_trap(flow, state);
        return 0;
    }
    if ((word >> 12 & 7) != 0)
        riscv_set(state, word >> 7 & 31, (struct value){0});
    return 4;
}

static void float_step(uint32_t word, struct state *state)
{
    unsigned kind = word >> 27;
    if (kind == 0x14 || kind == 0x18 || kind == 0x1c) /* FEQ, FCVT.W, FMV.X */
        riscv_set(state, word >> 7 & 31, (struct value){0});
}

static void compute(uint64_t at, uint32_t word, struct state *state)
{
    struct value left = riscv_get(state, word >> 15 & 31);
    struct value upper = value_constant(word & 0xfffff000), value = {0};
    switch (word & 127) {
    case OP_LUI:
        value = upper;
        break;
    case OP_AUIPC:
        value = value_sum(upper, value_constant((uint32_t)at));
        break;
    case OP_IMMEDIATE:
        value = by_immediate(word, left);
        break;
    case OP_REGISTER:
        value = by_register(word, left, riscv_get(state, word >> 20 & 31));
        break;
    }
    riscv_set(state, word >> 7 & 31, value);
}

static void load(struct flow *flow, uint32_t word, struct state *state)
{
    unsigned reg = word >> 7 & 31, base = word >> 15 & 31;
    if ((word >> 12 & 7) == 2)
        riscv_load(flow, state, reg, base, code_signed(word >> 20, 12));
    else
        riscv_set(state, reg, (struct value){0});
}

static void store(uint32_t word, struct state *state)
{
    uint32_t offset = (word >> 25) << 5 | (word >> 7 & 31);
    if ((word >> 12 & 7) == 2)
        riscv_store(state, word >> 20 & 31, word >> 15 & 31, code_signed(offset, 12));
}

static unsigned long_step(struct flow *flow, uint64_t at, uint32_t word,
                          struct state *state)
{
    struct value base = riscv_get(state, word >> 15 & 31);
    switch (word & 127) {
    case OP_JAL:
        return jump(flow, at, word, state,
                    value_constant((uint32_t)code_target(flow_code(flow), at)));
    case OP_JALR:
        return jump(
            flow, at, word, state,
            word >> 20 == 0
                ? base
                : value_sum(base, value_constant((uint32_t)code_signed(word >> 20, 12))));
    case OP_BRANCH:
        flow_jump(flow, state, code_target(flow_code(flow), at));
        break;
    case OP_LOAD:
        load(flow, word, state);
        break;
    case OP_STORE:
        store(word, state);
        break;
    case OP_SYSTEM:
        return system_step(flow, word, state);
    case OP_FLOAT:
        float_step(word, state);
        break;
    case OP_ATOMIC:
    case OP_LUI:
    case OP_AUIPC:
    case OP_IMMEDIATE:
    case OP_REGISTER:
        compute(at, word, state);
        break;
    }
    return 4;
}

static unsigned step(struct flow *flow, uint64_t at, struct state *state)
{
    const struct code *code = flow_code(flow);
    uint32_t word;
    if (code_fetch(code, at, 2, &word) && (word & 3) != 3)
        return riscv_short_step(flow, at, word, state);
    if (code_fetch(code, at, 4, &word))
        return long_step(flow, at, word, state);
    flow_return(flow, state);
    return 0;
}

/* ---- The processor ---- */

static void enter(struct state *state)
{
    state->registers[RISCV_RA] = (struct value){0, VALUE_RETURN};
}

static struct answer answer(const struct state *state)
{
    return state_answer(state, RISCV_SP, RISCV_RA, 4);
}

static void repair(struct state *state, struct answer answer)
{
    state_repair(state, RISCV_RA, 4, answer);
}

const struct cpu cpu_riscv = {
    .arch = &arch_riscv,
    .word = 4,
    .padding = {0, 1, 0x13},
    .sp = RISCV_SP,
    .fp = RISCV_S0,
    .second = RISCV_T0,
    .goes_back_second = goes_back_second,
    .dwarf_sp = RISCV_SP,
    .dwarf_return = RISCV_RA,
    .enter = enter,
    .answer = answer,
    .repair = repair,
    .step = step,
};
