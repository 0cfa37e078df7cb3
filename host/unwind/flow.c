/* SPDX-License-Identifier: MIT */
#include "flow.h"

#include <stdlib.h>
#include <string.h>

#include "mcuprof_unwind.h"

/* Code from a place where paths join (an entry or the target of a jump) to the next such
 * place or jump. */
struct block {
    struct state in;
    uint64_t at;
    bool reached, queued;
};

/* A call in a block, or a jump, to a function that is not known to return yet. */
struct wait {
    uint32_t block, function, by; /* by: the function that jumps to `function` and returns
                                     if that one returns; UINT32_MAX: this is a call */
};

/* What is known of a function. */
struct known {
    bool returns;
    bool called,
        continued;  /* continued: reached by a jump from code that nothing called */
    bool traps;     /* a handler of interrupts */
    bool overdrawn; /* it freed more stack than it had */
};

struct flow {
    const struct code *code;
    const struct cpu *cpu;
    struct found *found;
    uint32_t *block_of; /* each unit: the index in blocks[] + 1; 0: none */
    struct block *blocks;
    uint32_t block_count, block_room;
    uint32_t *queue;
    uint32_t queued;
    struct known *known; /* each function */
    struct wait *waits;
    size_t wait_count, wait_room;
    uint32_t current;    /* block */
    struct found *noted; /* the last instruction that was noted */
    bool grew;           /* a new block began */
    bool noting;         /* this pass fills in found[] */
    bool failed;         /* out of memory */
};

enum { ROUNDS_MAX = 12, SIZE_MAX_BYTES = (1 << 17) - 1 /* of a frame in the table */ };

