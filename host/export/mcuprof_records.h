/* SPDX-License-Identifier: MIT */
/*
 * mcuprof's own wire, record by record. Private to mcuprof.c and mcuprof_events.c.
 */
#ifndef MCUPROF_HOST_EXPORT_RECORDS_H
#define MCUPROF_HOST_EXPORT_RECORDS_H

#include "../decode/record.h"
#include "export.h"
#include "mcuprof_wire.h"

enum {
    RECORDS_MAX = 1000, /* of one counter: 2 * 10^12 events */
    ALL_SIZES = 15,     /* of addresses and counts: 5 groups each */
};

struct writer {
    FILE *out;
    const struct profile *profile;
    unsigned unit;
    uint32_t sum;                /* of the check accumulators of all records */
    uint32_t sent[EVENT_KINDS];  /* modulo 2^32, as firmware counts */
    uint32_t lost[EVENT_KINDS];  /* likewise */
    uint32_t task;               /* whose a reader takes the next events for */
    uint64_t damaged;            /* records written as damaged */
    uint64_t since[EVENT_KINDS]; /* sent since the last totals */
};

/* A record that is being put together: begun, with values of so many groups, or words,
 * finished and written. */
struct record {
    uint8_t bytes[RECORD_MAX];
    size_t used;
};
void record_begin(struct record *record, unsigned kind, unsigned parameters);
void record_put(struct record *record, uint32_t value, unsigned groups);
void record_put_word(struct record *record, uint32_t word);
void record_finish(struct writer *writer, struct record *record);

/* What has been sent and lost so far. `sum_error`: what the sum is wrong by, where the
 * captures' own were. */
void put_totals(struct writer *writer, uint32_t sum_error);

/* The names of tasks, and those of which nothing was counted. */
void put_tasks(struct writer *writer);
/* All counters: those of which nobody knows whose they are, or the others. */
bool put_counters(struct writer *writer, bool unknown, struct error *error);

#endif
