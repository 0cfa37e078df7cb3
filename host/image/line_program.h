/* SPDX-License-Identifier: MIT */
/* The programs that line tables are written as. Private to line_table.c. */
#ifndef MCUPROF_HOST_LINE_PROGRAM_H
#define MCUPROF_HOST_LINE_PROGRAM_H

#include "line_table.h"

/* Runs the one at the table's offset: its version, directories, files, sequences and
 * their rows, which are in order within a sequence. What cannot be read ends it. false:
 * out of memory. */
bool line_program_read(const struct line_sections *sections, struct line_table *table);

#endif
