/* SPDX-License-Identifier: MIT */
/*
 * What is wrong with firmware that mcuprof is linked into, as far as its ELF tells: what
 * is instrumented and what must not be, vectors, build ID, unwind table.
 */
#ifndef MCUPROF_HOST_LINT_H
#define MCUPROF_HOST_LINT_H

#include "../image/image.h"

/* ERROR: the profile is wrong or missing, or the firmware fails. WARNING: part of the
 * profile is, or may be. NOTE: it is as it should be, and good to know. */
enum lint_level { LINT_NOTE, LINT_WARNING, LINT_ERROR };

/* One kind of finding; its texts are sentences. The manual has one item for each name. */
struct lint_rule {
    const char *name;
    enum lint_level level;
    const char *title, *effect, *remedy;
    bool guess; /* the ELF does not prove it */
};

/* Where a finding applies. */
struct lint_place {
    uint64_t address; /* 0 and more; UINT64_MAX: it has no code of its own */
    char *function;   /* demangled; NULL: none */
    char *file;       /* NULL: unknown */
    unsigned line;    /* 0: unknown */
    char *detail;     /* NULL: nothing more to say */
};

struct lint_finding {
    const struct lint_rule *rule;
    char *detail; /* what was found; NULL: the title says all */
    struct lint_place *places;
    size_t place_count, place_room;
};

/* Functions of the ELF without the profiler's own. One may be in several counts. */
struct lint_summary {
    size_t functions, count_calls, time_calls, count_blocks;
    size_t followed;   /* samples in them bring a whole path */
    size_t followable; /* of so many; 0: samples bring no paths */
    bool samples;      /* the library takes samples */
};

struct lint {
    struct lint_finding *findings; /* errors first */
    size_t count, room;
    struct lint_summary summary;
};

/* The rules, ending with one whose name is NULL. */
extern const struct lint_rule lint_rules[];

/* false: out of memory. To be released in any case, before the image is closed. */
bool lint_elf(struct lint *lint, struct image *image, struct error *error);
void lint_release(struct lint *lint);

/* How many findings have this level. */
size_t lint_found(const struct lint *lint, enum lint_level level);

#endif
