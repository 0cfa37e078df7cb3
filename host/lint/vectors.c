/* SPDX-License-Identifier: MIT */
/* Checks how interrupts reach the library: by a Cortex-M's vector table, by jumps on
 * others. */
#include <inttypes.h>
#include <string.h>

#include "findings.h"

enum { VECTORS_MAX = 16 + 496, SYSTEM_VECTORS = 16 };

/* ---- Finding a Cortex-M's table ---- */

static uint32_t word_at(const struct program *program, const struct vectors *vectors,
                        size_t index)
{
    return program_word(program, vectors->words + 4 * index);
}

static const struct function *target_of(const struct program *program, uint32_t word)
{
    return word == 0 ? NULL : program_begins(program, word & ~UINT32_C(1));
}

/* Whether this place may be the table: it has a stack pointer, then the address of a
 * function. */
static bool is_table(const struct program *program, const struct vectors *vectors)
{
    return vectors->count >= 2 && (word_at(program, vectors, 0) & 3) == 0 &&
           word_at(program, vectors, 0) != 0 &&
           target_of(program, word_at(program, vectors, 1)) != NULL;
}

static bool try_table(const struct program *program, uint64_t address, uint64_t bytes,
                      struct vectors *vectors)
{
    size_t room;
    *vectors = (struct vectors){.address = address};
    vectors->words = program_bytes(program, address, &room);
    room = bytes != 0 && bytes < room ? (size_t)bytes : room;
    vectors->count = room / 4 < VECTORS_MAX ? room / 4 : VECTORS_MAX;
    return vectors->words != NULL && is_table(program, vectors);
}

static bool in_section(const struct program *program, struct vectors *vectors)
{
    static const char *const names[] = {".vectors", ".isr_vector",  ".vector_table",
                                        ".intvecs", ".isr_vectors", "rom_start"};
    const struct elf_file *file = image_file(program->image);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        GElf_Shdr header;
        if (elf_file_find(file, 0, names[k], &header) != 0 &&
            try_table(program, header.sh_addr, header.sh_size, vectors))
            return true;
    }
    return false;
}

static bool at_symbol(const struct program *program, struct vectors *vectors)
{
    static const char *const names[] = {"__isr_vector",   "__Vectors",    "g_pfnVectors",
                                        "_vectors",       "vectors",      "vector_table",
                                        "__vector_table", "_isr_vectors", "__vectors"};
    GElf_Sym symbol;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (program_symbol(program, names[i], &symbol) &&
            try_table(program, symbol.st_value, symbol.st_size, vectors))
            return true;
    return false;
}

/* Takes what is loaded lowest, if no symbol names the table. */
static bool at_start(const struct program *program, struct vectors *vectors)
{
    const struct elf_file *file = image_file(program->image);
    uint64_t low = UINT64_MAX;
    for (size_t i = 1; i < file->section_count; i++) {
        GElf_Shdr header;
        if (elf_file_header(file, i, &header) && (header.sh_flags & SHF_ALLOC) != 0 &&
            header.sh_type == SHT_PROGBITS && header.sh_size > 0 && header.sh_addr < low)
            low = header.sh_addr;
    }
    return low != UINT64_MAX && try_table(program, low, 0, vectors);
}

struct vectors find_vectors(const struct program *program)
{
    struct vectors vectors = {0};
    if (!program->short_code ||
        (!in_section(program, &vectors) && !at_symbol(program, &vectors) &&
         !at_start(program, &vectors)))
        vectors = (struct vectors){0};
    return vectors;
}

/* ---- What it holds ---- */

/* Checks the stack, which begins below the first word: a place that the file loads is not
 * RAM. */
static void check_stack(struct findings *findings, const struct vectors *vectors)
{
    const struct elf_file *file = image_file(findings->image);
    uint32_t stack = word_at(&findings->program, vectors, 0);
    for (size_t i = 1; i < file->section_count; i++) {
        GElf_Shdr header;
        if (elf_file_header(file, i, &header) && (header.sh_flags & SHF_ALLOC) != 0 &&
            (header.sh_flags & SHF_WRITE) == 0 && stack > header.sh_addr &&
            stack - header.sh_addr <= header.sh_size) {
            finding(findings, "vector-stack",
                    "The stack pointer is 0x%08" PRIx32
                    ", which is not in RAM: code or constants are below it.",
                    stack);
            return;
        }
    }
    if (stack % 8 != 0)
        finding(findings, "vector-stack",
                "The stack pointer is 0x%08" PRIx32 ", not a multiple of 8.", stack);
}

