/* SPDX-License-Identifier: MIT */
/* The unwind table's list of frames that rows go past: wire/mcuprof_unwind.h. */
#include <stdlib.h>

#include "internal.h"
#include "mcuprof_unwind.h"

/* `mcuprof unwind` writes 8 frames at most. */
enum { HEADER_BYTES = 24, SKIPPED_BYTES = 8, SKIPPED_MAX = 64 };

struct unwind_section {
    const uint8_t *bytes;
    size_t size;
    bool big_endian;
};

/* A number in the table; 0 beyond its end. */
static uint32_t number(const struct unwind_section *table, size_t offset, unsigned bytes)
{
    uint32_t value = 0;
    if (offset > table->size || table->size - offset < bytes)
        return 0;
    for (unsigned i = 0; i < bytes; i++)
        value =
            value << 8 | table->bytes[offset + (table->big_endian ? i : bytes - 1 - i)];
    return value;
}

static struct unwind_section find_table(const struct image *image)
{
    struct unwind_section table = {.big_endian = image->file.big_endian};
    GElf_Shdr header;
    size_t index = elf_file_find(&image->file, 0, ".mcuprof_unwind", &header);
    Elf_Data *data = index != 0 && header.sh_type != SHT_NOBITS
                         ? elf_file_bytes(&image->file, index)
                         : NULL;
    if (data != NULL && data->d_buf != NULL) {
        table.bytes = data->d_buf;
        table.size = data->d_size;
    }
    return table;
}

bool image_skipped_frames(const struct image *image, struct image_skipped_frames **list,
                          size_t *count)
{
    struct unwind_section table = find_table(image);
    size_t pages = number(&table, 8, 2), frames = number(&table, 10, 2);
    size_t rows = number(&table, 12, 2), skipped = number(&table, 14, 2);
    size_t ram_pages = number(&table, 20, 2);
    size_t offset = HEADER_BYTES + 4 * frames + 2 * (ram_pages + pages + 1) + 2 * rows;
    *list = NULL;
    *count = 0;
    offset = (offset + 3) / 4 * 4;
    if (number(&table, 0, 4) != MCUPROF_UNWIND_MAGIC || skipped == 0 ||
        skipped > SKIPPED_MAX || offset > table.size ||
        (table.size - offset) / SKIPPED_BYTES < skipped)
        return true;
    *list = calloc(skipped, sizeof **list);
    if (*list == NULL)
        return false;
    for (size_t i = 0; i < skipped; i++)
        (*list)[i] = (struct image_skipped_frames){
            number(&table, offset + SKIPPED_BYTES * i, 4),
            number(&table, offset + SKIPPED_BYTES * i + 4, 4)};
    *count = skipped;
    return true;
}
