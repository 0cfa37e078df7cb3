/* SPDX-License-Identifier: MIT */
/* Files that people write, a setting a line. */
#ifndef MCUPROF_HOST_SETTINGS_H
#define MCUPROF_HOST_SETTINGS_H

#include "error.h"

/* Takes a line without the blanks around it, which it may change. */
typedef bool settings_line(void *context, unsigned number, char *line,
                           struct error *error);

/* Gives all lines to `take`, but empty ones and comments, which begin with #. false: the
 * error names the file and, where `take` has refused a line, that; errno is of fopen() or
 * of what `take` has called. */
bool settings_read(const char *path, settings_line *take, void *context,
                   struct error *error);

#endif
