/* SPDX-License-Identifier: MIT */
/* The bytes of the ELF, and where memory is in them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../image/elf_file.h"
#include "../port/memory.h"
#include "internal.h"

bool file_read(struct patch *patch, const struct image *image, struct error *error)
{
    const struct elf_file *file = image_file(image);
    size_t got = 0;
    patch->bytes = malloc(file->bytes + 1);
    if (patch->bytes == NULL)
        return error_set(error, EXIT_BAD_INPUT, "%s: out of memory", image_path(image));
    while (got < file->bytes) {
        ssize_t more = pread(file->fd, patch->bytes + got, file->bytes - got, (off_t)got);
        if (more < 0 && errno == EINTR)
            continue;
        if (more <= 0)
            return error_set(error, EXIT_BAD_INPUT, "%s: %s", image_path(image),
                             more == 0 ? "was shortened meanwhile" : strerror(errno));
        got += (size_t)more;
    }
    patch->size = got;
    return true;
}

/* Whether bytes of the file from `low` to `high` and some others have one in common. */
static bool overlaps(uint64_t low, uint64_t high, uint64_t other, uint64_t size)
{
    return size > 0 && low < other + size && other < high;
}

/* Whether the bytes are the ELF's own tables. */
static bool is_table(const struct elf_file *file, uint64_t low, uint64_t high)
{
    const GElf_Ehdr *head = &file->header;
    return overlaps(low, high, 0, head->e_ehsize) ||
           overlaps(low, high, head->e_phoff,
                    (uint64_t)head->e_phnum * head->e_phentsize) ||
           overlaps(low, high, head->e_shoff,
                    (uint64_t)file->section_count * head->e_shentsize);
}

/* Whether one segment, and no other, loads the bytes from `low` to `high` of the file,
 * and puts them at the address. */
static bool is_loaded(const struct elf_file *file, uint64_t low, uint64_t high,
                      uint64_t address)
{
    size_t count = 0, loaded = 0;
    if (elf_getphdrnum(file->elf, &count) != 0)
        return false;
    for (size_t i = 0; i < count && i < INT32_MAX; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(file->elf, (int)i, &header) == NULL ||
            header.p_type != PT_LOAD ||
            !overlaps(low, high, header.p_offset, header.p_filesz))
            continue;
        if (low < header.p_offset || high > header.p_offset + header.p_filesz ||
            header.p_vaddr + (low - header.p_offset) != address)
            return false;
        loaded++;
    }
    return loaded == 1;
}

/* The section that has the memory in the file; 0: none, or several have it, or its bytes.
 */
static size_t section_of(const struct elf_file *file, uint64_t address, size_t size,
                         uint64_t *offset)
{
    GElf_Shdr header;
    size_t found = 0, sharing = 0;
    for (size_t i = 1; i < file->section_count; i++) {
        if (!elf_file_header(file, i, &header) || header.sh_type == SHT_NOBITS ||
            (header.sh_flags & SHF_ALLOC) == 0 || address < header.sh_addr ||
            address - header.sh_addr > header.sh_size ||
            header.sh_size - (address - header.sh_addr) < size)
            continue;
        if (found != 0)
            return 0;
        found = i;
        *offset = header.sh_offset + (address - header.sh_addr);
    }
    for (size_t i = 1; found != 0 && i < file->section_count; i++)
        sharing += !elf_file_header(file, i, &header) ||
                   (header.sh_type != SHT_NOBITS &&
                    overlaps(*offset, *offset + size, header.sh_offset, header.sh_size));
    return sharing == 1 ? found : 0;
}

uint8_t *file_at(const struct patch *patch, const struct image *image, uint64_t address,
                 size_t size)
{
    const struct elf_file *file = image_file(image);
    uint64_t offset = 0;
    if (section_of(file, address, size, &offset) == 0 || offset > patch->size ||
        patch->size - offset < size || is_table(file, offset, offset + size) ||
        !is_loaded(file, offset, offset + size, address))
        return NULL;
    return patch->bytes + offset;
}

/* FNV-1a, 64 bits (Fowler, Noll, Vo). */
static uint64_t hash(const struct patch *patch, uint64_t start)
{
    uint64_t sum = 0xcbf29ce484222325u ^ start;
    for (size_t i = 0; i < patch->size; i++)
        sum = (sum ^ patch->bytes[i]) * 0x100000001b3u;
    return sum;
}

bool file_rename(struct patch *patch, const struct image *image, struct error *error)
{
    const uint8_t *id;
    size_t size = image_build_id(image, &id);
    uint8_t note[16 + 64] = {4, 0, 0, 0, (uint8_t)size, 0,   0,  0,
                             3, 0, 0, 0, 'G',           'N', 'U'};
    if (size == 0)
        return true;
    memcpy(note + 16, id, size);
    uint8_t *found = port_memmem(patch->bytes, patch->size, note, 16 + size);
    if (found == NULL)
        return error_set(error, EXIT_BAD_INPUT, "%s: its build ID is not in the file",
                         image_path(image));
    for (size_t i = 0; i < size; i += 8) {
        uint64_t part = hash(patch, i);
        for (size_t k = i; k < size && k < i + 8; k++, part >>= 8)
            note[16 + k] = (uint8_t)part;
    }
    memcpy(found, note, 16 + size);
    return true;
}
