/* SPDX-License-Identifier: MIT */
/*
 * Gives hostile input to the readers. They must not crash, read out of bounds or run for
 * ever, and the profile must not depend on the pieces in which the input comes.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* A format of decode.h, "any" (recognised by content), "elf", "unwind", or a target of
 * fuzz_gprof.h ("gprof-elf", "gprof-gmon"). Aborts if something is wrong. */
void fuzz_one(const char *target, const uint8_t *bytes, size_t size);

#endif
