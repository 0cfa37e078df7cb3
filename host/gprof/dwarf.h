/* SPDX-License-Identifier: MIT */
/*
 * The functions of the debug information for lines.c, those of a unit read once and in
 * full. Every byte of it is hostile.
 */
#ifndef MCUPROF_HOST_GPROF_DWARF_H
#define MCUPROF_HOST_GPROF_DWARF_H

#include <elfutils/libdw.h>

#include "image.h"
#include "image/debug_sections.h"
#include "image/spans.h"

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
