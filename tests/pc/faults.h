/* SPDX-License-Identifier: MIT */
/*
 * Injects faults into a stream of the wire. Whatever happens to it, nothing may be
 * counted that was not sent, and what is missing must be told exactly or be called
 * unknown.
 */
#ifndef FAULTS_H
#define FAULTS_H

#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

struct fault_tally {
    uint64_t injected;
    uint64_t same;    /* the profile equals that of the whole stream */
    uint64_t shown;   /* the profile has less, and says so */
    uint64_t refused; /* there is no profile, since no hello is left */
    uint64_t records; /* which were discarded */
    /* These must be 0: */
    uint64_t counted;     /* events that were not sent */
    uint64_t wrong;       /* the profile accounts for more than was sent */
    uint64_t understated; /* it accounts for less than was sent, and does not say so */
    uint64_t needless;    /* there is no profile, though a hello is whole */
    uint64_t beyond; /* of one fault: more records are gone than the blocks have that it
                      * hit, or whose begin it hit */
};

/* The sum of all that must be 0. */
uint64_t faults_bad(const struct fault_tally *tally);

/* Decodes a stream in pieces of `piece` bytes. false: the stream was refused. The caller
 * releases the profile in any case. */
bool faults_decode(struct profile *profile, const uint8_t *bytes, size_t size,
                   size_t piece);

void faults_add(struct fault_tally *sum, const struct fault_tally *more);

/* Prints what `tally` has: "a bit flipped 800: 200 the same, ...". */
void faults_print(const char *name, const struct fault_tally *tally);

/* Injects one fault of each kind at each byte of the stream and prints a line for each
 * kind. The stream must be whole. */
void faults_inject(const uint8_t *bytes, size_t size, struct fault_tally *tally);

/* `times` times, injects up to four random faults, or bit errors at a rate from 10^-6 to
 * 10^-2; prints one line. May join two copies of the stream. */
void faults_inject_random(const char *name, const uint8_t *bytes, size_t size,
                          uint64_t times, uint64_t seed, struct fault_tally *tally);

#endif
