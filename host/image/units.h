/* SPDX-License-Identifier: MIT */
/*
 * The units of DWARF's debug information, their line tables, the functions and inlined
 * calls in them. Read with libdw; what it takes for granted is checked first. Every byte
 * is hostile: no walk takes more steps than the unit has bytes.
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
    unsigned language;     /* DW_LANG_*; 0: it does not say */
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
    struct line_table *tables; /* private: ascending by offset, not all read yet */
    size_t table_count;
};

/* The ELF stays open as long as they. No units where there is no sound debug
 * information. false: out of memory; to be released in any case. */
bool units_open(struct units *units, const struct elf_file *elf);
void units_release(struct units *units);

/* For dwarf_new_oom_handler(), after which libdw goes on by no other way than ending the
 * program: says so, and does. */
void units_end_without_memory(void) __attribute__((noreturn));

/* The unit's line table, read when it is asked for first; units may share it. *table
 * NULL: none. false: out of memory. */
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
    size_t depth;    /* of the die that the walk is at, from 1 on */
    uint64_t left;   /* steps */
    uint32_t within; /* of this die's parent; set it, and it is that of its children */
};

/* The first die; NULL: none. */
Dwarf_Die *dies_first(struct dies *dies, const struct unit *unit);
/* The next die, valid up to the next call; of this one's children only if `inside`. */
Dwarf_Die *dies_next(struct dies *dies, bool inside);

/* ---- Functions and inlined calls ---- */

/* Of those attributes that are asked for, each is the first of its name; `valp` is NULL
 * where there is none. */
struct scope_attributes {
    Dwarf_Attribute low, high, entry, ranges;
    Dwarf_Attribute linkage_name, mips_name, name;
    Dwarf_Attribute origin, specification;
    Dwarf_Attribute call_file, call_line;
};

/* Those of a unit, one after the other. */
struct scopes {
    struct dies dies;
    const struct units *units;
    const struct unit *unit;
    Dwarf_Die *die; /* where it is */
    int tag;        /* DW_TAG_subprogram, _inlined_subroutine, _entry_point */
    struct scope_attributes at;
    bool plain; /* in this language DW_AT_name is the name in the symbol table */
    ptrdiff_t range;
    Dwarf_Addr base;
};

void scopes_init(struct scopes *scopes, const struct units *units,
                 const struct unit *unit);
/* Goes on to the next one. false: there is none. */
bool scopes_next(struct scopes *scopes);
/* Its next range. false: it has no more. */
bool scopes_range(struct scopes *scopes, uint64_t *low, uint64_t *high);
/* The name, its own or that of what it is an instance of; NULL: none. *is_linkage: it is
 * the one in the symbol table. */
const char *scopes_name(struct scopes *scopes, bool *is_linkage);

/* An address that the attribute gives: its sign is extended where the ELF's owner wants
 * that, but for those given by their index, as GNU's BFD does. */
uint64_t attribute_address(const struct elf_file *elf, Dwarf_Attribute *attribute,
                           uint64_t address);
/* The attribute's number; `otherwise` where there is none. */
uint64_t attribute_number(Dwarf_Attribute *attribute, uint64_t otherwise);

#endif
