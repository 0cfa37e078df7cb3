/* SPDX-License-Identifier: MIT */
/*
 * Where code is entered, and with which frame. A function is entered by a call, or by the
 * jump of a function that is free of its frame, so that the return address is in the link
 * register and all of the stack is the caller's. Code that takes more than that cannot be
 * a function: it is entered by jumps, with the frame of the code that jumps, such as the
 * ends of functions that a compiler outlines. It is followed from there.
 */
#include "following.h"

#include <stdlib.h>

enum { SIZE_MAX_BYTES = (1 << 17) - 1 /* of a frame in the table */ };

bool entry_add(struct flow *flow, uint64_t at, uint32_t function)
{
    if (flow->entry_count == flow->entry_room) {
        uint32_t room = flow->entry_room != 0 ? flow->entry_room * 2 : 256;
        struct entry *entries = realloc(flow->entries, room * sizeof *entries);
        flow->failed |= entries == NULL;
        if (entries == NULL)
            return false;
        flow->entries = entries;
        flow->entry_room = room;
    }
    const struct code_function *begun = code_begins(flow->code, at);
    flow->entries[flow->entry_count++] = (struct entry){
        .at = at, .function = function, .second = begun != NULL && begun->second};
    return true;
}

/* ---- What is known of a place ---- */

/* Whether the function freed more stack than it had, or took the frame of its caller. */
static bool is_overdrawn(const struct flow *flow, const struct state *state,
                         struct answer answer)
{
    struct value sp = state->registers[flow->cpu->sp];
    return answer.size < 0 || sp.kind == VALUE_FRAME || sp.kind == VALUE_OUTER;
}

static bool is_own(const struct flow *flow, const struct entry *entry, uint64_t at)
{
    const struct code_function *own = &flow->code->functions[entry->function];
    return at >= own->low && at < own->high;
}

void flow_overdraw(struct flow *flow, uint64_t at, const struct state *state)
{
    struct entry *entry = &flow->entries[state->entry];
    if (!flow->checking)
        return;
    entry->known.overdrawn = true;
    entry->known.overdrawn_itself |= is_own(flow, entry, at);
}

/* Whether the entry's frame at this place may not be that of a function that is called.
 * (A function that is called, and overdrawn only where it jumps to, is right itself.) */
static bool is_dubious(const struct flow *flow, const struct entry *entry, uint64_t at)
{
    const struct known *known = &entry->known;
    bool inner = entry - flow->entries >= (ptrdiff_t)flow->code->function_count;
    if (flow->code->functions[entry->function].first || entry->second)
        return false;
    if (known->overdrawn_itself ||
        (known->overdrawn && (!known->called || !is_own(flow, entry, at))))
        return true;
    return inner ? !entry->borrows && known->framed && !known->proved : known->lent;
}

/* In a function that is called by the second link register, its caller's own return
 * address must still be where it was. */
static struct answer by_second(const struct flow *flow, const struct entry *entry,
                               const struct state *state, struct answer answer)
{
    bool sure = entry->known.came_back && !entry->known.called && answer.size >= 0 &&
                answer_is_definite(answer) &&
                state->registers[flow->cpu->dwarf_return].kind == VALUE_RETURN &&
                state->registers[flow->cpu->second].kind == VALUE_SECOND;
    if (!sure)
        return (struct answer){.where = MCUPROF_UNWIND_UNKNOWN};
    answer.where = MCUPROF_UNWIND_R0;
    return answer;
}

/* Whether a function that was called by the second link register goes back here: what its
 * caller's code has behind the call then holds here. */
static bool leaves_second(const struct flow *flow, const struct entry *entry, uint64_t at,
                          const struct state *state)
{
    return entry->second && entry->known.came_back && !entry->known.called &&
           state->registers[flow->cpu->second].kind == VALUE_SECOND &&
           flow->cpu->goes_back_second(flow->code, at);
}

/* What the state tells of a place on the paths of its entry. */
static struct answer told_by(const struct flow *flow, uint64_t at,
                             const struct state *state)
{
    const struct entry *entry = &flow->entries[state->entry];
    struct answer answer = flow->cpu->answer(state);
    if (!entry->second)
        return answer;
    answer = by_second(flow, entry, state, answer);
    return answer.where != MCUPROF_UNWIND_UNKNOWN ||
                   !leaves_second(flow, entry, at, state)
               ? answer
               : (struct answer){.where = MCUPROF_UNWIND_TARGET};
}

/* What is known of a place on the paths of one entry. */
static struct answer answer_of(const struct flow *flow, uint64_t at,
                               const struct state *state, const struct state *other)
{
    const struct answer unknown = {.where = MCUPROF_UNWIND_UNKNOWN};
    const struct entry *entry = &flow->entries[state->entry];
    const struct known *known = &entry->known;
    struct answer answer = told_by(flow, at, state), also;
    if (known->traps)
        return (struct answer){.where = MCUPROF_UNWIND_HANDLER};
    if (known->continued && !known->called && !known->jumped && !known->lent)
        return (struct answer){.where = MCUPROF_UNWIND_END};
    if (is_dubious(flow, entry, at) || answer.size > SIZE_MAX_BYTES)
        return unknown;
    also = other != NULL ? told_by(flow, at, other) : answer;
    if (!answer_same_return(also, answer))
        return unknown;
    if (also.saved != answer.saved)
        answer.saved = MCUPROF_UNWIND_SAVED_LOST;
    return answer;
}

