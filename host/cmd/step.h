/* SPDX-License-Identifier: MIT */
/* A step of `mcuprof run` that is a command of the shell. */
#ifndef MCUPROF_HOST_STEP_H
#define MCUPROF_HOST_STEP_H

#include "../base/error.h"

/* Says what it runs on standard error, and runs it. What that prints is shown only if it
 * fails: its last lines. */
bool step_run(const char *name, const char *command, struct error *error);

#endif
