/* SPDX-License-Identifier: MIT */
/* Jumps by tables. */
#include "flow.h"

enum { TABLE_MAX = 4096 };

static uint64_t target_of(const struct jump_table *table, uint32_t word)
{
    int64_t offset =
        table->is_signed ? code_signed(word, 8 * table->bytes) : (int64_t)word;
    return (table->origin + (uint64_t)(offset * (int64_t)table->scale)) & UINT32_MAX;
}

void flow_table(struct flow *flow, const struct state *state,
                const struct jump_table *table)
{
    const struct code *code = flow_code(flow);
    const struct code_function *function = code_in(code, table->at);
    uint64_t nearest = UINT64_MAX, address = table->address;
    bool inside = address >= code->low && address < code->high;
    bool data = inside && !code_at(code, address);
    for (unsigned i = 0; i < TABLE_MAX && address < nearest; i++) {
        uint32_t word;
        if (!code_constant(code, address, table->bytes, &word) ||
            (data && code_at(code, address)))
            break;
        uint64_t target = target_of(table, word) & ~(uint64_t)(code->unit - 1);
        address += table->bytes;
        if (function != NULL && target == function->high)
            continue; /* clang's target for what cannot be */
        if (!code_at(code, target) || code_in(code, target) != function)
            break;
        flow_jump(flow, state, target);
        if (inside && target > table->address && target < nearest)
            nearest = target;
    }
}

void flow_words(struct flow *flow, const struct state *state, uint64_t at,
                uint64_t address)
{
    const struct jump_table table = {
        .at = at, .address = address, .bytes = 4, .scale = 1};
    flow_table(flow, state, &table);
}
