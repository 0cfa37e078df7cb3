/* SPDX-License-Identifier: MIT */
/*
 * Lines from stabs, the debug information before DWARF, which avr-gcc up to release 12
 * writes with -g and avr-libc contains. It answers as GNU's BFD does: code belongs to the
 * function that starts last at or before it, and nothing is known of a file without
 * functions.
 */
#ifndef MCUPROF_HOST_STABS_H
#define MCUPROF_HOST_STABS_H

#include "elf_file.h"

struct stab_file {
    const char *directory, *name; /* either may be NULL; if name is, the file is
                                   * unknown */
};

/* Code from this address to the next row's belongs to this line. */
struct stab_row {
    uint64_t address;
    const char *name; /* name of the function; NULL: nothing is known of this code */
    uint32_t file;    /* in stabs->files */
    uint32_t line;    /* 0: unknown */
};

struct stabs {
    struct stab_row *rows; /* ascending, distinct */
    size_t row_count;
    struct stab_file *files;
    size_t file_count;
    char *strings;
};

/* Reads the ELF's stabs, if it has any. false: out of memory. The caller releases them in
 * any case. */
bool stabs_read(const struct elf_file *elf, struct stabs *stabs);
void stabs_release(struct stabs *stabs);

/* The row that has the address, if its function and line are known; NULL: none. *until
 * becomes less if the next row begins before it. */
const struct stab_row *stabs_at(const struct stabs *stabs, uint64_t address,
                                uint64_t *until);
/* Directory and name in a new string. NULL: out of memory. */
char *stabs_path(const struct stab_file *file);

#endif
