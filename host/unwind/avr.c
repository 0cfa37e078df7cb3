/* SPDX-License-Identifier: MIT */
/*
 * Follows AVR code. Encodings: AVR Instruction Set Manual, DS40002198. Registers are
 * bytes: a VALUE_STACK register holds the low or high half of the address, by its place
 * in a pair. The stack pointer, in SPL and SPH, is the address of the next free byte.
 * Devices with more than 128 KiB of code have return addresses of 3 bytes.
 */
#include <elf.h>
#include <string.h>

#include "flow.h"
#include "mcuprof_unwind.h"

enum { X = 26, Y = 28, Z = 30, SP = 32, RETURN_BYTES = 33 };
enum { IO_SPL = 0x3d, IO_SPH = 0x3e };

static unsigned d5(uint32_t op)
{
    return op >> 4 & 31;
}

static void forget(struct state *state, unsigned reg)
{
    state->registers[reg] = (struct value){0};
}

/* The value of the register pair whose lower register is `reg`. */
static struct value pair(const struct state *state, unsigned reg)
{
    struct value low = state->registers[reg], high = state->registers[reg | 1];
    return low.kind == VALUE_STACK && value_same(low, high) ? low : (struct value){0};
}

static void set_pair(struct state *state, unsigned reg, struct value value)
{
    state->registers[reg] = state->registers[reg | 1] = value;
}

static uint32_t fetch(struct flow *flow, uint64_t at)
{
    uint32_t op = 0;
    return code_fetch(flow_code(flow), at, 2, &op) ? op : 0;
}

/* ---- Jumps and calls ---- */

static void called(struct state *state)
{
    forget(state, 0);
    for (unsigned reg = 18; reg < Y; reg++)
        forget(state, reg);
    set_pair(state, Z, (struct value){0});
}

static int32_t return_bytes(const struct state *state)
{
    return state->registers[RETURN_BYTES].number;
}

/* A call of the next instruction is the quickest way to reserve bytes of stack. */
static unsigned call(struct flow *flow, uint64_t at, unsigned bytes, uint64_t target,
                     struct state *state)
{
    if (target == at + bytes) {
        state_add(state, SP, -return_bytes(state));
        return bytes;
    }
    bool returns = flow_call(flow, state, target);
    called(state);
    return returns ? bytes : 0;
}

/* libgcc's switch: the two instructions before add the address of a table of words to the
 * index in Z, by subtracting the negated address. */
static bool table_jump(struct flow *flow, uint64_t at, uint64_t target,
                       const struct state *state)
{
    const struct code_function *function = code_begins(flow_code(flow), target);
    uint32_t low = fetch(flow, at - 4), high = fetch(flow, at - 2);
    if (function == NULL || strncmp(function->name, "__tablejump2__", 14) != 0 ||
        (low & 0xf0f0) != 0x50e0 || (high & 0xf0f0) != 0x40f0)
        return false;
    uint32_t number =
        (high >> 4 & 0xf0) << 8 | (high & 15) << 8 | (low >> 4 & 0xf0) | (low & 15);
    const struct jump_table table = {
        .at = at, .address = (-number & 0xffff) * 2, .bytes = 2, .scale = 2};
    flow_table(flow, state, &table);
    return true;
}

static unsigned jump_or_call(struct flow *flow, uint64_t at, uint32_t op,
                             struct state *state)
{
    uint64_t target = code_target(flow_code(flow), at);
    if ((op & 2) != 0)
        return call(flow, at, 4, target, state);
    if (!table_jump(flow, at, target, state))
        flow_jump(flow, state, target);
    return 0;
}

static unsigned relative(struct flow *flow, uint64_t at, uint32_t op, struct state *state)
{
    uint64_t target = code_target(flow_code(flow), at);
    if ((op & 0x1000) != 0)
        return call(flow, at, 2, target, state);
    if (!table_jump(flow, at, target, state))
        flow_jump(flow, state, target);
    return 0;
}

static bool skips(uint32_t op)
{
    return (op & 0xfc00) == 0x1000 || (op & 0xfc08) == 0xfc00 ||
           (op & 0xfd00) == 0x9900; /* CPSE, SBRC and SBRS, SBIC and SBIS */
}

