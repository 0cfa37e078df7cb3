/* SPDX-License-Identifier: MIT */
#ifndef FUZZ_GPROF_H
#define FUZZ_GPROF_H

#include <stddef.h>
#include <stdint.h>

/* Runs `mcuprof gprof` with line mode, blocks and calls in the code on this ELF and a
 * profile that fits it. */
void fuzz_gprof_elf(const uint8_t *bytes, size_t size);

/* Runs it on this profile and a small ELF; the first byte chooses the ELF and the
 * options. */
void fuzz_gprof_gmon(const uint8_t *bytes, size_t size);

#endif
