/* SPDX-License-Identifier: MIT */
/*
 * What a command writes: a file, or standard output.
 */
#ifndef MCUPROF_HOST_OUTPUT_H
#define MCUPROF_HOST_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "../base/error.h"

/* Where the output goes. A new file replaces an older one, and gets its permissions, only
 * when it is complete. A symbolic link stays: the file that it names is replaced. */
struct output {
    FILE *file;
    const char *name;      /* for errors */
    char target[PATH_MAX]; /* the file itself, where the name is a symbolic link */
    char path[PATH_MAX];   /* of the temporary file beside it; "": there is none */
};

/* false: the output would take the place of one of the files that are read, or of the
 * ELF, which may be NULL. */
bool output_differs(const char *path, const char *elf, int files, char **paths,
                    struct error *error);

/* path NULL or "-": standard output. */
bool output_open(struct output *output, const char *path, struct error *error);
/* `keep`: all went well so far. Output that is not kept leaves no file behind. */
bool output_close(struct output *output, bool keep, struct error *error);

#endif
