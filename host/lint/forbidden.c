/* SPDX-License-Identifier: MIT */
/* Finds instrumented functions that must not be instrumented. */
#include <stdlib.h>
#include <string.h>

#include "../base/name.h"
#include "../base/search.h"
#include "findings.h"
#include "mcuprof_unwind.h"

/* ---- What is reached from where ---- */

struct reach {
    const struct program *program;
    uint32_t *from; /* for each function 1 + the function that calls it; 0: not reached */
    uint32_t *queue;
    size_t used;
};

static bool reach_init(struct reach *reach, const struct program *program)
{
    *reach = (struct reach){.program = program};
    reach->from = calloc(program->count + 1, sizeof *reach->from);
    reach->queue = calloc(program->count + 1, sizeof *reach->queue);
    return reach->from != NULL && reach->queue != NULL;
}

static void reach_release(struct reach *reach)
{
    free(reach->from);
    free(reach->queue);
}

static void reach_add(struct reach *reach, uint32_t index, uint32_t from)
{
    if (reach->from[index] != 0)
        return;
    reach->from[index] = 1 + from;
    reach->queue[reach->used++] = index;
}

/* The index of a function's first call; calls are in the order of the functions. */
static size_t calls_of(const struct program *program, uint32_t function)
{
    size_t low = 0;
    SEARCH(low, program->call_count, program->calls[middle].from < function);
    return low;
}

/* Adds all functions that the added ones call, and so on, but not those that a hook
 * calls. */
static void reach_all(struct reach *reach)
{
    const struct program *program = reach->program;
    for (size_t done = 0; done < reach->used; done++) {
        uint32_t at = reach->queue[done];
        for (size_t i = calls_of(program, at);
             i < program->call_count && program->calls[i].from == at; i++)
            if (program->functions[program->calls[i].to].is == 0)
                reach_add(reach, program->calls[i].to, at);
    }
}

/* Reports the functions that are reached and instrumented. */
static void report(struct findings *findings, const struct reach *reach, const char *rule)
{
    const struct program *program = reach->program;
    for (size_t i = 0; i < program->count; i++) {
        const struct function *function = &program->functions[i];
        if (reach->from[i] == 0 || !function_profiled(function))
            continue;
        const struct function *from = &program->functions[reach->from[i] - 1];
        if (from == function)
            finding_in(findings, rule, function, NULL);
        else
            finding_in(findings, rule, function, "called by %s", from->symbol->demangled);
    }
}

/* ---- The profiler ---- */

/* Whether the function runs in a hook or in the sampling interrupt. */
static bool counts(const struct function *function)
{
    static const char *const names[] = {"mcuprof_count",     "mcuprof_enter",
                                        "mcuprof_exit",      "mcuprof_hook",
                                        "mcuprof_sample",    "mcuprof_sample_isr",
                                        "mcuprof_sample_at", "mcuprof_sample_frame",
                                        "mcuprof_timer_set", "mcuprof_link_start"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(function->symbol->name, names[i]) == 0)
            return true;
    return function->is != 0;
}

static bool check_profiler(struct findings *findings)
{
    const struct program *program = &findings->program;
    struct reach hooks, others;
    bool done = reach_init(&hooks, program);
    done = reach_init(&others, program) && done;
    for (size_t i = 0; done && i < program->count; i++) {
        const struct function *function = &program->functions[i];
        if (counts(function))
            reach_add(&hooks, (uint32_t)i, (uint32_t)i);
        else if (function->named || function->port)
            reach_add(&others, (uint32_t)i, (uint32_t)i);
    }
    if (done) {
        reach_all(&hooks);
        reach_all(&others);
        for (size_t i = 0; i < program->count; i++)
            others.from[i] = hooks.from[i] != 0 ? 0 : others.from[i];
        report(findings, &hooks, "recursion");
        report(findings, &others, "port-instrumented");
    }
    reach_release(&hooks);
    reach_release(&others);
    return done;
}

/* ---- The start ---- */

