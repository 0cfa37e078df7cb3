/* SPDX-License-Identifier: MIT */
/*
 * One record of the wire as mcuprof_wire.h defines it: how long it is, whether it is
 * whole, the values in it.
 */
#ifndef MCUPROF_HOST_RECORD_H
#define MCUPROF_HOST_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mcuprof_wire.h"

enum { RECORD_VERSION_MIN = 1 };
enum { RECORD_MAX = 64 }; /* bytes of the longest record, rounded up */

/* Bytes of the record that begins with these, one at least: if it is more than `have`,
 * there are so many at least; else it is all. At most RECORD_MAX; 0: of no kind or
 * version that is known. */
size_t record_bytes(const uint8_t *record, size_t have);
static inline bool record_is_hello(const uint8_t *record)
{
    return (record[0] & 0xF0) == MCUPROF_WIRE_START(MCUPROF_WIRE_HELLO, 0);
}

/* Whether a record of record_bytes() is as a firmware sends it: its check, values of no
 * more than 32 bits, a configuration that can be. record_fits: the check was looked at.
 */
bool record_valid(const uint8_t *record, size_t bytes);
bool record_fits(const uint8_t *record, size_t bytes);

/* A kind beyond MCUPROF_WIRE_END, which shares its start byte with it: what says a path.
 */
enum { RECORD_PATH = 8 };
static inline unsigned record_kind(uint8_t start)
{
    return start >= MCUPROF_WIRE_START(MCUPROF_WIRE_END, MCUPROF_WIRE_END_PATH_SAMPLE)
               ? RECORD_PATH
               : start >> 4 & 7u;
}

/* The check accumulator before the check group, which version 1's totals and end add up.
 */
uint32_t record_accumulate(const uint8_t *record, size_t bytes);

/* Take a value of so many groups, or a word of five, off the payload. */
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
/* The payload of a record of words. */
void record_take_words(const uint8_t *record, uint32_t *words, size_t count);

/* An architecture of the hello's configuration by its name and back; those that are not
 * known are "unknown" and all bits set. */
const char *record_arch_name(uint32_t arch);
uint32_t record_arch(const char *name);

/* Whether these are the first bytes of a capture of records: as decode_format's. */
int record_recognise(const uint8_t *bytes, size_t size);

/* What a record of timed calls says; addresses as on the wire, times in ticks. */
struct record_call {
    uint32_t from, to, count, total, self, shortest, longest;
};
struct record_call record_take_call(const uint8_t *record);

/* What a record says of a path. */
struct record_path {
    bool anew;           /* nothing is left of the last path */
    unsigned root, drop; /* anew: how the path ends, above ROOT_UNSURE: it cannot be; else
                            so many frames are gone */
    unsigned frames;
    struct record_frame {
        bool place;
        uint32_t value; /* place, or address as on the wire */
    } said[MCUPROF_WIRE_PATH_FRAMES];
    bool sample; /* and it is that of a sample */
    uint32_t pc; /* of it */
};
struct record_path record_take_path(const uint8_t *record);

#endif
