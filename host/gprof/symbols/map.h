/* SPDX-License-Identifier: MIT */
/* The map of -R, as map.c reads it and order.c prints by it. */
#ifndef MCUPROF_HOST_GPROF_MAP_H
#define MCUPROF_HOST_GPROF_MAP_H

#include "../gprof.h"

struct gprof_map_entry {
    const char *object, *function;
    bool kept; /* the first of its run of lines of the same object */
};

struct gprof_map {
    char *text; /* of the file, cut into the entries' strings */
    size_t text_bytes;
    struct gprof_map_entry *entries; /* in the file's order */
    size_t count, room;
    struct gprof_map_entry **sorted; /* by function */
};

/* Whether the name is an object's, put there by gprof_map_name(). */
bool gprof_map_has_named(const struct gprof_map *map, const char *name);

#endif
