/* SPDX-License-Identifier: MIT */
/* Bytes of a file, read one after the other and never beyond their end. */
#ifndef MCUPROF_HOST_CURSOR_H
#define MCUPROF_HOST_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
    const uint8_t *at, *end;
    bool big_endian;
    bool failed; /* something reached beyond the end: it was read as zero */
};

/* A number of up to 8 bytes. */
uint64_t cursor_take(struct cursor *cursor, size_t bytes);
/* A number in LEB128 (DWARF 5, 7.6); its low 64 bits. */
uint64_t cursor_leb(struct cursor *cursor, bool with_sign);
/* A string up to its zero, which stays where it is. */
const char *cursor_string(struct cursor *cursor);
void cursor_skip(struct cursor *cursor, uint64_t bytes);

#endif
