/* SPDX-License-Identifier: MIT */
/*
 * One record of the wire as mcuprof_wire.h defines it: its length, its validity and its
 * values.
 */
#ifndef MCUPROF_HOST_RECORD_H
#define MCUPROF_HOST_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mcuprof_wire.h"

enum { RECORD_VERSION_MIN = 1 };
enum { RECORD_MAX = 64 }; /* bytes of the longest record, rounded up */

/* The length of the record that begins with these `have` bytes (at least one). A result
 * above `have` is a lower bound; any other is exact. It is at most RECORD_MAX; 0: the
 * kind or version is not known. */
size_t record_bytes(const uint8_t *record, size_t have);
static inline bool record_is_hello(const uint8_t *record)
{
    return (record[0] & 0xF0) == MCUPROF_WIRE_START(MCUPROF_WIRE_HELLO, 0);
}
/* Whether `record` of mcuprof tells by this record that another run follows. */
static inline bool record_is_reset(const uint8_t *record)
{
    return record[0] == MCUPROF_WIRE_START(MCUPROF_WIRE_END, MCUPROF_WIRE_END_RESET);
}

/* Whether firmware can have sent this record of record_bytes(): its check is right, its
 * values have no more than 32 bits and its configuration is possible. record_fits()
 * ignores the check. */
bool record_valid(const uint8_t *record, size_t bytes);
bool record_fits(const uint8_t *record, size_t bytes);

/* Kinds of records that describe a path, or an event of the timeline; on the wire they
 * share their start bytes with MCUPROF_WIRE_END. */
enum { RECORD_PATH = 8, RECORD_STEPS, RECORD_STATE };
static inline unsigned record_kind(uint8_t start)
{
    if (start < MCUPROF_WIRE_START(MCUPROF_WIRE_END, MCUPROF_WIRE_END_STEPS))
        return start >> 4 & 7u;
    switch (start & 15u) {
    case MCUPROF_WIRE_END_STEPS:
        return RECORD_STEPS;
    case MCUPROF_WIRE_END_STATE:
        return RECORD_STATE;
    case 6:
    case 7:
        return MCUPROF_WIRE_END;
    default:
        return RECORD_PATH;
    }
}

/* The check accumulator over all bytes before the check group. Version 1's totals and end
 * hold the sum of the accumulators. */
uint32_t record_accumulate(const uint8_t *record, size_t bytes);

/* Reads a value of so many groups from the payload and moves *at behind it;
 * record_take_word() reads a word of five groups. */
static inline uint32_t record_take(const uint8_t **at, unsigned groups)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < groups; i++)
        value |= (uint64_t) * (*at)++ << 7 * i;
    return (uint32_t)value;
}

static inline uint32_t record_take_word(const uint8_t **at)
{
    return record_take(at, MCUPROF_WIRE_WORD_GROUPS);
}
/* Reads the payload of a record of words. */
void record_take_words(const uint8_t *record, uint32_t *words, size_t count);

/* The name of an architecture in the hello's configuration, and its number by its name.
 * An unknown number is named "unknown"; an unknown name has all bits set. */
const char *record_arch_name(uint32_t arch);
uint32_t record_arch(const char *name);

/* The `recognise` of struct decode_format for a capture of records. */
int record_recognise(const uint8_t *bytes, size_t size);

/* The content of a record of timed calls; addresses are as on the wire, times in ticks.
 */
struct record_call {
    uint32_t from, to, count, total, self, shortest, longest;
};
struct record_call record_take_call(const uint8_t *record);

/* What one record says of a path. */
struct record_path {
    bool anew;           /* the record keeps nothing of the last path */
    unsigned root, drop; /* root (if anew): how the path ends, above ROOT_UNSURE:
                          * damaged; drop (if not): frames that the last path loses */
    unsigned frames;
    struct record_frame {
        bool place;
        uint32_t value; /* a place, or an address as on the wire */
    } said[MCUPROF_WIRE_PATH_FRAMES];
    bool sample; /* the record is also a sample */
    uint32_t pc; /* the sample's program counter */
};
struct record_path record_take_path(const uint8_t *record);

#endif
