/* SPDX-License-Identifier: MIT */
/*
 * Mangled names of C++, Rust, D, Java and Ada in plain text, by libiberty, which is what
 * GNU's tools have. A short hostile name can stand for gigabytes of text.
 */
#ifndef MCUPROF_HOST_DEMANGLE_H
#define MCUPROF_HOST_DEMANGLE_H

#include <stddef.h>

/* How many bytes demangling may still give. */
struct demangle_budget {
    size_t name; /* one name at most */
    size_t all;  /* all of them; becomes less with each */
};

/* The name in plain text, to be freed; style: DMGL_* of libiberty's demangle.h, 0: the
 * one that fits. NULL: there is nothing to demangle, or not within the budget. */
char *demangle(const char *name, int style, struct demangle_budget *budget);

#endif
