/* SPDX-License-Identifier: MIT */
#include "debug_sections.h"

#include <dwarf.h>
#include <gelf.h>
#include <string.h>

const void *debug_section(Elf *elf, const char *name, size_t *bytes)
{
    size_t names;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return NULL;
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section != NULL;
         section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == NULL || header.sh_type == SHT_NOBITS)
            continue;
        const char *other = elf_strptr(elf, names, header.sh_name);
        if (other == NULL || strcmp(other, name) != 0)
            continue;
        Elf_Data *data = elf_rawdata(section, NULL);
        if (data == NULL || data->d_buf == NULL)
            return NULL;
        *bytes = data->d_size;
        return data->d_buf;
    }
    return NULL;
}

bool debug_strings_init(struct debug_strings *strings, Elf *elf)
{
    static const char *const sections[] = {".debug_str", ".debug_line_str"};
    *strings = (struct debug_strings){0};
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        size_t bytes;
        const char *texts = debug_section(elf, sections[i], &bytes);
        if (texts != NULL && bytes > 0 && texts[bytes - 1] != '\0')
            return false;
    }
    strings->info = debug_section(elf, ".debug_info", &strings->info_bytes);
    return true;
}

const char *debug_string(const struct debug_strings *strings, Dwarf_Attribute *attribute)
{
    const char *text = dwarf_formstring(attribute);
    if (text == NULL || dwarf_whatform(attribute) != DW_FORM_string)
        return text;
    const char *info = strings->info, *end = info + strings->info_bytes;
    if (info == NULL || text < info || text >= end ||
        memchr(text, 0, (size_t)(end - text)) == NULL)
        return NULL;
    return text;
}
