/* SPDX-License-Identifier: MIT */
/* The blocks of a whole stream of version 3 of the wire. */
#ifndef FAULTS_WORDS_H
#define FAULTS_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds the blocks of this stream, which the other functions are about. false: it has
 * none, so it is of another version. */
bool faults_words_find(const uint8_t *bytes, size_t size);
/* How many records are in the blocks that bytes from..to are in. */
uint64_t faults_words_around(size_t from, size_t to);
/* Whether one of the blocks is in these bytes. */
bool faults_words_any(const uint8_t *bytes, size_t size);

#endif
