/* SPDX-License-Identifier: MIT */
/* mcuprof patch: counts calls at their sites, in the linked ELF. */
#include "../patch/patch.h"

#include <inttypes.h>
#include <string.h>

#include "../base/plural.h"
#include "../base/utf8.h"
#include "../image/elf_file.h"
#include "../unwind/unwind.h"
#include "cmd.h"
#include "output.h"

static const char *out;
static struct option_list calls, without;
static bool verbose;

static const struct option_spec options[] = {
    {'o', "output", OPTION_STRING, "OUT", "the patched ELF", &out},
    {0, "calls", OPTION_LIST, "NAME",
     "count calls to this function, file or pattern; default: to all with lines", &calls},
    {0, "without", OPTION_LIST, "NAME", "but no calls to this one", &without},
    {'v', "verbose", OPTION_FLAG, NULL, "name what is not counted", &verbose},
    {0},
};

static void print_name(const struct image *image, uint64_t address)
{
    const struct image_symbol *symbol = image_symbol_at(image, address);
    utf8_print(stdout, symbol != NULL ? symbol->demangled : "-");
}

static void print_site(const struct image *image, const struct patch_site *site)
{
    printf("%08" PRIx64 "  ", site->address);
    print_name(image, site->address);
    fputs(" calls ", stdout);
    print_name(image, site->callee);
    printf(": %s\n", patch_reasons[site->reason]);
}

static void print_left(const struct patch *patch, const struct image *image)
{
    for (size_t i = 0; verbose && i < patch->site_count; i++)
        if (patch->sites[i].reason != PATCH_COUNTED)
            print_site(image, &patch->sites[i]);
    for (size_t i = 0; verbose && i < patch->pointed_count; i++) {
        printf("%08" PRIx64 "  ", patch->pointed[i]);
        print_name(image, patch->pointed[i]);
        fputs(": calls of it through pointers are not counted\n", stdout);
    }
}

static void print_summary(const struct patch *patch)
{
    printf("%zu of %zu call sites are counted, in %zu bytes of ROM and %zu of RAM\n",
           patch->counted, patch->site_count, patch->rom, patch->ram);
    for (unsigned reason = PATCH_COUNTED + 1; reason < PATCH_REASONS; reason++) {
        size_t count = 0;
        for (size_t i = 0; i < patch->site_count; i++)
            count += patch->sites[i].reason == reason;
        if (count > 0)
            printf("%zu not: %s\n", count, patch_reasons[reason]);
    }
    if (patch->pointed_count > 0)
        printf("the addresses of %zu functions are in memory: calls of them through "
               "pointers are not counted\n",
               patch->pointed_count);
}

/* Whether the ELF has a place for the unwind table, with more than its head. */
static bool has_table(const struct image *image)
{
    GElf_Shdr header;
    return elf_file_find(image_file(image), 0, ".mcuprof_unwind", &header) != 0 &&
           header.sh_type != SHT_NOBITS && header.sh_size > 4;
}

/* Writes the unwind table of the patched ELF, as `mcuprof unwind` does. */
static bool write_table(const char *path, struct error *error)
{
    struct image *image = NULL;
    struct unwind unwind = {0};
    struct unwind_table table = {.bytes = NULL};
    bool done = image_open(&image, path, error);
    if (done && has_table(image))
        done = unwind_make(&unwind, image, error) &&
               unwind_table_make(&table, &unwind, path, error) &&
               unwind_table_store(&table, path, error);
    unwind_table_release(&table);
    unwind_release(&unwind);
    image_close(image);
    return done;
}

static bool write_elf(const struct patch *patch, struct error *error)
{
    struct output output;
    if (!output_open(&output, out, error))
        return false;
    bool done = fwrite(patch->bytes, 1, patch->size, output.file) == patch->size &&
                fflush(output.file) == 0;
    /* what could not be written output_close() says */
    bool kept =
        !done || (output.path[0] == '\0'
                      ? error_set(error, EXIT_USAGE, "%s: not a regular file", out)
                      : write_table(output.path, error));
    struct error closing;
    bool closed = output_close(&output, kept, &closing);
    if (kept && !closed)
        *error = closing;
    return kept && closed;
}

static bool patch_elf(const char *path, struct error *error)
{
    const struct patch_wish wish = {calls.items, without.items};
    struct patch patch = {.sites = NULL};
    struct image *image = NULL;
    bool done = output_differs(out, path, 0, NULL, error) &&
                image_open(&image, path, error) &&
                patch_make(&patch, image, &wish, error) && write_elf(&patch, error);
    if (done) {
        print_left(&patch, image);
        print_summary(&patch);
    }
    patch_release(&patch);
    image_close(image);
    return done;
}

static int run(int argc, char **argv)
{
    struct error error;
    if (argc != 1)
        return cmd_usage(&cmd_patch, argc == 0 ? "no ELF given" : "one ELF at a time");
    if (out == NULL || strcmp(out, "-") == 0)
        return cmd_usage(&cmd_patch, "-o OUT is missing: the file for the patched ELF");
    return patch_elf(argv[0], &error) ? EXIT_DONE : cmd_fail(&cmd_patch, &error);
}

const struct cmd cmd_patch = {
    .name = "patch",
    .summary = "count calls at their sites, in the linked ELF",
    .synopsis = "-o OUT [OPTION...] ELF",
    .details = "Writes OUT, to be flashed and named by -e in place of ELF. Its library "
               "must\nhave MCUPROF_SITES=N, for N call sites. OUT has its own build ID, "
               "and its unwind\ntable is made anew.",
    .options = options,
    .run = run,
};
