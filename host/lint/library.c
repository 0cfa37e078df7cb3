/* SPDX-License-Identifier: MIT */
/* Checks the library itself: its copies, the build ID, the unwind table, the places in
 * memory. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../image/debug_sections.h"
#include "findings.h"
#include "mcuprof_unwind.h"

/* ---- The library ---- */

/* Whether the name is the library's state. LTO may put a number behind a local name. */
static bool is_state(const char *name)
{
    static const char state[] = "mcuprof_state";
    return strncmp(name, state, sizeof state - 1) == 0 &&
           (name[sizeof state - 1] == '\0' || name[sizeof state - 1] == '.');
}

bool check_library(struct findings *findings)
{
    const struct elf_file *file = image_file(findings->image);
    uint64_t first = 0;
    size_t copies = 0;
    for (size_t i = 0; i < file->symbol_count; i++) {
        GElf_Sym symbol;
        uint32_t section;
        if (!elf_file_symbol(file, i, &symbol, &section) ||
            symbol.st_shndx == SHN_UNDEF || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT ||
            !is_state(elf_file_string(file, symbol.st_name)) ||
            (copies > 0 && symbol.st_value == first))
            continue;
        if (copies++ == 0)
            first = symbol.st_value;
    }
    if (copies == 0)
        finding(findings, "no-library", NULL);
    else if (copies > 1)
        finding(findings, "several-libraries", "There are %zu mcuprof_state.", copies);
    return copies > 0;
}

static bool is_used(const struct program *program, const char *name)
{
    const struct function *function = program_named(program, name);
    return function != NULL &&
           (program_calls(program, function, false) ||
            program_calls(program, function, true) || program_points(program, function));
}

/* Checks that something calls the library. All processors show that, because these are
 * plain calls. */
static void check_use(struct findings *findings)
{
    const struct program *program = &findings->program;
    if (!is_used(program, "mcuprof_start") && !is_used(program, "monstartup") &&
        program_named(program, "mcuprof_auto_start") == NULL)
        finding(findings, "never-started", NULL);
    else if (program_named(program, "mcuprof_sweep") == NULL &&
             !is_used(program, "mcuprof_end") && !is_used(program, "mcuprof_flush") &&
             !is_used(program, "_mcleanup"))
        finding(findings, "never-flushed", NULL);
}

/* ---- The build ID ---- */

enum { NOTE_HEADER = 16 };

static bool is_note(const struct elf_file *file, uint64_t address)
{
    GElf_Shdr header;
    for (size_t i = 1; i < file->section_count; i++)
        if (elf_file_header(file, i, &header) && header.sh_type == SHT_NOTE &&
            header.sh_size > NOTE_HEADER && header.sh_addr + NOTE_HEADER == address)
            return true;
    return false;
}

void check_build_id(struct findings *findings)
{
    const uint8_t *id, *sent;
    size_t bytes = image_build_id(findings->image, &id), room;
    GElf_Sym symbol;
    bool placed = program_symbol(&findings->program, "__mcuprof_build_id", &symbol) &&
                  symbol.st_value != 0; /* mcuprof.ld's way to say that there is none */
    if (bytes == 0 && placed && is_note(image_file(findings->image), symbol.st_value))
        finding(findings, "no-build-id", "There is a note for it, which ld left empty.");
    else if (bytes == 0)
        finding(findings, "no-build-id", NULL);
    else if (!placed)
        finding(findings, "build-id-not-sent", NULL);
    if (bytes == 0 || !placed)
        return;
    sent = program_bytes(&findings->program, symbol.st_value, &room);
    if (sent == NULL || room < bytes || memcmp(sent, id, bytes) != 0)
        finding(findings, "wrong-build-id",
                "__mcuprof_build_id is 0x%08" PRIx64 ", and the build ID's bytes are not "
                "there.",
                (uint64_t)symbol.st_value);
}

/* ---- Memory ---- */

enum { GAP_MAX = 16 << 20 };

/* Checks the size of the file that objcopy -O binary would write: it reaches from the
 * lowest load address to the highest. */
