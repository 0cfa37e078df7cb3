/* SPDX-License-Identifier: MIT */
/* Finds functions and their calls in the code. */
#include "program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/name.h"
#include "../base/search.h"
#include "../base/vector.h"
#include "../image/elf_file.h"

/* ---- Names ---- */

/* The hook of this name. A linker's veneer of a hook has the hook's name in its own. */
static unsigned hook_named(const char *name)
{
    static const struct {
        const char *name;
        unsigned hook;
    } names[] = {
        {"__gnu_mcount_nc", HOOK_CALL},
        {"__cyg_profile_func_enter", HOOK_ENTER},
        {"__cyg_profile_func_exit", HOOK_EXIT},
        {"__sanitizer_cov_trace_pc", HOOK_BLOCK},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (name_has(name, names[i].name))
            return names[i].hook;
    return strcmp(name_bare(name), "mcount") == 0 ? HOOK_CALL : 0;
}

/* Whether target/include/mcuprof_link.h or mcuprof_port.h asks the board for this
 * function. */
static bool is_port(const char *name)
{
    static const char *const names[] = {"mcuprof_link_start", "mcuprof_link_idle",
                                        "mcuprof_link_isr",   "mcuprof_timer_start",
                                        "mcuprof_timer_set",  "mcuprof_timer_stop",
                                        "mcuprof_may_wait"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Whether a symbol is the library's. A local symbol has its file's name, and the
 * library's files begin with mcuprof. */
static bool is_librarys(const struct image_symbol *symbol)
{
    return strncmp(symbol->name, "mcuprof_", 8) == 0 ||
           (symbol->source != NULL && strncmp(symbol->source, "mcuprof", 7) == 0);
}

static void name_functions(struct program *program)
{
    for (size_t i = 0; i < program->count; i++) {
        struct function *function = &program->functions[i];
        const char *name = program->symbols[i].name;
        function->symbol = &program->symbols[i];
        function->is = hook_named(name);
        function->port = is_port(name);
        function->named = is_librarys(&program->symbols[i]) && !function->port;
        function->leaf = true;
    }
}

/* ---- Look-ups ---- */

struct function *program_in(const struct program *program, uint64_t address)
{
    size_t low = 0;
    SEARCH(low, program->count, program->symbols[middle].address <= address);
    if (low == 0 || address >= program->symbols[low - 1].end)
        return NULL;
    return &program->functions[low - 1];
}

struct function *program_begins(const struct program *program, uint64_t address)
{
    struct function *function = program_in(program, address);
    return function != NULL && function->symbol->address == address ? function : NULL;
}

bool program_symbol(const struct program *program, const char *name, GElf_Sym *found)
{
    const struct elf_file *file = image_file(program->image);
    for (size_t i = 0; i < file->symbol_count; i++) {
        GElf_Sym symbol;
        uint32_t section;
        if (!elf_file_symbol(file, i, &symbol, &section) ||
            symbol.st_shndx == SHN_UNDEF ||
            strcmp(elf_file_string(file, symbol.st_name), name) != 0)
            continue;
        if (found != NULL)
            *found = symbol;
        return true;
    }
    return false;
}

/* Looks at all symbols: the image keeps only one of several names at one address. */
struct function *program_named(const struct program *program, const char *name)
{
    GElf_Sym symbol;
    if (!program_symbol(program, name, &symbol))
        return NULL;
    return program_begins(program,
                          elf_file_code_address(image_file(program->image), &symbol));
}

bool program_times(const struct program *program)
{
    return program_named(program, "mcuprof_calls_start") != NULL ||
           program_named(program, "mcuprof_enter") != NULL;
}

/* ---- Memory ---- */

static Elf_Data *loaded(const struct program *program, size_t section, GElf_Shdr *header)
{
    const struct elf_file *file = image_file(program->image);
    if (!elf_file_header(file, section, header) || (header->sh_flags & SHF_ALLOC) == 0 ||
        header->sh_type == SHT_NOBITS || (header->sh_flags & SHF_COMPRESSED) != 0)
        return NULL;
    Elf_Data *data = elf_file_bytes(file, section);
    return data != NULL && data->d_buf != NULL ? data : NULL;
}

const uint8_t *program_bytes(const struct program *program, uint64_t address,
                             size_t *size)
{
    const struct elf_file *file = image_file(program->image);
    for (size_t i = 1; i < file->section_count; i++) {
        GElf_Shdr header;
        Elf_Data *data = loaded(program, i, &header);
        if (data == NULL || address < header.sh_addr ||
            address - header.sh_addr >= data->d_size)
            continue;
        *size = data->d_size - (size_t)(address - header.sh_addr);
        return (const uint8_t *)data->d_buf + (address - header.sh_addr);
    }
    *size = 0;
    return NULL;
}

uint32_t program_word(const struct program *program, const uint8_t *bytes)
{
    bool big = image_big_endian(program->image);
    uint32_t word = 0;
    for (unsigned i = 0; i < 4; i++)
        word = word << 8 | bytes[big ? i : 3 - i];
    return word;
}

bool program_points(const struct program *program, const struct function *function)
{
    const struct elf_file *file = image_file(program->image);
    uint64_t bit = program->short_code ? 1 : 0;
    for (size_t i = 1; i < file->section_count; i++) {
        GElf_Shdr header;
        Elf_Data *data = loaded(program, i, &header);
        size_t first = data == NULL ? 0 : (size_t)(-header.sh_addr & 3);
        for (size_t at = first; data != NULL && at + 4 <= data->d_size; at += 4)
            if (program_word(program, (const uint8_t *)data->d_buf + at) ==
                (function->symbol->address | bit))
                return true;
    }
    return false;
}

bool program_calls(const struct program *program, const struct function *function,
                   bool jump)
{
    for (size_t i = 0; i < program->call_count; i++) {
        const struct call *call = &program->calls[i];
        const struct function *from = &program->functions[call->from];
        if (&program->functions[call->to] == function && call->jump == jump &&
            !from->named && !from->port)
            return true;
    }
    return false;
}

/* ---- Code ---- */

/* Whether a mapping symbol says that data are at the address. */
static bool is_data(const struct arch_code *code, uint64_t at)
{
    size_t low = 0;
    SEARCH(low, code->mark_count, code->marks[middle].address <= at);
    return low > 0 && code->marks[low - 1].state == ARCH_DATA;
}

/* A function that is being read. */
struct reading {
    struct program *program;
    struct function *function;
    uint64_t low, high;
    size_t first_call; /* index of its first call in program->calls */
    int32_t *depth;    /* for each unit of code: loops that begin there less loops that
                        * end before it */
};

static size_t unit_of(const struct reading *reading, uint64_t address)
{
    return (size_t)((address - reading->low) / reading->program->code.arch->unit);
}

static bool add_call(struct reading *reading, uint64_t at, const struct function *to,
                     bool jump)
{
    struct program *program = reading->program;
    if (!vector_grow(&program->calls, program->call_count, &program->call_room,
                     sizeof *program->calls))
        return false;
    program->calls[program->call_count++] =
        (struct call){.from = (uint32_t)(reading->function - program->functions),
                      .to = (uint32_t)(to - program->functions),
                      .at = at,
                      .jump = jump};
    return true;
}

static void take_hook(struct function *function, unsigned hook, uint64_t at, bool jump)
{
    if (function->hooks == 0) {
        function->hook = at;
        function->first = hook;
    }
    function->hooks |= hook | (jump ? HOOK_JUMPED : 0);
}

/* Takes the call or jump that an instruction makes. */
static bool take(struct reading *reading, uint64_t at,
                 const struct arch_instruction *found)
{
    struct function *function = reading->function;
    bool jump = found->kind == ARCH_JUMP || found->kind == ARCH_BRANCH;
    if (jump && found->target >= reading->low && found->target <= at) {
        function->loops = true;
        reading->depth[unit_of(reading, found->target)]++;
        reading->depth[unit_of(reading, at) + 1]--;
        return true;
    }
    if (found->kind != ARCH_CALL && found->kind != ARCH_JUMP)
        return true;
    const struct function *to = program_begins(reading->program, found->target);
    function->leaf &= found->kind != ARCH_CALL || (to != NULL && to->is != 0);
    if (to == NULL || to == function)
        return true;
    if (to->is != 0 && function->is == 0)
        take_hook(function, to->is, at, jump);
    return add_call(reading, at, to, jump);
}

/* Marks calls in a loop, once all loops are known. */
static void mark_loops(const struct reading *reading)
{
    struct program *program = reading->program;
    int32_t depth = 0;
    size_t unit = 0;
    for (size_t i = reading->first_call; i < program->call_count; i++) {
        struct call *call = &program->calls[i];
        for (; unit <= unit_of(reading, call->at); unit++)
            depth += reading->depth[unit];
        call->in_loop = depth > 0;
    }
}

static bool is_hook_call(const struct reading *reading,
                         const struct arch_instruction *found)
{
    const struct function *to =
        found->kind == ARCH_CALL ? program_begins(reading->program, found->target) : NULL;
    return to != NULL && to->is != 0;
}

static bool read_code(struct reading *reading, const uint8_t *bytes, size_t size)
{
    const struct arch_code *code = &reading->program->code;
    for (size_t at = 0; at < size;) {
        struct arch_instruction found;
        arch_decode(code, reading->low + at, bytes + at, size - at, &found);
        reading->function->instructions +=
            !is_data(code, reading->low + at) && !is_hook_call(reading, &found);
        if (!take(reading, reading->low + at, &found))
            return false;
        at += found.bytes;
    }
    return true;
}

static bool read_range(struct program *program, struct function *function, uint64_t low,
                       uint64_t high)
{
    struct reading reading = {.program = program,
                              .function = function,
                              .low = low,
                              .high = high,
                              .first_call = program->call_count};
    size_t size;
    const uint8_t *bytes = image_bytes(program->image, reading.low, &size);
    if (size > reading.high - reading.low)
        size = (size_t)(reading.high - reading.low);
    if (bytes == NULL && image_bytes_lost(program->image, reading.low))
        return false;
    if (size == 0)
        return true;
    reading.depth = calloc(size / program->code.arch->unit + 2, sizeof *reading.depth);
    bool done = reading.depth != NULL && read_code(&reading, bytes, size);
    if (done)
        mark_loops(&reading);
    free(reading.depth);
    return done;
}

/* ---- The whole ---- */

static void find_types(struct program *program)
{
    const struct elf_file *file = image_file(program->image);
    for (size_t i = 0; i < file->symbol_count; i++) {
        GElf_Sym symbol;
        uint32_t section;
        if (!elf_file_symbol(file, i, &symbol, &section) ||
            GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF)
            continue;
        struct function *function =
            program_begins(program, elf_file_code_address(file, &symbol));
        if (function != NULL)
            function->typed = true;
    }
}

/* Whether an ELF of ARM has only short code, as a Cortex-M's; ARM7 and ARM9 start in A32
 * code. */
static bool only_short(const struct arch_code *code)
{
    bool some = false;
    if (code->arch != &arch_arm)
        return false;
    for (size_t i = 0; i < code->mark_count; i++) {
        if (code->marks[i].mapped && code->marks[i].state == ARCH_WIDE)
            return false;
        some |= code->marks[i].state == ARCH_CODE;
    }
    return some;
}

/* Reads code that has no name: vectors often have none. */
static bool read_nameless(struct program *program)
{
    const struct image_range *ranges;
    size_t count = image_code(program->image, &ranges), next = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t low = ranges[i].low;
        for (; next < program->count && program->symbols[next].address < ranges[i].high;
             next++) {
            if (program->symbols[next].address > low &&
                !read_range(program, &program->functions[program->count], low,
                            program->symbols[next].address))
                return false;
            if (program->symbols[next].end > low)
                low = program->symbols[next].end;
        }
        if (low < ranges[i].high &&
            !read_range(program, &program->functions[program->count], low,
                        ranges[i].high))
            return false;
    }
    return true;
}

static bool read_functions(struct program *program)
{
    for (size_t i = 0; i < program->count; i++)
        if (!read_range(program, &program->functions[i], program->symbols[i].address,
                        program->symbols[i].end))
            return false;
    return read_nameless(program);
}

bool program_read(struct program *program, struct image *image)
{
    *program = (struct program){.image = image};
    program->count = image_symbols(image, &program->symbols);
    program->functions = calloc(program->count + 1, sizeof *program->functions);
    if (program->functions == NULL || program->count >= UINT32_MAX ||
        !elf_file_code(image_file(image), &program->code))
        return false;
    program->short_code = only_short(&program->code);
    name_functions(program);
    find_types(program);
    /* libelf reports a lack of memory in errno only, and program_read_units() sets errno
     * anew */
    return read_functions(program) && errno != ENOMEM && program_read_units(program);
}

void program_release(struct program *program)
{
    free(program->functions);
    free(program->calls);
    free(program->flags);
    free(program->written);
    if (program->units.elf != NULL)
        units_release(&program->units);
    arch_code_release(&program->code);
}
