/* SPDX-License-Identifier: MIT */
/*
 * Sections of debug information and the strings in them, where libdw takes for granted
 * what a hostile file does not keep. For image/ and bfd/.
 */
#ifndef MCUPROF_HOST_DEBUG_SECTIONS_H
#define MCUPROF_HOST_DEBUG_SECTIONS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

#include "elf_file.h"

/* The bytes of a section, as long as the ELF is open; NULL: none. After dwarf_begin_elf()
 * they are decompressed. */
const void *debug_section(const struct elf_file *file, const char *name, size_t *bytes);

struct debug_strings {
    const char *info; /* of .debug_info; NULL: none */
    size_t info_bytes;
};

/* To be called after dwarf_begin_elf(). false: a section of strings does not end with a
 * zero, nothing of this debug information is to be used. */
bool debug_strings_init(struct debug_strings *strings, const struct elf_file *file);
/* The text of an attribute. NULL: it is NULL, has no text, or one that does not end. */
const char *debug_string(const struct debug_strings *strings, Dwarf_Attribute *attribute);

#endif
