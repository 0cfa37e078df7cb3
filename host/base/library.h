/* SPDX-License-Identifier: MIT */
/*
 * A library that few commands need is loaded when one of them starts. Linked with the
 * program it would cost all others time and memory. One file uses it, with a list of what
 * it takes:
 *
 *     #include <loaded.h>
 *     #define TAKEN(NAME) NAME(newterm) NAME(LINES)
 *     LIBRARY(curses, TAKEN);
 *
 *     if (!library_load(LOADED_ncursesw, curses_names, &curses, error)) ...
 *     curses.newterm(...), *curses.LINES
 *
 * host/host.mk names the libraries and writes loaded.h, which says the file of each.
 */
#ifndef MCUPROF_HOST_LIBRARY_H
#define MCUPROF_HOST_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

#define LIBRARY_POINTER(name) __typeof__(name) *name;
#define LIBRARY_NAME(name)    #name,

/* A struct of pointers to functions and variables, and their names in the same order. */
#define LIBRARY(pointers, taken)                                                         \
    static struct {                                                                      \
        taken(LIBRARY_POINTER)                                                           \
    } pointers;                                                                          \
    static const char *const pointers##_names[] = {taken(LIBRARY_NAME) NULL}

/* Loads the library and fills in `pointers`, one for each of `names`, which NULL ends.
 * The library stays loaded, and to load it again costs little. Where it is missing or
 * lacks a name, the error says so, and no pointer may be used. */
bool library_load(const char *file, const char *const *names, void *pointers,
                  struct error *error);

#endif