const struct code *flow_code(const struct flow *flow)
{
    return flow->code;
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

/* Returns the block's index; UINT32_MAX: out of memory. */
static uint32_t block_at(struct flow *flow, uint64_t at)
{
    uint32_t *index = &flow->block_of[code_index(flow->code, at)];
    if (*index != 0)
        return *index - 1;
    if (flow->block_count == flow->block_room && !grow(flow))
        return UINT32_MAX;
    flow->blocks[flow->block_count] = (struct block){.at = at};
    flow->grew = true;
    *index = ++flow->block_count;
    return *index - 1;
}

static void enqueue(struct flow *flow, uint32_t block)
{
    if (flow->blocks[block].queued)
        return;
    flow->blocks[block].queued = true;
    flow->queue[flow->queued++] = block;
}

static bool definite(struct answer answer)
{
    return answer.where != MCUPROF_UNWIND_UNKNOWN;
}

/* Where paths join with different stack pointers, takes the stack pointer, or the frame
 * pointer, from the frame information. */
static void repair(struct flow *flow, struct block *block)
{
    const struct found *found = &flow->found[code_index(flow->code, block->at)];
    unsigned sp = flow->cpu->sp;
    unsigned base = found->frame.based ? block->in.fp : sp;
    if (block->in.registers[sp].kind == VALUE_STACK ||
        block->in.registers[base].kind == VALUE_STACK || block->in.first ||
        !definite(found->frame))
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
    } else if (state_join(&block->in, state)) {
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
    flow->known[function].returns = true;
}

static void release_waits(struct flow *flow)
{
    size_t kept = 0;
    for (size_t i = 0; i < flow->wait_count; i++) {
        struct wait wait = flow->waits[i];
        if (!flow->known[wait.function].returns)
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
    flow->known[state->entry].traps = true;
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
    flow->known[index].called = true;
    if (function->spoils) {
        state->spoiled = true;
        if (flow->noted != NULL)
            flow->noted->opaque = true;
    }
    if (!flow->known[index].returns)
        wait_for(flow, index, UINT32_MAX);
    return flow->known[index].returns;
}

/* ---- Ways ---- */

static bool is_entry(const struct code_function *function)
{
    return function != NULL && function->typed && !function->piece;
}

/* A jump to a function is a call and a return in one. */
static void tail_call(struct flow *flow, const struct state *state,
                      const struct code_function *function)
{
    uint32_t index = (uint32_t)(function - flow->code->functions);
    flow->known[index].continued |= state->first;
    flow->known[index].called |= !state->first;
    if (flow->known[index].returns)
        flow_return(flow, state);
    else if (index != state->entry)
        wait_for(flow, index, state->entry);
}

/* A function that jumps into the code of another one returns if the other one does. */
static void share(struct flow *flow, const struct state *state, uint32_t block)
{
    const struct block *to = &flow->blocks[block];
    if (to->reached && to->in.entry != state->entry)
        wait_for(flow, to->in.entry, state->entry);
}

void flow_jump(struct flow *flow, const struct state *state, uint64_t target)
{
    const struct code_function *function = code_begins(flow->code, target);
    if (!code_at(flow->code, target)) {
        flow_return(flow, state);
        return;
    }
    if (is_entry(function)) {
        tail_call(flow, state, function);
        return;
    }
    uint32_t block = block_at(flow, target);
    if (block == UINT32_MAX)
        return;
    share(flow, state, block);
    arrive(flow, block, state);
}

static void enter(struct flow *flow, uint64_t at, uint32_t function)
{
    struct state state;
    uint32_t block = block_at(flow, at);
    if (block == UINT32_MAX)
        return;
    memset(&state, 0, sizeof state);
    state.registers[flow->cpu->sp] = value_stack(0);
    state.fp = flow->code->fp;
    if (state.fp != 0)
        state.registers[state.fp] = (struct value){0, VALUE_FRAME};
    flow->cpu->enter(&state);
    state.entry = function;
    state.first = flow->code->functions[function].first;
    arrive(flow, block, &state);
}

void flow_enter(struct flow *flow, uint64_t target)
{
    const struct code_function *function = code_in(flow->code, target);
    if (function != NULL && code_at(flow->code, target))
        enter(flow, target, (uint32_t)(function - flow->code->functions));
}

void flow_note(struct flow *flow, uint64_t at, const struct state *state,
               const struct state *other)
{
    struct answer answer = flow->cpu->answer(state);
    if (!flow->noting || !code_at(flow->code, at))
        return;
    flow->known[state->entry].overdrawn |= answer.size < 0;
    if (other != NULL) {
        struct answer also = flow->cpu->answer(other);
        if (!answer_same_return(also, answer))
            answer = (struct answer){.where = MCUPROF_UNWIND_UNKNOWN};
        else if (also.saved != answer.saved)
            answer.saved = MCUPROF_UNWIND_SAVED_LOST;
    }
    if (answer.size > SIZE_MAX_BYTES)
        answer = (struct answer){.where = MCUPROF_UNWIND_UNKNOWN};
    struct found *found = &flow->found[code_index(flow->code, at)];
    flow->noted = found;
    found->code = answer;
    found->opaque |= state->spoiled || (other != NULL && other->spoiled);
    found->begins = true;
    found->entry = state->entry;
    found->raised = state->raised;
}

/* Runs a block up to the next block, or to an instruction that the code does not go on
 * behind. */
static void run(struct flow *flow, uint32_t index)
{
    struct state state = flow->blocks[index].in;
    uint64_t at = flow->blocks[index].at;
    flow->current = index;
    for (;;) {
        flow_note(flow, at, &state, NULL);
        unsigned bytes = flow->cpu->step(flow, at, &state);
        if (bytes == 0 || flow->failed)
            return;
        at += bytes;
        if (!code_at(flow->code, at) || is_entry(code_begins(flow->code, at)) ||
            flow->block_of[code_index(flow->code, at)] != 0) {
            flow_jump(flow, &state, at);
            return;
        }
    }
}

static void drain(struct flow *flow)
{
    do {
        while (flow->queued > 0 && !flow->failed) {
            uint32_t block = flow->queue[--flow->queued];
            flow->blocks[block].queued = false;
            run(flow, block);
        }
        release_waits(flow);
    } while (flow->queued > 0 && !flow->failed);
}

/* Repeats drain(): each function that turns out to return can make others return. */
static void drain_all(struct flow *flow)
{
    size_t before;
    do {
        before = flow->wait_count;
        drain(flow);
    } while (flow->wait_count != before && !flow->failed);
}

static void start(struct flow *flow)
{
    flow->grew = false;
    flow->queued = 0;
    flow->wait_count = 0;
    memset(flow->known, 0, flow->code->function_count * sizeof *flow->known);
    for (uint32_t i = 0; i < flow->block_count; i++) {
        flow->blocks[i].reached = false;
        flow->blocks[i].queued = false;
        memset(&flow->blocks[i].in, 0, sizeof flow->blocks[i].in);
    }
}

static void follow_entries(struct flow *flow)
{
    const struct code *code = flow->code;
    for (uint32_t i = 0; i < code->function_count && !flow->failed; i++)
        if ((is_entry(&code->functions[i]) || code->functions[i].first) &&
            code_at(code, code->functions[i].low))
            enter(flow, code->functions[i].low, i);
    drain_all(flow);
}

static void note_all(struct flow *flow)
{
    flow->noting = true;
    for (uint32_t i = 0; i < flow->block_count && !flow->failed; i++)
        if (flow->blocks[i].reached)
            run(flow, i);
    flow->noting = false;
    for (size_t i = 0; i < code_units(flow->code); i++) {
        struct found *found = &flow->found[i];
        const struct known *known = &flow->known[found->entry];
        if (found->begins && known->traps)
            found->code = (struct answer){.where = MCUPROF_UNWIND_HANDLER};
        else if (found->begins && known->continued && !known->called)
            found->code = (struct answer){.where = MCUPROF_UNWIND_END};
        else if (found->begins && known->overdrawn)
            found->code = (struct answer){.where = MCUPROF_UNWIND_UNKNOWN};
    }
}

/* Repeats the whole pass as long as new blocks begin: where one begins inside another
 * block, earlier results lack the paths through it. */
static void follow(struct flow *flow)
{
    for (unsigned round = 0; round < ROUNDS_MAX && !flow->failed; round++) {
        start(flow);
        follow_entries(flow);
        if (!flow->grew)
            break;
    }
    note_all(flow);
}

bool flow_follow(const struct code *code, const struct cpu *cpu, struct found *found)
{
    struct flow flow = {.code = code, .cpu = cpu, .found = found};
    flow.block_of = calloc(code_units(code) + 1, sizeof *flow.block_of);
    flow.known = calloc(code->function_count + 1, sizeof *flow.known);
    bool done = flow.block_of != NULL && flow.known != NULL;
    if (done) {
        follow(&flow);
        done = !flow.failed;
    }
    free(flow.block_of);
    free(flow.known);
    free(flow.blocks);
    free(flow.queue);
    free(flow.waits);
    return done;
}

/* ---- Tables ---- */

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
    const struct code *code = flow->code;
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
        if (!code_at(code, target) || code_in(code, target) != function)
            break;
        flow_jump(flow, state, target);
        if (inside && target > table->address && target < nearest)
            nearest = target;
        address += table->bytes;
    }
}

void flow_words(struct flow *flow, const struct state *state, uint64_t at,
                uint64_t address)
{
    const struct jump_table table = {
        .at = at, .address = address, .bytes = 4, .scale = 1};
    flow_table(flow, state, &table);
}
