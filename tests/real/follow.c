/* SPDX-License-Identifier: MIT */
/*
 * Follows a firmware through the log of the emulator that runs it, and says where each
 * sampling interrupt found it: the interrupted pc and the return addresses of the calls
 * it was in. It keeps a stack of the calls that it sees; it reads no unwind information
 * and no memory of the target's.
 *
 *     follow FACTS [single|through|sp|sp-through] < LOG > TRUTH
 *
 * FACTS, from real.py, has a line for each fact of the disassembly:
 *     machine NAME FIRST LIMIT [FIRST LIMIT]    arm-m, arm, riscv, sparc, avr; RAM's code
 *     f START END NUMBER NAME   a function; its parts have one number
 *     i ADDRESS CYCLES          an instruction
 *     m ADDRESS                 where the sampling interrupt has found its path
 *     t ADDRESS SIZE KIND TARGET CYCLES
 *                               a jump or call: see enum kind; CYCLES if it is taken;
 *                               TARGET 0: not known before it runs
 *
 * LOG is that of QEMU's -d exec,nochain,int. With -singlestep each line is an
 * instruction; without, a block of instructions that ends at its first jump or is cut
 * before that. sp: -d has cpu, too, so each block is followed by the registers. With the
 * stack pointer at each call's entry it is known to which of several calls of a function
 * a longjmp() or an exception goes.
 *
 * TRUTH: see follow.h.
 */
#include "follow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A call of `function` that has not ended; it returns to `back`. */
struct frame {
    uint32_t back, function, serial;
    uint32_t sp;     /* at its entry, where the log has it */
    uint64_t since;  /* the level's clock at the call */
    bool outermost;  /* no frame further out is of this function */
    uint32_t before; /* the function that jumped here, or 0 */
    uint32_t timed;  /* the innermost function that called a hook */
    bool profiler;   /* a function of the profiler's, or called by one */
};

/* A place that a setjmp() returned to, while the frame `serial` was at this depth. */
struct mark {
    uint32_t back, serial;
    unsigned depth;
};

/* A level begins with an interrupt's entry and ends with its return; the lowest level is
 * the program. Nothing called frame[0]. */
struct level {
    struct frame frame[FRAMES_MAX];
    struct mark mark[MARKS_MAX];
    uint32_t active[FUNCTIONS_MAX];
    unsigned depth, marks, pending;
    uint32_t at; /* the start of the block that runs */
    bool begun, fresh,
        delayed; /* `at` is valid; it has not run yet; the pc is in its delay slot */
    bool is_sample;
    unsigned lost; /* frames that are not sure: the log does not show how one was left */
    uint64_t clock, cycles, finding, found;
    char **waiting; /* through: lines of samples in interrupts that hit this level */
    size_t waits;
};

static struct level levels[LEVELS_MAX];
static unsigned level_count = 1;
static uint32_t serials;
static bool single;  /* each instruction is in the log */
static bool with_sp; /* the log has the stack pointer */
static uint32_t sp;  /* before the block that the log's line is about */
static bool through; /* a sample's path goes on into the interrupted code */
static bool running; /* sampling is on */
static bool over;    /* the board was told to stop, and has not stopped yet */
static struct {
    uint64_t long_jumps, landings, skipped, lost, too_deep, profiler;
} odd;

/* ---- The stack of calls ---- */

static struct frame *top(struct level *level)
{
    return &level->frame[level->depth];
}

/* Makes the top frame one of this function. */
static void enter(struct level *level, uint32_t function)
{
    struct frame *frame = top(level);

    frame->before = 0;
    frame->function = function;
    frame->profiler =
        functions[function].profiler || (level->depth && frame[-1].profiler);
    frame->since = level->clock;
    frame->outermost = level->active[function]++ == 0;
}

static void leave(struct level *level)
{
    struct frame *frame = top(level);
    uint64_t inclusive = level->clock - frame->since;

    level->active[frame->function]--;
    if (frame->outermost) {
        functions[frame->function].inclusive += inclusive;
    }
    if (level->depth && inclusive) {
        add_arc(frame[-1].function, frame->function, inclusive);
    }
}

static void push(struct level *level, uint32_t back, uint32_t to)
{
    if (level->depth + 1 == FRAMES_MAX) {
        odd.too_deep++;
        return;
    }
    level->depth++;
    top(level)->back = back;
    top(level)->serial = ++serials;
    top(level)->sp = sp;
    top(level)->timed = top(level)[-1].timed;
    enter(level, function_at(to));
}

static void pop_to(struct level *level, unsigned depth)
{
    while (level->depth > depth) {
        leave(level);
        level->depth--;
    }
    if (level->lost > level->depth) {
        level->lost = level->depth;
    }
}

