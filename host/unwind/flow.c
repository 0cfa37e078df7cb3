/* SPDX-License-Identifier: MIT */
#include "following.h"

#include <stdlib.h>
#include <string.h>

#include "mcuprof_unwind.h"

enum {
    ROUNDS_MAX = 12, /* until no new block begins */
    PASSES_MAX = 24, /* until no further entry borrows, as through chains of veneers */
    FURTHER_MIN = 4096,
};
#define NO_BLOCK UINT32_MAX
#define NO_ENTRY UINT32_MAX

/* ---- Blocks ---- */

static bool grow(struct flow *flow)
{
    uint32_t room = flow->block_room != 0 ? flow->block_room * 2 : 256;
    struct block *blocks = realloc(flow->blocks, room * sizeof *blocks);
    if (blocks != NULL)
        flow->blocks = blocks;
    uint32_t *queue = realloc(flow->queue, room * sizeof *queue);
    if (queue != NULL)
        flow->queue = queue;
    flow->failed = blocks == NULL || queue == NULL;
    if (!flow->failed)
        flow->block_room = room;
    return !flow->failed;
}

/* Returns the entry's block among those at one place; NO_BLOCK: it has none. An ELF that
 * somebody made up may have so many that entries must share them. */
static uint32_t find_block(struct flow *flow, uint32_t first, uint32_t entry)
{
    size_t units = code_units(flow->code);
    for (uint32_t i = first; i != 0; i = flow->blocks[i - 1].next) {
        if (flow->blocks[i - 1].entry == entry)
            return i - 1;
        if (++flow->further_looks / 16 > units + FURTHER_MIN)
            return first - 1;
    }
    return first != 0 && flow->further > units / 2 + FURTHER_MIN ? first - 1 : NO_BLOCK;
}

/* Returns the index of the entry's block among those in a list; NO_BLOCK: out of memory.
 */
static uint32_t block_in(struct flow *flow, uint32_t *first, uint64_t at, uint32_t entry)
{
    uint32_t found = find_block(flow, *first, entry);
    if (found != NO_BLOCK)
        return found;
    if (flow->block_count == flow->block_room && !grow(flow))
        return NO_BLOCK;
    flow->blocks[flow->block_count] =
        (struct block){.at = at, .entry = entry, .next = *first};
    flow->grew |= *first == 0;
    flow->further += *first != 0;
    *first = ++flow->block_count;
    return *first - 1;
}

static uint32_t block_at(struct flow *flow, uint64_t at, uint32_t entry)
{
    return block_in(flow, &flow->block_of[code_index(flow->code, at)], at, entry);
}

static void enqueue(struct flow *flow, uint32_t block)
{
    if (flow->blocks[block].queued)
        return;
    flow->blocks[block].queued = true;
    flow->queue[flow->queued++] = block;
}

/* Where paths join with different stack pointers, takes the stack pointer, or the frame
 * pointer, from the frame information. */
static void repair(struct flow *flow, struct block *block)
{
    const struct found *found = &flow->found[code_index(flow->code, block->at)];
    unsigned sp = flow->cpu->sp;
    unsigned base = found->frame.based ? block->in.fp : sp;
    if (block->spreads || block->in.registers[sp].kind == VALUE_STACK ||
        block->in.registers[base].kind == VALUE_STACK || block->in.first ||
        !answer_is_definite(found->frame))
        return;
    block->in.registers[base] = value_stack(-(int64_t)found->frame.size);
    flow->cpu->repair(&block->in, found->frame);
}

static void arrive(struct flow *flow, uint32_t index, const struct state *state)
{
    struct block *block = &flow->blocks[index];
    struct state before = block->in;
    if (!block->reached) {
        block->in = *state;
        block->reached = true;
        repair(flow, block);
        enqueue(flow, index);
        return;
    }
    distances_note(flow, block, state);
    if (state_join(&block->in, state)) {
        repair(flow, block);
        if (!state_same(&before, &block->in))
            enqueue(flow, index);
    }
}

