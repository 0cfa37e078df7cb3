/* SPDX-License-Identifier: MIT */
/*
 * The units of DWARF's debug information, with their line tables, functions and inlined
 * calls. Read with libdw; this checks first what libdw takes for granted. Every byte may
 * be hostile: no walk takes more steps than the unit has bytes.
 */
#ifndef MCUPROF_HOST_UNITS_H
#define MCUPROF_HOST_UNITS_H

#include <elfutils/libdw.h>

#include "debug_sections.h"
#include "line_table.h"

/* ---- Units ---- */

struct unit {
    Dwarf_Die die;
    uint64_t bytes;        /* of its debug information */
    unsigned language;     /* DW_LANG_*; 0: not known */
    const char *directory; /* DW_AT_comp_dir; NULL */
    uint64_t table_offset; /* UINT64_MAX: no line table */
};

struct units {
    const struct elf_file *elf;
    Dwarf *dwarf; /* NULL: no debug information */
    struct debug_strings strings;
    struct line_sections sections;
    struct unit *items; /* in the order of the debug information */
    size_t count, room;
    struct line_table *tables; /* private: ascending by offset; some are not read yet */
    size_t table_count;
};

/* Opens the units; the ELF must stay open as long as they do. Without sound debug
 * information there are no units. false: out of memory. The caller releases them in any
 * case. */
bool units_open(struct units *units, const struct elf_file *elf);
void units_release(struct units *units);

/* For dwarf_new_oom_handler(): libdw cannot go on after it, so this reports the lack of
 * memory and ends the program. */
void units_end_without_memory(void) __attribute__((noreturn));

/* The unit's line table, which is read at the first call; units may share it. *table is
 * NULL if there is none. false: out of memory. */
bool units_table(struct units *units, const struct unit *unit,
                 const struct line_table **table);

/* ---- Dies ---- */

enum { DIES_DEPTH_MAX = 512 };

/* A walk through the tree below a unit, in the order of the debug information. */
struct dies {
    struct {
        Dwarf_Die die;
        uint32_t within;
    } levels[DIES_DEPTH_MAX];
    size_t depth;    /* depth of the current die, from 1 on */
    uint64_t left;   /* steps that the walk may still take */
    uint32_t within; /* the value of the current die's parent; the caller may set it for
                      * the die's children */
};

/* The first die; NULL: none. */
Dwarf_Die *dies_first(struct dies *dies, const struct unit *unit);
/* The next die, valid up to the next call. The current die's children come next only if
 * `inside`. */
Dwarf_Die *dies_next(struct dies *dies, bool inside);

/* ---- Functions and inlined calls ---- */

/* The attributes that are used; each is the first of its name in the die. `valp` is NULL
 * where the die has none. */
struct scope_attributes {
    Dwarf_Attribute low, high, entry, ranges;
    Dwarf_Attribute linkage_name, mips_name, name;
    Dwarf_Attribute origin, specification;
    Dwarf_Attribute call_file, call_line;
};

/* A walk over the functions and inlined calls of a unit. */
struct scopes {
    struct dies dies;
    const struct units *units;
    const struct unit *unit;
    Dwarf_Die *die; /* the current one */
    int tag;        /* DW_TAG_subprogram, _inlined_subroutine, _entry_point */
    struct scope_attributes at;
    bool plain; /* in the unit's language DW_AT_name is the name in the symbol table */
    ptrdiff_t range;
    Dwarf_Addr base;
};

void scopes_init(struct scopes *scopes, const struct units *units,
                 const struct unit *unit);
/* Goes on to the next function or call. false: there is none. */
bool scopes_next(struct scopes *scopes);
/* The next range of the current one. false: it has no more. */
bool scopes_range(struct scopes *scopes, uint64_t *low, uint64_t *high);
/* The current one's name, or the name of the function that it is an instance of; NULL:
 * none. *is_linkage: it is the name in the symbol table. */
const char *scopes_name(struct scopes *scopes, bool *is_linkage);

/* The address that the attribute gives. It is sign-extended if the ELF's user wants that;
 * as in GNU's BFD, addresses given by an index are not. */
uint64_t attribute_address(const struct elf_file *elf, Dwarf_Attribute *attribute,
                           uint64_t address);
/* The attribute's number; `otherwise` where there is none. */
uint64_t attribute_number(Dwarf_Attribute *attribute, uint64_t otherwise);

#endif
