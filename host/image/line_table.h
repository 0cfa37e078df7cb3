/* SPDX-License-Identifier: MIT */
/*
 * Line tables of DWARF 2 to 5 (section 6.2 of the DWARF 5 standard), read straight from
 * the section: libdw keeps three times as much of them and drops the borders of
 * sequences, on which GNU's answers depend. Every byte of them is hostile.
 */
#ifndef MCUPROF_HOST_LINE_TABLE_H
#define MCUPROF_HOST_LINE_TABLE_H

#include "elf_file.h"
#include "spans.h"

/* From this address on, to the next row's, code is of this line. */
struct line_row {
    uint64_t address;
    uint32_t line;
    uint32_t file : 31;  /* number in the program; LINE_GAP: no code */
    uint32_t begins : 1; /* a statement of the line begins at the address */
};

enum { LINE_GAP = INT32_MAX };

struct line_file {
    const char *name;
    uint64_t directory;
};

/* One table, its sequences put in order. Strings are in the ELF. */
struct line_table {
    uint64_t offset;  /* in .debug_line */
    bool read;        /* by line_table_read() */
    unsigned version; /* 0: nothing could be read */
    const char **directories;
    size_t directory_count;
    struct line_file *files;
    size_t file_count;
    struct line_row *rows; /* ascending, distinct */
    size_t row_count;
    struct spans sequences; /* as they come; owner: first row when read, rank: rows */
};

/* What line tables refer to. */
struct line_sections {
    const struct elf_file *elf;
    const uint8_t *line;
    size_t line_bytes;
    const char *strings, *line_strings;
    size_t string_bytes, line_string_bytes;
    /* For the caller to set. As GNU's BFD: programs of DWARF 5 begin with file 0, which
     * the standard says is 1. Not so: where sequences overlap, those from 0 on give way,
     * but for one to where the function at 0 ends; the linker dropped what they are of.
     */
    bool as_bfd;
    uint64_t zero_end;
};

/* Of an ELF whose sections dwarf_begin_elf() decompressed; valid as long as that. */
void line_sections_init(struct line_sections *sections, const struct elf_file *elf);

/* Reads the table at `offset`; what cannot be read ends it. false: out of memory; what
 * was read is to be released in any case. */
bool line_table_read(const struct line_sections *sections, uint64_t offset,
                     struct line_table *table);
void line_table_release(struct line_table *table);

/* The row that has the address; NULL: none. *until and *hint: as spans_at()'s. */
const struct line_row *line_table_at(const struct line_table *table, size_t *hint,
                                     uint64_t address, uint64_t *until);

/* A row's file among the table's; file_count and more: it is not in it. */
size_t line_table_file(const struct line_table *table, uint32_t file);
/* COMPILED_IN/directory/name of files[index], as far as each does not begin at the root;
 * compiled_in: DW_AT_comp_dir, NULL. A new string; NULL: out of memory. */
char *line_table_path(const struct line_table *table, size_t index,
                      const char *compiled_in);

#endif
