/* SPDX-License-Identifier: MIT */
/*
 * Finds what is wrong with firmware that mcuprof is linked into, as far as its ELF shows:
 * what is instrumented and must not be, vectors, build ID, unwind table.
 */
#ifndef MCUPROF_HOST_LINT_H
#define MCUPROF_HOST_LINT_H

#include "../image/image.h"

/* ERROR: the profile is wrong or missing, or the firmware fails. WARNING: a part of the
 * profile is wrong or missing, or may be. NOTE: nothing is wrong, but good to know. */
enum lint_level { LINT_NOTE, LINT_WARNING, LINT_ERROR };

/* One kind of finding; its texts are sentences. The manual has one item for each name. */
struct lint_rule {
    const char *name;
    enum lint_level level;
    const char *title, *effect, *remedy;
    bool guess; /* the ELF does not prove the finding */
};

/* Where a finding applies. */
struct lint_place {
    uint64_t address; /* UINT64_MAX: the function has no code of its own */
    char *function;   /* demangled; NULL: none */
    char *file;       /* NULL: unknown */
    unsigned line;    /* 0: unknown */
    char *detail;     /* NULL: nothing more to say */
};

struct lint_finding {
    const struct lint_rule *rule;
    char *detail; /* what was found; NULL: the title is enough */
    struct lint_place *places;
    size_t place_count, place_room;
};

/* Counts functions of the ELF, without the profiler's own. A function may be in several
 * counts. */
struct lint_summary {
    size_t functions, count_calls, time_calls, count_blocks;
    size_t sites;      /* calls are counted at so many call sites */
    size_t followed;   /* samples in so many functions bring a whole path */
    size_t followable; /* of so many functions; 0: samples bring no paths */
    size_t in_ram;     /* so many of those lie in RAM, or elsewhere than the rest */
    bool samples;      /* the library takes samples */
};

struct lint {
    struct lint_finding *findings; /* errors first */
    size_t count, room;
    struct lint_summary summary;
};

/* The rules; the last one's name is NULL. */
extern const struct lint_rule lint_rules[];

/* false: out of memory. The caller releases it in any case, before the image is closed.
 */
bool lint_elf(struct lint *lint, struct image *image, struct error *error);
void lint_release(struct lint *lint);

/* How many findings have this level. */
size_t lint_found(const struct lint *lint, enum lint_level level);

#endif
