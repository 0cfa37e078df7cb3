/* SPDX-License-Identifier: MIT */
/*
 * Faults injected into a stream of the wire: whatever happens to it, either the profile
 * is the same or what mcuprof says of it shows that something happened.
 */
#ifndef FAULTS_H
#define FAULTS_H

#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

struct fault_tally {
    unsigned injected;
    unsigned same;    /* the profile is that of the whole stream */
    unsigned refused; /* no profile: an error */
    unsigned shown;   /* another profile, and it shows */
    unsigned taken; /* of these: a damaged record was taken for data, and only the sums of
                       totals and end tell */
    unsigned silent; /* another profile, and nothing shows */
};

/* Decodes a stream in pieces of `piece` bytes. false: refused. The profile is to be
 * released in any case. */
bool faults_decode(struct profile *profile, const uint8_t *bytes, size_t size,
                   size_t piece);

/* Injects one fault of each kind at each byte of the stream and prints a line for each
 * kind. The stream must be whole. */
void faults_inject(const uint8_t *bytes, size_t size, struct fault_tally *tally);

#endif
