/* SPDX-License-Identifier: MIT */
/* Finds what is instrumented, and what should be and is not. */
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/name.h"
#include "../base/plural.h"
#include "findings.h"

/* ---- Counts ---- */

static bool by_clang(const struct program *program)
{
    for (size_t i = 0; i < program->units.count; i++)
        if (program->flags[i].clang)
            return true;
    return false;
}

/* Whether the firmware samples. If nothing enters the sampling interrupt, the linker may
 * have dropped it. */
static bool samples(const struct program *program)
{
    const struct function *timer = program_named(program, "mcuprof_timer_start");
    const struct function *start = program_named(program, "mcuprof_start");
    for (size_t i = 0; timer != NULL && start != NULL && i < program->call_count; i++)
        if (&program->functions[program->calls[i].from] == start &&
            &program->functions[program->calls[i].to] == timer)
            return true;
    return program_named(program, "mcuprof_sample_isr") != NULL;
}

void count_functions(struct findings *findings)
{
    const struct program *program = &findings->program;
    struct lint_summary *summary = &findings->lint->summary;
    bool timed = program_times(program);
    for (size_t i = 0; i < program->count; i++) {
        const struct function *function = &program->functions[i];
        bool entered = (function->hooks & HOOK_ENTER) != 0;
        if (!function_counts(function))
            continue;
        summary->functions++;
        summary->count_calls += (function->hooks & HOOK_CALL) != 0 || (entered && !timed);
        summary->time_calls += entered && timed;
        summary->count_blocks += (function->hooks & HOOK_BLOCK) != 0;
    }
    summary->samples = samples(program);
    const struct image_site *sites;
    summary->sites = image_sites(findings->image, &sites);
}

static void check_any(struct findings *findings)
{
    const struct lint_summary *summary = &findings->lint->summary;
    struct image_thunks thunks;
    bool has_room = image_thunks(findings->image, &thunks);
    if (has_room && thunks.from == 0)
        finding(findings, "not-patched", "There are places for %llu.",
                (unsigned long long)thunks.places);
    if (has_room ||
        summary->count_calls + summary->time_calls + summary->count_blocks > 0)
        return;
    if (by_clang(&findings->program))
        finding(findings, "nothing-instrumented",
                "Files are compiled by clang, whose -pg calls nothing on bare metal.");
    else
        finding(findings, "nothing-instrumented", NULL);
}

/* ---- Hooks that count nothing ---- */

/* Whether the hook's code has the address of a function of the library or, where it is a
 * veneer, of the hook. */
static bool refers_to_library(const struct program *program,
                              const struct function *function)
{
    uint64_t low = (function->symbol->address + 3) & ~(uint64_t)3;
    size_t size;
    const uint8_t *bytes = image_bytes(program->image, low, &size);
    for (size_t k = 0; bytes != NULL && k + 4 <= size && low + k < function->symbol->end;
         k += 4) {
        uint32_t word = program_word(program, bytes + k);
        const struct function *to =
            program_begins(program, word & ~(uint64_t)program->short_code);
        if (to != NULL && to != function && (to->named || to->is != 0))
            return true;
    }
    return false;
}

/* Whether a hook counts: it calls the library, or goes on with another hook. */
static bool counts(const struct program *program, const struct function *function)
{
    for (size_t i = 0; i < program->call_count; i++) {
        const struct call *call = &program->calls[i];
        const struct function *to = &program->functions[call->to];
        if (&program->functions[call->from] == function && (to->named || to->is != 0))
            return true;
    }
    const struct function *next = function + 1;
    return refers_to_library(program, function) ||
           (next < program->functions + program->count &&
            next->symbol->address == function->symbol->end && next->is != 0);
}

static void check_idle(struct findings *findings)
{
    const struct program *program = &findings->program;
    unsigned called = 0;
    for (size_t i = 0; i < program->count; i++)
        called |=
            function_profiled(&program->functions[i]) ? program->functions[i].hooks : 0;
    for (size_t i = 0; i < program->count; i++) {
        const struct function *function = &program->functions[i];
        if ((function->is & called & ~(unsigned)HOOK_EXIT) != 0 &&
            !counts(program, function))
            finding_in(findings, "idle-hook", function, NULL);
    }
}

/* ---- Hooks that are missing ---- */

/* The hooks that the compiler was told to call in the functions of a unit. */
static unsigned wanted(const struct unit_flags *flags)
{
    return (flags->calls ? (unsigned)HOOK_CALL : 0) |
           (flags->times ? (unsigned)HOOK_ENTER : 0) |
           (flags->blocks ? (unsigned)HOOK_BLOCK : 0);
}

/* The code of one unit. */
struct unit_code {
    const struct function *first;
    size_t functions, hooked;
};

static bool is_piece(const struct function *function)
{
    return name_has(function->symbol->name, ".cold");
}

static void take_function(struct unit_code *code, const struct function *function,
                          unsigned hooks)
{
    if (is_piece(function) || function->named || function->is != 0)
        return;
    if (code->first == NULL)
        code->first = function;
    code->functions++;
    code->hooked += (function->hooks & hooks) != 0;
}

/* Why a compiler does not call the hooks that it was told to call. NULL: it calls them,
 * except in functions that are marked not to be instrumented. */
