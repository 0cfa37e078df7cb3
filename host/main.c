/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "gprof/gprof.h"

static bool is_option(const char *argument, char letter, const char *name)
{
    const char short_name[3] = {'-', letter, '\0'};

    return strcmp(argument, short_name) == 0 || strcmp(argument, name) == 0;
}

static int run_command(int argc, char **argv)
{
    const struct cmd *cmd = cmd_find(argv[0]);
    int status;

    if (cmd == NULL)
        return cmd_unknown(argv[0]);
    argc--;
    argv++;
    status = cmd->own_options != NULL ? -1 : cmd_parse(cmd, &argc, &argv);
    return status >= 0 ? status : cmd->run(argc, argv);
}

/* A link to mcuprof by the name of gprof, or of a cross gprof, is one. */
static bool is_gprof(const char *program)
{
    size_t length = strlen(program);

    return length >= 5 && strcmp(program + length - 5, "gprof") == 0;
}

static int dispatch(int argc, char **argv)
{
    if (argc > 0 && is_gprof(argv[0]))
        return gprof_run(argc, argv);
    if (argc < 2) {
        cmd_print_overview(stderr);
        return EXIT_USAGE;
    }
    if (is_option(argv[1], 'h', "--help")) {
        cmd_print_overview(stdout);
        return EXIT_DONE;
    }
    if (is_option(argv[1], 'V', "--version")) {
        puts("mcuprof " MCUPROF_VERSION);
        return EXIT_DONE;
    }
    if (argv[1][0] == '-')
        return cmd_usage(NULL, "unknown option %s", argv[1]);
    return run_command(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    int status = dispatch(argc, argv);

    /* What was printed counts only once it is written: a full disk shows here, if the
     * command has not said so. */
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == EXIT_DONE) {
        struct error error;

        error_set(&error, EXIT_BAD_INPUT, "standard output: %s", strerror(errno));
        return cmd_fail(NULL, &error);
    }
    return status;
}
