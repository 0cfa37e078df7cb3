/* SPDX-License-Identifier: MIT */
/*
 * The output of a command: a file, or standard output.
 */
#ifndef MCUPROF_HOST_OUTPUT_H
#define MCUPROF_HOST_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "../base/error.h"

/* The output. Only when a new file is complete does it replace an older one, whose
 * permissions it gets; a signal that ends the program takes the new one away. A symbolic
 * link stays: the file that it names is replaced. */
struct output {
    FILE *file;
    const char *name;      /* for errors */
    char target[PATH_MAX]; /* the file itself, if the name is a symbolic link */
    char path[PATH_MAX];   /* of the temporary file beside it; "": there is none */
};

/* false: the output, as output_open() takes it, would replace one of the captures, of
 * which "-" is standard input, or the ELF, which may be NULL; or it would go behind what
 * they hold. */
bool output_differs(const char *path, const char *elf, int files, char **paths,
                    struct error *error);

/* path NULL or "-": standard output. */
bool output_open(struct output *output, const char *path, struct error *error);
/* `keep`: all went well so far. Without `keep`, no file is left behind. */
bool output_close(struct output *output, bool keep, struct error *error);

#endif