static const char *reason(const struct findings *findings, const struct unit_flags *flags)
{
    if (flags->lto)
        return "-flto";
    if (flags->clang && flags->calls)
        return "-pg of clang on bare metal";
    if (image_arch(findings->image) == &arch_avr && flags->calls)
        return "-pg on AVR";
    return NULL;
}

static void say_left_out(struct findings *findings, const struct unit_code *codes)
{
    const struct program *program = &findings->program;
    for (size_t i = 0; i < program->count; i++) {
        const struct function *function = &program->functions[i];
        const struct unit_flags *flags =
            function->unit == 0 ? NULL : &program->flags[function->unit - 1];
        if (flags != NULL && !is_piece(function) && function->hooks == 0 &&
            wanted(flags) != 0 &&
            (codes[function->unit - 1].hooked > 0 || reason(findings, flags) == NULL))
            finding_in(findings, "left-out", function, NULL);
    }
}

static void check_units(struct findings *findings)
{
    const struct program *program = &findings->program;
    struct unit_code *codes = calloc(program->units.count + 1, sizeof *codes);
    if (codes == NULL) {
        findings->failed = true;
        return;
    }
    for (size_t i = 0; i < program->count; i++) {
        const struct function *function = &program->functions[i];
        if (function->unit != 0)
            take_function(&codes[function->unit - 1], function,
                          wanted(&program->flags[function->unit - 1]));
    }
    for (size_t i = 0; i < program->units.count; i++) {
        const char *why = reason(findings, &program->flags[i]);
        if (wanted(&program->flags[i]) != 0 && codes[i].functions > 0 &&
            codes[i].hooked == 0 && why != NULL)
            finding_in(findings, "hooks-lost", codes[i].first, "and its file: %s", why);
    }
    say_left_out(findings, codes);
    free(codes);
}

/* ---- Inlined functions ---- */

static int by_line(const void *left, const void *right)
{
    const struct written *a = left, *b = right;
    int order = strcmp(a->name != NULL ? a->name : "", b->name != NULL ? b->name : "");
    return order != 0 ? order : (a->line > b->line) - (a->line < b->line);
}

static int by_places(const void *left, const void *right)
{
    const struct written *a = left, *b = right;
    ORDER_BY(b->inlined, a->inlined);
    return by_line(left, right);
}

/* Merges functions that are written several times: a header's function is written in each
 * file that includes it. Returns how many are left. */
static size_t merge_written(struct written *written, size_t count)
{
    size_t kept = 0;
    if (count > 0)
        qsort(written, count, sizeof *written, by_line);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || by_line(&written[kept - 1], &written[i]) != 0) {
            written[kept++] = written[i];
            continue;
        }
        written[kept - 1].inlined += written[i].inlined;
        written[kept - 1].exists |= written[i].exists;
    }
    return kept;
}

static void check_inlined(struct findings *findings)
{
    struct written *written = findings->program.written;
    size_t count = merge_written(written, findings->program.written_count);
    findings->program.written_count = count;
    if (count > 0)
        qsort(written, count, sizeof *written, by_places);
    for (size_t i = 0; i < count && written[i].inlined > 0; i++)
        if (written[i].name == NULL || strncmp(written[i].name, "mcuprof_", 8) != 0)
            finding_written(findings, "inlined", &written[i], "in %zu place%s%s",
                            written[i].inlined, plural(written[i].inlined),
                            written[i].exists ? "; other calls are counted" : "");
}

/* ---- Short functions ---- */

/* A function with fewer instructions is short: a hook that finds its counter runs some 20
 * to 30. */
enum { SHORT = 16 };

struct callee {
    const struct function *function;
    size_t calls, in_loops;
};

static int by_loops(const void *left, const void *right)
{
    const struct callee *a = left, *b = right;
    ORDER_BY(b->in_loops, a->in_loops);
    return (a->function > b->function) - (a->function < b->function);
}

static void check_short(struct findings *findings)
{
    const struct program *program = &findings->program;
    struct callee *callees = calloc(program->count + 1, sizeof *callees);
    if (callees == NULL) {
        findings->failed = true;
        return;
    }
    for (size_t i = 0; i < program->count; i++)
        callees[i].function = &program->functions[i];
    for (size_t i = 0; i < program->call_count; i++) {
        callees[program->calls[i].to].calls++;
        callees[program->calls[i].to].in_loops += program->calls[i].in_loop;
    }
    qsort(callees, program->count, sizeof *callees, by_loops);
    for (size_t i = 0; i < program->count && callees[i].in_loops > 0; i++) {
        const struct function *function = callees[i].function;
        if (function_profiled(function) && function->leaf && !function->loops &&
            function->instructions <= SHORT)
            finding_in(findings, "short", function,
                       "%u instructions, %zu of %zu calls in loops",
                       function->instructions, callees[i].in_loops, callees[i].calls);
    }
    free(callees);
}

void check_hooks(struct findings *findings)
{
    check_any(findings);
    check_idle(findings);
    if (!findings->program.dwarf)
        finding(findings, "no-debug-information", NULL);
    check_units(findings);
    check_inlined(findings);
    check_short(findings);
}
