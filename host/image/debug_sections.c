/* SPDX-License-Identifier: MIT */
#include "debug_sections.h"

#include <dwarf.h>
#include <string.h>

const void *debug_section(const struct elf_file *file, const char *name, size_t *bytes)
{
    GElf_Shdr header;
    size_t index = elf_file_find(file, 0, name, &header);
    while (index != 0 && header.sh_type == SHT_NOBITS)
        index = elf_file_find(file, index, name, &header);
    Elf_Data *data = index == 0 ? NULL : elf_file_bytes(file, index);
    if (data == NULL)
        return NULL;
    *bytes = data->d_size;
    return data->d_buf;
}

bool debug_strings_init(struct debug_strings *strings, const struct elf_file *file)
{
    static const char *const sections[] = {".debug_str", ".debug_line_str"};
    *strings = (struct debug_strings){0};
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        size_t bytes;
        const char *texts = debug_section(file, sections[i], &bytes);
        if (texts != NULL && bytes > 0 && texts[bytes - 1] != '\0')
            return false;
    }
    strings->info = debug_section(file, ".debug_info", &strings->info_bytes);
    return true;
}

const char *debug_string(const struct debug_strings *strings, Dwarf_Attribute *attribute)
{
    const char *text = dwarf_formstring(attribute);
    if (text == NULL || dwarf_whatform(attribute) != DW_FORM_string)
        return text;
    const char *info = strings->info;
    if (info == NULL || text < info || text >= info + strings->info_bytes ||
        memchr(text, 0, (size_t)(info + strings->info_bytes - text)) == NULL)
        return NULL;
    return text;
}
