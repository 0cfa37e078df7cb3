/* SPDX-License-Identifier: MIT */
/*
 * Finds where the return address is at each instruction of firmware, from its code and
 * its call frame information, and writes it as the table of wire/mcuprof_unwind.h.
 */
#ifndef MCUPROF_HOST_UNWIND_H
#define MCUPROF_HOST_UNWIND_H

#include "../image/image.h"

/* A row is valid from its address up to the next row. The caller's stack pointer is sp +
 * size or, if `based`, fp + size; where and saved are as in mcuprof_unwind.h. */
struct unwind_row {
    uint64_t address;
    int32_t size;
    uint8_t where, saved;
    bool based;
};

/* A function with `bytes` bytes for which the return address is not known. */
struct unwind_gap {
    const char *name; /* as in the ELF; lives as long as the image */
    uint64_t address;
    uint64_t bytes;
};

/* A frame that the row of the call before `behind` goes past: see mcuprof_unwind.h. */
struct unwind_passed {
    uint64_t call, behind, back;
};
enum { UNWIND_PASSED_MAX = 8 };

struct unwind {
    struct unwind_row *rows; /* of code in RAM, then of the other; ascending in each,
                                and neighbours differ */
    size_t row_count, ram_row_count;
    struct unwind_passed passed[UNWIND_PASSED_MAX];
    size_t passed_count;
    struct unwind_gap *gaps; /* ascending */
    size_t gap_count;
    size_t function_count, ram_function_count;
    size_t based_count;                         /* rows that use the frame pointer */
    uint64_t low, high;                         /* the code that the rows cover */
    uint64_t ram_low, ram_high, ram_code_bytes; /* the same of code in RAM; 0: none */
    uint64_t code_bytes,
        known_bytes;      /* of functions, without data between instructions */
    uint64_t clash_bytes; /* bytes at which code and frame information disagree */
    unsigned fp;          /* number of the frame pointer's register; 0: none */
    unsigned unit;        /* alignment of instructions, bytes */
    unsigned word;        /* bytes of the words that `where` counts */
    bool big_endian;
};

/* Errors, which name the file: an unknown machine, no code, out of memory. Sets errno:
 * ENOMEM if memory ran out. */
bool unwind_make(struct unwind *unwind, const struct image *image, struct error *error);
void unwind_release(struct unwind *unwind);

/* Where the instructions begin that are reached along the paths of the code, and that no
 * mapping symbol calls data: ascending, those of code in RAM last. The caller releases
 * them in any case. */
struct unwind_starts {
    uint64_t *at;
    bool *bare; /* of each: its function has no frame, and its return address is in the
                   link register */
    size_t count;
    bool has_wide; /* ARM: some of the code is A32 */
};
bool unwind_find_starts(struct unwind_starts *starts, const struct image *image,
                        struct error *error);
void unwind_starts_release(struct unwind_starts *starts);

/* The table's bytes; the caller frees them. */
struct unwind_table {
    uint8_t *bytes;
    size_t size;
    size_t row_count, frame_count, page_count, ram_page_count, passed_count;
    size_t dropped; /* rows that became UNKNOWN for lack of room for their frames */
};
bool unwind_table_make(struct unwind_table *table, const struct unwind *unwind,
                       const char *path, struct error *error);
void unwind_table_release(struct unwind_table *table);

/* Writes the table into the ELF's section .mcuprof_unwind. The error names the file and,
 * if the section is missing or too small, the bytes that are needed. */
bool unwind_table_store(const struct unwind_table *table, const char *path,
                        struct error *error);

#endif
