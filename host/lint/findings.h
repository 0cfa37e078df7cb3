/* SPDX-License-Identifier: MIT */
/* What the checks share: the firmware, and how to say what they found. Private to lint/.
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
    bool has_unwind; /* its processor's code can be followed */
    bool failed;     /* out of memory: what is missing is not known */
};

/* Begins a finding under the rule's name; the detail may be NULL. */
struct lint_finding *finding(struct findings *findings, const char *rule,
                             const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds a place to the rule's last finding, which it begins if there is none. */
void finding_at(struct findings *findings, const char *rule, uint64_t address,
                const char *format, ...) __attribute__((format(printf, 4, 5)));
void finding_in(struct findings *findings, const char *rule,
                const struct function *function, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* A function that has no code of its own. */
void finding_written(struct findings *findings, const char *rule,
                     const struct written *written, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- The checks ---- */

/* Fills in the summary's counts of functions. */
void count_functions(struct findings *findings);

/* false: there is no library, and nothing else to check. */
bool check_library(struct findings *findings);
void check_build_id(struct findings *findings);
void check_memory(struct findings *findings);
void check_unwind(struct findings *findings);
void check_hooks(struct findings *findings);
void check_flags(struct findings *findings);
void check_forbidden(struct findings *findings);
void check_vectors(struct findings *findings);

/* Where a Cortex-M's vector table is. words NULL: none was found. */
struct vectors {
    uint64_t address;
    const uint8_t *words;
    size_t count;
};
struct vectors find_vectors(const struct program *program);

#endif
