/* SPDX-License-Identifier: MIT */
/* mcuprof unwind: makes the table by which the firmware finds samples' call paths. */
#include "../unwind/unwind.h"

#include <inttypes.h>
#include <string.h>

#include "../arch/arch.h"
#include "../base/utf8.h"
#include "../image/elf_file.h"
#include "cmd.h"
#include "mcuprof_unwind.h"

static bool as_text, verbose;

static const struct option_spec options[] = {
    {0, "table", OPTION_FLAG, NULL, "print the table, and write nothing", &as_text},
    {'v', "verbose", OPTION_FLAG, NULL, "name the functions that could not be followed",
     &verbose},
    {0},
};

static void print_where(const struct image *image, unsigned where)
{
    static const char *const names[] = {"handler", "end", "window", "r0",  "r1",
                                        "r2",      "r3",  "r12",    "link"};
    if (where == MCUPROF_UNWIND_UNKNOWN)
        fputs("unknown", stdout);
    else if (where == MCUPROF_UNWIND_TARGET && image_arch(image) != &arch_sparc)
        fputs("target", stdout);
    else if (where < MCUPROF_UNWIND_HANDLER)
        printf("%u", where);
    else if (where <= MCUPROF_UNWIND_LINK)
        fputs(names[where - MCUPROF_UNWIND_HANDLER], stdout);
}

/* Prints where the caller's frame pointer is, unless it is in its register. */
static void print_saved(unsigned saved)
{
    if (saved == MCUPROF_UNWIND_SAVED_LOST)
        fputs(",lost", stdout);
    else if (saved != 0)
        printf(",%u", saved);
}

/* Prints the return address that the row goes past, if it does. */
static void print_passed(const struct unwind *unwind, const struct unwind_row *row)
{
    for (size_t i = 0; i < unwind->passed_count; i++)
        if (unwind->passed[i].call == row->address)
            printf("@%" PRIx64, unwind->passed[i].back);
}

static void print_name(const char *name)
{
    fputs("  ", stdout);
    utf8_print(stdout, name);
    fputc('\n', stdout);
}

static void print_rows(const struct unwind *unwind, const struct image *image)
{
    for (size_t i = 0; i < unwind->row_count; i++) {
        const struct unwind_row *row = &unwind->rows[i];
        const struct image_symbol *symbol = image_symbol_at(image, row->address);
        char size[16];
        snprintf(size, sizeof size, "%s%" PRId32, row->based ? "fp+" : "", row->size);
        printf("%08" PRIx64 "  %6s  ", row->address, size);
        print_where(image, row->where);
        print_saved(row->saved);
        print_passed(unwind, row);
        print_name(symbol != NULL ? symbol->name : "-");
    }
}

static void print_gaps(const struct unwind *unwind)
{
    for (size_t i = 0; verbose && i < unwind->gap_count; i++) {
        printf("%08" PRIx64 "  %6" PRIu64 " bytes unknown", unwind->gaps[i].address,
               unwind->gaps[i].bytes);
        print_name(unwind->gaps[i].name);
    }
}

static void print_summary(const struct unwind *unwind, const struct unwind_table *table)
{
    printf("%zu functions, %zu rows, %zu bytes; %zu functions not followed throughout, "
           "%.2f %% of the code\n",
           unwind->function_count, table->row_count, table->size, unwind->gap_count,
           unwind->code_bytes == 0
               ? 0.0
               : 100.0 * (double)(unwind->code_bytes - unwind->known_bytes) /
                     (double)unwind->code_bytes);
    if (verbose && unwind->ram_function_count > 0)
        printf("%zu functions, %" PRIu64 " bytes of code, from 0x%08" PRIx64
               " on: in RAM, or elsewhere than the rest\n",
               unwind->ram_function_count, unwind->ram_code_bytes, unwind->ram_low);
    if (verbose && unwind->based_count > 0)
        printf("%zu rows go by the frame pointer\n", unwind->based_count);
    if (table->dropped > 0)
        printf("%zu rows had no room for their frame, and are unknown\n", table->dropped);
}

static bool write_table(const struct unwind *unwind, const char *path,
                        struct error *error)
{
    struct unwind_table table;
    if (!unwind_table_make(&table, unwind, path, error))
        return false;
    bool done = unwind_table_store(&table, path, error);
    if (done) {
        print_gaps(unwind);
        print_summary(unwind, &table);
    }
    unwind_table_release(&table);
    return done;
}

/* Whether the ELF has the library, and this was compiled without call paths: then the
 * library has no place for the table, and nothing is to be done. */
static bool is_pathless(const struct image *image)
{
    const struct elf_file *file = image_file(image);
    bool library = false, place = false;

    for (size_t i = 0; i < file->symbol_count; i++) {
        GElf_Sym symbol;
        uint32_t section;
        if (!elf_file_symbol(file, i, &symbol, &section) || symbol.st_shndx == SHN_UNDEF)
            continue;
        const char *name = elf_file_string(file, symbol.st_name);
        library = library || strcmp(name, "mcuprof_state") == 0;
        place = place || strcmp(name, "mcuprof_unwind_table") == 0;
    }
    return library && !place;
}

static bool write_if_wanted(const struct unwind *unwind, const struct image *image,
                            struct error *error)
{
    if (!is_pathless(image))
        return write_table(unwind, image_path(image), error);
    printf("%s: nothing to do: its library takes no call paths (MCUPROF_PATHS is 0, the "
           "default with MCUPROF_CALLS, without samples and on AVR)\n",
           image_path(image));
    return true;
}

static bool show_or_write(const char *path, struct error *error)
{
    struct unwind unwind = {0};
    struct image *image = NULL;
    bool done = image_open(&image, path, error) && unwind_make(&unwind, image, error);
    if (done && as_text) {
        print_rows(&unwind, image);
        print_gaps(&unwind);
    } else if (done) {
        done = write_if_wanted(&unwind, image, error);
    }
    unwind_release(&unwind);
    image_close(image);
    return done;
}

static int run(int argc, char **argv)
{
    struct error error;
    if (argc != 1)
        return cmd_usage(&cmd_unwind, argc == 0 ? "no ELF given" : "one ELF at a time");
    return show_or_write(argv[0], &error) ? EXIT_DONE : cmd_fail(&cmd_unwind, &error);
}

const struct cmd cmd_unwind = {
    .name = "unwind",
    .summary = "write the table by which call paths are found",
    .synopsis = "[OPTION...] ELF",
    .details = "Changes the linked ELF in place. Run it before the ELF is flashed.",
    .options = options,
    .run = run,
};
