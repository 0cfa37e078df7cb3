/* SPDX-License-Identifier: MIT */
/*
 * Where the return address is at each instruction of firmware: found in its code and in
 * its call frame information, and written as the table of wire/mcuprof_unwind.h.
 */
#ifndef MCUPROF_HOST_UNWIND_H
#define MCUPROF_HOST_UNWIND_H

#include "../image/image.h"

/* What holds from an address up to the next row's. size: bytes, sp + size is the caller's
 * stack pointer, fp + size if `based`; where, saved: as in mcuprof_unwind.h. */
struct unwind_row {
    uint64_t address;
    int32_t size;
    uint8_t where, saved;
    bool based;
};

/* A function of which something is not known: so many of its bytes. */
struct unwind_gap {
    const char *name; /* as in the ELF; lives as long as the image */
    uint64_t address;
    uint64_t bytes;
};

struct unwind {
    struct unwind_row *rows; /* ascending; neighbours differ */
    size_t row_count;
    struct unwind_gap *gaps; /* ascending */
    size_t gap_count;
    size_t function_count;
    size_t based_count; /* rows that go by the frame pointer */
    uint64_t low, high; /* the code that the rows are about */
    uint64_t code_bytes,
        known_bytes;      /* of functions: without data between instructions */
    uint64_t clash_bytes; /* its code and its frame information disagree */
    unsigned unit;        /* alignment of instructions, bytes */
    unsigned word;        /* `where` counts these, bytes */
    bool big_endian;
};

/* The error names the file: a machine that is not known here, no code, out of memory. */
bool unwind_make(struct unwind *unwind, const struct image *image, struct error *error);
void unwind_release(struct unwind *unwind);

/* The bytes of the table; to be freed. */
struct unwind_table {
    uint8_t *bytes;
    size_t size;
    size_t row_count, frame_count, page_count;
    size_t dropped; /* rows whose frame had no room among the frames: UNKNOWN there */
};
bool unwind_table_make(struct unwind_table *table, const struct unwind *unwind,
                       const char *path, struct error *error);
void unwind_table_release(struct unwind_table *table);

/* Writes the table into the ELF's section .mcuprof_unwind. The error names the file, and
 * how many bytes are needed where there is no such section, or a smaller one. */
bool unwind_table_store(const struct unwind_table *table, const char *path,
                        struct error *error);

#endif
