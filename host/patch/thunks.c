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
    uint8_t *room;        /* in the file */
    uint64_t at;          /* the last site */
    size_t place;         /* the next one in the room */
    uint64_t last, count; /* addresses of the last thunk, and of its count */
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

/* The room's places that so many thunks take, with the tails among them. */
static size_t places_of(const struct image_thunks *thunks, size_t count)
{
    size_t group = MCUPROF_THUNK_GROUP - MCUPROF_THUNK_TAIL;
    if (thunks->bytes_each == MCUPROF_THUNK_FAST)
        return count;
    return count + (count + group - 1) / group * MCUPROF_THUNK_TAIL;
}

static bool check_room(const struct writer *writer, size_t count, struct error *error)
{
    struct patch *patch = writer->patch;
    size_t most, places = places_of(writer->thunks, count);
    patch->rom = places * writer->thunks->bytes_each;
    patch->ram = places * 8;
    if (places <= writer->thunks->places)
        return true;
    const struct image_symbol *symbol = most_called(patch, writer->image, &most);
    return error_set(
        error, EXIT_BAD_INPUT,
        "%s: %zu call sites are to be counted, and there is no room for so many: compile "
        "mcuprof's library with MCUPROF_SITES=%zu (%zu bytes of ROM, %zu of RAM), or "
        "count fewer: %.100s has %zu of them (--without)",
        image_path(writer->image), count, count, patch->rom, patch->ram,
        symbol != NULL ? symbol->demangled : "one function", most);
}

static void put_code(uint8_t *bytes, const uint16_t *code, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put(bytes + 2 * i, code[i], 2);
}

/* Takes the next place for a thunk; in front of a group of short ones goes their tail. */
static uint8_t *next_place(struct writer *writer)
{
    static const uint16_t fast[] = MCUPROF_THUNK_FAST_CODE,
                          brief[] = MCUPROF_THUNK_SHORT_CODE,
                          tail[] = MCUPROF_THUNK_TAIL_CODE;
    unsigned bytes = writer->thunks->bytes_each;
    if (image_is_tail(writer->thunks, writer->place)) {
        put_code(writer->room + writer->place * bytes, tail,
                 sizeof tail / sizeof tail[0]);
        writer->place += MCUPROF_THUNK_TAIL;
    }
    uint8_t *thunk = writer->room + writer->place * bytes;
    if (bytes == MCUPROF_THUNK_FAST) {
        put_code(thunk, fast, sizeof fast / sizeof fast[0]);
    } else {
        uint32_t back = (uint32_t)(writer->place % MCUPROF_THUNK_GROUP) * bytes + 8;
        put_code(thunk, brief, sizeof brief / sizeof brief[0]);
        put(thunk + 4, 0xe000 | ((0 - back / 2) & 0x7ff), 2);
    }
    writer->last = writer->thunks->thunks + bytes * writer->place;
    writer->count = writer->thunks->counts + 4 * writer->place++;
    return thunk + bytes;
}

/* Writes a thunk; it counts the calls of `callee`, or nothing if that is 0. */
static void write_thunk(struct writer *writer, uint64_t step, uint64_t callee)
{
    uint8_t *end = next_place(writer);
    put(end - MCUPROF_THUNK_STEP, (uint32_t)step, 2);
    put(end - MCUPROF_THUNK_TO, callee == 0 ? 0 : (uint32_t)callee | 1, 4);
    put(end - MCUPROF_THUNK_COUNT, (uint32_t)writer->count, 4);
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
    for (size_t i = 0; i < writer->patch->site_count; i++) {
        const struct patch_site *site = &writer->patch->sites[i];
        if (site->reason != PATCH_COUNTED)
            continue;
        uint64_t step = (site->address - writer->at) / 2;
        for (; step > STEP_MAX; step -= STEP_MAX)
            write_thunk(writer, STEP_MAX, 0);
        write_thunk(writer, step, site->callee);
        if (!lead(writer, code, site, writer->last))
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
    size_t bytes = writer->thunks->places * writer->thunks->bytes_each;
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
    if (!check_room(&writer, needed(patch, writer.at), error))
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
