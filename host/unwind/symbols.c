/* SPDX-License-Identifier: MIT */
/* Reads functions and labels, and what mapping symbols say of the code. */
#include "symbols.h"

#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/name.h"
#include "../image/elf_file.h"

/* What a symbol says about its address. */
struct mark {
    uint64_t address, size;
    const char *name;
    bool typed;
};

struct marks {
    struct mark *items;
    size_t count;
};

static void consider(struct marks *marks, const struct code *code, const GElf_Sym *symbol,
                     const char *name)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    bool global = GELF_ST_BIND(symbol->st_info) != STB_LOCAL;
    bool typed = type == STT_FUNC || type == STT_GNU_IFUNC;
    uint64_t address = symbol->st_value;
    if (name[0] == '\0' || name[0] == '$' || symbol->st_shndx == SHN_UNDEF ||
        symbol->st_shndx == SHN_ABS || (!typed && (type != STT_NOTYPE || !global)))
        return;
    if (typed)
        address &= ~code->arch.arch->state_bit;
    if (code_end(code, address) == 0 ||
        code->kinds[code_index(code, address)] == CODE_NONE)
        return;
    marks->items[marks->count++] = (struct mark){address, symbol->st_size, name, typed};
}

static bool read_marks(struct marks *marks, const struct code *code,
                       const struct image *image)
{
    const struct elf_file *file = image_file(image);

    marks->items = calloc(file->symbol_count + 1, sizeof *marks->items);
    if (marks->items == NULL)
        return false;
    for (size_t i = 0; i < file->symbol_count; i++) {
        GElf_Sym symbol;
        uint32_t section;

        if (elf_file_symbol(file, i, &symbol, &section) &&
            elf_file_is_loaded(file, section))
            consider(marks, code, &symbol, elf_file_string(file, symbol.st_name));
    }
    return true;
}

static int by_low(const void *left, const void *right)
{
    const struct code_object *a = left, *b = right;
    return (a->low > b->low) - (a->low < b->low);
}

/* Where variables overlap, the highest end of those before is that of each. */
static bool read_objects(struct code *code, const struct image *image)
{
    const struct elf_file *file = image_file(image);
    code->objects = calloc(file->symbol_count + 1, sizeof *code->objects);
    if (code->objects == NULL)
        return false;
    for (size_t i = 0; i < file->symbol_count; i++) {
        GElf_Sym symbol;
        uint32_t section;
        if (elf_file_symbol(file, i, &symbol, &section) &&
            GELF_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_size > 0 &&
            elf_file_is_loaded(file, section))
            code->objects[code->object_count++] =
                (struct code_object){symbol.st_value, symbol.st_value + symbol.st_size};
    }
    qsort(code->objects, code->object_count, sizeof *code->objects, by_low);
    for (size_t i = 1; i < code->object_count; i++)
        if (code->objects[i].high < code->objects[i - 1].high)
            code->objects[i].high = code->objects[i - 1].high;
    return true;
}

/* At one address, functions come before labels, the longest first. */
static int by_address(const void *left, const void *right)
{
    const struct mark *a = left, *b = right;
    ORDER_BY(a->address, b->address);
    if (a->typed != b->typed)
        return a->typed ? -1 : 1;
    ORDER_BY(b->size, a->size);
    return strcmp(a->name, b->name);
}

static void set_kinds(struct code *code, uint64_t low, uint64_t high, unsigned kind)
{
    for (uint64_t at = low; at < high; at += code->unit) {
        uint8_t *unit = &code->kinds[code_index(code, at)];
        if (*unit == CODE_NONE) /* the section ends */
            return;
        *unit = (uint8_t)kind;
    }
}

/* A mapping symbol is valid up to the next one. */
static void apply_mapping(struct code *code)
{
    static const uint8_t kinds[] = {
        [ARCH_WIDE] = CODE_WIDE, [ARCH_DATA] = CODE_DATA, [ARCH_CODE] = CODE_NARROW};
    const struct arch_code *arch = &code->arch;
    for (size_t i = 0; i < arch->mark_count; i++) {
        uint64_t low = arch->marks[i].address, end = code_end(code, low);
        uint64_t high = i + 1 < arch->mark_count ? arch->marks[i + 1].address : end;
        set_kinds(code, low, high < end ? high : end, kinds[arch->marks[i].state]);
    }
}

/* Whether this is a part that the compiler moved elsewhere, or an epilogue of libgcc:
 * functions jump to these with their frames. */
static bool is_piece(const char *name)
{
    return name_has(name, ".cold") || strncmp(name, "__riscv_restore_", 16) == 0;
}

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names != NULL && strcmp(name, *names) != 0)
        names++;
    return *names != NULL;
}

static bool is_reset(const char *name)
{
    static const char *const names[] = {"reset_handler", "Reset_Handler", "ResetISR",
                                        "_reset_handler", NULL};
    return is_one_of(name, names);
}

static bool is_first(const char *name)
{
    static const char *const names[] = {"_start",
                                        "__start",
                                        "_mainCRTStartup",
                                        "_port_thread_start",
                                        "z_thread_entry",
                                        "prvTaskExitError",
                                        NULL};
    return is_one_of(name, names) || is_reset(name);
}

/* Whether this is a function of libgcc's unwinder that overwrites registers that outer
 * functions have saved, return addresses among them. On ARM it unwinds the frames in
 * place, after the search for a handler, which works on a copy. Elsewhere it is the last
 * step before the jump to the handler. */
