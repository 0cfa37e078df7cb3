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

bool image_thunks(const struct image *image, struct image_thunks *thunks)
{
    const struct elf_file *file = &image->file;
    uint64_t size;
    size_t there;
    *thunks = (struct image_thunks){.sites = 0};
    if (file->arch->retarget == NULL || file->big_endian ||
        !find(file, "mcuprof_sites", &thunks->sites, &size) ||
        !find(file, "mcuprof_thunks", &thunks->thunks, &size) ||
        !find(file, "mcuprof_site_counts", &thunks->counts, &thunks->room))
        return false;
    thunks->room /= 4;
    const uint8_t *bytes = image_bytes(image, thunks->sites, &there);
    if (bytes == NULL || there < 4)
        return false;
    thunks->from = word(bytes, 4);
    bytes = image_bytes(image, thunks->thunks, &there);
    if (bytes == NULL || thunks->thunks % 4 != 0 ||
        thunks->room > size / MCUPROF_THUNK_BYTES ||
        thunks->room > there / MCUPROF_THUNK_BYTES)
        return false;
    thunks->bytes = bytes;
    return true;
}

/* Whether the thunk counts, and is one that `mcuprof patch` writes. */
static bool is_used(const uint8_t *thunk)
{
    static const uint16_t code[] = MCUPROF_THUNK_INSTRUCTIONS;
    for (size_t i = 0; i < sizeof code / sizeof code[0]; i++)
        if (word(thunk + 2 * i, 2) != code[i])
            return false;
    return true;
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
    image->sites = calloc(thunks.room + 1, sizeof *image->sites);
    if (image->sites == NULL || !image_open_hooks(image))
        return false;
    uint64_t at = thunks.from;
    for (size_t i = 0; i < thunks.room; i++) {
        const uint8_t *thunk = thunks.bytes + MCUPROF_THUNK_BYTES * i;
        at += 2 * (uint64_t)word(thunk + MCUPROF_THUNK_STEP, 2);
        struct image_site site = {.address = at,
                                  .callee =
                                      word(thunk + MCUPROF_THUNK_TO, 4) & ~(uint64_t)1,
                                  .thunk = thunks.thunks + MCUPROF_THUNK_BYTES * i};
        if (is_used(thunk) && put_back(image, &site))
            image->sites[image->site_count++] = site;
    }
    return true;
}

size_t image_sites(const struct image *image, const struct image_site **sites)
{
    *sites = image->sites;
    return image->site_count;
}
