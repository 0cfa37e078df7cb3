/* SPDX-License-Identifier: MIT */
/*
 * libgcc's unwinder for ARM keeps all registers of the function that began it where
 * _Unwind_RaiseException() has pushed them, and once it has found a handler, it unwinds
 * them in place. This overwrites the return address of _Unwind_RaiseException(), but not
 * the stack above. If the program has only one call of that function, as when it throws
 * by __cxa_throw() alone, the return address is known all the same, and the row of the
 * call in _Unwind_RaiseException() goes past that caller's frame.
 */
#include "exceptions.h"

#include <string.h>

#include "../base/name.h"
#include "mcuprof_unwind.h"

/* Wrappers push the registers and call `worker`, which unwinds in place. A wrapper is
 * named by what follows _Unwind_ in its name. */
struct group {
    const char *wrappers[2], *worker;
};

static const struct group groups[] = {
    {{"RaiseException", "Resume_or_Rethrow"}, "__gnu_Unwind_RaiseException"},
    {{"Resume"}, "__gnu_Unwind_Resume"},
};

/* ---- Who calls a function ---- */

/* The places where a function's address is in the program, as the target of a call or
 * jump, in a constant or in memory. */
struct references {
    size_t count;
    uint64_t call; /* the last call or jump among them */
    uint64_t behind;
    bool calls;
};

/* What the place may hold: CODE_NARROW or CODE_WIDE, CODE_DATA where it holds no code, or
 * CODE_NONE where that is not known, as in RAM. */
static unsigned kind_at(const struct code *code, uint64_t at)
{
    if (at < code->low || at >= code->high)
        return CODE_NONE;
    unsigned kind = code->kinds[code_index(code, at)];
    return kind >= CODE_NARROW ? kind : CODE_DATA;
}

/* Whether a MOVW at this place, of T32 or A32, loads the low half of the address. (What
 * is not known to be code may look like one; then one reference too many is counted.) */
static bool loads_half(const struct code *code, uint64_t at, uint32_t address)
{
    unsigned kind = kind_at(code, at);
    uint32_t high, low, word, half = address & 0xffff, thumb = half | 1;
    if (kind == CODE_DATA || !code_fetch(code, at, 2, &high) ||
        !code_fetch(code, at + 2, 2, &low) || !code_fetch(code, at, 4, &word))
        return false;
    uint32_t t32 =
        (high & 15) << 12 | (high & 0x400) << 1 | (low >> 4 & 0x700) | (low & 255);
    uint32_t a32 = (word >> 4 & 0xf000) | (word & 0xfff);
    return (kind != CODE_WIDE && (high & 0xfbf0) == 0xf240 && (low & 0x8000) == 0 &&
            (t32 == half || t32 == thumb)) ||
           (kind != CODE_NARROW && at % 4 == 0 && (word & 0x0ff00000) == 0x03000000 &&
            word >> 28 != 15 && (a32 == half || a32 == thumb));
}

/* Whether an instruction may begin here: not in data, if symbols mark data, nor in the
 * midst of an instruction that was followed. */
static bool may_begin(const struct code *code, const struct found *found, uint64_t at)
{
    unsigned kind = kind_at(code, at);
    if (kind < CODE_NARROW)
        return kind == CODE_NONE || code->arch.mark_count == 0;
    size_t unit = code_index(code, at);
    return found[unit].begins || unit == 0 || !found[unit - 1].begins ||
           code_length(code, at - code->unit) <= code->unit;
}

static bool goes_there(const struct arch_instruction *next, uint64_t address)
{
    return (next->kind == ARCH_CALL || next->kind == ARCH_JUMP ||
            next->kind == ARCH_BRANCH) &&
           (next->target & ~(uint64_t)1) == address;
}

/* Whether the word may as well be the end of a text: data without a name are texts, as a
 * rule, and pointers to functions have one. */
static bool may_be_text(const struct code *code, uint64_t at, uint32_t word)
{
    const struct code_function *function = code_in(code, at);
    unsigned letters = 0;
    while (letters < 4 && (word >> 8 * letters & 255) >= ' ' &&
           (word >> 8 * letters & 255) < 127)
        letters++;
    return function == NULL && code_object_end(code, at) == 0 && letters > 0 &&
           letters < 4 && word >> 8 * letters == 0;
}

static void look_at(const struct code *code, const struct found *found, uint64_t at,
                    uint64_t address, struct references *references)
{
    struct arch_instruction next = code_instruction(code, at);
    uint32_t word;
    if (goes_there(&next, address) && may_begin(code, found, at)) {
        references->count++;
        references->call = at;
        references->behind = at + next.bytes;
        references->calls = next.kind == ARCH_CALL && code_at(code, at);
    }
    /* A constant is aligned and, where symbols mark code, does not begin with an
     * instruction: a NOP and a constant, or the halves of two, may look like one. */
    bool data =
        at % 4 == 0 && (code->arch.mark_count == 0 || kind_at(code, at) < CODE_NARROW);
    if ((data && code_data(code, at, 4, &word) && (word & ~(uint32_t)1) == address &&
         !may_be_text(code, at, word)) ||
        loads_half(code, at, (uint32_t)address))
        references->count++;
}

static struct references references_to(const struct code *code, const struct found *found,
                                       uint64_t address)
{
    struct references references = {0};
    for (size_t i = 0; i < code->section_count; i++) {
        const struct code_section *section = &code->sections[i];
        for (uint64_t at = (section->low + 1) & ~(uint64_t)1;
             at - section->low + 2 <= section->size && references.count < 2; at += 2)
            look_at(code, found, at, address, &references);
    }
    return references;
}

