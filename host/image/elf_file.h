/* SPDX-License-Identifier: MIT */
/*
 * An ELF as it lies in the file: header, sections and symbol table, read by libelf with
 * their bounds checked, but nothing selected or judged. image.h, which is built on it,
 * has a program's functions and lines. gprof/ uses this, because it selects as GNU
 * does.
 */
#ifndef MCUPROF_HOST_ELF_FILE_H
#define MCUPROF_HOST_ELF_FILE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../arch/arch.h"

struct elf_file {
    int fd; /* -1: the file is not open */
    Elf *elf;
    uint64_t bytes; /* size of the file */
    GElf_Ehdr header;
    const struct arch *arch;
    size_t section_count;
    unsigned word_bytes; /* size of addresses: 4 or 8 */
    bool big_endian;
    bool sign_extend; /* the user of this file wants 4-byte addresses sign-extended to
                       * 8 */

    Elf_Data *symbols; /* .symtab; NULL: none */
    size_t symbol_count;
    Elf_Data *section_numbers; /* its SHT_SYMTAB_SHNDX section; NULL: none */
    const char *strings;       /* its names; ends with '\0' */
    size_t string_bytes;
};

/* Reads an open file and takes it over. `how`: ELF_C_READ, or ELF_C_READ_MMAP_PRIVATE
 * where nobody shortens the file meanwhile. false: it is not an ELF, or its table lacks
 * sections. Then, too, what is known is filled in, and the caller releases it. */
bool elf_file_begin(struct elf_file *file, int fd, Elf_Cmd how);
/* Safe on zeros with fd -1. */
void elf_file_release(struct elf_file *file);

/* A section's header, from 1 to section_count - 1. false: it is not readable. */
bool elf_file_header(const struct elf_file *file, size_t index, GElf_Shdr *header);
/* A section's bytes, in this machine's byte order as far as libelf knows what they mean;
 * NULL: it has none. */
Elf_Data *elf_file_section(const struct elf_file *file, size_t index);

/* Whether the file has all bytes of a section: if so, only memory can be missing for
 * them. */
bool elf_file_has(const struct elf_file *file, const GElf_Shdr *header);

/* The bytes as they lie in the file, whatever the section's type says that they are. */
Elf_Data *elf_file_bytes(const struct elf_file *file, size_t index);
/* NULL: it has no name. */
const char *elf_file_section_name(const struct elf_file *file, const GElf_Shdr *header);
/* The first section of that name behind `index`; 0: none. */
size_t elf_file_find(const struct elf_file *file, size_t index, const char *name,
                     GElf_Shdr *header);
/* Whether the section is loaded. A section index that is none (an absolute symbol's)
 * counts as loaded. */
bool elf_file_is_loaded(const struct elf_file *file, size_t index);

/* Whether its debug sections, which libdw inflates all at once, say that they become
 * absurdly large: *bytes, more than 64 MiB and more than 16 times the file. */
bool elf_file_swells(const struct elf_file *file, uint64_t *bytes);

/* Finds .symtab; sets `symbols` and the members behind it. */
void elf_file_find_symbols(struct elf_file *file);
/* Reads the number'th symbol; *section is the number of its section. */
bool elf_file_symbol(const struct elf_file *file, size_t number, GElf_Sym *symbol,
                     uint32_t *section);
/* A name of the symbol table; "" if the offset lies outside the strings. */
const char *elf_file_string(const struct elf_file *file, size_t offset);
/* A symbol's address. Its lowest bit is cleared where that bit tells the kind of code. */
uint64_t elf_file_code_address(const struct elf_file *file, const GElf_Sym *symbol);
/* Finds out how the code is to be decoded. false: out of memory. The caller releases it
 * in any case. */
bool elf_file_code(const struct elf_file *file, struct arch_code *code);
/* The address, sign-extended if sign_extend is set. */
uint64_t elf_file_address(const struct elf_file *file, uint64_t address);

#endif