/* ---- Functions that return ---- */

static void wait_for(struct flow *flow, uint32_t function, uint32_t by)
{
    if (flow->wait_count == flow->wait_room) {
        size_t room = flow->wait_room != 0 ? flow->wait_room * 2 : 256;
        struct wait *waits = realloc(flow->waits, room * sizeof *waits);
        if (waits == NULL) {
            flow->failed = true;
            return;
        }
        flow->waits = waits;
        flow->wait_room = room;
    }
    flow->waits[flow->wait_count++] = (struct wait){flow->current, function, by};
}

static void set_returns(struct flow *flow, uint32_t function)
{
    flow->entries[function].known.returns = true;
}

static void release_waits(struct flow *flow)
{
    size_t kept = 0;
    for (size_t i = 0; i < flow->wait_count; i++) {
        struct wait wait = flow->waits[i];
        if (!flow->entries[wait.function].known.returns)
            flow->waits[kept++] = wait;
        else if (wait.by != UINT32_MAX)
            set_returns(flow, wait.by);
        else
            enqueue(flow, wait.block);
    }
    flow->wait_count = kept;
}

void flow_return(struct flow *flow, const struct state *state)
{
    set_returns(flow, state->entry);
}

void flow_trap(struct flow *flow, const struct state *state)
{
    flow_return(flow, state);
    flow->entries[state->entry].known.traps = true;
}

/* Enters the code with nothing known of registers and stack. */
static void enter_lost(struct flow *flow, uint32_t entry)
{
    struct state state;
    uint32_t block = block_at(flow, flow->entries[entry].at, entry);
    if (block == NO_BLOCK)
        return;
    memset(&state, 0, sizeof state);
    state.fp = flow->code->fp;
    state.entry = entry;
    arrive(flow, block, &state);
}

bool flow_call(struct flow *flow, struct state *state, uint64_t target)
{
    const struct code_function *function = code_begins(flow->code, target);
    if (function == NULL)
        return true;
    if (!function->typed) { /* a label that is called is treated as a function */
        flow_enter(flow, target);
        return true;
    }
    uint32_t index = (uint32_t)(function - flow->code->functions);
    struct entry *entry = &flow->entries[index];
    entry->known.called = true;
    entry->known.returns |= entry->returns;
    if (entry->borrows)
        enter_lost(flow, index);
    if (function->spoils) {
        state->spoiled = true;
        if (flow->noted != NULL)
            flow->noted->opaque = true;
    }
    if (!entry->known.returns)
        wait_for(flow, index, UINT32_MAX);
    return entry->known.returns;
}

enum flow_second flow_call_second(struct flow *flow, uint64_t target)
{
    const struct code_function *function = code_begins(flow->code, target);
    if (function == NULL)
        return FLOW_RETURNS;
    uint32_t index = (uint32_t)(function - flow->code->functions);
    struct entry *entry = &flow->entries[index];
    flow->grew |= !entry->second;
    entry->second = true;
    if (!function->typed)
        flow_enter(flow, target);
    if (!entry->known.returns)
        wait_for(flow, index, UINT32_MAX);
    if (!entry->known.returns)
        return FLOW_STAYS;
    return entry->moves ? FLOW_LOST : FLOW_RETURNS;
}

/* Notes a jump to the second link register's value. */
static void go_back_second(struct flow *flow, const struct state *state)
{
    struct entry *entry = &flow->entries[state->entry];
    struct value sp = state->registers[flow->cpu->sp];
    bool moves = sp.kind != VALUE_STACK || sp.number != 0;
    flow->grew |= moves && !entry->moves;
    entry->moves |= moves;
    entry->known.came_back = true;
}

/* ---- Ways ---- */

static bool is_function(const struct code_function *function)
{
    return function != NULL && function->typed && !function->piece;
}

/* Whether the function is entered by calls, or by jumps of functions that are free of
 * their frames. */
