/* SPDX-License-Identifier: MIT */
#include "lint.h"

#include <errno.h>
#include <stdlib.h>

#include "findings.h"

/* Whether libelf or libdw ran out of memory: then they find less in the file and report
 * it only in errno, which calls that succeed do not change. */
static bool no_memory(const struct image *image)
{
    return errno == ENOMEM || image_no_memory(image);
}

static void check(struct findings *findings)
{
    struct error error;
    count_functions(findings);
    if (!check_library(findings))
        return;
    check_hooks(findings);
    findings->failed |= no_memory(findings->image); /* unwind_make() sets errno anew */
    findings->has_unwind = unwind_make(&findings->unwind, findings->image, &error);
    check_knobs(findings);
    check_build_id(findings);
    check_memory(findings);
    check_unwind(findings);
    check_flags(findings);
    check_forbidden(findings);
    check_vectors(findings);
}

/* In the order of the table of rules, which has errors first. */
static int by_rule(const void *left, const void *right)
{
    const struct lint_finding *a = left, *b = right;
    return (a->rule > b->rule) - (a->rule < b->rule);
}

bool lint_elf(struct lint *lint, struct image *image, struct error *error)
{
    struct findings findings = {.lint = lint, .image = image};
    errno = 0;
    *lint = (struct lint){.findings = NULL};
    if (program_read(&findings.program, image))
        check(&findings);
    else
        findings.failed = true;
    findings.failed |= no_memory(image);
    unwind_release(&findings.unwind);
    program_release(&findings.program);
    if (lint->count > 0)
        qsort(lint->findings, lint->count, sizeof *lint->findings, by_rule);
    return !findings.failed ||
           error_set(error, EXIT_BAD_INPUT, "%s: out of memory", image_path(image));
}

void lint_release(struct lint *lint)
{
    for (size_t i = 0; i < lint->count; i++) {
        struct lint_finding *found = &lint->findings[i];
        for (size_t k = 0; k < found->place_count; k++) {
            free(found->places[k].function);
            free(found->places[k].file);
            free(found->places[k].detail);
        }
        free(found->places);
        free(found->detail);
    }
    free(lint->findings);
    *lint = (struct lint){.findings = NULL};
}

size_t lint_found(const struct lint *lint, enum lint_level level)
{
    size_t count = 0;
    for (size_t i = 0; i < lint->count; i++)
        count += lint->findings[i].rule->level == level;
    return count;
}
