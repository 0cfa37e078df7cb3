/* SPDX-License-Identifier: MIT */
/* Makes rows from what the code and the frame information tell. */
#include "unwind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/vector.h"
#include "../image/elf_file.h"
#include "exceptions.h"
#include "flow.h"
#include "frames.h"
#include "mcuprof_unwind.h"
#include "thunks.h"

const struct cpu *const unwind_cpus[] = {&cpu_arm, &cpu_riscv,     &cpu_sparc,
                                         &cpu_avr, &cpu_avr_large, NULL};

static bool definite(struct answer answer)
{
    return answer.where != MCUPROF_UNWIND_UNKNOWN;
}

/* Whether two answers can both be right: the return address can be in a register and on
 * the stack at once, and both the stack pointer and the frame pointer can give it. */
static bool both_right(struct answer a, struct answer b)
{
    return a.based != b.based ||
           (a.size == b.size && (a.where == MCUPROF_UNWIND_LINK ||
                                 b.where == MCUPROF_UNWIND_LINK || a.where == b.where));
}

/* Whether the two answers differ and neither is preferred. While a stack frame is being
 * freed the code is right: on some processors frame information does not cover epilogues.
 */
static bool clashes(const struct found *found)
{
    if (!found->begins || !definite(found->code) || !definite(found->frame) ||
        both_right(found->code, found->frame) ||
        found->code.where == MCUPROF_UNWIND_END ||
        found->code.where == MCUPROF_UNWIND_HANDLER)
        return false;
    bool freed = found->raised || found->code.based;
    return !found->trusted && (!freed || found->code.size > found->frame.size);
}

/* In a function that is called with the link t0, the return address stays in t0. Its
 * frame information is not used: it gives one stack pointer for all paths. */
static struct answer choose_second(const struct found *found)
{
    if (!found->begins || (found->code.where != MCUPROF_UNWIND_R0 &&
                           found->code.where != MCUPROF_UNWIND_TARGET))
        return (struct answer){.where = MCUPROF_UNWIND_UNKNOWN};
    return found->code;
}

struct answer found_answer(const struct found *found)
{
    if (found->opaque)
        return (struct answer){.where = MCUPROF_UNWIND_UNKNOWN};
    if (found->second)
        return choose_second(found);
    if (clashes(found))
        return (struct answer){.where = MCUPROF_UNWIND_UNKNOWN};
    if (!found->begins || !definite(found->code))
        return found->frame;
    struct answer answer = found->code;
    if (answer.saved == MCUPROF_UNWIND_SAVED_LOST && definite(found->frame) &&
        found->frame.saved != 0)
        answer.saved = found->frame.saved;
    return answer;
}

/* ---- Rows ---- */

struct maker {
    struct unwind *unwind;
    const struct code *code;
    const struct cpu *cpu;
    struct found *found;
    size_t row_room, gap_room;
};

static struct answer answer_of(const struct unwind_row *row)
{
    return (struct answer){row->size, row->where, row->saved, row->based};
}

/* Adds a row; merges equal neighbours of one range, and replaces an earlier row at the
 * same address. */
static bool add_row(struct maker *maker, uint64_t address, struct answer answer)
{
    struct unwind *unwind = maker->unwind;
    if (unwind->row_count > 0 && unwind->rows[unwind->row_count - 1].address == address)
        unwind->based_count -= unwind->rows[--unwind->row_count].based;
    const struct unwind_row *last =
        unwind->row_count > 0 ? &unwind->rows[unwind->row_count - 1] : NULL;
    if (last != NULL && answer_same(answer_of(last), answer) &&
        address != maker->code->low)
        return true;
    if (!vector_grow(&unwind->rows, unwind->row_count, &maker->row_room,
                     sizeof *unwind->rows))
        return false;
    unwind->based_count += answer.based;
    unwind->rows[unwind->row_count++] = (struct unwind_row){
        address, answer.size, answer.where, answer.saved, answer.based};
    return true;
}

static bool add_gap(struct maker *maker, const struct code_function *function,
                    uint64_t bytes)
{
    struct unwind *unwind = maker->unwind;
    if (!vector_grow(&unwind->gaps, unwind->gap_count, &maker->gap_room,
                     sizeof *unwind->gaps))
        return false;
    unwind->gaps[unwind->gap_count++] =
        (struct unwind_gap){function->name, function->low, bytes};
    return true;
}

