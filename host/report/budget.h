/* SPDX-License-Identifier: MIT */
/* What `mcuprof check` prints of budgets and their results. */
#ifndef MCUPROF_HOST_REPORT_BUDGET_H
#define MCUPROF_HOST_REPORT_BUDGET_H

#include "../answers/budget.h"
#include "../base/error.h"
#include "style.h"

struct budget_view {
    const char *path; /* path of the file of budgets */
    const struct budgets *budgets;
    const struct budget_result *results; /* one for each budget */
    struct style style;
};

size_t report_broken(const struct budget_view *view); /* how many budgets are broken */

/* Prints a table, then how many are kept, near and broken. false: out of memory. */
bool report_budgets(const struct budget_view *view, FILE *out, struct error *error);
/* Prints JUnit's XML: each budget is a test case. */
void report_budgets_junit(const struct budget_view *view, FILE *out);
/* Prints the broken ones as annotations, which GitHub Actions shows at their lines. */
void report_budgets_github(const struct budget_view *view, FILE *out);

#endif