/* ---- Groups ---- */

static bool is_wrapper(const char *name, const char *bare)
{
    name = name_bare(name);
    return bare != NULL && strncmp(name, "Unwind_", 7) == 0 &&
           strcmp(name + 7, bare) == 0;
}

static bool is_of_group(const struct code_function *function, const struct group *group)
{
    return is_wrapper(function->name, group->wrappers[0]) ||
           is_wrapper(function->name, group->wrappers[1]);
}

static bool is_in_slot(struct answer answer)
{
    return answer.where != MCUPROF_UNWIND_UNKNOWN &&
           answer.where < MCUPROF_UNWIND_HANDLER && !answer.based;
}

/* The calls in a group's wrappers. */
struct passing {
    struct unwind_passed passed[UNWIND_PASSED_MAX];
    struct answer answers[UNWIND_PASSED_MAX]; /* for the rows of these calls */
    size_t count;
};

/* Adds a call in a wrapper. The frame pointer that the wrapper has saved is overwritten,
 * too; the one that the wrapper's caller has saved is not. */
static bool add(struct passing *passing, const struct code *code,
                const struct found *found, uint64_t call, const struct references *caller)
{
    struct answer own = found[code_index(code, call)].code;
    struct answer outer = found_answer(&found[code_index(code, caller->call)]);
    if (!is_in_slot(own) || !is_in_slot(outer) || passing->count == UNWIND_PASSED_MAX)
        return false;
    outer.size += own.size;
    if (outer.saved == 0 && code->fp != 0)
        outer.saved = MCUPROF_UNWIND_SAVED_LOST;
    passing->answers[passing->count] = outer;
    passing->passed[passing->count++] =
        (struct unwind_passed){call, call + code_length(code, call), caller->behind};
    return outer.size < 1 << 17;
}

/* Adds the calls in a wrapper. false: it may have callers that are not known. */
static bool add_wrapper(struct passing *passing, const struct code *code,
                        const struct found *found, const struct code_function *wrapper)
{
    struct references callers = references_to(code, found, wrapper->low);
    if (callers.count == 0)
        return true;
    if (callers.count > 1 || !callers.calls ||
        !found[code_index(code, callers.call)].begins)
        return false;
    for (uint64_t at = wrapper->low; at < wrapper->high; at += code->unit)
        if (code_at(code, at) && found[code_index(code, at)].begins &&
            code_instruction(code, at).kind == ARCH_CALL &&
            !add(passing, code, found, at, &callers))
            return false;
    return true;
}

static void make_known(const struct code *code, struct found *found,
                       const struct code_function *function)
{
    for (uint64_t at = function->low; at < function->high; at += code->unit)
        found[code_index(code, at)].opaque = false;
}

static void apply(struct unwind *unwind, const struct code *code, struct found *found,
                  const struct passing *passing)
{
    for (size_t i = 0; i < passing->count; i++) {
        struct found *call = &found[code_index(code, passing->passed[i].call)];
        call->code = passing->answers[i];
        call->frame = (struct answer){.where = MCUPROF_UNWIND_UNKNOWN};
        call->trusted = true;
        unwind->passed[unwind->passed_count++] = passing->passed[i];
    }
}

/* Whether no program has so many of a group's wrappers. For each of them all of the code
 * is searched, so an ELF that somebody made up must not have thousands. */
static bool too_many(const struct code *code, const struct group *group)
{
    size_t wrappers = 0;
    for (size_t i = 0; i < code->function_count; i++)
        wrappers += is_of_group(&code->functions[i], group);
    return wrappers > UNWIND_PASSED_MAX;
}

static void find_group(struct unwind *unwind, const struct code *code,
                       struct found *found, const struct group *group)
{
    struct passing passing = {.count = 0};
    if (too_many(code, group))
        return;
    for (size_t i = 0; i < code->function_count; i++)
        if (is_of_group(&code->functions[i], group) &&
            !add_wrapper(&passing, code, found, &code->functions[i]))
            return;
    if (passing.count == 0 || unwind->passed_count + passing.count > UNWIND_PASSED_MAX)
        return;
    apply(unwind, code, found, &passing);
    for (size_t i = 0; i < code->function_count; i++)
        if (is_of_group(&code->functions[i], group) ||
            strcmp(code->functions[i].name, group->worker) == 0)
            make_known(code, found, &code->functions[i]);
}

/* The target's own __cxa_end_cleanup() keeps its return address in front of the registers
 * that __gnu_Unwind_Resume() unwinds in place. */
static void find_keeper(const struct code *code, struct found *found)
{
    const struct code_function *keeper = NULL, *worker = NULL;
    for (size_t i = 0; i < code->function_count; i++) {
        const struct code_function *function = &code->functions[i];
        if (strcmp(function->name, "__wrap___cxa_end_cleanup") == 0)
            keeper = function;
        if (strcmp(function->name, "__gnu_Unwind_Resume") == 0)
            worker = function;
    }
    if (keeper == NULL || worker == NULL)
        return;
    make_known(code, found, keeper);
    make_known(code, found, worker);
}

void exceptions_find(struct unwind *unwind, const struct code *code, struct found *found)
{
    if (code->arch.arch != &arch_arm)
        return;
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        find_group(unwind, code, found, &groups[i]);
    find_keeper(code, found);
}
