/* SPDX-License-Identifier: MIT */
/* Jumps by tables. */
#include "following.h"

enum { TABLE_MAX = 4096 };

static uint64_t target_of(const struct jump_table *table, uint32_t word)
{
    int64_t offset =
        table->is_signed ? code_signed(word, 8 * table->bytes) : (int64_t)word;
    return (table->origin + (uint64_t)(offset * (int64_t)table->scale)) & UINT32_MAX;
}

/* Whether this is clang's target for what cannot be: where the function's code ends. */
static bool is_no_code(const struct code *code, const struct code_function *function,
                       uint64_t target)
{
    if (function == NULL || target <= function->low || target > function->high)
        return false;
    return target == function->high ||
           (!code_at(code, target) && code_at(code, target - code->unit));
}

bool flow_table(struct flow *flow, const struct state *state,
                const struct jump_table *table)
{
    bool any = false;
    const struct code *code = flow_code(flow);
    const struct code_function *function = code_in(code, table->at);
    uint64_t address = table->address, end = code_object_end(code, address);
    uint64_t nearest = end != 0 ? end : UINT64_MAX;
    bool inside = code_end(code, address) != 0;
    bool data = inside && !code_at(code, address);
    for (unsigned i = 0; i < TABLE_MAX && address < nearest; i++) {
        uint32_t word;
        if (!code_constant(code, address, table->bytes, &word) ||
            (data && code_at(code, address)))
            break;
        uint64_t target = target_of(table, word) & ~(uint64_t)(code->unit - 1);
        address += table->bytes;
        if (is_no_code(code, function, target))
            continue;
        if (!code_at(code, target) || code_in(code, target) != function ||
            (code->kinds[code_index(code, target)] == CODE_WIDE && target % 4 != 0) ||
            (function != NULL && target == function->low && !flow_is_free(flow, state)))
            break;
        flow_jump(flow, state, target);
        any = true;
        if (inside && target > table->address && target < nearest)
            nearest = target;
    }
    return any;
}

static struct jump_table table_of(uint64_t at, struct value words)
{
    return (struct jump_table){.at = at,
                               .address = (uint32_t)words.number,
                               .origin = value_origin(words),
                               .bytes = 4,
                               .scale = 1};
}

void flow_words(struct flow *flow, const struct state *state, uint64_t at,
                struct value words)
{
    const struct jump_table table = table_of(at, words);
    bool sure = table.origin == 0 || code_object_end(flow->code, table.address) != 0;
    if (!sure || !flow_table(flow, state, &table))
        flow_go_back(flow, state, (struct value){0});
}

/* ---- Arrays of distances ---- */

static void note(struct flow *flow, const struct code_function *function,
                 struct value words, struct value other)
{
    if (!value_is_table(words) || value_origin(words) == 0 || value_same(words, other) ||
        code_object_end(flow->code, (uint32_t)words.number) == 0)
        return;
    for (size_t i = 0; i < flow->distance_count; i++)
        if (flow->distances[i].function == function &&
            value_same(flow->distances[i].words, words))
            return;
    if (flow->distance_count == DISTANCES_MAX)
        return;
    flow->distances[flow->distance_count++] = (struct distances){function, words};
    flow->grew = true;
}

/* clang at -O0 keeps the address to jump to on the stack. */
static void note_slots(struct flow *flow, const struct code_function *function,
                       const struct state *state, const struct state *other)
{
    for (unsigned i = 0; function != NULL && i < state->slot_count; i++)
        note(flow, function, state->slots[i].value,
             state_load(other, value_stack(state->slots[i].at)));
}

void distances_note(struct flow *flow, const struct block *block,
                    const struct state *state)
{
    const struct code_function *function = code_in(flow->code, block->at);
    for (unsigned i = 0; function != NULL && i < REGISTERS_MAX; i++) {
        note(flow, function, block->in.registers[i], state->registers[i]);
        note(flow, function, state->registers[i], block->in.registers[i]);
    }
    note_slots(flow, function, &block->in, state);
    note_slots(flow, function, state, &block->in);
}

size_t distances_jump(struct flow *flow, const struct state *state,
                      const struct code_function *function)
{
    size_t count = 0;
    for (size_t i = 0; i < flow->distance_count; i++) {
        if (flow->distances[i].function != function)
            continue;
        const struct jump_table table = table_of(function->low, flow->distances[i].words);
        count++;
        if (state != NULL)
            flow_table(flow, state, &table);
    }
    return count;
}
