/* SPDX-License-Identifier: MIT */
/* The map of -R, which map.c reads and order.c uses to print. */
#ifndef MCUPROF_HOST_GPROF_MAP_H
#define MCUPROF_HOST_GPROF_MAP_H

#include "../gprof.h"

struct gprof_map_entry {
    const char *object, *function;
    bool kept; /* it is the first of a run of lines with the same object */
};

struct gprof_map {
    char *text; /* the file's text; the entries' strings are cut out of it */
    size_t text_bytes;
    struct gprof_map_entry *entries; /* in the file's order */
    size_t count, room;
    struct gprof_map_entry **sorted; /* by function */
};

/* Whether gprof_map_name() put this name there, as that of an object. */
bool gprof_map_has_named(const struct gprof_map *map, const char *name);

#endif
