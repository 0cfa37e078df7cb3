/* SPDX-License-Identifier: MIT */
/*
 * An ELF as it lies in the file: header, sections, symbol table, bounds checked, nothing
 * chosen or judged. image.h is for those who want a program's functions and lines; this
 * is what it is made of, and bfd/ and gprof/, which choose as GNU does. By libelf.
 */
#ifndef MCUPROF_HOST_ELF_FILE_H
#define MCUPROF_HOST_ELF_FILE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../arch/arch.h"

struct elf_file {
    int fd; /* -1: none */
    Elf *elf;
    uint64_t bytes; /* of the file */
    GElf_Ehdr header;
    const struct arch *arch;
    size_t section_count;
    unsigned word_bytes; /* of addresses: 4 or 8 */
    bool big_endian;
    bool sign_extend; /* addresses of 4 bytes to 8: the owner's choice */

    Elf_Data *symbols; /* .symtab; NULL: none */
    size_t symbol_count;
    Elf_Data *section_numbers; /* its SHT_SYMTAB_SHNDX; NULL: none */
    const char *strings;       /* its names; ends with '\0' */
    size_t string_bytes;
};

/* A file that is open, which it takes over. `how`: ELF_C_READ, or ELF_C_READ_MMAP_PRIVATE
 * where nobody shortens it meanwhile. false: not an ELF, or its sections are not all in
 * their table; what is known of it is filled in, and to be released. */
bool elf_file_begin(struct elf_file *file, int fd, Elf_Cmd how);
/* Safe on one of zeros but for fd -1. */
void elf_file_release(struct elf_file *file);

/* A section's header, from 1 to section_count - 1. false: it is not readable. */
bool elf_file_header(const struct elf_file *file, size_t index, GElf_Shdr *header);
/* A section's bytes, in this machine's byte order as far as libelf knows what they are;
 * NULL: it has none. */
Elf_Data *elf_file_section(const struct elf_file *file, size_t index);

/* The bytes as they lie in the file. */
Elf_Data *elf_file_bytes(const struct elf_file *file, size_t index);
/* NULL: it has no name. */
const char *elf_file_section_name(const struct elf_file *file, const GElf_Shdr *header);
/* The first section of that name behind `index`; 0: none. */
size_t elf_file_find(const struct elf_file *file, size_t index, const char *name,
                     GElf_Shdr *header);
/* Whether what is in a section is loaded; of what is in none, too. */
bool elf_file_is_loaded(const struct elf_file *file, size_t index);

/* Finds .symtab: symbols and what is behind it in the structure. */
void elf_file_find_symbols(struct elf_file *file);
/* The number'th symbol, *section its section's number. */
bool elf_file_symbol(const struct elf_file *file, size_t number, GElf_Sym *symbol,
                     uint32_t *section);
/* A name of the symbol table; "" where it is outside the strings. */
const char *elf_file_string(const struct elf_file *file, size_t offset);
/* A symbol's address without the lowest bit, where that says how code is to be read. */
uint64_t elf_file_code_address(const struct elf_file *file, const GElf_Sym *symbol);
/* How the code is to be read. false: out of memory; to be released in any case. */
bool elf_file_code(const struct elf_file *file, struct arch_code *code);
/* The address, its sign extended where the owner wants that. */
uint64_t elf_file_address(const struct elf_file *file, uint64_t address);

#endif
