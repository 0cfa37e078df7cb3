/* SPDX-License-Identifier: MIT */
/* What the checks share: the firmware, and the functions that add findings. Private to
 * lint/.
 */
#ifndef MCUPROF_HOST_LINT_FINDINGS_H
#define MCUPROF_HOST_LINT_FINDINGS_H

#include "../unwind/unwind.h"
#include "lint.h"
#include "program.h"

struct findings {
    struct lint *lint;
    struct image *image;
    struct program program;
    struct unwind unwind;
    bool has_unwind; /* the code of its processor can be followed */
    bool failed;     /* out of memory: findings may be missing */
};

/* Begins a finding under the rule's name; the detail may be NULL. */
struct lint_finding *finding(struct findings *findings, const char *rule,
                             const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds a place to the rule's last finding; if it has none yet, begins one. */
void finding_at(struct findings *findings, const char *rule, uint64_t address,
                const char *format, ...) __attribute__((format(printf, 4, 5)));
void finding_in(struct findings *findings, const char *rule,
                const struct function *function, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds a function that has no code of its own as a place. */
void finding_written(struct findings *findings, const char *rule,
                     const struct written *written, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- The checks ---- */

/* Fills in the summary's counts of functions. */
void count_functions(struct findings *findings);

/* false: the firmware has no library, so there is nothing else to check. */
bool check_library(struct findings *findings);
void check_knobs(struct findings *findings);
void check_build_id(struct findings *findings);
void check_memory(struct findings *findings);
void check_unwind(struct findings *findings);
void check_hooks(struct findings *findings);
void check_flags(struct findings *findings);
void check_forbidden(struct findings *findings);
void check_vectors(struct findings *findings);

/* A Cortex-M's vector table. words is NULL if none was found. */
struct vectors {
    uint64_t address;
    const uint8_t *words;
    size_t count;
};
struct vectors find_vectors(const struct program *program);

#endif
