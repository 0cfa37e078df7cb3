/* SPDX-License-Identifier: MIT */
/* The file of --power, and the energy that it makes of a profile. */
#include "cmd.h"

/* A name that no task has may be mistyped: its current is that of nobody then. */
static void warn_of_tasks(const struct cmd *cmd, const struct power *power,
                          const struct energy *energy, const struct profile *profile)
{
    struct error warning;

    for (size_t i = 0; i < power->task_count; i++) {
        size_t at = 0;

        while (at < energy->task_count &&
               !task_is_called(profile, energy->tasks[at].number, power->tasks[i].name))
            at++;
        if (at < energy->task_count)
            continue;
        error_set(&warning, EXIT_DONE, "warning: %s: no task '%.60s' ran", power->path,
                  power->tasks[i].name);
        cmd_fail(cmd, &warning);
    }
}

bool input_find_energy(const struct cmd *cmd, const struct input_options *options,
                       const struct profile *profile, const struct analysis *analysis,
                       struct image *image, struct power *power, struct energy *energy,
                       struct error *error)
{
    *power = (struct power){.path = NULL};
    *energy = (struct energy){.power = NULL};
    if (options->power == NULL)
        return true;
    if (!power_read(power, options->power, error) ||
        !energy_find(energy, power, profile, analysis, image, error))
        return false;
    warn_of_tasks(cmd, power, energy, profile);
    return true;
}

int input_check_power(const struct cmd *cmd, const struct input_options *options)
{
    if (options->power != NULL && options->task != NULL)
        return cmd_usage(cmd, "--power is of all tasks: not with --task");
    return EXIT_DONE;
}
