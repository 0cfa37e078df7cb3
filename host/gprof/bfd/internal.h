/* SPDX-License-Identifier: MIT */
/*
 * The debug information as far as it was read: each part is read when it is asked for
 * first. Private to bfd/.
 */
#ifndef MCUPROF_HOST_BFD_INTERNAL_H
#define MCUPROF_HOST_BFD_INTERNAL_H

#include "../../image/spans.h"
#include "../../image/stabs.h"
#include "bfd.h"

/* A function or an inlined call. */
struct bfd_function {
    const char *name; /* NULL: none in the debug information */
    uint64_t low;     /* the address where it begins */
    bool is_linkage;  /* the name is as in the symbol table */
};

struct bfd_functions {
    struct bfd_function *items;
    size_t count, room;
    struct spans spans; /* owner: the function; rank: the span's size, so that the
                         * innermost function wins */
};

/* Whether BFD 2.40 can read these ranges: it cannot if they are given by an index, as
 * clang gives them. */
bool bfd_has_ranges(Dwarf_Attribute *ranges);
/* Adds the functions of a unit; false: out of memory. */
bool bfd_read_functions(const struct units *units, const struct unit *unit,
                        struct bfd_functions *functions);

struct bfd_unit {
    const struct line_table *table; /* NULL: none */
    struct bfd_file *files;         /* one for each file of the table; NULL: none was
                                     * asked for */
    bool asked;                     /* the ranges of its lines are in the tree */
    bool functions_read;
    struct bfd_functions functions; /* their spans are disjoint */
};

/* The units that may have an address, in the order in which they are asked. */
struct bfd_leaf {
    struct span *ranges; /* owner: the unit */
    size_t count;
};

struct bfd_tree {
    struct bfd_node *root;
    uint64_t left; /* steps that further ranges may cost */
};

/* Adds a range. After tree->left steps it ignores further ranges. false: out of memory.
 */
bool bfd_tree_add(struct bfd_tree *tree, const struct span *range);
/* The leaf for an address; never NULL, valid up to the next addition. *until becomes less
 * if the leaf's addresses end before it.
 */
const struct bfd_leaf *bfd_tree_at(const struct bfd_tree *tree, uint64_t address,
                                   uint64_t *until);
void bfd_tree_release(struct bfd_tree *tree);

/* A symbol of .text. */
struct bfd_name {
    uint64_t offset; /* in .text */
    uint64_t size;   /* at least 1 */
    const char *name;
    uint32_t order;
};

struct bfd_names {
    struct bfd_name *items; /* ascending, distinct */
    size_t count;
    size_t last; /* number, from 1, of the symbol that was found last; 0: none */
};

/* false: out of memory. */
bool bfd_read_names(const struct elf_file *elf, const struct bfd_text *text,
                    struct bfd_names *names);
/* The last symbol at or before the offset, or the one that the look-up before found, if
 * that reaches to the offset. NULL: none. *until: the next offset that may have another
 * answer. */
const struct bfd_name *bfd_name_at(struct bfd_names *names, uint64_t offset,
                                   uint64_t *until);

/* Where the last look-up ended: the next one is probably near. */
struct bfd_finger {
    size_t row, function;
    const struct bfd_unit *unit; /* the unit that row and function belong to */
};

struct bfd_lines {
    const struct elf_file *elf;
    struct bfd_text text;
    struct units dwarf;
    struct bfd_unit *units; /* the units of `dwarf` that BFD reads */
    size_t unit_count;
    size_t known_units; /* the first units, which are in the tree */
    struct bfd_tree tree;
    size_t changes; /* how many look-ups changed the answers to others */
    bool overlap;   /* some lines of .text are in several tables, or twice in one */
    struct bfd_names names;
    struct stabs stabs;          /* for code that DWARF does not know */
    struct bfd_file *stab_files; /* one for each file of `stabs`; NULL: none was asked
                                  * for */
    struct bfd_file unknown;     /* stands for files that a table's rows name but the
                                  * table does not have */
    struct bfd_finger finger;
};

/* Adds the next unit to the tree, with the ranges that its DIE says it has. *has: the
 * address is in one of them, or there are none. false: out of memory. */
bool bfd_read_unit(struct bfd_lines *lines, uint64_t address, bool *has);
/* Adds what the unit's lines cover to the tree, the first time. false: out of memory. */
bool bfd_ask_unit(struct bfd_lines *lines, struct bfd_unit *unit);
/* Reads unit->functions and adds what they cover to the tree, the first time. false: out
 * of memory. */
bool bfd_open_functions(struct bfd_lines *lines, struct bfd_unit *unit);
/* The unit as DWARF describes it. */
const struct unit *bfd_dwarf_unit(const struct bfd_lines *lines,
                                  const struct bfd_unit *unit);
/* *found: the unit's file `number`, or the file of a row of stabs; NULL where the row has
 * none. Both return false if out of memory. */
bool bfd_unit_file(struct bfd_lines *lines, struct bfd_unit *unit, uint32_t number,
                   struct bfd_file **found);
bool bfd_stab_file(struct bfd_lines *lines, const struct stab_row *row,
                   struct bfd_file **found);

#endif
