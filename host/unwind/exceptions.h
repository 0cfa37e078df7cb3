/* SPDX-License-Identifier: MIT */
/*
 * Frames that are known though their return addresses are overwritten, since only one
 * place in the program calls them. Private to unwind/.
 */
#ifndef MCUPROF_HOST_UNWIND_EXCEPTIONS_H
#define MCUPROF_HOST_UNWIND_EXCEPTIONS_H

#include "flow.h"
#include "unwind.h"

/* Finds these frames in libgcc's unwinder for ARM, after flow_follow() has filled in
 * found[]. Fills in unwind->passed, changes the rows of the calls in the unwinder's
 * functions, and clears `opaque` in them. */
void exceptions_find(struct unwind *unwind, const struct code *code, struct found *found);

#endif
