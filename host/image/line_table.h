/* SPDX-License-Identifier: MIT */
/*
 * Line tables of DWARF 2 to 5 (section 6.2 of the DWARF 5 standard), read directly from
 * the section: libdw needs three times as much memory for them and drops the borders of
 * sequences, on which GNU's answers depend. Every byte of them may be hostile.
 */
#ifndef MCUPROF_HOST_LINE_TABLE_H
#define MCUPROF_HOST_LINE_TABLE_H

#include "elf_file.h"
#include "spans.h"

/* Code from this address to the next row's belongs to this line. */
struct line_row {
    uint64_t address;
    uint32_t line;
    uint32_t file : 31;  /* number in the program; LINE_GAP: no code from here on */
    uint32_t begins : 1; /* a statement of the line begins at the address */
};

enum { LINE_GAP = INT32_MAX };

struct line_file {
    const char *name;
    uint64_t directory;
};

/* One table, with its sequences in order. Its strings lie in the ELF. */
struct line_table {
    uint64_t offset;  /* in .debug_line */
    bool read;        /* line_table_read() was called */
    unsigned version; /* 0: nothing could be read */
    const char **directories;
    size_t directory_count;
    struct line_file *files;
    size_t file_count;
    struct line_row *rows; /* ascending, distinct */
    size_t row_count;
    struct spans sequences; /* as they come; `owner`: first row, once read; `rank`:
                             * number of rows */
};

/* The sections that line tables refer to. */
struct line_sections {
    const struct elf_file *elf;
    const uint8_t *line;
    size_t line_bytes;
    const char *strings, *line_strings;
    size_t string_bytes, line_string_bytes;
    /* Set by the caller. true: as in GNU's BFD, a program of DWARF 5 begins with file 0,
     * though the standard says 1. false: where sequences overlap, one that starts at 0
     * gives way, unless it ends at zero_end, where the function at 0 ends: the others
     * belong to functions that the linker dropped.
     */
    bool as_bfd;
    uint64_t zero_end;
};

/* For an ELF whose sections dwarf_begin_elf() decompressed; valid as long as they are. */
void line_sections_init(struct line_sections *sections, const struct elf_file *elf);

/* Reads the table at `offset`, up to what cannot be read. false: out of memory. The
 * caller releases the table in any case. */
bool line_table_read(const struct line_sections *sections, uint64_t offset,
                     struct line_table *table);
void line_table_release(struct line_table *table);

/* The row that has the address; NULL: none. *until and *hint are as in spans_at(). */
const struct line_row *line_table_at(const struct line_table *table, size_t *hint,
                                     uint64_t address, uint64_t *until);

/* The index of a row's file in table->files; file_count or more: the table does not have
 * it. */
size_t line_table_file(const struct line_table *table, uint32_t file);
/* The path of files[index]: COMPILED_IN/directory/name, of which a part that begins at
 * the root drops the parts before it. compiled_in: DW_AT_comp_dir or NULL. The caller
 * frees it; NULL: out of memory. */
char *line_table_path(const struct line_table *table, size_t index,
                      const char *compiled_in);

#endif