/* Joins what is known of a place on the paths of different entries. */
static void join(struct found *found, struct answer answer)
{
    if (!answer_same_return(found->code, answer))
        found->code = (struct answer){.where = MCUPROF_UNWIND_UNKNOWN};
    else if (found->code.saved != answer.saved)
        found->code.saved = MCUPROF_UNWIND_SAVED_LOST;
}

void flow_note(struct flow *flow, uint64_t at, const struct state *state,
               const struct state *other)
{
    if (flow->checking && is_overdrawn(flow, state, flow->cpu->answer(state)))
        flow_overdraw(flow, at, state);
    if (!flow->noting || !code_at(flow->code, at))
        return;
    struct answer answer = answer_of(flow, at, state, other);
    struct found *found = &flow->found[code_index(flow->code, at)];
    if (found->begins && !answer_same_return(found->code, answer) &&
        leaves_second(flow, &flow->entries[state->entry], at, state))
        found->code = answer = (struct answer){.where = MCUPROF_UNWIND_TARGET};
    if (found->begins)
        join(found, answer);
    else
        found->code = answer;
    flow->noted = found;
    found->opaque |= state->spoiled || (other != NULL && other->spoiled);
    found->raised = state->raised && (found->raised || !found->begins);
    found->begins = true;
}

/* ---- What follows from it ---- */

/* Whether what this pass found of an entry changes how it is entered. */
static bool decide_function(struct entry *entry)
{
    const struct known *known = &entry->known;
    bool alone = !known->called && !known->jumped && !known->continued;
    if (entry->borrows || known->traps ||
        !(known->overdrawn_itself || (known->overdrawn && !known->called) ||
          (known->lent && alone)))
        return false;
    entry->returns = known->returns;
    return entry->borrows = true;
}

/* A guess that an inner entry borrows is wrong if it goes back behind its call; what
 * takes its caller's frame borrows, whether it goes back or not. */
static bool decide_inner(struct entry *entry)
{
    const struct known *known = &entry->known;
    bool wrong = entry->borrows && !entry->decided && known->came_back;
    bool right = !entry->borrows && known->overdrawn;
    if (!wrong && !right)
        return false;
    entry->borrows = right;
    entry->decided = true;
    entry->returns = known->proved;
    return true;
}

/* Frame information that begins like that of a function that is called, of code that only
 * jumps reach, is of no use: clang makes such for what it moves. */
static void distrust_frames(struct flow *flow, const struct entry *entry)
{
    const struct code *code = flow->code;
    const struct code_function *function = &code->functions[entry->function];
    const struct known *known = &entry->known;
    if (known->called || !(known->lent || known->jumped) ||
        !flow_has_frame(flow, function->low) ||
        !answer_same_return(flow->found[code_index(code, function->low)].frame,
                            flow->fresh))
        return;
    const uint64_t end = code_end(code, function->low);
    for (uint64_t at = function->low; at < function->high && at < end; at += code->unit)
        flow->found[code_index(code, at)].frame =
            (struct answer){.where = MCUPROF_UNWIND_UNKNOWN};
}

bool entries_decide(struct flow *flow)
{
    bool changed = false;
    for (uint32_t i = 0; i < flow->entry_count; i++) {
        struct entry *entry = &flow->entries[i];
        const struct code_function *function = &flow->code->functions[entry->function];
        if (i >= flow->code->function_count)
            changed |= decide_inner(entry);
        else if (function->typed && !function->first && !entry->second &&
                 decide_function(entry)) {
            distrust_frames(flow, entry);
            changed = true;
        }
    }
    return changed;
}

void entries_mark_second(const struct flow *flow)
{
    const struct code *code = flow->code;
    for (size_t i = 0; i < code->function_count; i++) {
        const struct code_function *function = &code->functions[i];
        for (uint64_t at = function->low; flow->entries[i].second && at < function->high;
             at += code->unit)
            flow->found[code_index(code, at)].second = true;
    }
}

/* ---- What is known of an instruction ---- */

const struct code *flow_code(const struct flow *flow)
{
    return flow->code;
}

bool flow_is_free(const struct flow *flow, const struct state *state)
{
    return answer_same_return(flow->cpu->answer(state), flow->fresh);
}

void flow_trust(struct flow *flow, uint64_t at)
{
    if (code_at(flow->code, at))
        flow->found[code_index(flow->code, at)].trusted = true;
}

bool flow_has_frame(const struct flow *flow, uint64_t at)
{
    return code_at(flow->code, at) && flow->found[code_index(flow->code, at)].has_frame;
}
