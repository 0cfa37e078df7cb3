/* SPDX-License-Identifier: MIT */
/* Runs the commands that read captures and show something of them. */
#include <string.h>

#include "../analysis/tails.h"
#include "../capture/sampling.h"
#include "cmd.h"
#include "loss.h"
#include "terminal.h"

static int check_usage(const struct cmd *cmd, int files, struct style *style)
{
    const struct cmd_input *input = cmd->input;
    int status = EXIT_DONE;

    if (input->elf && input->options->elf == NULL)
        return cmd_usage(cmd, "the firmware's ELF is needed: -e ELF");
    if (input->check != NULL)
        status = input->check();
    if (status == EXIT_DONE)
        status = input_check_power(cmd, input->options);
    if (status == EXIT_DONE && files < 1)
        return cmd_usage(cmd, "expected %s", input->files);
    if (status == EXIT_DONE && input->terminal != NULL)
        status = terminal_style(cmd, input->terminal, style);
    return status;
}

/* Shows what was analysed, and its energy if that is asked for. */
static bool show_analysed(const struct cmd *cmd, struct shown *shown, struct error *error)
{
    const struct cmd_input *input = cmd->input;
    struct power power;
    struct energy energy;
    bool done = input_find_energy(cmd, input->options, shown->profile, shown->analysis,
                                  shown->image, &power, &energy, error);

    shown->energy = energy.power != NULL ? &energy : NULL;
    if (done && input->terminal != NULL)
        pager_start(input->terminal);
    done = done && input->show(shown, error);
    pager_finish();
    energy_release(&energy);
    power_release(&power);
    return done;
}

static bool show(const struct cmd *cmd, struct shown *shown, struct error *error)
{
    const struct cmd_input *input = cmd->input;
    struct analysis analysis;
    bool done;

    if (input->analyse == NULL && input->options->power == NULL)
        return input->show(shown, error);
    if (!(input->analyse != NULL ? input->analyse : analyse)(&analysis, shown->profile,
                                                             shown->image, error))
        return false;
    shown->analysis = &analysis;
    done = show_analysed(cmd, shown, error);
    analysis_release(&analysis);
    return done;
}

static void warn(const struct cmd *cmd, const char *path, const char *what)
{
    struct error warning;

    error_set(&warning, EXIT_DONE, "warning: %s%s%s", path != NULL ? path : "",
              path != NULL ? ": " : "", what);
    cmd_fail(cmd, &warning);
}

void cmd_warn_of_sampling(const struct cmd *cmd, const struct profile *profile,
                          const char *path)
{
    char text[SAMPLING_TEXT_MAX];

    if (sampling_heavy(profile, text))
        warn(cmd, path, text);
    if (sampling_late(profile, text))
        warn(cmd, path, text);
    if (sampling_open(profile, text))
        warn(cmd, path, text);
    if (tails_text(profile, text))
        warn(cmd, path, text);
}

void cmd_warn_of_losses(const struct cmd *cmd, const struct input_options *options,
                        const struct profile *profile, const char *path)
{
    char lost[LOSS_MAX];
    bool can_tell = profile->accounted || strcmp(profile->format, "mcuprof") == 0;

    if (!options->strict && can_tell && loss_any(profile)) {
        loss_describe(profile, lost);
        warn(cmd, path, lost);
    }
    cmd_warn_of_sampling(cmd, profile, path);
}

int cmd_show(const struct cmd *cmd, int files, char **paths)
{
    const struct cmd_input *input = cmd->input;
    struct profile profile;
    struct shown shown = {.files = files, .paths = paths, .profile = &profile};
    struct error error;
    int usage = check_usage(cmd, files, &shown.style);
    bool done;

    if (usage != EXIT_DONE)
        return usage;
    profile_init(&profile);
    done = input_read(input->options, files, paths, &profile, &shown.image, &error) &&
           show(cmd, &shown, &error) && input_had_memory(shown.image, &error) &&
           loss_allowed(input->options->strict, &profile, NULL, &error);
    if (done && !input->tells_losses)
        cmd_warn_of_losses(cmd, input->options, &profile, NULL);
    image_close(shown.image);
    profile_release(&profile);
    return done ? EXIT_DONE : cmd_fail(cmd, &error);
}
