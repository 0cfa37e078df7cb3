/* SPDX-License-Identifier: MIT */
/* What an open image has. */
#include <string.h>

#include "internal.h"

void image_set_shipped(struct image *image, struct image *shipped)
{
    image->shipped = shipped;
}

struct image *image_shipped(const struct image *image)
{
    return image->shipped;
}

const char *image_path(const struct image *image)
{
    return image->path;
}

const struct elf_file *image_file(const struct image *image)
{
    return &image->file;
}

size_t image_build_id(const struct image *image, const uint8_t **bytes)
{
    *bytes = image->build_id_bytes > 0 ? image->build_id : NULL;
    return image->build_id_bytes;
}

unsigned image_word_bytes(const struct image *image)
{
    return image->file.word_bytes;
}

bool image_big_endian(const struct image *image)
{
    return image->file.big_endian;
}

const struct arch *image_arch(const struct image *image)
{
    return image->file.arch;
}

unsigned image_machine(const struct image *image)
{
    return image->file.header.e_machine;
}

const char *image_machine_name(const struct image *image)
{
    return arch_machine_name(image->file.header.e_machine);
}

unsigned image_code_align(const struct image *image)
{
    const struct arch *arch = image->file.arch;
    bool is_short = (image->file.header.e_flags & arch->short_flag) != 0;
    return image->short_code || is_short ? arch->unit : arch->align;
}

/* Whether this section has the code at an address. */
static bool has_code(const struct image *image, size_t section, uint64_t address,
                     GElf_Shdr *header)
{
    return elf_file_header(&image->file, section, header) &&
           (header->sh_flags & SHF_EXECINSTR) != 0 && address >= header->sh_addr &&
           address - header->sh_addr < header->sh_size;
}

const uint8_t *image_bytes(const struct image *image, uint64_t address, size_t *size)
{
    *size = 0;
    for (size_t i = 1; i < image->file.section_count; i++) {
        GElf_Shdr header;
        if (!has_code(image, i, address, &header))
            continue;
        Elf_Data *data = elf_file_bytes(&image->file, i);
        size_t offset = (size_t)(address - header.sh_addr);
        if (data == NULL || data->d_size <= offset)
            continue;
        *size = data->d_size - offset;
        return (const uint8_t *)data->d_buf + offset;
    }
    return NULL;
}

bool image_bytes_lost(const struct image *image, uint64_t address)
{
    for (size_t i = 1; i < image->file.section_count; i++) {
        GElf_Shdr header;
        if (has_code(image, i, address, &header) && elf_file_has(&image->file, &header))
            return true;
    }
    return false;
}

const char *image_text(const struct image *image, uint64_t address)
{
    for (size_t i = 1; i < image->file.section_count; i++) {
        GElf_Shdr header;
        if (!elf_file_header(&image->file, i, &header) ||
            (header.sh_flags & SHF_ALLOC) == 0 || header.sh_type == SHT_NOBITS ||
            address < header.sh_addr || address - header.sh_addr >= header.sh_size)
            continue;
        Elf_Data *data = elf_file_bytes(&image->file, i);
        size_t offset = (size_t)(address - header.sh_addr);
        if (data == NULL || data->d_size <= offset)
            continue;
        const char *text = (const char *)data->d_buf + offset;
        return memchr(text, '\0', data->d_size - offset) != NULL ? text : NULL;
    }
    return NULL;
}

size_t image_code(const struct image *image, const struct image_range **ranges)
{
    *ranges = image->code;
    return image->code_count;
}
