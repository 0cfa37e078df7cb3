/* SPDX-License-Identifier: MIT */
/*
 * A file of budgets, one a line, and whether a profile keeps them:
 *
 *   FUNCTION self|total OP VALUE          % of the program's time, a time, or an energy
 *   FUNCTION calls OP VALUE               a number
 *   FUNCTION mean|min|max OP VALUE        of timed calls: a time
 *   FUNCTION p50|p90|p99 OP VALUE         what so many % of them did not exceed
 *   task NAME OP VALUE                    % of all samples; of the time, if timed
 *   task NAME max OP VALUE                its longest run without a switch: a time
 *   task NAME energy OP VALUE             of a task or interrupt: an energy
 *   energy OP VALUE                       of the whole run: an energy
 *   current OP VALUE                      in the mean of the run: a current
 *   life OP VALUE                         of the battery: a time
 *   profiler OP VALUE                     % of all samples; of the time, if timed
 *   lost OP VALUE                         events: a number
 *   regression against CAPTURE OP VALUE   by how many % the program's time grew
 *
 * OP is <, <=, =, >= or >; units are %, ns, us, ms, s, h, days, nJ to J, nA to A. Energy
 * is known where the power is (energy.h). Blank lines and what follows a #
 * at the beginning of a line are comments. What follows " # " behind a budget is printed
 * where it is broken.
 *
 * A sampled figure breaks a budget only if it is beyond the limit by more than 2 standard
 * errors; if it is beyond by less, nobody knows, and the budget is near. The error is the
 * figure's or, if that is larger, the one of a figure at the limit: no sample among a few
 * does not prove that a function takes less. A share has a binomial error, and an
 * estimated total a larger one. A measured total may be too low by what cut and unsure
 * paths hide (analysis.h): that is in its error, but no excuse for one that is too high.
 * A number of calls may be too low by those that were lost, or by any number where that
 * is not known: a budget that such a number would change is near, too. The time of n
 * dithered samples, whose periods are spread evenly over one mean period, has an error of
 * 1 / sqrt(12 n) of itself; a function's time has both errors.
 */
#ifndef MCUPROF_HOST_BUDGET_H
#define MCUPROF_HOST_BUDGET_H

#include "../analysis/analyse.h"
#include "../base/quantity.h"
#include "energy.h"

enum budget_op {
    BUDGET_BELOW,
    BUDGET_AT_MOST,
    BUDGET_EQUAL,
    BUDGET_AT_LEAST,
    BUDGET_ABOVE
};
enum budget_what {
    BUDGET_SELF,
    BUDGET_TOTAL,
    BUDGET_CALLS,
    BUDGET_MEAN,
    BUDGET_MIN,
    BUDGET_P50,
    BUDGET_P90,
    BUDGET_P99,
    BUDGET_MAX,
    BUDGET_TASK,
    BUDGET_TASK_MAX,
    BUDGET_TASK_ENERGY,
    BUDGET_ENERGY,
    BUDGET_CURRENT,
    BUDGET_LIFE,
    BUDGET_PROFILER,
    BUDGET_LOST,
    BUDGET_REGRESSION
};

/* A budget as it is written. */
struct budget {
    unsigned line; /* in the file, from 1 */
    char *text;    /* the line, without blanks around it and without `why` */
    char *subject; /* function, task or capture; "" where there is none */
    char *why;     /* what it means where the budget is broken; NULL: nothing is said */
    enum budget_what what;
    enum budget_op op;
    enum quantity unit;
    double limit; /* a number, per cent, seconds, joules or amperes */
};

struct budgets {
    struct budget *items;
    size_t count, room;
};

/* false, error filled in (EXIT_BAD_INPUT, file and line): the file cannot be read, or a
 * line of it. `budgets` is to be released in any case. */
bool budgets_read(struct budgets *budgets, const char *path, struct error *error);
void budgets_release(struct budgets *budgets);

enum budget_state { BUDGET_KEPT, BUDGET_NEAR, BUDGET_BROKEN };
struct budget_result {
    enum budget_state state;
    bool known; /* there is a figure; else the budget is broken, and `cause` says why */
    double figure;  /* in the budget's unit */
    double error;   /* its standard error; 0: it has none */
    double doubt;   /* `error` or, if it is larger, that of a figure at the limit */
    double missing; /* the figure may be so much larger: calls are lost, or functions of
                     * one name call each other and no call paths tell their total */
    const char *cause; /* why there is no figure */
};

/* What a budget is compared with. */
struct budget_facts {
    const struct profile *profile;
    const struct analysis *analysis;
    const struct image *image;
    const struct energy *energy;     /* NULL: the power is not known */
    const struct analysis *baseline; /* of a regression */
    bool lost_unknown;               /* nobody can know how much was lost */
};

/* false: out of memory. */
bool budget_check(const struct budget *budget, const struct budget_facts *facts,
                  struct budget_result *result);

#endif