static void check_image_size(struct findings *findings)
{
    Elf *elf = image_file(findings->image)->elf;
    uint64_t low = UINT64_MAX, high = 0, bytes = 0;
    size_t count = 0;
    elf_getphdrnum(elf, &count);
    for (size_t i = 0; i < count && i < INT32_MAX; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(elf, (int)i, &header) == NULL || header.p_type != PT_LOAD ||
            header.p_filesz == 0)
            continue;
        low = header.p_paddr < low ? header.p_paddr : low;
        if (header.p_paddr + header.p_filesz > high)
            high = header.p_paddr + header.p_filesz;
        bytes += header.p_filesz;
    }
    if (high > low && high - low > bytes && high - low - bytes > GAP_MAX)
        finding(findings, "image-gap",
                "%" PRIu64 " bytes are to be loaded, from 0x%08" PRIx64 " to 0x%08" PRIx64
                ": objcopy -O binary makes a file of %" PRIu64 " MB.",
                bytes, low, high, (high - low) / 1000000);
}

/* Checks the base of addresses, which are sent in groups of 7 bits, at least two. */
static void check_base(struct findings *findings)
{
    const struct image_range *ranges;
    size_t count = image_code(findings->image, &ranges);
    uint64_t far = (uint64_t)image_arch(findings->image)->unit << 14;
    if (findings->program.functions == NULL || count == 0 || ranges[0].low < far ||
        program_symbol(&findings->program, "__mcuprof_base", NULL))
        return;
    finding(findings, "far-code", "The code begins at 0x%08" PRIx64 ".", ranges[0].low);
}

void check_memory(struct findings *findings)
{
    check_use(findings);
    check_image_size(findings);
    check_base(findings);
}

/* ---- The unwind table ---- */

static bool has_gap(const struct unwind *unwind, const struct image_symbol *symbol)
{
    for (size_t i = 0; i < unwind->gap_count; i++)
        if (unwind->gaps[i].address >= symbol->address &&
            unwind->gaps[i].address < symbol->end)
            return true;
    return false;
}

static void summarise(struct findings *findings)
{
    struct lint_summary *summary = &findings->lint->summary;
    const struct unwind *unwind = &findings->unwind;
    for (size_t i = 0; i < findings->program.count; i++) {
        const struct function *function = &findings->program.functions[i];
        uint64_t at = function->symbol->address;
        bool in_ram = at >= unwind->ram_low && at < unwind->ram_high;
        bool far = function->typed && !in_ram && (at < unwind->low || at >= unwind->high);
        if (far)
            finding_in(findings, "not-followed", function, "far from the rest");
        if (function_counts(function)) {
            summary->followable++;
            summary->in_ram += in_ram;
            summary->followed += !far && !has_gap(unwind, function->symbol);
        }
    }
    for (size_t i = 0; i < unwind->gap_count; i++)
        finding_at(findings, "not-followed", unwind->gaps[i].address,
                   "%" PRIu64 " bytes unknown", unwind->gaps[i].bytes);
}

static void compare(struct findings *findings, const uint8_t *bytes, size_t room)
{
    struct unwind_table table;
    struct error error;
    size_t frames;
    if (!unwind_table_make(&table, &findings->unwind, image_path(findings->image),
                           &error)) {
        finding(findings, "unwind-room", "%s.", error.text);
        return;
    }
    if (room < table.size)
        finding(findings, "unwind-room",
                "The section .mcuprof_unwind has %zu bytes, the table needs %zu.", room,
                table.size);
    else if (program_word(&findings->program, bytes) == 0)
        finding(findings, "unwind-empty", NULL);
    /* without the compiler's frame information this is not known: the table was made with
     * it */
    else if (memcmp(bytes, table.bytes, table.size) != 0 &&
             debug_section(image_file(findings->image), ".debug_frame", &frames) != NULL)
        finding(findings, "unwind-stale", NULL);
    else
        summarise(findings);
    unwind_table_release(&table);
}

void check_unwind(struct findings *findings)
{
    GElf_Sym symbol;
    size_t room;
    if (!findings->lint->summary.samples)
        return;
    if (!program_symbol(&findings->program, "mcuprof_unwind_table", &symbol)) {
        finding(findings, "no-paths", NULL);
        return;
    }
    const uint8_t *bytes = program_bytes(&findings->program, symbol.st_value, &room);
    if (bytes == NULL || room < sizeof(struct mcuprof_unwind))
        finding(findings, "unwind-room",
                "The section .mcuprof_unwind has no bytes in the file.");
    else if (findings->has_unwind)
        compare(findings, bytes, room);
}