/* Whether this is padding behind a function, which no code reaches. */
static bool is_padding(const struct maker *maker, uint64_t at)
{
    const struct found *found = &maker->found[code_index(maker->code, at)];
    uint32_t word;
    if (found->begins || !code_fetch(maker->code, at, maker->code->unit, &word))
        return false;
    for (size_t i = 0; i < sizeof maker->cpu->padding / sizeof word; i++)
        if (maker->cpu->padding[i] == word)
            return true;
    return false;
}

/* Adds an instruction, or a unit of code that was not reached. Returns its bytes; 0: out
 * of memory. */
static unsigned add_code(struct maker *maker, const struct code_function *function,
                         uint64_t at, uint64_t *unknown)
{
    const struct found *found = &maker->found[code_index(maker->code, at)];
    struct answer answer = found_answer(found);
    unsigned unit = maker->code->unit;
    unsigned bytes = found->begins ? code_length(maker->code, at) : unit;
    if (!add_row(maker, at, answer))
        return 0;
    if (!function->typed && !found->begins) /* it may be data */
        return bytes;
    maker->unwind->code_bytes += bytes;
    maker->unwind->clash_bytes += clashes(found) ? bytes : 0;
    *unknown += definite(answer) ? 0 : bytes;
    return bytes;
}

static bool add_function(struct maker *maker, const struct code_function *function)
{
    const struct code *code = maker->code;
    uint64_t unknown = 0;
    if (!function->typed && !maker->found[code_index(code, function->low)].begins)
        return add_row(maker, function->low,
                       (struct answer){.where = MCUPROF_UNWIND_UNKNOWN});
    for (uint64_t at = function->low; at < function->high;) {
        bool skip = !code_at(code, at) || (at > function->low && is_padding(maker, at));
        unsigned bytes = skip ? code->unit : add_code(maker, function, at, &unknown);
        if (bytes == 0)
            return false;
        at += bytes;
    }
    maker->unwind->known_bytes -= unknown;
    return unknown == 0 || add_gap(maker, function, unknown);
}

/* The frame information of assembly often has only a begin and an end. Then the code is
 * trusted instead. */
static void trust_code(struct maker *maker, const struct code_function *function)
{
    const struct code *code = maker->code;
    const struct answer entered = {.where = MCUPROF_UNWIND_LINK};
    for (uint64_t at = function->low; at < function->high; at += code->unit)
        if (maker->found[code_index(code, at)].has_frame &&
            !answer_same_return(maker->found[code_index(code, at)].frame, entered))
            return;
    for (uint64_t at = function->low; at < function->high; at += code->unit) {
        struct found *found = &maker->found[code_index(code, at)];
        found->trusted = true;
        found->frame = (struct answer){.where = MCUPROF_UNWIND_UNKNOWN};
    }
}

/* If no row uses the frame pointer, nobody needs to know where it is saved. */
static void forget_saved(struct unwind *unwind)
{
    size_t kept = 0, kept_in_ram = 0;
    for (size_t i = 0; i < unwind->row_count; i++) {
        struct unwind_row row = unwind->rows[i];
        row.saved = 0;
        if (kept == 0 || i == unwind->ram_row_count ||
            !answer_same(answer_of(&unwind->rows[kept - 1]), answer_of(&row)))
            unwind->rows[kept++] = row;
        kept_in_ram += i + 1 == unwind->ram_row_count ? kept : 0;
    }
    unwind->row_count = kept;
    unwind->ram_row_count = kept_in_ram;
}

/* Bytes of padding at an address between functions; 0: there is none. */
static unsigned padding_at(const struct maker *maker, uint64_t at)
{
    const struct cpu *cpu = maker->cpu;
    unsigned unit = maker->code->unit;
    uint32_t word;
    if (is_padding(maker, at))
        return unit;
    if (maker->found[code_index(maker->code, at)].begins ||
        !code_fetch(maker->code, at, 2 * unit, &word) || word == 0)
        return 0;
    for (size_t i = 0; i < sizeof cpu->padding_wide / sizeof word; i++)
        if (cpu->padding_wide[i] == word)
            return 2 * unit;
    return 0;
}