static void mark_setjmp(struct level *level, uint32_t back)
{
    unsigned kept = 0;

    /* keeps the marks whose function still runs */
    for (unsigned i = 0; i < level->marks; i++) {
        struct mark mark = level->mark[i];

        if (mark.depth <= level->depth &&
            level->frame[mark.depth].serial == mark.serial &&
            !(mark.back == back && mark.depth == level->depth)) {
            level->mark[kept++] = mark;
        }
    }
    if (kept == MARKS_MAX) {
        fail("too many setjmp() in one another");
    }
    level->mark[kept++] = (struct mark){back, top(level)->serial, level->depth};
    level->marks = kept;
}

static bool long_jump(struct level *level, uint32_t to)
{
    for (unsigned i = level->marks; i-- > 0;) {
        const struct mark *mark = &level->mark[i];

        if (mark->back == to && mark->depth <= level->depth &&
            level->frame[mark->depth].serial == mark->serial) {
            pop_to(level, mark->depth);
            odd.long_jumps++;
            return true;
        }
    }
    return false;
}

/* Whether `to` is in the function of some frame: an exception's landing pad, or the place
 * in its caller to which a switch's helper jumps. */
static bool land(struct level *level, uint32_t to)
{
    for (unsigned depth = level->depth; depth-- > 0;) {
        if (level->frame[depth].function == function_at(to)) {
            odd.landings += level->depth - depth > 1;
            pop_to(level, depth);
            return true;
        }
    }
    return false;
}

/* Reports something that a program should not do while sampling is on. */
static void report(uint64_t *count, const char *name, uint32_t from, uint32_t to)
{
    if (running) {
        ++*count;
        printf("o %s %x %x\n", name, from, to);
    }
}

/* The frame of a function ends above the stack pointer; those of the calls that it has
 * made begin there or below. */
static void unwind(struct level *level, uint32_t from, uint32_t to)
{
    unsigned depth = level->depth;

    while (depth && level->frame[depth].sp <= sp) {
        depth--;
    }
    odd.landings += level->depth - depth > 1;
    pop_to(level, depth);
    if (level->depth && function_at(to) != top(level)->function &&
        function_at(to) != top(level)->before) {
        report(&odd.lost, "lost", from, to);
        level->lost = level->depth;
    }
}

/* Decides by the stack pointer. A switch's helper, which was called, goes on in its
 * caller. */
static void jumped_sp(struct level *level, uint32_t from, uint32_t to)
{
    const struct frame *frame = top(level);

    if (!level->depth || function_at(from) == function_at(to)) {
        return;
    }
    if (sp > frame->sp) {
        unwind(level, from, to);
    } else if (sp == frame->sp && function_at(to) == frame[-1].function &&
               !(is_code(to) && entry_of[slot(to)])) {
        pop_to(level, level->depth - 1);
    }
}

static void jumped(struct level *level, uint32_t from, uint32_t to)
{
    if (level->depth && top(level)->back == to) {
        pop_to(level, level->depth - 1);
        return;
    }
    if (with_sp) {
        jumped_sp(level, from, to);
        return;
    }
    if (function_at(from) == function_at(to) || (is_code(to) && entry_of[slot(to)])) {
        return;
    }
    if (function_at(to) && function_at(to) == top(level)->before) {
        return; /* a switch's helper jumped here */
    }
    if (long_jump(level, to)) {
        return;
    }
    for (unsigned depth = level->depth; depth > 0; depth--) {
        if (level->frame[depth].back == to) {
            report(&odd.skipped, "skipped", from, to);
            pop_to(level, depth - 1);
            return;
        }
    }
    if (!land(level, to)) {
        report(&odd.lost, "lost", from, to);
    }
}

static bool is_set_jump(uint32_t address)
{
    for (size_t i = 0; i < sizeof set_jump / sizeof *set_jump; i++) {
        if (set_jump[i] && set_jump[i] == address) {
            return true;
        }
    }
    return false;
}

static void hook_called(struct level *level, uint32_t address, enum hook hook)
{
    struct frame *frame = top(level);

    if (hook == BLOCKS) {
        add_block(address);
    } else {
        add_call(level->depth ? function_at(frame->back - 1) : 0, frame->function);
        frame->timed = frame->function;
    }
}

static void called(struct level *level, const struct transfer *call, uint32_t to)
{
    uint32_t back = call->address + call->size;

    if (call->kind == CALL && function_at(to) == function_at(call->address) &&
        !entry_of[slot(to)]) {
        return; /* it is a far jump in Thumb-1 code */
    }
    if (is_set_jump(to)) {
        mark_setjmp(level, back);
    }
    if (running && functions[function_at(to)].hook) {
        hook_called(level, call->address, functions[function_at(to)].hook);
    }
    push(level, back, to);
}

/* ---- Interrupts ---- */

