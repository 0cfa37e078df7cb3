/* SPDX-License-Identifier: MIT */
/*
 * The debug information for lines.c: its units, line tables and functions, each read once
 * and in full. Every byte of it is hostile.
 */
#ifndef MCUPROF_HOST_GPROF_DWARF_H
#define MCUPROF_HOST_GPROF_DWARF_H

#include <elfutils/libdw.h>

#include "image.h"
#include "image/debug_sections.h"

/* Addresses [low, high) that belong to something. Where several overlap, the lowest rank
 * wins, then the highest owner. */
struct gprof_span {
    uint64_t low, high;
    uint64_t rank;
    uint32_t owner; /* an index */
};

struct gprof_spans {
    struct gprof_span *items;
    size_t count, room;
};

bool gprof_add_span(struct gprof_spans *spans, const struct gprof_span *span);
/* Sorts and cuts them so that they are disjoint and ascending. O(n log n). */
bool gprof_flatten_spans(struct gprof_spans *spans);
/* Of flattened ones: how many start at or below the address. */
size_t gprof_span_index(const struct gprof_spans *spans, uint64_t address);

/* From this address on, to the next row's, code is of this line. */
struct gprof_row {
    uint64_t address;
    uint32_t file; /* number in the table's files; GPROF_GAP: no code */
    uint32_t line;
};

#define GPROF_GAP UINT32_MAX

struct gprof_file_entry {
    const char *name;
    uint64_t directory;
};

/* One line table, its sequences put in order. Strings are in the ELF. */
struct gprof_line_table {
    uint64_t offset; /* in .debug_line */
    unsigned version;
    const char **directories;
    size_t directory_count;
    struct gprof_file_entry *files;
    size_t file_count;
    struct gprof_row *rows; /* ascending, distinct */
    size_t row_count;
    struct gprof_spans
        sequences; /* as they come; owner: first row when read, rank: rows */
};

/* The sections that line tables refer to. */
struct gprof_line_sections {
    const uint8_t *line;
    size_t line_bytes;
    const char *strings, *line_strings;
    size_t string_bytes, line_string_bytes;
    unsigned address_bytes;
    bool big_endian;
    const struct gprof_image *image;
};

/* Reads the table at `offset`; what cannot be read ends it. false: out of memory. */
bool gprof_read_line_table(const struct gprof_line_sections *sections, uint64_t offset,
                           struct gprof_line_table *table);
void gprof_line_table_release(struct gprof_line_table *table);

/* How many rows are at or below the address. */
size_t gprof_row_index(const struct gprof_line_table *table, uint64_t address);

/* A function or an inlined call. */
struct gprof_function {
    const char *name; /* NULL: none in the debug information */
    uint64_t low;     /* where it begins */
    bool is_linkage;  /* the name is as in the symbol table */
};

struct gprof_functions {
    struct gprof_function *items;
    size_t count, room;
    struct gprof_spans spans; /* owner: the function; rank: so that the innermost wins */
};

/* An address that the attribute gives, where `image` has it. */
uint64_t gprof_attribute_address(const struct gprof_image *image,
                                 Dwarf_Attribute *attribute, uint64_t address);
/* Whether BFD 2.40 knows its ranges: not by their index, as clang writes them. */
bool gprof_has_ranges(Dwarf_Die *die);
/* Adds those of a unit; false: out of memory. `bytes`: of its debug information. */
bool gprof_read_functions(const struct gprof_image *image,
                          const struct debug_strings *strings, Dwarf_Die *unit,
                          uint64_t bytes, struct gprof_functions *functions);

#endif
