/* SPDX-License-Identifier: MIT */
/* Runs the programs in which line tables are encoded. Private to line_table.c. */
#ifndef MCUPROF_HOST_LINE_PROGRAM_H
#define MCUPROF_HOST_LINE_PROGRAM_H

#include "line_table.h"

/* Runs the program at the table's offset: sets the table's version, directories, files,
 * sequences and rows; the rows of each sequence are in order. It stops at what it cannot
 * read. false: out of memory. */
bool line_program_read(const struct line_sections *sections, struct line_table *table);

#endif
