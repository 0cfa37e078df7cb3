/* SPDX-License-Identifier: MIT */
#include "state.h"

#include <stddef.h>

bool value_same(struct value a, struct value b)
{
    return a.kind == b.kind && (a.kind == VALUE_NONE || a.number == b.number);
}

static struct value place(uint32_t number)
{
    return (struct value){(int32_t)number, VALUE_PLACE};
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
    case VALUE_NONE:
        return place((uint32_t)b.number);
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
                a->raised == b->raised && a->entry == b->entry;
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
    if (state->raised && !other->raised) {
        state->raised = false;
        changed = true;
    }
    return changed;
}

/* Of constants, addresses. */
static bool is_kept(struct value value)
{
    return value.kind == VALUE_STACK || value.kind == VALUE_RETURN ||
           (value.kind == VALUE_CONSTANT && (uint32_t)value.number >= 256);
}

/* Where all slots are in use, a return address takes the place of something else. */
static struct slot *new_slot(struct state *state, struct value value)
{
    if (state->slot_count < SLOTS_MAX)
        return &state->slots[state->slot_count++];
    for (size_t i = 0; value.kind == VALUE_RETURN && i < SLOTS_MAX; i++)
        if (state->slots[i].value.kind != VALUE_RETURN)
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
