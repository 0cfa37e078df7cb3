/* SPDX-License-Identifier: MIT */
/*
 * The debug information as far as it was read; nothing of it is read before it is asked
 * for. Private to bfd/.
 */
#ifndef MCUPROF_HOST_BFD_INTERNAL_H
#define MCUPROF_HOST_BFD_INTERNAL_H

#include "../image/spans.h"
#include "../image/stabs.h"
#include "bfd.h"

/* A function or an inlined call. */
struct bfd_function {
    const char *name; /* NULL: none in the debug information */
    uint64_t low;     /* where it begins */
    bool is_linkage;  /* the name is as in the symbol table */
};

struct bfd_functions {
    struct bfd_function *items;
    size_t count, room;
    struct spans spans; /* owner: the function; rank: so that the innermost wins */
};

/* Whether BFD 2.40 knows these ranges: not by their index, as clang writes them. */
bool bfd_has_ranges(Dwarf_Attribute *ranges);
/* Adds those of a unit; false: out of memory. */
bool bfd_read_functions(const struct units *units, const struct unit *unit,
                        struct bfd_functions *functions);

struct bfd_unit {
    const struct line_table *table; /* NULL: none */
    struct bfd_file *files;         /* of the table; NULL: none was asked for */
    bool asked;                     /* the tree has what its lines cover */
    bool functions_read;
    struct bfd_functions functions; /* their spans are flat */
};

/* The units that may have an address, to be asked in this order. */
struct bfd_leaf {
    struct span *ranges; /* owner: the unit */
    size_t count;
};

struct bfd_tree {
    struct bfd_node *root;
    uint64_t left; /* steps that adding ranges may take yet */
};

/* What lies behind tree->left steps is left out. false: out of memory. */
bool bfd_tree_add(struct bfd_tree *tree, const struct span *range);
/* Never NULL, valid to the next addition. *until becomes less where the leaf ends before.
 */
const struct bfd_leaf *bfd_tree_at(const struct bfd_tree *tree, uint64_t address,
                                   uint64_t *until);
void bfd_tree_release(struct bfd_tree *tree);

/* A symbol of .text. */
struct bfd_name {
    uint64_t offset; /* in .text */
    uint64_t size;   /* 1 and more */
    const char *name;
    uint32_t order;
};

struct bfd_names {
    struct bfd_name *items; /* ascending, distinct */
    size_t count;
    size_t last; /* the one that was found last, from 1 on; 0: none */
};

/* false: out of memory. */
bool bfd_read_names(const struct elf_file *elf, const struct bfd_text *text,
                    struct bfd_names *names);
/* The last symbol at or before the offset, or the one found before where it reaches so
 * far. NULL: none. *until: the next look-up that has another answer. */
const struct bfd_name *bfd_name_at(struct bfd_names *names, uint64_t offset,
                                   uint64_t *until);

/* Where one look-up left off; the next one is near. */
struct bfd_finger {
    size_t row, function;
    const struct bfd_unit *unit; /* theirs */
};

struct bfd_lines {
    const struct elf_file *elf;
    struct bfd_text text;
    struct units dwarf;
    struct bfd_unit *units; /* as many of dwarf's as BFD reads */
    size_t unit_count;
    size_t known_units; /* so many are in the tree */
    struct bfd_tree tree;
    size_t changes; /* how often a look-up changed what others may answer */
    bool overlap;   /* of lines of .text in several tables, or twice in one */
    struct bfd_names names;
    struct stabs stabs;          /* of code that DWARF does not know */
    struct bfd_file *stab_files; /* theirs; NULL: none was asked for */
    struct bfd_file unknown;     /* of rows whose file is not in their table */
    struct bfd_finger finger;
};

/* The next unit goes into the tree, with the ranges that it says to have. *has: the
 * address is in one of them, or there are none. false: out of memory. */
bool bfd_read_unit(struct bfd_lines *lines, uint64_t address, bool *has);
/* What its lines cover goes into the tree, once. false: out of memory. */
bool bfd_ask_unit(struct bfd_lines *lines, struct bfd_unit *unit);
/* unit->functions, once; what they cover goes into the tree. false: out of memory. */
bool bfd_open_functions(struct bfd_lines *lines, struct bfd_unit *unit);
/* What DWARF says of the unit. */
const struct unit *bfd_dwarf_unit(const struct bfd_lines *lines,
                                  const struct bfd_unit *unit);
/* *found: the unit's file, or the row's; NULL where the row has none. false: out of
 * memory; of both. */
bool bfd_unit_file(struct bfd_lines *lines, struct bfd_unit *unit, uint32_t number,
                   struct bfd_file **found);
bool bfd_stab_file(struct bfd_lines *lines, const struct stab_row *row,
                   struct bfd_file **found);

#endif
