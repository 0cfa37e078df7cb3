/* SPDX-License-Identifier: MIT */
/* What the programs of tests/real/ share. */
#ifndef REAL_H
#define REAL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The program, which does the same work each time. Returns a checksum of what it
 * computed. */
uint32_t program(unsigned rounds);

/* The checksum with these bytes added. */
uint32_t checksum(uint32_t sum, const void *data, size_t bytes);

/* Returns pseudo-random numbers, the same ones each time. */
uint32_t next_random(void);

#ifdef __cplusplus
}
#endif

#endif
