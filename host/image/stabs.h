/* SPDX-License-Identifier: MIT */
/*
 * Lines from stabs, the debug information of before DWARF, which avr-gcc writes with -g
 * up to release 12 and avr-libc has. Answers are as GNU's BFD has them: code is of the
 * function that starts last before it, and of a file without functions nothing is known.
 */
#ifndef MCUPROF_HOST_STABS_H
#define MCUPROF_HOST_STABS_H

#include "elf_file.h"

struct stab_file {
    const char *directory, *name; /* either may be NULL; name: unknown then */
};

/* From this address on, to the next row's, code is of this line. */
struct stab_row {
    uint64_t address;
    const char *name; /* of the function; NULL: no code that is known */
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

/* None where there are none. false: out of memory; to be released in any case. */
bool stabs_read(const struct elf_file *elf, struct stabs *stabs);
void stabs_release(struct stabs *stabs);

/* The row that has the address, its function and its line known; NULL: none. *until
 * becomes less where the next row begins below it. */
const struct stab_row *stabs_at(const struct stabs *stabs, uint64_t address,
                                uint64_t *until);
/* Directory and name; a new string. NULL: out of memory. */
char *stabs_path(const struct stab_file *file);

#endif
