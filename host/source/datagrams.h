/* SPDX-License-Identifier: MIT */
/*
 * Puts the datagrams of a link over UDP in order again: docs/wire.md, "Over UDP". A
 * missing datagram is waited for until it is DATAGRAM_WINDOW behind the newest; then it
 * is lost.
 */
#ifndef MCUPROF_HOST_SOURCE_DATAGRAMS_H
#define MCUPROF_HOST_SOURCE_DATAGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DATAGRAM_HEADER_MAX = 12,
    DATAGRAM_BYTES_MAX = 2048,
    DATAGRAM_WINDOW = 64,
    DATAGRAM_RUNS = 8
};

struct datagram {
    bool there;
    uint16_t size;
    uint8_t bytes[DATAGRAM_BYTES_MAX]; /* without the header */
};

/* What a datagram's header says. */
struct datagram_header {
    bool old;
    size_t size; /* its bytes; 0: it is none of mcuprof */
    uint32_t run, number;
};

struct datagrams {
    bool begun;
    bool old;                       /* their headers have no run number */
    uint32_t run;                   /* the firmware's run, from the headers */
    uint32_t former[DATAGRAM_RUNS]; /* the last runs before this one: their datagrams
                                     * come too late */
    size_t formers;                 /* how many there were */
    unsigned formers_in_row; /* datagrams of those runs that came in a row, up to now */
    uint32_t next;           /* number of the datagram whose bytes are due */
    uint32_t ahead;          /* one past the highest number that came */
    unsigned held;           /* datagrams in `slot` */
    size_t given;            /* bytes of `next` that were taken */
    uint64_t seen;           /* bit n: next - 1 - n came */
    uint64_t came, lost, doubled, disordered;
    uint64_t resets;    /* runs after the first */
    bool begins;        /* the one that is due is the first of such a run */
    bool reset_due;     /* it was lost: the record of a reset is given next */
    size_t reset_given; /* bytes of that record which were taken */
    uint64_t
        strange; /* no datagrams of mcuprof, or too long, or of a run with no other */
    struct datagram slot[DATAGRAM_WINDOW]; /* by number, modulo their count */
    struct datagram_header other_header;   /* of `other` */
    struct datagram other;                 /* the first of another run, if it is there */
};

/* Adds one as it came. Zeroed datagrams are ready for the first, whatever its number.
 * false: it is too far ahead, or of another run; it must be added again once
 * datagrams_take() has taken all that it gives in a hurry.
 *
 * The first of another run waits for a second one of that run: if one that is due, or
 * ahead, of the run so far comes before that, the first was strange. */
bool datagrams_add(struct datagrams *datagrams, const uint8_t *bytes, size_t size);

/* The bytes of a datagram's header; 0: it is none of mcuprof. */
size_t datagram_header_bytes(const uint8_t *bytes, size_t size);

/* Whether some are there that have not been taken. */
bool datagrams_wait(const struct datagrams *datagrams);

/* Takes up to `size` bytes that are in order. In a hurry it gives up those missing before
 * the first that is there, and takes a run whose second one has not come. A run that is
 * not the first, and whose first datagram is lost, has a record of the wire before it
 * that says so. Returns how many bytes it took. */
size_t datagrams_take(struct datagrams *datagrams, uint8_t *bytes, size_t size,
                      bool hurry);

#endif
