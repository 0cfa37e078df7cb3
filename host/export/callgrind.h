/* SPDX-License-Identifier: MIT */
/* What callgrind.c and callgrind_paths.c share. Nobody else includes this. */
#ifndef MCUPROF_HOST_CALLGRIND_H
#define MCUPROF_HOST_CALLGRIND_H

#include "export.h"

struct callgrind {
    FILE *out;
    const struct profile *profile;
    const struct analysis *analysis;
    struct image *image;
    double hz;                   /* ticks of the time base or samples in a second; 0:
                                  * unknown */
    const struct task_sum *task; /* the task whose part is written; NULL: the program
                                  * has no tasks */
    char object[TASK_LABEL_MAX]; /* the task's name as an object */
    bool failed;                 /* out of memory */
};

/* Ticks or samples in ns, where their rate is known. */
uint64_t callgrind_cost(const struct callgrind *writer, uint64_t count);

/* Each writes a line "KEY=NAME"; the task is part of a function's name. */
void callgrind_file(struct callgrind *writer, const char *key, const char *file);
void callgrind_name(struct callgrind *writer, const char *key, const char *function);
/* Begins a function. */
void callgrind_function(struct callgrind *writer, const char *file, const char *name);
/* Writes a call at a line, with its callee and its cost; `file`: that of the caller. */
void callgrind_call(struct callgrind *writer, struct image_line at, const char *file,
                    const struct function *callee, uint64_t count, uint64_t cost);

/* Writes sampled call paths: the self time of lines, and the cost of call sites. */
void callgrind_paths(struct callgrind *writer);

#endif
