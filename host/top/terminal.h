/* SPDX-License-Identifier: MIT */
/* The terminal that frames are shown on and keys come from, by ncurses. */
#ifndef MCUPROF_HOST_TOP_TERMINAL_H
#define MCUPROF_HOST_TOP_TERMINAL_H

#include "../base/error.h"
#include "grid.h"

/* Takes the terminal that standard output is; keys come from standard input or, where
 * that is no terminal, from /dev/tty. Sets *style to what the terminal can show, except
 * that colour stays off where it is off. What others write to standard error while it is
 * open, would garble frames: terminal_close() prints it. Only one may be open. */
bool terminal_open(struct style *style, struct error *error);
void terminal_close(void);

void terminal_size(size_t *columns, size_t *rows);
void terminal_show(const struct grid *grid);
/* A key that was pressed, as top_key() takes it; TOP_KEY_NONE: none. Does not wait. */
int terminal_key(void);

#endif
