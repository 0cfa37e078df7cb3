/* SPDX-License-Identifier: MIT */
#include "state.h"

#include <stddef.h>

#include "mcuprof_unwind.h"

bool value_same(struct value a, struct value b)
{
    return a.kind == b.kind && (a.kind == VALUE_NONE || a.number == b.number);
}

/* Whether a constant is more likely an address than a number to add. */
static bool is_address(uint32_t number)
{
    return number >= 256 && number < 0xfffff000;
}

/* Whether it can be that of a label: the first 32 bytes of memory are vectors. */
static bool is_label(uint32_t number)
{
    return number >= 32 && number < 0xfffff000;
}

static struct value place(uint32_t number)
{
    return (struct value){(int32_t)number, VALUE_PLACE};
}

/* The sum of a word of an array and an address. */
static struct value distance(struct value word, uint32_t address)
{
    int64_t far = (int64_t)address - (uint32_t)word.number;
    bool fits = far >= -(1 << 23) && far < 1 << 23 && far != 0;
    return fits && is_label(address) ? value_distance((uint32_t)word.number, (int32_t)far)
                                     : (struct value){0};
}

struct value value_sum(struct value a, struct value b)
{
    uint32_t sum = (uint32_t)a.number + (uint32_t)b.number;
    if (b.kind != VALUE_CONSTANT) {
        struct value swap = a;
        a = b;
        b = swap;
    }
    if (b.kind != VALUE_CONSTANT)
        return (struct value){0};
    switch (a.kind) {
    case VALUE_CONSTANT:
        return value_constant(sum);
    case VALUE_STACK:
        return value_stack((int64_t)a.number + b.number);
    case VALUE_PLACE:
        return place(sum);
    case VALUE_FRAME:
    case VALUE_OUTER:
        return (struct value){0, VALUE_OUTER};
    case VALUE_TABLE:
        return distance(a, (uint32_t)b.number);
    case VALUE_NONE:
        return is_address((uint32_t)b.number) ? place((uint32_t)b.number) : a;
    default:
        return (struct value){0};
    }
}

struct value value_difference(struct value a, struct value b)
{
    if (a.kind == VALUE_STACK && b.kind == VALUE_STACK)
        return value_constant((uint32_t)a.number - (uint32_t)b.number);
    if (b.kind != VALUE_CONSTANT)
        return (struct value){0};
    if (a.kind == VALUE_CONSTANT)
        return value_constant((uint32_t)a.number - (uint32_t)b.number);
    if (a.kind == VALUE_FRAME || a.kind == VALUE_OUTER)
        return (struct value){0, VALUE_OUTER};
    return a.kind == VALUE_STACK ? value_stack((int64_t)a.number - b.number)
                                 : (struct value){0};
}

static struct slot *find(struct state *state, int32_t at)
{
    for (size_t i = 0; i < state->slot_count; i++)
        if (state->slots[i].at == at)
            return &state->slots[i];
    return NULL;
}

static bool join_value(struct value *value, struct value other)
{
    if (value->kind == VALUE_NONE || value_same(*value, other))
        return false;
    *value = (struct value){0};
    return true;
}

static bool join_slots(struct state *state, const struct state *other)
{
    size_t kept = 0, before = state->slot_count;
    for (size_t i = 0; i < before; i++) {
        const struct slot *slot = &state->slots[i];
        if (value_same(state_load(other, value_stack(slot->at)), slot->value))
            state->slots[kept++] = *slot;
    }
    state->slot_count = (uint8_t)kept;
    return kept != before;
}

bool state_same(const struct state *a, const struct state *b)
{
    bool same = a->slot_count == b->slot_count && a->first == b->first &&
                a->raised == b->raised && a->spoiled == b->spoiled &&
                a->entry == b->entry;
    for (size_t i = 0; same && i < REGISTERS_MAX; i++)
        same = value_same(a->registers[i], b->registers[i]);
    for (size_t i = 0; same && i < a->slot_count; i++)
        same = value_same(state_load(b, value_stack(a->slots[i].at)), a->slots[i].value);
    return same;
}

bool state_join(struct state *state, const struct state *other)
{
    bool changed = join_slots(state, other);
    for (size_t i = 0; i < REGISTERS_MAX; i++)
        changed |= join_value(&state->registers[i], other->registers[i]);
    if (state->first && !other->first) {
        state->first = false;
        changed = true;
    }
    if (!state->spoiled && other->spoiled) {
        state->spoiled = true;
        changed = true;
    }
    if (state->raised && !other->raised) {
        state->raised = false;
        changed = true;
    }
    return changed;
}

static bool is_callers(struct value value)
{
    return value.kind == VALUE_RETURN || value.kind == VALUE_FRAME;
}

static bool is_kept(struct value value)
{
    return value.kind == VALUE_STACK || value.kind == VALUE_INNER || is_callers(value) ||
           value_is_table(value) ||
           (value.kind == VALUE_CONSTANT && is_address((uint32_t)value.number));
}