static bool is_start(const char *name)
{
    static const char *const names[] = {"_start",         "__start",      "reset_handler",
                                        "ResetISR",       "ResetHandler", "Reset_Handler",
                                        "_mainCRTStartup"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Whether a function sets up memory, judged by its name. */
static bool sets_memory(const char *name)
{
    static const char *const parts[] = {"memset", "memcpy", "memclr", "bss", "Bss"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (name_has(name, parts[i]))
            return true;
    return false;
}

/* The address from which on memory is set up: behind a call, or behind a loop, which may
 * be anywhere. */
static uint64_t memory_set(const struct program *program, const struct function *function)
{
    uint64_t at = function->symbol->address, set = function->symbol->end;
    size_t size;
    const uint8_t *bytes = image_bytes(program->image, at, &size);
    for (size_t k = 0; bytes != NULL && k < size && at + k < function->symbol->end;) {
        struct arch_instruction found;
        arch_decode(&program->code, at + k, bytes + k, size - k, &found);
        bool jumps = found.kind == ARCH_JUMP || found.kind == ARCH_BRANCH;
        const struct function *to =
            found.kind == ARCH_CALL ? program_begins(program, found.target) : NULL;
        if (jumps && found.target <= at + k && found.target >= at && found.target < set)
            set = found.target;
        if (to != NULL && sets_memory(to->symbol->name) && at + k < set)
            set = at + k;
        k += found.bytes;
    }
    return set;
}

/* Checks what the start code calls before memory is set up, as far as the order of its
 * code shows. Start code that calls main() first sets up nothing. */
static void check_early(struct findings *findings, uint32_t start)
{
    const struct program *program = &findings->program;
    uint64_t until = memory_set(program, &program->functions[start]);
    struct reach reach;
    if (!reach_init(&reach, program)) {
        findings->failed = true;
    } else {
        for (size_t i = calls_of(program, start);
             i < program->call_count && program->calls[i].from == start; i++) {
            const char *name = program->functions[program->calls[i].to].symbol->name;
            if (strcmp(name, "main") == 0 || is_start(name))
                break;
            if (program->calls[i].at <= until)
                reach_add(&reach, program->calls[i].to, start);
        }
        reach_all(&reach);
        report(findings, &reach, "early-instrumented");
    }
    reach_release(&reach);
}

enum { STARTS_MAX = 8 }; /* only a damaged ELF has more */

static void check_start(struct findings *findings)
{
    const struct program *program = &findings->program;
    struct vectors vectors = find_vectors(program);
    uint64_t entry = image_file(findings->image)->header.e_entry;
    if (vectors.words != NULL)
        entry = program_word(program, vectors.words + 4);
    if (program->short_code)
        entry &= ~(uint64_t)1;
    for (size_t i = 0, starts = 0; i < program->count && starts < STARTS_MAX; i++) {
        const struct function *function = &program->functions[i];
        const char *name = function->symbol->name;
        if ((function->symbol->address != entry && !is_start(name)) ||
            strcmp(name, "main") == 0)
            continue;
        starts++;
        if (function_profiled(function))
            finding_in(findings, "start-instrumented", function, NULL);
        check_early(findings, (uint32_t)i);
    }
}

/* ---- Interrupt handlers ---- */

/* Checks handlers that return by a special instruction; those of a Cortex-M do not. */
static void check_handlers(struct findings *findings)
{
    const struct program *program = &findings->program;
    const struct unwind *unwind = &findings->unwind;
    const struct function *last = NULL;
    for (size_t i = 0; i < unwind->row_count; i++) {
        const struct function *function =
            unwind->rows[i].where == MCUPROF_UNWIND_HANDLER
                ? program_in(program, unwind->rows[i].address)
                : NULL;
        if (function == NULL || function == last || !function_profiled(function))
            continue;
        finding_in(findings, "handler-instrumented", function, NULL);
        last = function;
    }
}

/* ---- Naked functions ---- */

/* Where the return address is before the instruction at an address, as mcuprof_unwind.h
 * says. Of code that is far from the rest nothing is known. */
static unsigned return_at(const struct unwind *unwind, uint64_t address)
{
    size_t low = 0;
    SEARCH(low, unwind->row_count, unwind->rows[middle].address <= address);
    return low == 0 || address >= unwind->high ? MCUPROF_UNWIND_UNKNOWN
                                               : unwind->rows[low - 1].where;
}

/* Checks naked functions: they have no prologue that saves the link register, but they
 * call the hook. ARM's __gnu_mcount_nc restores that register. */
static void check_naked(struct findings *findings)
{
    const struct program *program = &findings->program;
    bool arm = program->code.arch == &arch_arm;
    for (size_t i = 0; i < program->count; i++) {
        const struct function *function = &program->functions[i];
        if (function_profiled(function) && (!arm || function->first != HOOK_CALL) &&
            return_at(&findings->unwind, function->hook) == MCUPROF_UNWIND_LINK)
            finding_in(findings, "naked-instrumented", function, NULL);
    }
}

/* ---- Places ---- */

enum { AVR_WORDS_END = 0x20000 };

enum { FAR = 8 << 20 }; /* flash and RAM are farther apart */

enum { HOOKS_MAX = 16 };

/* Lists the hooks themselves, without the linker's veneers. */
static size_t list_hooks(const struct program *program,
                         const struct function *hooks[HOOKS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < program->count && count < HOOKS_MAX; i++)
        if (program->functions[i].is != 0 &&
            !name_has(program->symbols[i].name, "veneer"))
            hooks[count++] = &program->functions[i];
    return count;
}

/* Whether all hooks that the function may call are in another memory. */
static bool is_far(const struct function *function, const struct function *const *hooks,
                   size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        uint64_t there = hooks[i]->symbol->address, here = function->symbol->address;
        if ((hooks[i]->is & function->hooks) == 0)
            continue;
        if ((there < here ? here - there : there - here) < FAR)
            return false;
        any = true;
    }
    return any;
}

static void check_places(struct findings *findings)
{
    const struct program *program = &findings->program;
    const struct function *hooks[HOOKS_MAX];
    size_t count = list_hooks(program, hooks);
    for (size_t i = 0; i < program->count; i++) {
        const struct function *function = &program->functions[i];
        if (!function_profiled(function))
            continue;
        if (program->code.arch == &arch_avr && function->hook >= AVR_WORDS_END)
            finding_in(findings, "address-lost", function, NULL);
        if (is_far(function, hooks, count))
            finding_in(findings, "ram-instrumented", function, NULL);
    }
}

void check_forbidden(struct findings *findings)
{
    if (!check_profiler(findings))
        findings->failed = true;
    check_start(findings);
    check_handlers(findings);
    check_naked(findings);
    check_places(findings);
}
