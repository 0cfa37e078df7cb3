/* SPDX-License-Identifier: MIT */
/* Writes the thunks, and leads the sites to them. */
#include <stdlib.h>

#include "../image/elf_file.h"
#include "internal.h"
#include "mcuprof_sites.h"

enum { STEP_MAX = 0xffff };

struct writer {
    struct patch *patch;
    const struct image *image;
    const struct image_thunks *thunks;
    uint8_t *room; /* in the file */
    uint64_t at;   /* the last site */
};

static void put(uint8_t *bytes, uint32_t word, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        bytes[i] = (uint8_t)(word >> 8 * i);
}

/* How many thunks the sites need. Before a site that is farther than a step can say some
 * go that count nothing. */
static size_t needed(const struct patch *patch, uint64_t at)
{
    size_t count = 0;
    for (size_t i = 0; i < patch->site_count; i++) {
        if (patch->sites[i].reason != PATCH_COUNTED)
            continue;
        count += 1 + ((patch->sites[i].address - at) / 2 - 1) / STEP_MAX;
        at = patch->sites[i].address;
    }
    return count;
}

static int by_callee(const void *left, const void *right)
{
    const struct patch_site *a = left, *b = right;
    return (a->callee > b->callee) - (a->callee < b->callee);
}

/* The function to which most sites call that are counted. Changes the order of sites. */
static const struct image_symbol *most_called(const struct patch *patch,
                                              const struct image *image, size_t *most)
{
    uint64_t callee = 0;
    size_t count = 0;
    *most = 0;
    qsort(patch->sites, patch->site_count, sizeof *patch->sites, by_callee);
    for (size_t i = 0; i < patch->site_count; i++) {
        bool is_next = i > 0 && patch->sites[i].callee != patch->sites[i - 1].callee;
        count = (is_next ? 0 : count) + (patch->sites[i].reason == PATCH_COUNTED);
        if (count > *most) {
            *most = count;
            callee = patch->sites[i].callee;
        }
    }
    return image_symbol_at(image, callee);
}

static bool check_room(const struct writer *writer, struct error *error)
{
    struct patch *patch = writer->patch;
    size_t most;
    if (patch->thunk_count <= writer->thunks->room)
        return true;
    const struct image_symbol *symbol = most_called(patch, writer->image, &most);
    return error_set(
        error, EXIT_BAD_INPUT,
        "%s: room for %llu call sites, but %zu are to be counted: compile mcuprof's "
        "library with MCUPROF_SITES=%zu (%zu bytes of ROM, %zu of RAM), or count fewer: "
        "%.100s has %zu of them (--without)",
        image_path(writer->image), (unsigned long long)writer->thunks->room,
        patch->thunk_count, patch->thunk_count, patch->thunk_count * MCUPROF_THUNK_BYTES,
        patch->thunk_count * 8, symbol != NULL ? symbol->demangled : "one function",
        most);
}

/* Writes the thunk with a number; it counts the site's calls, or nothing if there is no
 * site. */
static void write_thunk(struct writer *writer, size_t number, uint64_t step,
                        const struct patch_site *site)
{
    static const uint16_t code[] = MCUPROF_THUNK_INSTRUCTIONS;
    uint8_t *thunk = writer->room + number * MCUPROF_THUNK_BYTES;
    put(thunk + MCUPROF_THUNK_STEP, (uint32_t)step, 2);
    if (site == NULL)
        return;
    for (size_t i = 0; i < sizeof code / sizeof code[0]; i++)
        put(thunk + 2 * i, code[i], 2);
    put(thunk + MCUPROF_THUNK_TO, (uint32_t)site->callee | 1, 4);
    put(thunk + MCUPROF_THUNK_COUNT, (uint32_t)(writer->thunks->counts + 4 * number), 4);
}

/* Leads the site to its thunk, and reads it again. */
static bool lead(const struct writer *writer, const struct arch_code *code,
                 const struct patch_site *site, uint64_t thunk)
{
    uint8_t *bytes =
        file_at(writer->patch, writer->image, site->address, MCUPROF_SITE_BYTES);
    struct arch_instruction before, after;
    if (bytes == NULL)
        return false;
    arch_decode(code, site->address, bytes, MCUPROF_SITE_BYTES, &before);
    if (before.target != site->callee ||
        !code->arch->retarget(bytes, site->address, thunk))
        return false;
    arch_decode(code, site->address, bytes, MCUPROF_SITE_BYTES, &after);
    return after.kind == before.kind && after.bytes == before.bytes &&
           after.always == before.always && after.target == thunk;
}

static bool write_all(struct writer *writer, const struct arch_code *code,
                      struct error *error)
{
    size_t number = 0;
    for (size_t i = 0; i < writer->patch->site_count; i++) {
        const struct patch_site *site = &writer->patch->sites[i];
        if (site->reason != PATCH_COUNTED)
            continue;
        uint64_t step = (site->address - writer->at) / 2;
        for (; step > STEP_MAX; step -= STEP_MAX)
            write_thunk(writer, number++, STEP_MAX, NULL);
        write_thunk(writer, number, step, site);
        if (!lead(writer, code, site,
                  writer->thunks->thunks + MCUPROF_THUNK_BYTES * number++))
            return error_set(error, EXIT_BAD_INPUT,
                             "%s: damaged ELF: the call at 0x%08llx is not in the file "
                             "as its code is, or not alone there: link it anew",
                             image_path(writer->image),
                             (unsigned long long)site->address);
        writer->at = site->address;
    }
    return true;
}

/* Writes where the sites are told from; that the word was 0 says that no site was led. */
static bool begin(struct writer *writer)
{
    const struct patch *patch = writer->patch;
    uint8_t *from = file_at(patch, writer->image, writer->thunks->sites, 4);
    size_t bytes = writer->thunks->room * MCUPROF_THUNK_BYTES;
    writer->room = file_at(patch, writer->image, writer->thunks->thunks, bytes);
    if (from == NULL || writer->room == NULL)
        return false;
    put(from, (uint32_t)writer->at, 4);
    return true;
}

bool thunks_write(struct patch *patch, const struct image *image,
                  const struct image_thunks *thunks, struct error *error)
{
    struct writer writer = {.patch = patch, .image = image, .thunks = thunks};
    const char *path = image_path(image);
    struct arch_code code = {.arch = NULL};
    const struct patch_site *first = patch->sites;
    while (first < patch->sites + patch->site_count && first->reason != PATCH_COUNTED)
        first++;
    if (patch->counted == 0)
        return error_set(error, EXIT_BAD_INPUT, "%s: no call of %s could be counted",
                         path,
                         patch->site_count == 0 ? "these functions was found, so none"
                                                : "the sites found");
    writer.at = first->address - 2;
    patch->thunk_count = needed(patch, writer.at);
    if (!check_room(&writer, error))
        return false;
    if (!begin(&writer))
        return error_set(error, EXIT_BAD_INPUT,
                         "%s: damaged ELF: the room for counters is not in the file, or "
                         "not alone there: link it anew",
                         path);
    bool done = elf_file_code(image_file(image), &code)
                    ? write_all(&writer, &code, error)
                    : error_set(error, EXIT_BAD_INPUT, "%s: out of memory", path);
    arch_code_release(&code);
    return done;
}
