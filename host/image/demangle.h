/* SPDX-License-Identifier: MIT */
/*
 * Demangles names of C++, Rust, D, Java and Ada by libiberty, as GNU's tools do. A short
 * hostile name can stand for gigabytes of text, so there is a budget.
 */
#ifndef MCUPROF_HOST_DEMANGLE_H
#define MCUPROF_HOST_DEMANGLE_H

#include <stddef.h>

/* How many bytes demangling may still give. */
struct demangle_budget {
    size_t name; /* the most that one name may give */
    size_t all;  /* what all names may give; each name reduces it */
};

/* The name in plain text; the caller frees it. style: DMGL_* of libiberty's demangle.h,
 * 0: the one that fits. NULL: the name is not mangled, or its text exceeds the budget. */
char *demangle(const char *name, int style, struct demangle_budget *budget);

#endif
