/* SPDX-License-Identifier: MIT */
/*
 * The debug information as GNU's BFD answers from it, as far as it was read; nothing of
 * it is read before it is asked for. Private to bfd/ and call_sites.c.
 */
#ifndef MCUPROF_HOST_GPROF_LINES_H
#define MCUPROF_HOST_GPROF_LINES_H

#include "../../image/spans.h"
#include "../../image/stabs.h"
#include "../../image/units.h"
#include "../symbols/image.h"

/* A function or an inlined call. */
struct gprof_function {
    const char *name; /* NULL: none in the debug information */
    uint64_t low;     /* where it begins */
    bool is_linkage;  /* the name is as in the symbol table */
};

struct gprof_functions {
    struct gprof_function *items;
    size_t count, room;
    struct spans spans; /* owner: the function; rank: so that the innermost wins */
};

/* Whether BFD 2.40 knows these ranges: not by their index, as clang writes them. */
bool gprof_has_ranges(Dwarf_Attribute *ranges);
/* Adds those of a unit; false: out of memory. */
bool gprof_read_functions(const struct units *units, const struct unit *unit,
                          struct gprof_functions *functions);

struct gprof_unit {
    const struct line_table *table; /* NULL: none */
    uint32_t *files;                /* by the table's number: in gprof->files */
    bool asked;                     /* the tree has what its lines cover */
    bool functions_read;
    struct gprof_functions functions; /* their spans are flat */
};

/* The units that may have an address, to be asked in this order. */
struct gprof_unit_leaf {
    struct span *ranges; /* owner: the unit */
    size_t count;
};

struct gprof_unit_tree {
    struct gprof_unit_node *root;
    uint64_t left; /* steps that adding ranges may take yet */
};

/* What lies behind tree->left steps is left out. false: out of memory. */
bool gprof_add_to_units(struct gprof_unit_tree *tree, const struct span *range);
/* Never NULL, valid to the next addition. *until becomes less where the leaf ends before.
 */
const struct gprof_unit_leaf *gprof_units_at(const struct gprof_unit_tree *tree,
                                             uint64_t address, uint64_t *until);
void gprof_unit_tree_release(struct gprof_unit_tree *tree);

/* A symbol of .text. */
struct gprof_elf_name {
    uint64_t offset; /* in .text */
    uint64_t size;   /* 1 and more */
    const char *name;
    uint32_t order;
};

struct gprof_elf_names {
    struct gprof_elf_name *items; /* ascending, distinct */
    size_t count;
    size_t last; /* the one that was found last, from 1 on; 0: none */
};

/* false: out of memory. */
bool gprof_read_elf_names(const struct gprof_image *image, struct gprof_elf_names *names);
/* The last symbol at or before the offset, or the one found before where it reaches so
 * far. NULL: none. *until: the next look-up that has another answer. */
const struct gprof_elf_name *gprof_elf_name_at(struct gprof_elf_names *names,
                                               uint64_t offset, uint64_t *until);

struct gprof_lines {
    struct units dwarf;
    struct gprof_unit *units; /* as many of dwarf's as BFD reads */
    size_t unit_count;
    size_t known_units; /* so many are in the tree */
    struct gprof_unit_tree tree;
    size_t changes; /* how often a look-up changed what others may answer */
    bool overlap;   /* of lines of .text in several tables, or twice in one */
    struct gprof_elf_names elf_names;
    struct stabs stabs;   /* of code that DWARF does not know */
    uint32_t *stab_files; /* by its files: number in gprof->files; 0: not asked for yet */

    void *paths; /* of gprof->files: a tree, private to units.c */
    size_t file_room;
};

/* The number of a path in gprof->files, which gets it where it is new. Takes the path
 * over, NULL: out of memory, as false. */
bool gprof_number_path(struct gprof *gprof, char *path, uint32_t *number);
/* Units and line tables. false: out of memory. */
bool gprof_open_lines(struct gprof *gprof);
/* The next unit goes into the tree, with the ranges that it says to have. *has: the
 * address is in one of them, or there are none. false: out of memory. */
bool gprof_read_unit(struct gprof *gprof, uint64_t address, bool *has);
/* What its lines cover goes into the tree, once. false: out of memory. */
bool gprof_ask_unit(struct gprof *gprof, struct gprof_unit *unit);
/* unit->functions, once; what they cover goes into the tree. false: out of memory. */
bool gprof_open_functions(struct gprof *gprof, struct gprof_unit *unit);
/* What DWARF says of the unit. */
const struct unit *gprof_dwarf_unit(const struct gprof_lines *lines,
                                    const struct gprof_unit *unit);
/* *number: that of the unit's or the row's file in gprof->files, which gets it where it
 * is new; 0 where the row has none. false: out of memory; of both. */
bool gprof_unit_file(struct gprof *gprof, struct gprof_unit *unit, uint32_t file,
                     uint32_t *number);
bool gprof_stab_file(struct gprof *gprof, const struct stab_row *row, uint32_t *number);

#endif