static struct level *now(void)
{
    return &levels[level_count - 1];
}

void interrupted(void)
{
    struct level *level;

    if (level_count == LEVELS_MAX) { /* LEON3 stops by repeating a trap */
        if (running) {
            fail("too many interrupts in one another");
        }
        over = true;
        return;
    }
    level = &levels[level_count++];
    level->depth = level->marks = level->pending = level->lost = 0;
    level->begun = level->fresh = level->delayed = level->is_sample = false;
    level->clock = level->cycles = level->finding = level->found = 0;
    level->frame[0] = (struct frame){.serial = ++serials};
    memset(level->active, 0, sizeof level->active);
}

void resumed(void)
{
    struct level *level = now();

    if (level_count == 1) {
        fail("a return from an interrupt in none");
    }
    if (level->waits) {
        fail("an interrupt that ended where another had hit it");
    }
    pop_to(level, 0);
    leave(level);
    if (level->is_sample) {
        add_sample(level->cycles, level->found, level[-1].depth);
    }
    level_count--;
}

/* Adds the path that leads to `pc` to a sample's line and prints the line; or keeps it
 * for the level below, whose pc is not known before that level goes on. */
static void add_path(struct level *level, const char *before, uint32_t pc)
{
    static bool undecided;
    char *line;
    size_t bytes;
    FILE *text = open_memstream(&line, &bytes);

    undecided |= level->lost != 0;
    fprintf(text, "%s %x", before, pc);
    for (unsigned depth = level->depth; depth > 0; depth--) {
        fprintf(text, " %x", level->frame[depth].back);
    }
    fclose(text);
    if (through && level != levels) {
        level--;
        level->waiting =
            realloc(level->waiting, (level->waits + 1) * sizeof *level->waiting);
        level->waiting[level->waits++] = line;
        return;
    }
    printf("s %s%s\n",
           undecided         ? "undecided"
           : level == levels ? "main"
                             : "interrupt",
           line);
    undecided = false;
    free(line);
}

/* The level goes on at `pc`. An interrupted address gets 1 added, which no return address
 * has. */
static void sampled(struct level *level, uint32_t pc)
{
    for (size_t i = 0; i < level->waits; i++) {
        add_path(level, level->waiting[i], pc + 1);
        free(level->waiting[i]);
    }
    level->waits = 0;
    for (; level->pending; level->pending--) {
        add_path(level, "", pc);
    }
}

/* ---- The log ---- */

/* The top frame's function goes on as another one, by a tail call or into the function
 * that lies behind it. */
static void go_on_as(struct level *level, uint32_t function)
{
    uint32_t before = top(level)->function;

    leave(level);
    enter(level, function);
    top(level)->before = before;
}

/* Where the next function begins between the two; `to`: nowhere. */
static uint32_t next_entry(uint32_t from, uint32_t to)
{
    for (uint32_t at = from + 2; at < to; at += 2) {
        if (entry_of[slot(at)] && function_at(at) != function_at(from)) {
            return at;
        }
    }
    return to;
}

/* Counts what ran of one function. */
static void spend_in(struct level *level, uint32_t from, uint32_t to,
                     unsigned more_cycles, uint32_t instructions)
{
    uint32_t function = function_at(from);

    instructions += count_before[slot(to)] - count_before[slot(from)];
    if (level->is_sample) {
        uint64_t cycles =
            cycles_before[slot(to)] - cycles_before[slot(from)] + more_cycles;

        if (path_found >= from && path_found < to && !level->found) {
            level->found = level->finding + cycles_before[slot(path_found)] -
                           cycles_before[slot(from)];
        }
        level->finding += function == function_at(sample_entry) ? cycles : 0;
        level->cycles += cycles;
        functions[function].in_samples += cycles;
    } else if (running && level != levels && !top(level)->profiler) {
        functions[function].in_handlers += instructions;
    } else if (running && !top(level)->profiler) {
        level->clock += instructions;
        functions[function].self += instructions;
        functions[top(level)->timed].timed += instructions;
        return;
    }
    odd.profiler += running ? instructions : 0;
}

/* The same where the code may go from a function into the next one, as from
 * __aeabi_dsub() into __aeabi_dadd(). */
static void spend(struct level *level, uint32_t from, uint32_t to, unsigned more_cycles,
                  uint32_t instructions)
{
    for (uint32_t cut; (cut = next_entry(from, to)) != to; from = cut) {
        spend_in(level, from, cut, 0, 0);
        if (!level->is_sample) {
            go_on_as(level, function_at(cut));
        }
    }
    spend_in(level, from, to, more_cycles, instructions);
}

