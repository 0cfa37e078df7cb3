/* SPDX-License-Identifier: MIT */
/*
 * What hostile input must not do to the readers: crash, read out of bounds, run for ever,
 * give another profile when it comes in other pieces.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* A format of decode.h, "any" (recognised by content), "elf", "unwind", or a target of
 * fuzz_gprof.h ("gprof-elf", "gprof-gmon"). Aborts where something is wrong. */
void fuzz_one(const char *target, const uint8_t *bytes, size_t size);

#endif
