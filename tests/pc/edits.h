/* SPDX-License-Identifier: MIT */
/* Random damage to the bytes of a stream, in place. */
#ifndef EDITS_H
#define EDITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EDITS_MAX = 4, BURST_MAX = 64, EDITS_ROOM = EDITS_MAX * BURST_MAX };

/* A random number below `below`; *state is that of the generator, not 0. */
uint64_t edits_any(uint64_t *state, uint64_t below);

/* Flips each bit with a probability, of which the logarithm is uniform: 10^-6 to 10^-2.
 * false: it flipped none. */
bool edits_flip_bits(uint8_t *stream, size_t size, uint64_t *random);

/* Flips, replaces, drops, doubles or inserts up to BURST_MAX bytes; returns the new size.
 * The stream has room for EDITS_ROOM bytes more. */
size_t edits_make(uint8_t *stream, size_t size, uint64_t *random);

#endif