/* Ends the block that began at level->at; `to` is next. */
static void settle(struct level *level, uint32_t to)
{
    uint32_t from = level->at, index = is_code(from) ? next_transfer[slot(from)] : 0;
    const struct transfer *last = index ? &transfers[index - 1] : NULL;

    if (!index || !is_code(to)) {
        return;
    }
    if (to > from && to <= last->address &&
        (single || !(last->kind == JUMP && last->target == to))) {
        spend(level, from, to, 0, 0); /* the block was cut here */
        return;
    }
    if (to == last->address + last->size && last->kind != TRAP_RETURN) { /* not taken */
        spend(level, from, to, 0, 0);
        return;
    }
    spend(level, from, last->address, last->taken_cycles, 1 + machine.sparc);
    if (last->kind == CALL || last->kind == CALL_ANY) {
        called(level, last, to);
    } else if (last->kind == JUMP_ANY) {
        jumped(level, last->address, to);
    } else if (last->kind == TRAP_RETURN) {
        resumed();
    }
}

/* The address of the transfer that ends the level's block. */
static uint32_t last_of(const struct level *level)
{
    uint32_t index = is_code(level->at) ? next_transfer[slot(level->at)] : 0;

    return index ? transfers[index - 1].address : 0;
}

void stopped(void)
{
    now()->fresh = !now()->delayed;
}

bool is_over(void)
{
    return over;
}

void set_sp(uint32_t value)
{
    sp = value;
}

void arrived(uint32_t pc, bool delayed)
{
    struct level *level = now();
    bool own_slot = delayed && level->begun && pc == last_of(level) + 4;

    if (machine.arm && is_between(pc)) {
        sampled(level, pc);
        level->at = last_of(level) == pc - 2 ? level->at : pc - 2;
        level->begun = true;
        level->fresh = false;
        return; /* the block goes on */
    }
    if (level->fresh && pc > level->at && pc <= last_of(level)) {
        spend(level, level->at, pc, 0,
              0); /* the part that ran before a device stopped it */
    }
    if (own_slot && !level->delayed && !level->fresh) {
        spend(level, level->at, pc - 4, 0, 0); /* the part up to the jump */
    }
    if (level->begun && !level->fresh && !own_slot) {
        settle(level, pc);
        level = now();
    }
    sampled(level, pc);
    if (!delayed) {
        level->at = pc;
    } else if (!level->delayed) {
        level->at = pc - 4; /* the jump is still to come */
    }
    level->delayed = delayed;
    level->begun = true;
    level->fresh = false;
    if (delayed) {
        return;
    }
    if (is_code(pc) && function_at(pc) != top(level)->function) {
        go_on_as(level, function_at(pc)); /* a tail call, or the first function */
    }
    if (pc == timer_start || pc == timer_stop) {
        running = pc == timer_start;
    } else if (pc == sample_entry && level_count > 1 && !level->is_sample) {
        level->is_sample = true;
        level[-1].pending++;
    }
}

static void print_totals(void)
{
    print_samples();
    for (uint32_t i = 1; i < FUNCTIONS_MAX; i++) {
        if (functions[i].in_samples) {
            printf("w %u %llu\n", i - 1, (unsigned long long)functions[i].in_samples);
        }
        if (functions[i].in_handlers) {
            printf("y %u %llu\n", i - 1, (unsigned long long)functions[i].in_handlers);
        }
    }
    for (uint32_t i = 1; i < FUNCTIONS_MAX; i++) {
        if (functions[i].self || functions[i].inclusive) {
            printf("n %u %llu %llu %llu\n", i - 1, (unsigned long long)functions[i].self,
                   (unsigned long long)functions[i].inclusive,
                   (unsigned long long)functions[i].timed);
        }
    }
    print_calls();
    printf("x long_jumps %llu\nx landings %llu\nx skipped %llu\nx lost %llu\nx too_deep "
           "%llu\nx profiler %llu\n",
           (unsigned long long)odd.long_jumps, (unsigned long long)odd.landings,
           (unsigned long long)odd.skipped, (unsigned long long)odd.lost,
           (unsigned long long)odd.too_deep, (unsigned long long)odd.profiler);
}

int main(int argc, char **argv)
{
    single = argc == 3 && strcmp(argv[2], "single") == 0;
    through = argc == 3 && strstr(argv[2], "through") != NULL;
    with_sp = argc == 3 && starts(argv[2], "sp");
    if (argc != 2 && !single && !through && !with_sp) {
        fail("usage: follow FACTS [single|through|sp|sp-through] < LOG > TRUTH");
    }
    read_facts(argv[1]);
    if (!sample_entry || !timer_start || !timer_stop) {
        fail("%s: no mcuprof_sample_isr, mcuprof_timer_start or mcuprof_timer_stop",
             argv[1]);
    }
    follow_log(stdin, with_sp);
    pop_to(&levels[0], 0);
    leave(&levels[0]);
    print_totals();
    return 0;
}