static bool is_spoiler(const char *name)
{
    return strcmp(name, "unwind_phase2") == 0 ||
           strcmp(name, "__gnu_Unwind_Resume") == 0 ||
           strcmp(name, "uw_install_context_1") == 0;
}

/* Whether this is a function of the unwinder whose saved registers are overwritten. Where
 * no symbol names the function that overwrites them, only these functions can be
 * found. */
static bool is_unwinder(const char *name)
{
    static const char *const names[] = {"RaiseException", "Resume", "Resume_or_Rethrow",
                                        "ForcedUnwind", "Backtrace"};
    const char *bare = name_bare(name);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(bare, "Unwind_", 7) == 0 && strcmp(bare + 7, names[i]) == 0)
            return true;
    return false;
}

/* Whether RISC-V code calls this instead of pushing registers, with t0 as the link. */
static bool is_second(const char *name)
{
    return strncmp(name, "__riscv_save_", 13) == 0;
}

static void find_opaque(struct code *code)
{
    bool named = false;
    for (size_t i = 0; i < code->function_count; i++)
        named |= strcmp(code->functions[i].name, "unwind_phase2") == 0 ||
                 strcmp(code->functions[i].name, "uw_install_context_1") == 0;
    for (size_t i = 0; i < code->function_count; i++) {
        struct code_function *function = &code->functions[i];
        function->spoils = is_spoiler(function->name);
        function->opaque = !named && is_unwinder(function->name);
    }
}

/* Whether a label is inside a function, or is another name of one. A label with a size is
 * a function. (AVR's linker shrinks code but not the sizes of functions.) */
static bool is_inside(const struct code *code, const struct mark *mark)
{
    const struct code_function *last =
        code->function_count > 0 ? &code->functions[code->function_count - 1] : NULL;
    return last != NULL && (last->low == mark->address ||
                            (!mark->typed && mark->size == 0 &&
                             last->high != UINT64_MAX && mark->address < last->high));
}

static void add_functions(struct code *code, const struct marks *marks)
{
    for (size_t i = 0; i < marks->count; i++) {
        const struct mark *mark = &marks->items[i];
        if (is_inside(code, mark))
            continue;
        code->functions[code->function_count++] = (struct code_function){
            .low = mark->address,
            .high = mark->size != 0 ? mark->address + mark->size : UINT64_MAX,
            .name = mark->name,
            .typed = mark->typed,
            .piece = is_piece(mark->name),
            .first = is_first(mark->name),
            .second = is_second(mark->name),
            .wide = code->kinds[code_index(code, mark->address)] == CODE_WIDE,
        };
    }
}

static void end_functions(struct code *code)
{
    for (size_t i = 0; i < code->function_count; i++) {
        struct code_function *function = &code->functions[i];
        uint64_t next = code_end(code, function->low);
        if (i + 1 < code->function_count && code->functions[i + 1].low < next)
            next = code->functions[i + 1].low;
        if (function->high > next || function->high < function->low)
            function->high = next;
    }
}

static void set_first(struct code *code, uint64_t address)
{
    const struct code_function *function = code_begins(code, address);
    if (function != NULL)
        code->functions[function - code->functions].first = true;
}

/* The reset handler that a Cortex-M's vectors at the lowest address name; NULL: there are
 * no such vectors. */
static const struct code_function *reset_function(const struct code *code, uint32_t bit)
{
    const struct code_section *lowest = NULL;
    uint32_t reset;
    for (size_t i = 0; bit != 0 && i < code->section_count; i++)
        if (lowest == NULL || code->sections[i].low < lowest->low)
            lowest = &code->sections[i];
    if (lowest == NULL || !code_data(code, lowest->low + 4, 4, &reset) ||
        (reset & bit) == 0)
        return NULL;
    return code_begins(code, reset & ~bit);
}

static bool calls(const struct code *code, const struct code_function *function,
                  uint64_t address)
{
    struct arch_instruction found;
    for (uint64_t at = function->low; at < function->high; at += found.bytes) {
        found = code_instruction(code, at);
        if (found.kind == ARCH_CALL && found.target == address)
            return true;
    }
    return false;
}

/* Whether a function calls what begins at the address. Without ENTRY() the linker takes
 * the first function for the entry, whatever that is. */
static bool is_called(const struct code *code, uint64_t address)
{
    for (size_t i = 0; i < code->function_count; i++)
        if (calls(code, &code->functions[i], address))
            return true;
    return false;
}

/* Marks the function that runs first: the one that the vectors name, and then none is
 * known by the name of a reset handler; else the ELF's entry. */
static void find_first(struct code *code, const struct image *image)
{
    uint32_t bit = (uint32_t)code->arch.arch->state_bit;
    uint64_t entry = image_file(image)->header.e_entry & ~(uint64_t)bit;
    const struct code_function *reset = reset_function(code, bit);
    if (reset == NULL) {
        if (!is_called(code, entry))
            set_first(code, entry);
        return;
    }
    for (size_t i = 0; i < code->function_count; i++)
        if (is_reset(code->functions[i].name))
            code->functions[i].first = false;
    set_first(code, reset->low);
}

bool symbols_read(struct code *code, const struct image *image)
{
    struct marks marks = {0};
    bool done = read_objects(code, image) && read_marks(&marks, code, image);
    if (done) {
        qsort(marks.items, marks.count, sizeof *marks.items, by_address);
        code->functions = calloc(marks.count + 1, sizeof *code->functions);
        done = code->functions != NULL;
    }
    if (done) {
        apply_mapping(code);
        add_functions(code, &marks);
        end_functions(code);
        find_opaque(code);
        find_first(code, image);
    }
    free(marks.items);
    return done;
}
