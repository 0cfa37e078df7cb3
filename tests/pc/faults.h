/* SPDX-License-Identifier: MIT */
/*
 * Faults injected into a stream of the wire. Whatever happens to it, nothing is counted
 * that was not sent, and either what is missing is told exactly, or that it is not known.
 */
#ifndef FAULTS_H
#define FAULTS_H

#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

struct fault_tally {
    uint64_t injected;
    uint64_t same;    /* the profile is that of the whole stream */
    uint64_t shown;   /* less than that, and it shows */
    uint64_t refused; /* no profile: nothing is left that says what the firmware is */
    /* And what must not be: */
    uint64_t counted;     /* events that were not sent */
    uint64_t wrong;       /* more than what was sent is said to be accounted for */
    uint64_t understated; /* less: of what was lost something is not told */
    uint64_t needless;    /* refused, though a hello is whole */
};

/* Of all that must not be. */
uint64_t faults_bad(const struct fault_tally *tally);

/* Decodes a stream in pieces of `piece` bytes. false: refused. The profile is to be
 * released in any case. */
bool faults_decode(struct profile *profile, const uint8_t *bytes, size_t size,
                   size_t piece);

/* Injects one fault of each kind at each byte of the stream and prints a line for each
 * kind. The stream must be whole. */
void faults_inject(const uint8_t *bytes, size_t size, struct fault_tally *tally);

/* Injects up to four random ones, so many times, and prints a line. Two of the same
 * stream may be joined. */
void faults_inject_random(const char *name, const uint8_t *bytes, size_t size,
                          uint64_t times, uint64_t seed, struct fault_tally *tally);

#endif
