/* SPDX-License-Identifier: MIT */
/* mcuprof help: prints the same text as --help. */
#include "cmd.h"

static int run(int argc, char **argv)
{
    const struct cmd *cmd;

    if (argc == 0) {
        cmd_print_overview(stdout);
        return EXIT_DONE;
    }
    if (argc > 1)
        return cmd_usage(&cmd_help, "one command at a time, not %d", argc);
    cmd = cmd_find(argv[0]);
    if (cmd == NULL)
        return cmd_unknown(argv[0]);
    cmd_print_help(cmd, stdout);
    return EXIT_DONE;
}

const struct cmd cmd_help = {
    .name = "help",
    .summary = "a command and its options, explained",
    .synopsis = "[COMMAND]",
    .run = run,
    .print_operands = cmd_print_names,
};
