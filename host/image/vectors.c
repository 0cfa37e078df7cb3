/* SPDX-License-Identifier: MIT */
/* The vector table of a Cortex-M (ARM DDI 0403E, B1.5.3): the stack pointer, then a
 * handler's address for each exception. The ELF does not say where it is: it is taken to
 * be the first section that begins like one. */
#include <string.h>

#include "internal.h"

enum { WORD = 4, RESET = 1, HARD_FAULT = 3, EXCEPTIONS = 16, VECTORS_MAX = 496 };

static uint32_t word_at(const struct image *image, const Elf_Data *data, size_t number)
{
    uint8_t bytes[WORD];
    uint32_t word = 0;
    memcpy(bytes, (const uint8_t *)data->d_buf + number * WORD, WORD);
    for (size_t i = 0; i < WORD; i++)
        word |= (uint32_t)bytes[i] << 8 * (image->file.big_endian ? WORD - 1 - i : i);
    return word;
}

/* The function that begins at the address of a vector, which is T32 code; NULL: none
 * does. */
static const struct image_symbol *handler_at(const struct image *image, uint32_t vector)
{
    const struct image_symbol *symbol =
        (vector & 1) != 0 ? image_symbol_at(image, vector - 1) : NULL;
    return symbol != NULL && symbol->address == vector - 1 ? symbol : NULL;
}

static bool is_table(const struct image *image, const Elf_Data *data)
{
    if (data == NULL || data->d_buf == NULL || data->d_size < EXCEPTIONS * WORD)
        return false;
    uint32_t stack = word_at(image, data, 0);
    bool is = stack != 0 && stack % WORD == 0 && image_symbol_at(image, stack) == NULL;
    for (size_t i = RESET; i <= HARD_FAULT && is; i++)
        is = handler_at(image, word_at(image, data, i)) != NULL;
    return is;
}

static const Elf_Data *find_table(const struct image *image)
{
    for (size_t i = 1; i < image->file.section_count; i++) {
        GElf_Shdr header;
        if (!elf_file_header(&image->file, i, &header) ||
            header.sh_type != SHT_PROGBITS || (header.sh_flags & SHF_ALLOC) == 0)
            continue;
        const Elf_Data *data = elf_file_section(&image->file, i);
        if (is_table(image, data))
            return data;
    }
    return NULL;
}

bool image_is_handler(const struct image *image, uint64_t address)
{
    const Elf_Data *table = find_table(image);
    size_t words = table != NULL ? table->d_size / WORD : 0;
    for (size_t i = RESET; i < words && i < VECTORS_MAX; i++)
        if (word_at(image, table, i) == (address | 1))
            return true;
    return false;
}

const char *image_handler(const struct image *image, uint32_t exception)
{
    const Elf_Data *table = find_table(image);
    size_t words = table != NULL ? table->d_size / WORD : 0, users = 0;
    if (exception >= words || exception >= VECTORS_MAX)
        return NULL;
    const struct image_symbol *handler =
        handler_at(image, word_at(image, table, exception));
    for (size_t i = 0; handler != NULL && i < words && i < VECTORS_MAX; i++)
        users += handler_at(image, word_at(image, table, i)) == handler;
    return users == 1 ? handler->demangled : NULL;
}