/* Adds what lies between two functions: code without a symbol has the frame of what jumps
 * there, else none that is known. Padding needs no row. */
static bool add_between(struct maker *maker, uint64_t low, uint64_t high)
{
    const struct code *code = maker->code;
    const struct answer unknown = {.where = MCUPROF_UNWIND_UNKNOWN};
    bool is_first = true;
    for (uint64_t at = low; at < high;) {
        unsigned skipped = code_at(code, at) ? padding_at(maker, at) : code->unit;
        if (skipped > 0) {
            at += skipped;
            continue;
        }
        const struct found *found = &maker->found[code_index(code, at)];
        if ((is_first && !add_row(maker, low, unknown)) ||
            !add_row(maker, at, found_answer(found)))
            return false;
        is_first = false;
        at += found->begins ? code_length(code, at) : code->unit;
    }
    return true;
}

/* Adds the rows of one range, `low` first. */
static bool add_range(struct maker *maker, uint64_t low, uint64_t high)
{
    const struct code *code = maker->code;
    if (!add_row(maker, low, (struct answer){.where = MCUPROF_UNWIND_UNKNOWN}))
        return false;
    for (size_t i = 0; i < code->function_count; i++) {
        const struct code_function *function = &code->functions[i];
        if (function->low < low || function->low >= high)
            continue;
        if (!add_between(maker, low, function->low) || !add_function(maker, function))
            return false;
        low = function->high;
    }
    return add_between(maker, low, high);
}

static bool add_all(struct maker *maker)
{
    const struct code *code = maker->code;
    struct unwind *unwind = maker->unwind;
    for (size_t i = 0; i < code->function_count; i++)
        trust_code(maker, &code->functions[i]);
    exceptions_find(unwind, code, maker->found);
    if (code->ram_high != 0 && !add_range(maker, code->ram_low, code->ram_high))
        return false;
    unwind->ram_row_count = unwind->row_count;
    unwind->ram_code_bytes = unwind->code_bytes;
    if (!add_range(maker, code->low, code->high))
        return false;
    if (unwind->based_count == 0)
        forget_saved(unwind);
    unwind->function_count = code->function_count;
    for (size_t i = 0; i < code->function_count; i++)
        unwind->ram_function_count += code_in_ram(code, code->functions[i].low);
    unwind->known_bytes += unwind->code_bytes;
    return true;
}

static const struct cpu *find_cpu(const struct image *image)
{
    const GElf_Ehdr *header = &image_file(image)->header;
    const struct arch *arch = image_arch(image);
    if (arch->machines[0].number != header->e_machine)
        return NULL;
    for (size_t i = 0; unwind_cpus[i] != NULL; i++) {
        const struct cpu *cpu = unwind_cpus[i];
        if (cpu->arch == arch && (cpu->serves == NULL || cpu->serves(header->e_flags)))
            return cpu;
    }
    return NULL;
}

static void mark_opaque(const struct code *code, struct found *found)
{
    for (size_t i = 0; i < code->function_count; i++) {
        const struct code_function *function = &code->functions[i];
        for (uint64_t at = function->low; function->opaque && at < function->high;
             at += code->unit)
            found[code_index(code, at)].opaque = true;
    }
}

static bool make(struct unwind *unwind, const struct image *image, const struct cpu *cpu,
                 const struct code *code)
{
    struct maker maker = {.unwind = unwind, .code = code, .cpu = cpu};
    maker.found = calloc(code_units(code) + 1, sizeof *maker.found);
    if (maker.found == NULL)
        return false;
    frames_read(code, cpu, image, maker.found);
    bool done = flow_follow(code, cpu, maker.found);
    mark_opaque(code, maker.found);
    thunks_note(code, image, maker.found);
    done = done && add_all(&maker);
    free(maker.found);
    return done;
}

static bool make_by(struct unwind *unwind, const struct image *image,
                    const struct cpu *cpu, struct code *code, unsigned fp)
{
    unwind->fp = fp;
    code->fp = (uint8_t)fp;
    return make(unwind, image, cpu, code);
}