static bool is_entry(const struct flow *flow, const struct code_function *function)
{
    return is_function(function) &&
           !flow->entries[function - flow->code->functions].borrows;
}

/* Whether the link register is set by hand: then a jump is a call. */
static bool is_linked(const struct flow *flow, const struct state *state)
{
    unsigned link = flow->cpu->dwarf_return;
    uint32_t kind = link < REGISTERS_MAX ? state->registers[link].kind : VALUE_NONE;
    return kind != VALUE_NONE && kind != VALUE_RETURN;
}

/* A jump to a function is a call and a return in one. falls: it is no jump, the code goes
 * on there. */
static void tail_call(struct flow *flow, const struct state *state,
                      const struct code_function *function, bool falls)
{
    uint32_t index = (uint32_t)(function - flow->code->functions);
    struct known *known = &flow->entries[index].known;
    struct answer answer = flow->cpu->answer(state);
    bool free = flow_is_free(flow, state);
    bool lends =
        !free && !state->first && answer_is_definite(answer) && !is_linked(flow, state);
    known->continued |= state->first;
    known->jumped |= !state->first && !lends;
    known->lent |= flow->checking && lends && !falls;
    flow->entries[state->entry].known.proved |= free;
    if (known->returns)
        flow_return(flow, state);
    else if (index != state->entry)
        wait_for(flow, index, state->entry);
}

static void go(struct flow *flow, const struct state *state, uint64_t target, bool falls)
{
    const struct code_function *function = code_begins(flow->code, target);
    if (!code_at(flow->code, target)) {
        flow_return(flow, state);
        return;
    }
    if (is_entry(flow, function)) {
        tail_call(flow, state, function, falls);
        return;
    }
    uint32_t block = block_at(flow, target, state->entry);
    if (block != NO_BLOCK)
        arrive(flow, block, state);
}

void flow_jump(struct flow *flow, const struct state *state, uint64_t target)
{
    go(flow, state, target, false);
}

/* A jump to a place that is not known, in code that has a frame: a computed goto, if
 * there are arrays of labels. Where there is no frame it may be the last call. */
static void spread(struct flow *flow, const struct state *state)
{
    const struct code_function *function =
        code_in(flow->code, flow->blocks[flow->current].at);
    struct answer answer = flow->cpu->answer(state);
    const uint32_t *first;
    if (function == NULL || !answer_is_definite(answer) ||
        answer.where == MCUPROF_UNWIND_LINK || answer.where >= MCUPROF_UNWIND_R0 ||
        labels_of(&flow->labels, function, &first) +
                distances_jump(flow, NULL, function) ==
            0)
        return;
    uint32_t *list = &flow->spread_of[function - flow->code->functions];
    uint32_t block = block_in(flow, list, function->low, state->entry);
    if (block == NO_BLOCK)
        return;
    flow->blocks[block].spreads = true;
    arrive(flow, block, state);
}

static void run_spread(struct flow *flow, uint32_t index)
{
    const struct state state = flow->blocks[index].in;
    const struct code_function *function =
        code_begins(flow->code, flow->blocks[index].at);
    const uint32_t *labels;
    size_t count = labels_of(&flow->labels, function, &labels);
    for (size_t i = 0; i < count; i++)
        flow_jump(flow, &state, labels[i]);
    distances_jump(flow, &state, function);
}

void flow_go_back(struct flow *flow, const struct state *state, struct value target)
{
    if (target.kind == VALUE_SECOND)
        go_back_second(flow, state);
    flow_return(flow, state);
    if (target.kind == VALUE_SECOND)
        return;
    if (target.kind == VALUE_RETURN)
        flow->entries[state->entry].known.proved = true;
    else if (target.kind == VALUE_INNER)
        flow->entries[target.number].known.came_back = true;
    else
        spread(flow, state);
}

/* Goes on in the next block. A function whose callers lend it their frames lies behind
 * code that does not go on, even if that is not known. */