/* ---- The stack pointer ---- */

static void input(struct state *state, uint32_t op)
{
    unsigned port = (op >> 5 & 0x30) | (op & 15);
    bool stack = port == IO_SPL || port == IO_SPH;
    state->registers[d5(op)] = stack ? state->registers[SP] : (struct value){0};
}

/* SPH is written first; interrupts are off until SPL is written. */
static void output(struct state *state, uint32_t op)
{
    if (((op >> 5 & 0x30) | (op & 15)) == IO_SPL)
        state_move(state, SP, pair(state, d5(op) & ~1u));
}

static void add_word(struct state *state, uint32_t op)
{
    unsigned reg = 24 + 2 * (op >> 4 & 3);
    int32_t number = (int32_t)((op >> 2 & 0x30) | (op & 15));
    number = (op & 0x100) != 0 ? -number : number;
    set_pair(state, reg, value_sum(pair(state, reg), value_constant((uint32_t)number)));
}

/* SUBI on the lower register of a pair, with SBCI, or SBC of r1 (which is 0), on the
 * higher one; returns the bytes of both. */
static unsigned subtract(struct flow *flow, uint64_t at, uint32_t op, struct state *state)
{
    unsigned reg = 16 + (op >> 4 & 15);
    uint32_t next = fetch(flow, at + 2), low = (op >> 4 & 0xf0) | (op & 15);
    struct value value = pair(state, reg & ~1u);
    bool zero = next == (0x0901 | ((op & 0xf0) + 0x10));
    forget(state, reg);
    if ((reg & 1) != 0 || (!zero && (next & 0xf0f0) != (0x4000 | (op & 0xf0) | 0x10)))
        return 2;
    uint32_t high = zero ? 0 : (next >> 4 & 0xf0) | (next & 15);
    int32_t number = code_signed(high << 8 | low, 16);
    flow_note(flow, at + 2, state, NULL);
    set_pair(state, reg, value_difference(value, value_constant((uint32_t)number)));
    return 4;
}

/* ---- All ---- */

/* Rows 0x9000 to 0x93ff: loads, stores, PUSH, POP. */
static void move_memory(struct state *state, uint32_t op)
{
    static const uint8_t pointers[16] = {0, Z, Z, 0, 0, Z, 0, Z, 0, Y, Y, 0, 0, X, X, 0};
    unsigned kind = op & 15;
    bool load = (op & 0x200) == 0;
    if (kind == 15)
        state_add(state, SP, load ? 1 : -1);
    if (load || (kind >= 4 && kind <= 7))
        forget(state, d5(op));
    if (pointers[kind] != 0 && (load || kind < 4 || kind > 7))
        set_pair(state, pointers[kind], (struct value){0});
}

/* Rows 0x9400 to 0x95ff. */
static unsigned one_operand(struct flow *flow, uint32_t op, struct state *state)
{
    switch (op) {
    case 0x9518: /* RETI */
        flow_trap(flow, state);
        return 0;
    case 0x9508: /* RET, IJMP, EIJMP */
    case 0x9409:
    case 0x9419:
        flow_return(flow, state);
        return 0;
    case 0x9509: /* ICALL, EICALL */
    case 0x9519:
        called(state);
        return 2;
    case 0x95c8: /* LPM, ELPM */
    case 0x95d8:
        forget(state, 0);
        return 2;
    }
    if ((op & 15) <= 7 || (op & 15) == 10)
        forget(state, d5(op));
    return 2;
}

static void arithmetic(struct state *state, uint32_t op)
{
    unsigned kind = op >> 10;
    if ((op & 0xff00) == 0x0100) /* MOVW */
        memcpy(&state->registers[(op >> 4 & 15) * 2], &state->registers[(op & 15) * 2],
               2 * sizeof state->registers[0]);
    else if (kind == 11) /* MOV */
        state->registers[d5(op)] = state->registers[(op >> 5 & 16) | (op & 15)];
    else if (kind == 0 && op != 0) /* MULS and kin; else NOP */
        set_pair(state, 0, (struct value){0});
    else if (kind != 0 && kind != 1 && kind != 4 && kind != 5) /* CPC, CPSE, CP */
        forget(state, d5(op));
}

