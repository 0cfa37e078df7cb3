/* SPDX-License-Identifier: MIT */
/*
 * Frames that are known though their return addresses are overwritten, since only one
 * place in the program calls them. Private to unwind/.
 */
#ifndef MCUPROF_HOST_UNWIND_PASSED_H
#define MCUPROF_HOST_UNWIND_PASSED_H

#include "flow.h"
#include "unwind.h"

/* Finds them in libgcc's unwinder for ARM, where flow_follow() has filled in found[].
 * Fills in unwind->passed, changes the rows of the calls in these functions, and makes
 * known what was opaque because of them. */
void passed_find(struct unwind *unwind, const struct code *code, struct found *found);

#endif
