/* SPDX-License-Identifier: MIT */
/*
 * Reads sections of debug information and the strings in them, and checks what libdw
 * takes for granted and a hostile file may lack. For image/ and gprof/bfd/.
 */
#ifndef MCUPROF_HOST_DEBUG_SECTIONS_H
#define MCUPROF_HOST_DEBUG_SECTIONS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

#include "elf_file.h"

/* The bytes of a section, valid as long as the ELF is open; NULL: it has none. After
 * dwarf_begin_elf() they are decompressed. */
const void *debug_section(const struct elf_file *file, const char *name, size_t *bytes);

struct debug_strings {
    const char *info; /* of .debug_info; NULL: none */
    size_t info_bytes;
};

/* Call it after dwarf_begin_elf(). false: a section of strings does not end with a zero;
 * then nothing of this debug information may be used. */
bool debug_strings_init(struct debug_strings *strings, const struct elf_file *file);
/* The text of an attribute. NULL: the attribute is NULL, it has no text, or its text has
 * no end. */
const char *debug_string(const struct debug_strings *strings, Dwarf_Attribute *attribute);

#endif