/* If all slots are in use, a value of the caller's replaces another kind of value. */
static struct slot *new_slot(struct state *state, struct value value)
{
    if (state->slot_count < SLOTS_MAX)
        return &state->slots[state->slot_count++];
    for (size_t i = 0; is_callers(value) && i < SLOTS_MAX; i++)
        if (!is_callers(state->slots[i].value))
            return &state->slots[i];
    return NULL;
}

void state_store(struct state *state, struct value address, struct value value)
{
    if (address.kind != VALUE_STACK)
        return;
    struct slot *slot = find(state, address.number);
    if (is_kept(value)) {
        slot = slot != NULL ? slot : new_slot(state, value);
        if (slot != NULL)
            *slot = (struct slot){address.number, value};
    } else if (slot != NULL) {
        *slot = state->slots[--state->slot_count];
    }
}

struct value state_load(const struct state *state, struct value address)
{
    if (address.kind != VALUE_STACK)
        return (struct value){0};
    for (size_t i = 0; i < state->slot_count; i++)
        if (state->slots[i].at == address.number)
            return state->slots[i].value;
    return (struct value){0};
}

void state_move(struct state *state, unsigned sp, struct value to)
{
    struct value from = state->registers[sp];
    state->registers[sp] = to;
    if (to.kind != VALUE_STACK)
        return;
    if (from.kind == VALUE_STACK && from.number != to.number)
        state->raised = to.number > from.number;
    size_t kept = 0;
    for (size_t i = 0; i < state->slot_count; i++)
        if (state->slots[i].at >= to.number)
            state->slots[kept++] = state->slots[i];
    state->slot_count = (uint8_t)kept;
}

void state_add(struct state *state, unsigned sp, int32_t bytes)
{
    state_move(state, sp,
               value_sum(state->registers[sp], value_constant((uint32_t)bytes)));
}

/* Finds a word on the stack that holds a value of this kind and returns how many words
 * below the entry's stack pointer it is: the least such number under `limit`; 0: none. */
static unsigned slot_of(const struct state *state, unsigned word, uint32_t kind,
                        unsigned limit)
{
    unsigned best = 0;
    for (unsigned i = 0; i < state->slot_count; i++) {
        int64_t below = -(int64_t)state->slots[i].at;
        if (state->slots[i].value.kind != kind || below <= 0 || below % word != 0 ||
            below / word >= limit)
            continue;
        if (best == 0 || below / word < best)
            best = (unsigned)(below / word);
    }
    return best;
}

/* The caller's frame pointer can be both in its register and on the stack. Then the
 * answer names the register as long as the return address is in its register, too, as in
 * a prologue, else the stack: this makes rows fewer. */
static uint8_t saved_of(const struct state *state, unsigned word, unsigned where)
{
    bool kept = state->registers[state->fp].kind == VALUE_FRAME;
    unsigned slot = slot_of(state, word, VALUE_FRAME, MCUPROF_UNWIND_SAVED_LOST);
    if (state->fp == 0 || (kept && (slot == 0 || where == MCUPROF_UNWIND_LINK)))
        return 0;
    return slot != 0 ? (uint8_t)slot : MCUPROF_UNWIND_SAVED_LOST;
}

struct answer state_answer(const struct state *state, unsigned sp, unsigned link,
                           unsigned word)
{
    struct value top = state->registers[sp];
    unsigned slot = slot_of(state, word, VALUE_RETURN, MCUPROF_UNWIND_END);
    unsigned where = slot != 0 ? slot : MCUPROF_UNWIND_LINK;
    struct answer none = {0, MCUPROF_UNWIND_UNKNOWN, 0, false};
    bool based = top.kind != VALUE_STACK && state->fp != 0;
    if (state->first)
        return (struct answer){.where = MCUPROF_UNWIND_END};
    if (based)
        top = state->registers[state->fp];
    if (top.kind != VALUE_STACK ||
        (based ? top.number > 0 : top.number % (int32_t)word != 0))
        return none;
    if (top.number > 0)
        return (struct answer){.size = -top.number, .where = MCUPROF_UNWIND_UNKNOWN};
    if (slot == 0 && state->registers[link].kind != VALUE_RETURN)
        return none;
    return (struct answer){-top.number, (uint8_t)where, saved_of(state, word, where),
                           based};
}

void state_repair(struct state *state, unsigned link, unsigned word, struct answer answer)
{
    struct value ra = {0, VALUE_RETURN}, fp = {0, VALUE_FRAME};
    if (answer.where == MCUPROF_UNWIND_LINK)
        state->registers[link] = ra;
    else if (answer.where < MCUPROF_UNWIND_HANDLER)
        state_store(state, value_stack(-(int64_t)word * answer.where), ra);
    if (answer.saved != 0 && answer.saved < MCUPROF_UNWIND_SAVED_LOST)
        state_store(state, value_stack(-(int64_t)word * answer.saved), fp);
}
