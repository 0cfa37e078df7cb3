/* SPDX-License-Identifier: MIT */
/*
 * A library that few commands need is loaded when one of them starts; linked with the
 * program it would cost all other commands time and memory. One file uses it, and lists
 * the names that it takes:
 *
 *     #include <loaded.h>
 *     #define TAKEN(NAME) NAME(newterm) NAME(LINES)
 *     LIBRARY(curses, TAKEN);
 *
 *     if (!library_load(LOADED_ncursesw, curses_names, &curses, error)) ...
 *     curses.newterm(...), *curses.LINES
 *
 * host/host.mk names the libraries and writes loaded.h, which has each one's file name.
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
