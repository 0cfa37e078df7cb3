/* SPDX-License-Identifier: MIT */
/* Finds call sites in code that was followed. */
#include <stdlib.h>
#include <string.h>

#include "../analysis/analyse.h"
#include "../base/search.h"
#include "../image/elf_file.h"
#include "../unwind/unwind.h"
#include "internal.h"
#include "mcuprof_sites.h"

struct finder {
    const struct image *image;
    const struct chosen *chosen;
    const struct image_thunks *thunks;
    struct unwind_starts starts;
    struct arch_code code;
    struct flow flow;
    uint64_t *literals; /* addresses in code from which words are loaded, ascending */
    size_t literal_count;
    uint64_t *keepers; /* functions across which code keeps flags */
    size_t keeper_count;
    bool hooked; /* the code calls hooks */
};

static int by_number(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static int by_address(const void *left, const void *right)
{
    const struct patch_site *a = left, *b = right;
    return (a->address > b->address) - (a->address < b->address);
}

/* The bytes of an instruction; none where the section has fewer. */
static const uint8_t *bytes_at(const struct finder *finder, uint64_t at, size_t *size)
{
    const uint8_t *bytes = image_bytes(finder->image, at, size);
    return *size >= 2 ? bytes : NULL;
}

static struct arch_instruction decode(const struct finder *finder, uint64_t at)
{
    struct arch_instruction found = {.bytes = 2};
    size_t size;
    const uint8_t *bytes = bytes_at(finder, at, &size);
    if (bytes != NULL)
        arch_decode(&finder->code, at, bytes, size, &found);
    return found;
}

/* The address from which an instruction loads a word relative to itself; 0: none. */
static uint64_t literal_of(const struct finder *finder, uint64_t at)
{
    size_t size;
    const uint8_t *bytes = bytes_at(finder, at, &size);
    uint32_t half = bytes == NULL ? 0 : bytes[0] | (uint32_t)bytes[1] << 8;
    uint64_t pc = (at + 4) & ~(uint64_t)3;
    if (half >> 11 == 9) /* LDR */
        return pc + (half & 255) * 4;
    if ((half & 0xff7f) != 0xf85f || size < 4) /* LDR.W */
        return 0;
    uint32_t distance = (bytes[2] | (uint32_t)bytes[3] << 8) & 0xfff;
    return (half & 0x80) != 0 ? pc + distance : pc - distance;
}

static bool find_literals(struct finder *finder)
{
    finder->literals = calloc(finder->starts.count + 1, sizeof *finder->literals);
    if (finder->literals == NULL)
        return false;
    for (size_t i = 0; i < finder->starts.count; i++) {
        uint64_t literal = literal_of(finder, finder->starts.at[i]);
        if (literal != 0)
            finder->literals[finder->literal_count++] = literal;
    }
    qsort(finder->literals, finder->literal_count, sizeof *finder->literals, by_number);
    return true;
}

/* Whether bytes of the start'th instruction are also another one's, or are loaded as a
 * word. */
static bool overlaps(const struct finder *finder, size_t start)
{
    const struct unwind_starts *starts = &finder->starts;
    uint64_t at = starts->at[start], end = at + MCUPROF_SITE_BYTES;
    if (start + 1 < starts->count && starts->at[start + 1] > at &&
        starts->at[start + 1] < end)
        return true;
    if (start > 0 && starts->at[start - 1] + 2 == at &&
        decode(finder, starts->at[start - 1]).bytes > 2)
        return true;
    size_t low = 0;
    SEARCH(low, finder->literal_count, finder->literals[middle] + 4 <= at);
    return low < finder->literal_count && finder->literals[low] < end;
}

/* Whether the site reaches all thunks, and these reach it. */
static bool reaches(const struct finder *finder, uint64_t at)
{
    uint64_t first = finder->thunks->thunks;
    uint64_t last = first + finder->thunks->places * finder->thunks->bytes_each;
    size_t size;
    const uint8_t *bytes = bytes_at(finder, at, &size);
    uint8_t copy[MCUPROF_SITE_BYTES];
    if (bytes == NULL || size < sizeof copy || finder->thunks->places == 0)
        return false;
    memcpy(copy, bytes, sizeof copy);
    const struct arch *arch = image_arch(finder->image);
    return arch->retarget(copy, at, first) && arch->retarget(copy, at, last);
}

/* Whether the code of an address is in a function across which flags are kept. */
static bool keeps_flags(const struct finder *finder, uint64_t at)
{
    const struct image_symbol *symbol = image_symbol_at(finder->image, at);
    for (size_t i = 0; symbol != NULL && i < finder->keeper_count; i++)
        if (finder->keepers[i] == symbol->address)
            return true;
    return false;
}

static void add_keeper(struct finder *finder, uint64_t function)
{
    if (is_function(finder->image, function) && !keeps_flags(finder, function) &&
        finder->keeper_count < finder->starts.count)
        finder->keepers[finder->keeper_count++] = function;
}

/* Notes what must keep flags: functions that are called across flags, and what those
 * call or jump to. */
static bool find_keepers(struct finder *finder)
{
    const struct unwind_starts *starts = &finder->starts;
    size_t before;
    finder->keepers = calloc(starts->count + 1, sizeof *finder->keepers);
    if (finder->keepers == NULL)
        return false;
    do {
        before = finder->keeper_count;
        for (size_t i = 0; i < starts->count; i++) {
            struct arch_instruction found = decode(finder, starts->at[i]);
            bool calls = found.kind == ARCH_CALL;
            if ((calls || found.kind == ARCH_JUMP) &&
                (keeps_flags(finder, starts->at[i]) ||
                 (calls && flags_are_kept(&finder->flow, starts->at[i] + found.bytes,
                                          found.target))))
                add_keeper(finder, found.target);
        }
    } while (finder->keeper_count > before);
    return true;
}

static enum patch_reason judge(const struct finder *finder, size_t start,
                               const struct arch_instruction *found)
{
    uint64_t at = finder->starts.at[start];
    if (found->bytes != MCUPROF_SITE_BYTES)
        return PATCH_SHORT;
    if (overlaps(finder, start))
        return PATCH_OVERLAP;
    if (!reaches(finder, at))
        return PATCH_FAR;
    if (flags_are_read(&finder->flow, found->target) || keeps_flags(finder, at) ||
        (found->kind == ARCH_CALL &&
         flags_are_kept(&finder->flow, at + found->bytes, found->target)))
        return PATCH_FLAGS;
    return PATCH_COUNTED;
}

/* Whether an instruction calls a function that was chosen, or leaves another one for it.
 * A jump out of a function that has its frame, as to an end that several share, is no
 * call. The profiler's own calls do not count. */
static bool is_site(const struct finder *finder, size_t start,
                    const struct arch_instruction *found)
{
    uint64_t at = finder->starts.at[start];
    if ((found->kind != ARCH_CALL && found->kind != ARCH_JUMP) ||
        !chosen_has(finder->chosen, found->target))
        return false;
    const struct image_symbol *caller = image_symbol_at(finder->image, at);
    if (caller != NULL && analysis_is_overhead(caller))
        return false;
    return found->kind == ARCH_CALL || (finder->starts.bare[start] && caller != NULL &&
                                        caller->address != found->target);
}

/* Whether the instruction calls a hook, which counts the calls of its function, too. */
static bool calls_hook(const struct finder *finder, const struct arch_instruction *found)
{
    const struct image_symbol *to =
        found->kind == ARCH_CALL ? image_symbol_at(finder->image, found->target) : NULL;
    return to != NULL && (strcmp(to->name, "__gnu_mcount_nc") == 0 ||
                          strcmp(to->name, "__cyg_profile_func_enter") == 0);
}

static bool find_all(struct patch *patch, struct finder *finder)
{
    finder->flow = flow_of(finder->image, &finder->code, &finder->starts);
    patch->sites = calloc(finder->starts.count + 1, sizeof *patch->sites);
    if (patch->sites == NULL || !find_literals(finder) || !find_keepers(finder))
        return false;
    for (size_t i = 0; i < finder->starts.count; i++) {
        uint64_t at = finder->starts.at[i];
        struct arch_instruction found = decode(finder, at);
        finder->hooked = finder->hooked || calls_hook(finder, &found);
        if (!is_site(finder, i, &found))
            continue;
        enum patch_reason reason = judge(finder, i, &found);
        patch->sites[patch->site_count++] = (struct patch_site){at, found.target, reason};
        patch->counted += reason == PATCH_COUNTED;
    }
    qsort(patch->sites, patch->site_count, sizeof *patch->sites, by_address);
    return true;
}

bool sites_find(struct patch *patch, const struct image *image,
                const struct chosen *chosen, const struct image_thunks *thunks,
                struct error *error)
{
    struct finder finder = {.image = image, .chosen = chosen, .thunks = thunks};
    bool done = unwind_find_starts(&finder.starts, image, error);
    if (done && finder.starts.has_wide)
        done = error_set(error, EXIT_BAD_INPUT,
                         "%s: some of its code is A32: calls are counted at their sites "
                         "on Cortex-M only so far",
                         image_path(image));
    if (done &&
        (!elf_file_code(image_file(image), &finder.code) || !find_all(patch, &finder)))
        done = error_set(error, EXIT_BAD_INPUT, "%s: out of memory", image_path(image));
    if (done && finder.hooked)
        done = error_set(error, EXIT_BAD_INPUT,
                         "%s: its code calls the hook of -pg or -finstrument-functions, "
                         "which counts, too: compile without",
                         image_path(image));
    arch_code_release(&finder.code);
    unwind_starts_release(&finder.starts);
    free(finder.literals);
    free(finder.keepers);
    return done;
}

/* Notes the functions that words of a section are addresses of. */
static void find_in(struct patch *patch, const struct chosen *chosen,
                    const Elf_Data *data)
{
    const uint8_t *bytes = data->d_buf;
    for (size_t i = 0; i + 4 <= data->d_size; i += 4) {
        uint64_t word = bytes[i] | (uint32_t)bytes[i + 1] << 8 |
                        (uint32_t)bytes[i + 2] << 16 | (uint32_t)bytes[i + 3] << 24;
        size_t low = 0;
        SEARCH(low, chosen->count, chosen->at[middle] < word);
        if ((word & 1) != 0 && low > 0 && chosen->at[low - 1] == word - 1)
            patch->pointed[low - 1] = word - 1;
    }
}

bool sites_find_pointed(struct patch *patch, const struct image *image,
                        const struct chosen *chosen)
{
    const struct elf_file *file = image_file(image);
    patch->pointed = calloc(chosen->count + 1, sizeof *patch->pointed);
    if (patch->pointed == NULL)
        return false;
    for (size_t i = 1; i < file->section_count; i++) {
        GElf_Shdr header;
        if (!elf_file_header(file, i, &header) || (header.sh_flags & SHF_ALLOC) == 0 ||
            header.sh_type == SHT_NOBITS || (header.sh_flags & SHF_COMPRESSED) != 0)
            continue;
        Elf_Data *data = elf_file_bytes(file, i);
        if (data != NULL)
            find_in(patch, chosen, data);
    }
    for (size_t i = 0; i < chosen->count; i++)
        if (patch->pointed[i] != 0)
            patch->pointed[patch->pointed_count++] = patch->pointed[i];
    return true;
}
