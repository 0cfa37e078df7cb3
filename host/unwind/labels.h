/* SPDX-License-Identifier: MIT */
/*
 * The places within functions whose addresses are in arrays: what a computed goto may
 * jump to. Private to unwind/.
 */
#ifndef MCUPROF_HOST_UNWIND_LABELS_H
#define MCUPROF_HOST_UNWIND_LABELS_H

#include "code.h"

struct labels {
    uint32_t *at; /* ascending */
    size_t count;
};

/* Searches all data. false: out of memory. */
bool labels_find(struct labels *labels, const struct code *code);
void labels_release(struct labels *labels);

/* Those in the function; returns their number. */
size_t labels_of(const struct labels *labels, const struct code_function *function,
                 const uint32_t **first);

#endif
