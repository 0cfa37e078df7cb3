/* SPDX-License-Identifier: MIT */
#include "cmd.h"

int cmd_execute(int argc, char **argv)
{
    const struct cmd *cmd = cmd_find(argv[0]);
    int status;

    if (cmd == NULL)
        return cmd_unknown(argv[0]);
    argc--;
    argv++;
    status = cmd->own_options != NULL ? -1 : cmd_parse(cmd, &argc, &argv);
    if (status >= 0)
        return status;
    return cmd->input != NULL ? cmd_show(cmd, argc, argv) : cmd->run(argc, argv);
}
