/* SPDX-License-Identifier: MIT */
/* What the program asks of the shell around it: shell.js says how. */
#ifndef MCUPROF_WASM_SHELL_H
#define MCUPROF_WASM_SHELL_H

int shell_spawn(const char *program, char *const *words, const int *fds);
char *shell_draw(const char *dot); /* NULL: there is no graphviz; else for free() */
unsigned shell_columns(int fd);
unsigned shell_umask(unsigned mask);

#endif
