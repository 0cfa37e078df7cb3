/* SPDX-License-Identifier: MIT */
/* The list of all commands, in the order of `mcuprof --help`; it ends with NULL. */
#ifndef MCUPROF_HOST_COMMANDS_H
#define MCUPROF_HOST_COMMANDS_H

#include "cmd.h"

extern const struct cmd *const commands[];

#endif