static void check_stacks(struct findings *findings, const struct vectors *vectors)
{
    const struct elf_file *file = image_file(findings->image);
    uint32_t stack = word_at(&findings->program, vectors, 0);
    for (size_t i = 1; i < file->section_count; i++) {
        GElf_Shdr header;
        if (elf_file_header(file, i, &header) &&
            (header.sh_flags & (SHF_ALLOC | SHF_WRITE)) == (SHF_ALLOC | SHF_WRITE) &&
            header.sh_size > 0 && header.sh_addr >= stack &&
            program_symbol(&findings->program, "mcuprof_unwind_table", NULL)) {
            finding(findings, "stacks-above",
                    "The stack begins at 0x%08" PRIx32 ", below 0x%08" PRIx64 ".", stack,
                    header.sh_addr);
            return;
        }
    }
}

/* The vectors end at the first word that is neither 0 nor a function's address. */
static void check_states(struct findings *findings, const struct vectors *vectors)
{
    const struct program *program = &findings->program;
    for (size_t i = 1; i < vectors->count; i++) {
        uint32_t word = word_at(program, vectors, i);
        const struct function *function = target_of(program, word);
        if (i >= SYSTEM_VECTORS && word != 0 && function == NULL)
            return;
        if (function != NULL && (word & 1) == 0)
            finding_in(findings, "vector-state", function, "vector %zu: 0x%08" PRIx32, i,
                       word);
    }
}

static bool has_vector(const struct program *program, const struct vectors *vectors,
                       const struct function *function)
{
    for (size_t i = 1; i < vectors->count; i++)
        if (target_of(program, word_at(program, vectors, i)) == function)
            return true;
    return false;
}

/* Whether another symbol has the function's name, without the end that -flto adds to it.
 */
static bool is_redefined(const struct program *program, const struct function *function)
{
    const struct elf_file *file = image_file(program->image);
    const char *name = function->symbol->name;
    size_t length = strcspn(name, ".");
    for (size_t i = 0; i < file->symbol_count && !function->symbol->global; i++) {
        GElf_Sym symbol;
        uint32_t section;
        if (!elf_file_symbol(file, i, &symbol, &section) ||
            symbol.st_shndx == SHN_UNDEF || GELF_ST_BIND(symbol.st_info) == STB_LOCAL)
            continue;
        const char *other = elf_file_string(file, symbol.st_name);
        if (strncmp(other, name, length) == 0 && other[length] == '\0')
            return true;
    }
    return false;
}

/* -flto binds a vector to the weak handler and makes that local, before the linker gives
 * its name to another function. */
static void check_replaced(struct findings *findings, const struct vectors *vectors)
{
    const struct program *program = &findings->program;
    for (size_t i = 1; i < vectors->count; i++) {
        const struct function *function =
            target_of(program, word_at(program, vectors, i));
        if (function != NULL && is_redefined(program, function))
            finding_in(findings, "vector-kept", function, "vector %zu", i);
    }
}

/* Whether the code or the constants of one function refer to another function. */
static bool refers(const struct program *program, const struct function *from,
                   const struct function *to)
{
    size_t room;
    const uint8_t *bytes = program_bytes(program, from->symbol->address, &room);
    for (size_t i = 0; i < program->call_count; i++)
        if (&program->functions[program->calls[i].from] == from &&
            &program->functions[program->calls[i].to] == to)
            return true;
    if (bytes != NULL && from->symbol->end - from->symbol->address < room)
        room = (size_t)(from->symbol->end - from->symbol->address);
    for (size_t at = from->symbol->address & 3 ? 2 : 0; bytes != NULL && at + 4 <= room;
         at += 4)
        if (target_of(program, program_word(program, bytes + at)) == to)
            return true;
    return false;
}

/* Whether a vector leads to the link's interrupt. */
static bool is_links(const struct program *program, const struct vectors *vectors,
                     size_t number)
{
    const struct function *function =
        target_of(program, word_at(program, vectors, number));
    const struct function *links[] = {program_named(program, "mcuprof_link_isr"),
                                      program_named(program, "mcuprof_link_entry")};
    for (size_t i = 0; i < 2 && function != NULL; i++)
        if (links[i] != NULL &&
            (function == links[i] || refers(program, function, links[i])))
            return true;
    return false;
}

/* Checks the number of the link's exception, which a symbol of the library has. If no
 * vector is seen to lead to the link's interrupt, nothing is reported. */
static void check_link_irq(struct findings *findings, const struct vectors *vectors)
{
    const struct program *program = &findings->program;
    GElf_Sym symbol;
    if (!program_symbol(program, "mcuprof_link_exception", &symbol) ||
        (symbol.st_value < vectors->count &&
         is_links(program, vectors, (size_t)symbol.st_value)))
        return;
    for (size_t i = 1; i < vectors->count; i++)
        if (is_links(program, vectors, i)) {
            finding(findings, "link-irq",
                    "MCUPROF_LINK_IRQ is %" PRId64
                    "; the link's vector is that of %" PRId64 ".",
                    (int64_t)symbol.st_value - SYSTEM_VECTORS,
                    (int64_t)i - SYSTEM_VECTORS);
            return;
        }
}

