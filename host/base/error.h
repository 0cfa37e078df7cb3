/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_ERROR_H
#define MCUPROF_HOST_ERROR_H

#include <stdbool.h>

/* Exit statuses of every subcommand (see mcuprof(1)). */
enum exit_status {
    EXIT_DONE = 0,      /* done */
    EXIT_NO = 1,        /* the answer is "no": a loss under --strict, a budget exceeded */
    EXIT_USAGE = 2,     /* the command line is wrong */
    EXIT_BAD_INPUT = 3, /* a file, a device or the output cannot be used */
};

/*
 * What went wrong, for one line on stderr. Libraries fill it in and return false;
 * only cmd_* prints it and only main exits. The text names the file, the offset and
 * what was expected, has no trailing newline and no "mcuprof:" in front.
 */
struct error {
    enum exit_status status;
    char text[512];
};

/* Fills in *error and returns false, so that callers can `return error_set(...)`. */
bool error_set(struct error *error, enum exit_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool error_no_memory(struct error *error);

#endif
