/* SPDX-License-Identifier: MIT */
/*
 * Answers which symbol, file, line and function belong to an address as GNU's BFD
 * answers: the one of binutils 2.40, for AVR that of 2.26. GNU gprof asks BFD, so BFD's
 * answers show in its output, even where the debug information says something else, and
 * where an answer depends on earlier questions. To learn what the debug information says,
 * ask image/.
 */
#ifndef MCUPROF_HOST_BFD_H
#define MCUPROF_HOST_BFD_H

#include "../../image/units.h"

/* The program's code: .text alone, outside of which nothing is looked up. */
struct bfd_text {
    size_t index; /* of the section */
    uint64_t low, high;
};

/* Reads the number'th symbol; *section is the number of its section. st_value is the
 * address: its Thumb bit is cleared, and it is sign-extended. false: there is none. */
bool bfd_symbol(const struct elf_file *elf, size_t number, GElf_Sym *symbol,
                uint32_t *section);

/* A source file; several of these may stand for the same file. */
struct bfd_file {
    char *path;      /* comp_dir/dir/name */
    uint32_t number; /* for the caller's use; 0 at first */
};

struct bfd_place {
    struct bfd_file *file; /* NULL: file and line are unknown */
    uint32_t line;
    const char *name; /* of the function; NULL: unknown */
    uint64_t until;   /* in: where the question ends; out: where another answer may
                       * begin, if that is before */
};

struct bfd_lines;

/* Reads units and line tables. The caller releases *lines in any case, and keeps the ELF
 * open until then. false: out of memory. */
bool bfd_lines_open(struct bfd_lines **lines, const struct elf_file *elf,
                    const struct bfd_text *text);
void bfd_lines_release(struct bfd_lines *lines);

/* Finds what belongs to the address; `names`: the function's name, too. false: out of
 * memory. */
bool bfd_lines_at(struct bfd_lines *lines, uint64_t address, bool names,
                  struct bfd_place *place);
/* Whether some symbol is at or before the address, so that a name can be told without the
 * debug information. */
bool bfd_has_name(const struct bfd_lines *lines, uint64_t address);
/* bfd_lines_depend(): whether answers depend on earlier questions. bfd_lines_changes():
 * how many questions so far changed the answers to others. */
bool bfd_lines_depend(const struct bfd_lines *lines);
size_t bfd_lines_changes(const struct bfd_lines *lines);
/* The units that BFD reads: the first *count of those returned. */
const struct units *bfd_units(const struct bfd_lines *lines, size_t *count);

#endif
