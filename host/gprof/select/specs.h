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
    bool callee; /* it stands behind the '/' */
    bool any;    /* an empty text: everything from the first symbol to the last's end */
    bool none;   /* it names a file that is not known, so it means nothing */
    struct gprof_file *file; /* NULL: in any file */
    const char *name;        /* in the spec's text, not terminated; NULL: any */
    size_t name_size;
    unsigned line;   /* 0: any */
    size_t next;     /* next pattern with the same hash; SIZE_MAX: none */
    uint64_t hashed; /* hash of the name, or of the line, or of the file */
};

struct gprof_patterns {
    struct gprof_pattern *list;
    size_t count;
    size_t *buckets;
    size_t bucket_count;       /* a power of two */
    bool by_line, by_file;     /* some patterns have only a line, or only a file */
    struct gprof_file **files; /* by base name; among equal names the file that was seen
                                  last comes first */
};

/* Reads the texts of all specs. false: out of memory. */
bool gprof_patterns_init(struct gprof_patterns *patterns, const struct gprof *gprof);
void gprof_patterns_release(struct gprof_patterns *patterns);

/* Calls found() for each pattern that means the symbol, and stops where it returns false.
 * Patterns that mean any symbol are not among them. Returns what found() returned last.
 * */
bool gprof_patterns_match(
    const struct gprof_patterns *patterns, const struct gprof_symbol *symbol,
    bool (*found)(const struct gprof_pattern *pattern, void *context), void *context);

#endif
