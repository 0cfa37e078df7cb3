/* SPDX-License-Identifier: MIT */
/* Checks, in the code, the flags that instrumented files need. */
#include <string.h>

#include "findings.h"

/* ---- Sibling calls ---- */

/* After a sibling call, the callee seems to be called by its caller's caller. */
static void check_siblings(struct findings *findings)
{
    const struct program *program = &findings->program;
    for (size_t i = 0; i < program->call_count; i++) {
        const struct call *call = &program->calls[i];
        const struct function *from = &program->functions[call->from];
        const struct function *to = &program->functions[call->to];
        if (call->jump && to->is == 0 && function_profiled(from) &&
            (from->hooks & HOOK_CALL) != 0 && (to->hooks & HOOK_CALL) != 0)
            finding_at(findings, "sibling-call", call->at, "jumps to %s",
                       to->symbol->demangled);
    }
}

static void check_exits(struct findings *findings)
{
    const struct program *program = &findings->program;
    if (!program_times(program))
        return;
    for (size_t i = 0; i < program->count; i++) {
        const struct function *function = &program->functions[i];
        if (function_profiled(function) &&
            (function->hooks & (HOOK_EXIT | HOOK_JUMPED)) == (HOOK_EXIT | HOOK_JUMPED))
            finding_in(findings, "exit-jumped", function, NULL);
    }
}

/* ---- Thumb-1 ---- */

/* MOV LR, R8 to R11: the prologue saves these registers through lr. */
static bool moves_high(uint32_t half)
{
    return (half & 0xffe7) == 0x46c6;
}

static bool loses_caller(const struct program *program, const struct function *function)
{
    uint64_t low = function->symbol->address;
    size_t size;
    const uint8_t *bytes = image_bytes(program->image, low, &size);
    for (size_t k = 0; bytes != NULL && k + 2 <= size && low + k < function->hook;) {
        struct arch_instruction found;
        bool big = program->code.big_endian;
        arch_decode(&program->code, low + k, bytes + k, size - k, &found);
        if (found.bytes == 2 &&
            moves_high((uint32_t)bytes[k + big] | (uint32_t)bytes[k + !big] << 8))
            return true;
        k += found.bytes;
    }
    return false;
}

static void check_callers(struct findings *findings)
{
    const struct program *program = &findings->program;
    for (size_t i = 0; i < program->count; i++) {
        const struct function *function = &program->functions[i];
        if (program->code.arch == &arch_arm && function_profiled(function) &&
            (function->hooks & HOOK_CALL) != 0 && loses_caller(program, function))
            finding_in(findings, "caller-lost", function, NULL);
    }
}

/* ---- Timed calls ---- */

static bool is_called(const struct program *program, const char *name)
{
    const struct function *function = program_named(program, name);
    return function != NULL && (program_calls(program, function, false) ||
                                program_calls(program, function, true));
}

static void check_longjmp(struct findings *findings)
{
    const struct program *program = &findings->program;
    if (program_times(program) && is_called(program, "longjmp") &&
        program_named(program, "mcuprof_setjmp_returned") == NULL)
        finding(findings, "longjmp-unseen", NULL);
}

/* Arguments on the stack that GCC pops late are a problem on AVR only. */
static void check_arguments(struct findings *findings)
{
    const struct program *program = &findings->program;
    const char *last = NULL;
    if (program->code.arch != &arch_avr || !program_times(program))
        return;
    for (size_t i = 0; i < program->count; i++) {
        const struct function *function = &program->functions[i];
        const struct unit_flags *flags =
            function->unit == 0 ? NULL : &program->flags[function->unit - 1];
        if (!function_profiled(function) || flags == NULL || !flags->times ||
            flags->keeps_arguments)
            continue;
        if (last == NULL || program->functions[i - 1].unit != function->unit)
            finding_in(findings, "defer-pop", function, "and its file");
        last = function->symbol->name;
    }
}

void check_flags(struct findings *findings)
{
    check_siblings(findings);
    check_exits(findings);
    check_callers(findings);
    check_longjmp(findings);
    check_arguments(findings);
}