static void fall(struct flow *flow, const struct state *state, uint64_t at)
{
    const struct code_function *function = code_begins(flow->code, at);
    if (function != NULL && flow->entries[function - flow->code->functions].borrows)
        flow_return(flow, state);
    else
        go(flow, state, at, true);
}

static void set_fresh(const struct flow *flow, struct state *state)
{
    memset(state, 0, sizeof *state);
    state->registers[flow->cpu->sp] = value_stack(0);
    state->fp = flow->code->fp;
    if (state->fp != 0)
        state->registers[state->fp] = (struct value){0, VALUE_FRAME};
    if (flow->cpu->second != 0)
        state->registers[flow->cpu->second] = (struct value){0, VALUE_SECOND};
    flow->cpu->enter(state);
}

static void enter(struct flow *flow, uint32_t entry)
{
    struct state state;
    uint32_t block = block_at(flow, flow->entries[entry].at, entry);
    if (block == NO_BLOCK)
        return;
    set_fresh(flow, &state);
    state.entry = entry;
    state.first = flow->code->functions[flow->entries[entry].function].first;
    arrive(flow, block, &state);
}

/* Returns the inner entry at this place, or the function that begins there;
 * NO_ENTRY: out of memory, or no place in a function. */
static uint32_t entry_at(struct flow *flow, uint64_t at)
{
    const struct code_function *function = code_in(flow->code, at);
    if (function == NULL || !code_at(flow->code, at))
        return NO_ENTRY;
    uint32_t index = (uint32_t)(function - flow->code->functions);
    if (function->low == at)
        return index;
    uint32_t *inner = &flow->inner_of[code_index(flow->code, at)];
    if (*inner == 0 && !entry_add(flow, at, index))
        return NO_ENTRY;
    if (*inner == 0)
        *inner = flow->entry_count;
    return *inner - 1;
}

void flow_enter(struct flow *flow, uint64_t target)
{
    uint32_t entry = entry_at(flow, target);
    if (entry != NO_ENTRY)
        enter(flow, entry);
}

static bool is_in_frame(struct answer answer)
{
    return answer_is_definite(answer) && answer.where < MCUPROF_UNWIND_HANDLER;
}

bool flow_enter_inner(struct flow *flow, const struct state *state, uint64_t target,
                      unsigned link, bool is_far)
{
    uint32_t index = entry_at(flow, target);
    if (index == NO_ENTRY)
        return true;
    struct entry *entry = &flow->entries[index];
    struct state inside = *state;
    inside.registers[link] = (struct value){(int32_t)index, VALUE_INNER};
    bool framed = is_in_frame(flow->cpu->answer(&inside));
    entry->known.framed |= framed;
    if (is_far && framed && !entry->decided)
        entry->borrows = true;
    if (!entry->borrows)
        enter(flow, index);
    else if (framed)
        flow_jump(flow, &inside, target);
    else
        enter_lost(flow, index);
    return !entry->borrows || entry->returns;
}

/* ---- Running ---- */

/* Runs a block up to the next block, or to an instruction that the code does not go on
 * behind. */
static void run(struct flow *flow, uint32_t index)
{
    struct state state = flow->blocks[index].in;
    uint64_t at = flow->blocks[index].at;
    flow->current = index;
    if (flow->blocks[index].spreads) {
        run_spread(flow, index);
        return;
    }
    for (;; flow->steps++) {
        flow_note(flow, at, &state, NULL);
        unsigned bytes = flow->cpu->step(flow, at, &state);
        if (bytes == 0 || flow_stops(flow))
            return;
        at += bytes;
        if (!code_at(flow->code, at) || is_function(code_begins(flow->code, at)) ||
            flow->block_of[code_index(flow->code, at)] != 0) {
            fall(flow, &state, at);
            return;
        }
    }
}

static void drain(struct flow *flow)
{
    do {
        while (flow->queued > 0 && !flow_stops(flow)) {
            uint32_t block = flow->queue[--flow->queued];
            flow->blocks[block].queued = false;
            run(flow, block);
        }
        release_waits(flow);
    } while (flow->queued > 0 && !flow_stops(flow));
}

