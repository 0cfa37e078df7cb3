/* SPDX-License-Identifier: MIT */
/*
 * Describes in words what was received and what was lost: the sentence with which record
 * and info end. Nothing here prints.
 */
#ifndef MCUPROF_HOST_LOSS_H
#define MCUPROF_HOST_LOSS_H

#include "../base/error.h"
#include "../profile/profile.h"

enum { FIGURE_MAX = 32, LOSS_MAX = 1024 };

/* Appends to a text, as snprintf() writes one. */
void loss_append(char text[LOSS_MAX], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes a number with its thousands set apart: "1,028,309". Returns text. */
const char *loss_figure(uint64_t number, char text[FIGURE_MAX]);

/* The word for a kind of event: "samples", "calls", ...; `one`: the singular. */
const char *loss_kind(enum event_kind kind, bool one);

/* Writes "all 1,028 calls and 600 samples received", or how many of them were lost, or
 * that the input does not tell. */
void loss_describe(const struct profile *profile, char text[LOSS_MAX]);

/* Writes "samples with paths: whole 12, interrupt 0, cut 3, unsure 0"; "" without any. */
void loss_paths(const struct profile *profile, char text[LOSS_MAX]);
/* Counts the samples that have paths; counts[] has them by how the paths end. */
uint64_t loss_count_paths(const struct profile *profile, uint64_t counts[STACK_ENDS]);

/* Writes "1,028 switches and marks received, 12 lost". */
void loss_timeline(const struct profile *profile, char text[LOSS_MAX]);

/* Whether something was lost or damaged, or it is not known whether something was. */
bool loss_any(const struct profile *profile);

/* Whether the capture has all of the program's time, from its start to its end. */
bool loss_is_whole(const struct profile *profile);

/* Applies --strict, if it was given: false if loss_any(), and the error (EXIT_NO) says
 * what was lost. `path` names the captures; NULL: they need no name. Call it after the
 * output is written. */
bool loss_allowed(bool strict, const struct profile *profile, const char *path,
                  struct error *error);

#endif