/* Whether anything outside of the library enters it. */
static bool is_entered(const struct program *program, const struct vectors *vectors,
                       const struct function *function)
{
    return (vectors->words != NULL && has_vector(program, vectors, function)) ||
           program_calls(program, function, true) || program_points(program, function);
}

/* The handler to which mcuprof's interrupts go in its place: among those of the chip's
 * interrupts the one that most vectors have. */
static const struct function *usual_handler(const struct program *program,
                                            const struct vectors *vectors)
{
    const struct function *usual = NULL;
    size_t most = 1;
    for (size_t i = SYSTEM_VECTORS; i < vectors->count; i++) {
        const struct function *tried = target_of(program, word_at(program, vectors, i));
        size_t same = 0;
        for (size_t k = i; tried != NULL && k < vectors->count; k++)
            same += target_of(program, word_at(program, vectors, k)) == tried;
        if (same > most) {
            most = same;
            usual = tried;
        }
    }
    return usual;
}

static void say_not_entered(struct findings *findings, const struct vectors *vectors,
                            const char *rule, const char *name)
{
    const struct function *usual =
        vectors->words != NULL ? usual_handler(&findings->program, vectors) : NULL;
    if (usual != NULL)
        finding(findings, rule, "No vector has %s; most have %s.", name,
                usual->symbol->demangled);
    else if (vectors->words != NULL)
        finding(findings, rule, "No vector has %s.", name);
    else
        finding(findings, rule, "Nothing refers to %s.", name);
}

/* Whether the absence of an entry into a function can be proven. On a Cortex-M and an AVR
 * the vectors are in the ELF; on ARM7 and ARM9 they jump, or load an address from memory.
 * On others, instructions may make an address. */
static bool is_known(const struct program *program, const struct vectors *vectors)
{
    const struct arch *arch = image_arch(program->image);
    return vectors->words != NULL || arch == &arch_avr ||
           (arch == &arch_arm && !program->short_code);
}

/* Whether code outside of the library calls a function of it, jumps to it, or has its
 * address. The linker drops what nothing refers to. */
static bool is_reached(const struct program *program, const struct vectors *vectors,
                       const char *name)
{
    const struct function *function = program_named(program, name);
    return function != NULL && (is_entered(program, vectors, function) ||
                                program_calls(program, function, false));
}

static void check_sampling(struct findings *findings, const struct vectors *vectors)
{
    const struct program *program = &findings->program;
    const struct function *isr = program_named(program, "mcuprof_sample_isr");
    for (size_t i = 0; i < program->call_count; i++)
        if (&program->functions[program->calls[i].to] == isr && !program->calls[i].jump)
            finding_at(findings, "sampling-called", program->calls[i].at, NULL);
    if (findings->lint->summary.samples && (isr == NULL || is_known(program, vectors)) &&
        !is_reached(program, vectors, "mcuprof_sample_isr"))
        say_not_entered(findings, vectors, "vector-sampling", "mcuprof_sample_isr");
}

static void check_link(struct findings *findings, const struct vectors *vectors)
{
    const struct program *program = &findings->program;
    const struct function *isr = program_named(program, "mcuprof_link_isr");
    if (isr != NULL && !is_known(program, vectors))
        return;
    if (isr != NULL && program_times(program) && vectors->words != NULL &&
        has_vector(program, vectors, isr))
        finding(findings, "link-timed", NULL);
    if (program_named(program, "mcuprof_rtt_wait") != NULL ||
        program_named(program, "mcuprof_semihosting") != NULL)
        return; /* the link has no interrupt */
    if (!is_reached(program, vectors, "mcuprof_link_isr") &&
        !is_reached(program, vectors, "mcuprof_link_entry"))
        say_not_entered(findings, vectors, "vector-link", "mcuprof_link_isr");
}

void check_vectors(struct findings *findings)
{
    struct vectors vectors = find_vectors(&findings->program);
    if (vectors.words != NULL) {
        check_stack(findings, &vectors);
        check_stacks(findings, &vectors);
        check_states(findings, &vectors);
        check_replaced(findings, &vectors);
        check_link_irq(findings, &vectors);
    } else if (findings->program.short_code) {
        finding(findings, "no-vectors", NULL);
    }
    check_sampling(findings, &vectors);
    check_link(findings, &vectors);
}
