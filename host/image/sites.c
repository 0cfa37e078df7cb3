/* SPDX-License-Identifier: MIT */
/*
 * Call sites that `mcuprof patch` has led through thunks: wire/mcuprof_sites.h. In the
 * image each is put back as the linker left it, so that all who read code see the program
 * and not the thunks; the file is as it is. What does not fit together is left alone.
 */
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "mcuprof_sites.h"

/* The address and size of what has this name; false: nothing has it. */
static bool find(const struct elf_file *file, const char *name, uint64_t *address,
                 uint64_t *size)
{
    for (size_t i = 0; i < file->symbol_count; i++) {
        GElf_Sym symbol;
        uint32_t section;
        if (!elf_file_symbol(file, i, &symbol, &section) ||
            symbol.st_shndx == SHN_UNDEF ||
            strcmp(elf_file_string(file, symbol.st_name), name) != 0)
            continue;
        *address = elf_file_code_address(file, &symbol);
        *size = symbol.st_size;
        return true;
    }
    return false;
}

static uint32_t word(const uint8_t *bytes, unsigned size)
{
    uint32_t value = 0;
    while (size-- > 0)
        value = value << 8 | bytes[size];
    return value;
}

bool image_is_tail(const struct image_thunks *thunks, uint64_t place)
{
    return thunks->bytes_each == MCUPROF_THUNK_SHORT &&
           place % MCUPROF_THUNK_GROUP < MCUPROF_THUNK_TAIL;
}

bool image_thunks(const struct image *image, struct image_thunks *thunks)
{
    const struct elf_file *file = &image->file;
    uint64_t size, counts;
    size_t there;
    *thunks = (struct image_thunks){.sites = 0};
    if (file->arch->retarget == NULL || file->big_endian ||
        !find(file, "mcuprof_sites", &thunks->sites, &size) ||
        !find(file, "mcuprof_thunks", &thunks->thunks, &size) ||
        !find(file, "mcuprof_site_counts", &thunks->counts, &counts))
        return false;
    thunks->places = counts / 4;
    bool fits = thunks->places <= size / MCUPROF_THUNK_FAST;
    thunks->bytes_each = fits ? MCUPROF_THUNK_FAST : MCUPROF_THUNK_SHORT;
    const uint8_t *bytes = image_bytes(image, thunks->sites, &there);
    if (bytes == NULL || there < 4)
        return false;
    thunks->from = word(bytes, 4);
    thunks->bytes = image_bytes(image, thunks->thunks, &there);
    size = size < there ? size : there;
    return thunks->bytes != NULL && thunks->thunks % 4 == 0 &&
           thunks->places <= size / thunks->bytes_each;
}

static bool is_code(const uint8_t *bytes, const uint16_t *code, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (word(bytes + 2 * i, 2) != code[i])
            return false;
    return true;
}

/* Whether a short thunk branches to its group's tail, and that is one. */
static bool has_tail(const struct image_thunks *thunks, size_t place)
{
    static const uint16_t tail[] = MCUPROF_THUNK_TAIL_CODE;
    size_t first = place / MCUPROF_THUNK_GROUP * MCUPROF_THUNK_GROUP;
    uint32_t back = (uint32_t)(place - first) * MCUPROF_THUNK_SHORT + 8;
    const uint8_t *thunk = thunks->bytes + MCUPROF_THUNK_SHORT * place;
    return word(thunk + 4, 2) == (0xe000 | ((0 - back / 2) & 0x7ff)) &&
           is_code(thunks->bytes + MCUPROF_THUNK_SHORT * first, tail,
                   sizeof tail / sizeof tail[0]);
}

/* Whether the thunk in a place counts, and is one that `mcuprof patch` writes. */
static bool is_used(const struct image_thunks *thunks, size_t place)
{
    static const uint16_t fast[] = MCUPROF_THUNK_FAST_CODE,
                          brief[] = MCUPROF_THUNK_SHORT_CODE;
    const uint8_t *thunk = thunks->bytes + thunks->bytes_each * place;
    if (word(thunk + thunks->bytes_each - MCUPROF_THUNK_TO, 4) == 0)
        return false;
    if (thunks->bytes_each == MCUPROF_THUNK_FAST)
        return is_code(thunk, fast, sizeof fast / sizeof fast[0]);
    return !image_is_tail(thunks, place) &&
           is_code(thunk, brief, sizeof brief / sizeof brief[0] - 1) &&
           has_tail(thunks, place);
}

/* Leads the site's call back to its callee. false: it does not call the thunk. */
static bool put_back(struct image *image, const struct image_site *site)
{
    size_t size;
    const uint8_t *code = image_bytes(image, site->address, &size);
    struct arch_instruction found;
    if (code == NULL || size < MCUPROF_SITE_BYTES)
        return false;
    arch_decode(image_code_reader(image), site->address, code, size, &found);
    /* the bytes are libelf's, of this image alone */
    return (found.kind == ARCH_CALL || found.kind == ARCH_JUMP) &&
           found.target == site->thunk &&
           image_arch(image)->retarget((uint8_t *)code, site->address, site->callee);
}

bool image_find_sites(struct image *image)
{
    struct image_thunks thunks;
    if (!image_thunks(image, &thunks) || thunks.from == 0)
        return true;
    image->sites = calloc(thunks.places + 1, sizeof *image->sites);
    if (image->sites == NULL || !image_open_hooks(image))
        return false;
    uint64_t at = thunks.from;
    for (size_t i = 0; i < thunks.places; i++) {
        const uint8_t *thunk = thunks.bytes + thunks.bytes_each * i;
        const uint8_t *end = thunk + thunks.bytes_each;
        if (word(thunk, 2) != MCUPROF_THUNK_USED)
            continue;
        at += 2 * (uint64_t)word(end - MCUPROF_THUNK_STEP, 2);
        struct image_site site = {.address = at,
                                  .callee =
                                      word(end - MCUPROF_THUNK_TO, 4) & ~(uint64_t)1,
                                  .thunk = thunks.thunks + thunks.bytes_each * i};
        if (!is_used(&thunks, i) || !put_back(image, &site))
            continue;
        /* the thunk's word is no further place that has the callee's address */
        memset((uint8_t *)end - MCUPROF_THUNK_TO, 0, 4);
        image->sites[image->site_count++] = site;
    }
    return true;
}

size_t image_sites(const struct image *image, const struct image_site **sites)
{
    *sites = image->sites;
    return image->site_count;
}

const char *image_uncounted(const struct image *image)
{
    return image->site_count == 0 ? NULL
                                  : "calls are counted at their sites, of all tasks "
                                    "together, without those through pointers";
}
