/* SPDX-License-Identifier: MIT */
/* The terminal that shows frames and gives keys, by ncurses. */
#ifndef MCUPROF_HOST_TOP_TERMINAL_H
#define MCUPROF_HOST_TOP_TERMINAL_H

#include "../base/error.h"
#include "grid.h"

/* Takes over the terminal of standard output; keys come from standard input or, if that
 * is not a terminal, from /dev/tty. Sets *style to what the terminal can show, but keeps
 * colour off if it is off. What others write to standard error meanwhile would garble
 * frames, so it is kept, and terminal_close() prints it. Only one terminal may be open.
 */
bool terminal_open(struct style *style, struct error *error);
void terminal_close(void);

void terminal_size(size_t *columns, size_t *rows);
void terminal_show(const struct grid *grid);
/* The key that was pressed, as top_key() takes it; TOP_KEY_NONE: none was. Does not wait.
 */
int terminal_key(void);

#endif
