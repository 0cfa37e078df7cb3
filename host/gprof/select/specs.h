/* SPDX-License-Identifier: MIT */
/*
 * What specs.c (which symbols a list has) and patterns.c (which symbols the text of a
 * spec means) share.
 */
#ifndef MCUPROF_HOST_GPROF_SPECS_H
#define MCUPROF_HOST_GPROF_SPECS_H

#include "../gprof.h"

/* One side of a spec: "file.c", "file.c:name", "file.c:12", "name", "12" or ":name". */
struct gprof_pattern {
    size_t spec; /* index in options.specs */
    bool callee; /* what stands behind the '/' */
    bool any;    /* an empty text: everything from the first symbol to the last's end */
    bool none;   /* its file is not known */
    struct gprof_file *file; /* NULL: in any file */
    const char *name;        /* in the spec's text, not terminated; NULL: any */
    size_t name_size;
    unsigned line;   /* 0: any */
    size_t next;     /* with the same hash; SIZE_MAX: none */
    uint64_t hashed; /* of the name, else the line, else the file */
};

struct gprof_patterns {
    struct gprof_pattern *list;
    size_t count;
    size_t *buckets;
    size_t bucket_count;       /* a power of two */
    bool by_line, by_file;     /* some have only these */
    struct gprof_file **files; /* by base name; the one first seen last comes first */
};

/* Reads the texts of all specs. false: out of memory. */
bool gprof_patterns_init(struct gprof_patterns *patterns, const struct gprof *gprof);
void gprof_patterns_release(struct gprof_patterns *patterns);

/* Calls found() for each pattern that means the symbol; what it returns too. Patterns of
 * any symbol are not among them. */
bool gprof_patterns_match(
    const struct gprof_patterns *patterns, const struct gprof_symbol *symbol,
    bool (*found)(const struct gprof_pattern *pattern, void *context), void *context);

#endif
