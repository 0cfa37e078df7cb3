/* SPDX-License-Identifier: MIT */
/*
 * Instructions as text, from the objdump of the toolchain that made the firmware.
 */
#ifndef MCUPROF_HOST_DISASSEMBLY_H
#define MCUPROF_HOST_DISASSEMBLY_H

#include "image.h"

struct instruction {
    uint64_t address;
    char *text; /* "bl\t1a0 <fib>", with blanks for tabs */
};

/* Its instructions are in ascending order. */
struct disassembly {
    struct instruction *items;
    size_t count, allocated;
};

/*
 * Disassembles the code of functions, given as ranges, which may overlap and come back
 * sorted. If `program` is NULL, it takes the objdump for the ELF's machine that is in
 * PATH; it is given an excerpt of the ELF, in a file without a name. The error names what
 * to install where there is none, or how objdump failed.
 */
bool disassemble(const struct image *image, const char *program,
                 struct image_range *ranges, size_t count,
                 struct disassembly *disassembly, struct error *error);
void disassembly_release(struct disassembly *disassembly);

/* The instructions at addresses in [low, high); returns how many. */
size_t disassembly_between(const struct disassembly *disassembly, uint64_t low,
                           uint64_t high, const struct instruction **first);

#endif
