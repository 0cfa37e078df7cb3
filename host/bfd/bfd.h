/* SPDX-License-Identifier: MIT */
/*
 * Symbols, and addresses to file, line and function, as GNU's BFD answers: the one of
 * binutils 2.40, of AVR 2.26. GNU gprof asks it, so its answers show, also where the
 * debug information says something else, and where they depend on what was asked before.
 * For what the debug information says, ask image/.
 */
#ifndef MCUPROF_HOST_BFD_H
#define MCUPROF_HOST_BFD_H

#include "../image/units.h"

/* The program's code, to which it keeps: .text alone. */
struct bfd_text {
    size_t index; /* of the section */
    uint64_t low, high;
};

/* The number'th symbol, *section its section's number. st_value is the address: Thumb bit
 * cleared, sign-extended. false: there is none. */
bool bfd_symbol(const struct elf_file *elf, size_t number, GElf_Sym *symbol,
                uint32_t *section);

/* A source file; the same one may be there several times. */
struct bfd_file {
    char *path;      /* comp_dir/dir/name */
    uint32_t number; /* for the asker's use; 0 at first */
};

struct bfd_place {
    struct bfd_file *file; /* NULL: unknown, as is the line then */
    uint32_t line;
    const char *name; /* of the function; NULL: unknown */
    uint64_t until;   /* on entry the end of what is asked for; on return, where something
                         else may hold */
};

struct bfd_lines;

/* Reads units and line tables. *lines is to be released in any case. The ELF stays open
 * as long. false: out of memory. */
bool bfd_lines_open(struct bfd_lines **lines, const struct elf_file *elf,
                    const struct bfd_text *text);
void bfd_lines_release(struct bfd_lines *lines);

/* What holds at the address; names: of functions, too. false: out of memory. */
bool bfd_lines_at(struct bfd_lines *lines, uint64_t address, bool names,
                  struct bfd_place *place);
/* Whether some symbol is at or before the address: names need not come from the debug
 * information. */
bool bfd_has_name(const struct bfd_lines *lines, uint64_t address);
/* Whether answers depend on what was asked before; how often a question changed others'
 * answers until now. */
bool bfd_lines_depend(const struct bfd_lines *lines);
size_t bfd_lines_changes(const struct bfd_lines *lines);
/* The units that BFD reads: so many of those returned. */
const struct units *bfd_units(const struct bfd_lines *lines, size_t *count);

#endif