static unsigned high_rows(struct flow *flow, uint64_t at, uint32_t op,
                          struct state *state)
{
    if (op >> 12 == 11) {
        if ((op & 0x800) == 0)
            input(state, op);
        else
            output(state, op);
    } else if (op >> 13 == 6) {
        return relative(flow, at, op, state);
    } else if (op >> 12 == 14) {
        forget(state, 16 + (op >> 4 & 15));
    } else if ((op & 0xf800) == 0xf000) { /* BRBS, BRBC */
        flow_jump(flow, state, code_target(flow_code(flow), at));
    } else if ((op & 0xfe08) == 0xf800) { /* BLD */
        forget(state, d5(op));
    }
    return 2;
}

static unsigned row9(struct flow *flow, uint64_t at, uint32_t op, struct state *state)
{
    if ((op & 0xfe0c) == 0x940c)
        return jump_or_call(flow, at, op, state);
    if ((op & 0xfc00) == 0x9000)
        move_memory(state, op);
    else if ((op & 0xfe00) == 0x9400)
        return one_operand(flow, op, state);
    else if ((op & 0xfe00) == 0x9600)
        add_word(state, op);
    else if ((op & 0xfc00) == 0x9c00) /* MUL */
        set_pair(state, 0, (struct value){0});
    return code_length(flow_code(flow), at);
}

static unsigned step(struct flow *flow, uint64_t at, struct state *state)
{
    uint32_t op;
    if (!code_fetch(flow_code(flow), at, 2, &op)) {
        flow_return(flow, state);
        return 0;
    }
    if (skips(op)) {
        flow_jump(flow, state, at + 2 + code_length(flow_code(flow), at + 2));
        return 2;
    }
    switch (op >> 12) {
    case 0:
    case 1:
    case 2:
        arithmetic(state, op);
        return 2;
    case 3: /* CPI */
        return 2;
    case 5:
        return subtract(flow, at, op, state);
    case 4: /* SBCI, ORI, ANDI */
    case 6:
    case 7:
        forget(state, 16 + (op >> 4 & 15));
        return 2;
    case 8:
    case 10:
        if ((op & 0x200) == 0) /* LDD */
            forget(state, d5(op));
        return 2;
    case 9:
        return row9(flow, at, op, state);
    default:
        return high_rows(flow, at, op, state);
    }
}

/* ---- The processors ---- */

static void enter(struct state *state)
{
    state->registers[RETURN_BYTES] = value_constant(2);
}

static void enter_large(struct state *state)
{
    state->registers[RETURN_BYTES] = value_constant(3);
}

/* The return address stays in place: its first byte is right above the stack pointer at
 * the entry. */
static struct answer answer(const struct state *state)
{
    struct value sp = state->registers[SP];
    if (state->first)
        return (struct answer){.where = MCUPROF_UNWIND_END};
    if (sp.kind != VALUE_STACK)
        return (struct answer){.where = MCUPROF_UNWIND_UNKNOWN};
    if (sp.number > 0)
        return (struct answer){.size = -sp.number, .where = MCUPROF_UNWIND_UNKNOWN};
    return (struct answer){.size = return_bytes(state) - sp.number,
                           .where = (uint8_t)(return_bytes(state) - 1)};
}

/* In the frame information, too, the frame's base is the caller's stack pointer. */
static void repair(struct state *state, struct answer answer)
{
    (void)answer;
    state_add(state, SP, return_bytes(state));
}

static bool is_large(uint32_t flags)
{
    unsigned kind = flags & 127;
    return kind == 6 || kind == 106 || kind == 107;
}

static bool is_small(uint32_t flags)
{
    return !is_large(flags);
}

const struct cpu cpu_avr = {
    .arch = &arch_avr,
    .word = 1,
    .serves = is_small,
    .sp = SP,
    .dwarf_sp = SP,
    .dwarf_return = 36,
    .enter = enter,
    .answer = answer,
    .repair = repair,
    .step = step,
};

const struct cpu cpu_avr_large = {
    .arch = &arch_avr,
    .word = 1,
    .serves = is_large,
    .sp = SP,
    .dwarf_sp = SP,
    .dwarf_return = 36,
    .enter = enter_large,
    .answer = answer,
    .repair = repair,
    .step = step,
};
