/* SPDX-License-Identifier: MIT */
/*
 * Private to lines.c and units.c: the debug information as far as it was read. Nothing of
 * it is read before it is asked for.
 */
#ifndef MCUPROF_HOST_GPROF_LINES_H
#define MCUPROF_HOST_GPROF_LINES_H

#include "dwarf.h"

struct gprof_unit {
    Dwarf_Die die;
    uint64_t bytes;        /* of its debug information */
    const char *directory; /* DW_AT_comp_dir; NULL */
    uint64_t table_offset;
    const struct gprof_line_table *table; /* NULL: none */
    uint32_t *files;                      /* by the table's number: in gprof->files */
    bool functions_read;
    struct gprof_functions functions; /* their spans are flat */
    bool looked_at;                   /* an address was looked up in it */
    uint32_t known_units;             /* how many units BFD had read by then */
};

/* A symbol of .text, for code of which the debug information knows no name. */
struct gprof_elf_name {
    uint64_t address, size;
    const char *name;
    uint32_t order;
};

struct gprof_lines {
    Dwarf *dwarf; /* NULL: no debug information */
    struct gprof_line_sections sections;
    struct gprof_unit *units;
    size_t unit_count, unit_room;
    struct gprof_spans spans; /* of the units; flat */
    /* Of assembler units' functions; flat, owner: the unit. GNU as gives a Thumb function
     * an odd start, so its range ends one byte into what follows, and once BFD has looked
     * into that unit it takes the byte for the unit's, where no later unit has it. */
    struct gprof_spans strays;
    uint32_t known_units; /* how many units BFD would have read so far */
    struct gprof_line_table *tables;
    size_t table_count;

    struct gprof_elf_name *elf_names; /* ascending, distinct */
    size_t elf_name_count;

    uint32_t *paths; /* hash of gprof->files: numbers in it; 0: free */
    size_t path_room;
    size_t file_room;
};

/* Units and line tables. false: out of memory. */
bool gprof_open_lines(struct gprof *gprof);
/* unit->functions, once. false: out of memory. */
bool gprof_open_functions(struct gprof *gprof, struct gprof_unit *unit);
/* *number: that of the unit's file in gprof->files, which gets it where it is new. */
bool gprof_unit_file(struct gprof *gprof, struct gprof_unit *unit, uint32_t file,
                     uint32_t *number);

#endif