/* Repeats drain(): each function that turns out to return can make others return. */
static void drain_all(struct flow *flow)
{
    size_t before;
    do {
        before = flow->wait_count;
        drain(flow);
    } while (flow->wait_count != before && !flow_stops(flow));
}

static void start(struct flow *flow)
{
    flow->grew = false;
    flow->queued = 0;
    flow->wait_count = 0;
    flow->further_looks = 0;
    for (uint32_t i = 0; i < flow->entry_count; i++)
        memset(&flow->entries[i].known, 0, sizeof flow->entries[i].known);
    for (uint32_t i = 0; i < flow->block_count; i++) {
        flow->blocks[i].reached = false;
        flow->blocks[i].queued = false;
        memset(&flow->blocks[i].in, 0, sizeof flow->blocks[i].in);
    }
}

static void follow_entries(struct flow *flow)
{
    const struct code *code = flow->code;
    for (uint32_t i = 0; i < code->function_count && !flow_stops(flow); i++)
        if ((is_entry(flow, &code->functions[i]) || code->functions[i].first) &&
            code_at(code, code->functions[i].low))
            enter(flow, i);
    drain_all(flow);
}

static void run_all(struct flow *flow)
{
    for (uint32_t i = 0; i < flow->block_count && !flow_stops(flow); i++)
        if (flow->blocks[i].reached)
            run(flow, i);
}

/* Runs all code again, to look for what cannot be. Returns whether something is found
 * that changes how code is entered. */
static bool decide(struct flow *flow)
{
    flow->checking = true;
    run_all(flow);
    flow->checking = false;
    return !flow_stops(flow) && entries_decide(flow);
}

/* Repeats the whole pass as long as new blocks begin: where one begins inside another
 * block, earlier results lack the paths through it. Returns how often. */
static unsigned settle(struct flow *flow)
{
    unsigned round = 0;
    do {
        start(flow);
        follow_entries(flow);
        round++;
    } while (flow->grew && round < ROUNDS_MAX && !flow_stops(flow));
    return round;
}

static void follow(struct flow *flow)
{
    unsigned passes = 0;
    bool changes;
    do {
        passes += settle(flow);
        changes = decide(flow);
    } while (changes && passes < PASSES_MAX);
    if (changes || flow_stops(flow)) /* what is known so far may be wrong */
        return;
    flow->steps = 0;
    flow->noting = true;
    run_all(flow);
    flow->noting = false;
}

static bool begin(struct flow *flow)
{
    const struct code *code = flow->code;
    struct state state;
    flow->block_of = calloc(code_units(code) + 1, sizeof *flow->block_of);
    flow->inner_of = calloc(code_units(code) + 1, sizeof *flow->inner_of);
    flow->spread_of = calloc(code->function_count + 1, sizeof *flow->spread_of);
    if (flow->block_of == NULL || flow->inner_of == NULL || flow->spread_of == NULL ||
        !labels_find(&flow->labels, code))
        return false;
    for (uint32_t i = 0; i < code->function_count; i++)
        if (!entry_add(flow, code->functions[i].low, i))
            return false;
    set_fresh(flow, &state);
    flow->fresh = flow->cpu->answer(&state);
    return true;
}

bool flow_follow(const struct code *code, const struct cpu *cpu, struct found *found)
{
    struct flow flow = {.code = code, .cpu = cpu, .found = found};
    bool done = begin(&flow);
    if (done) {
        follow(&flow);
        islands_follow(&flow);
        entries_mark_second(&flow);
        done = !flow.failed;
    }
    free(flow.block_of);
    free(flow.inner_of);
    free(flow.spread_of);
    labels_release(&flow.labels);
    free(flow.entries);
    free(flow.blocks);
    free(flow.queue);
    free(flow.waits);
    return done;
}
