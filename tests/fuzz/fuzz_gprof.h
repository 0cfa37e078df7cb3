/* SPDX-License-Identifier: MIT */
#ifndef FUZZ_GPROF_H
#define FUZZ_GPROF_H

#include <stddef.h>
#include <stdint.h>

/* `mcuprof gprof` with line mode, blocks and calls in the code, on this ELF and a profile
 * that fits it. */
void fuzz_gprof_elf(const uint8_t *bytes, size_t size);

/* The same on this profile and a small ELF; the first byte says which ELF and options. */
void fuzz_gprof_gmon(const uint8_t *bytes, size_t size);

#endif
