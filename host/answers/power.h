/* SPDX-License-Identifier: MIT */
/*
 * A file of the currents that a board draws, a setting a line:
 *
 *   voltage = 3 V
 *   running = 4.4 mA      all that is not said below
 *   idle = 2.6 uA         tasks that only wait, asleep or not
 *   task NAME = 13 mA     a task or interrupt that draws another current
 *   tolerance = 5 %       how far all these may be off together: one standard error
 *   battery = 220 mAh     what the board lives on
 *
 * Blank lines and what follows a # at the beginning of a line, or with blanks around it,
 * are comments. The first three must be there. Without a tolerance the currents are
 * taken as they are.
 */
#ifndef MCUPROF_HOST_POWER_H
#define MCUPROF_HOST_POWER_H

#include "../base/error.h"
#include "../profile/profile.h"

struct power_task {
    char *name;
    double amperes;
};

struct power {
    char *path;           /* of the file */
    double volts;         /* above 0 */
    double running, idle; /* amperes */
    double tolerance;     /* 0 to 1 */
    double battery;       /* coulombs; 0: the file does not say */
    struct power_task *tasks;
    size_t task_count, tasks_allocated;
};

/* false: the file cannot be read, or a line of it; the error names both. Release *power
 * in any case. */
bool power_read(struct power *power, const char *path, struct error *error);
void power_release(struct power *power);

/* The current of a task or interrupt of the profile, in amperes. Of tasks of one name a
 * line may name them all, or one as it is shown ("worker #2"), which counts more. */
double power_of_task(const struct power *power, const struct profile *profile,
                     uint32_t number);
/* The smallest and the largest current that the file has. */
void power_bounds(const struct power *power, double *least, double *most);

#endif