/* A walk of the stack follows one frame pointer. In an ELF of both A32 and T32 code it is
 * the one by which more of the code is known. */
static bool make_best(struct unwind *unwind, const struct image *image,
                      const struct cpu *cpu, struct code *code)
{
    struct unwind other = *unwind;
    size_t wide = 0;
    for (size_t i = 0; i < code->function_count; i++)
        wide += code->functions[i].wide;
    if (wide == 0 || wide == code->function_count)
        return make_by(unwind, image, cpu, code, wide == 0 ? cpu->fp : cpu->fp_wide);
    bool done = make_by(unwind, image, cpu, code, cpu->fp) &&
                make_by(&other, image, cpu, code, cpu->fp_wide);
    if (other.known_bytes > unwind->known_bytes) {
        struct unwind worse = *unwind;
        *unwind = other;
        other = worse;
    }
    unwind_release(&other);
    return done;
}

bool unwind_make(struct unwind *unwind, const struct image *image, struct error *error)
{
    const struct cpu *cpu = find_cpu(image);
    const char *path = image_path(image);
    struct code code = {0};
    *unwind = (struct unwind){0};
    if (cpu == NULL)
        return error_set(error, EXIT_BAD_INPUT, "%s: no unwind table is made for %s yet",
                         path, image_machine_name(image));
    /* libelf and libdw find less if they run out of memory, and only errno tells. */
    errno = 0;
    bool done = code_read(&code, image, error);
    if (done) {
        unwind->low = code.low;
        unwind->high = code.high;
        unwind->ram_low = code.ram_low;
        unwind->ram_high = code.ram_high;
        unwind->unit = code.unit;
        unwind->word = cpu->word;
        unwind->big_endian = image_big_endian(image);
        done = make_best(unwind, image, cpu, &code) ||
               error_set(error, EXIT_BAD_INPUT, "%s: out of memory", path);
    }
    if (errno == ENOMEM)
        done = error_set(error, EXIT_BAD_INPUT, "%s: out of memory", path);
    code_release(&code);
    if (!done)
        unwind_release(unwind);
    return done;
}

static bool find_starts(struct unwind_starts *starts, const struct image *image,
                        const struct cpu *cpu, struct code *code)
{
    size_t units = code_units(code);
    struct found *found = calloc(units + 1, sizeof *found);
    starts->at = calloc(units + 1, sizeof *starts->at);
    starts->bare = calloc(units + 1, sizeof *starts->bare);
    code->fp = (uint8_t)cpu->fp;
    bool done = found != NULL && starts->at != NULL && starts->bare != NULL;
    if (done)
        frames_read(code, cpu, image, found);
    done = done && flow_follow(code, cpu, found);
    for (size_t i = 0; done && i < units; i++) {
        uint64_t at = code_unit_address(code, i);
        starts->has_wide |= code->kinds[i] == CODE_WIDE;
        if (!found[i].begins || !code_at(code, at))
            continue;
        struct answer answer = found_answer(&found[i]);
        starts->bare[starts->count] =
            answer.where == MCUPROF_UNWIND_LINK && answer.size == 0 && !answer.based;
        starts->at[starts->count++] = at;
    }
    free(found);
    return done;
}

bool unwind_find_starts(struct unwind_starts *starts, const struct image *image,
                        struct error *error)
{
    const struct cpu *cpu = find_cpu(image);
    struct code code = {0};
    *starts = (struct unwind_starts){.at = NULL};
    if (cpu == NULL)
        return error_set(error, EXIT_BAD_INPUT, "%s: the code of %s is not followed yet",
                         image_path(image), image_machine_name(image));
    errno = 0;
    bool done = code_read(&code, image, error);
    if (done && (!find_starts(starts, image, cpu, &code) || errno == ENOMEM))
        done = error_set(error, EXIT_BAD_INPUT, "%s: out of memory", image_path(image));
    code_release(&code);
    return done;
}

void unwind_starts_release(struct unwind_starts *starts)
{
    free(starts->at);
    free(starts->bare);
}

void unwind_release(struct unwind *unwind)
{
    free(unwind->rows);
    free(unwind->gaps);
    *unwind = (struct unwind){0};
}
