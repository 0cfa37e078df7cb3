/* SPDX-License-Identifier: MIT */
#include "cmd.h"

const struct cmd *const commands[] = {
    &cmd_run,        &cmd_record, &cmd_ports,  &cmd_top,   &cmd_report, &cmd_annotate,
    &cmd_html,       &cmd_serve,  &cmd_diff,   &cmd_check, &cmd_info,   &cmd_export,
    &cmd_merge,      &cmd_flags,  &cmd_unwind, &cmd_patch, &cmd_lint,   &cmd_gprof,
    &cmd_completion, &cmd_help,   NULL,
};
