/* SPDX-License-Identifier: MIT */
/*
 * mcuprof's own wire, record by record. Private to mcuprof.c, mcuprof_events.c,
 * mcuprof_paths.c and mcuprof_timeline.c.
 */
#ifndef MCUPROF_HOST_EXPORT_RECORDS_H
#define MCUPROF_HOST_EXPORT_RECORDS_H

#include "../decode/record.h"
#include "export.h"
#include "mcuprof_wire.h"

enum {
    RECORDS_MAX = 1000,     /* of one counter: 2 * 10^12 events */
    ALL_SIZES = 15,         /* of addresses and counts: 5 groups each */
    EVENTS_MAX = INT32_MAX, /* between two totals: none can be taken for a restart */
    DEPTH_MAX = MCUPROF_WIRE_DEPTH(UINT32_MAX),
};

/* What the block has said of paths so far: the last one, outermost frame first, and the
 * addresses of places; these as on the wire. */
struct said {
    bool path;
    unsigned root;
    size_t depth;
    uint32_t frames[DEPTH_MAX + 1];
    uint32_t places[MCUPROF_WIRE_PLACES];
    bool filled[MCUPROF_WIRE_PLACES];
};

struct writer {
    FILE *out;
    const struct profile *profile;
    unsigned unit;
    uint32_t hash;               /* of the block that is not closed */
    unsigned records;            /* in it */
    uint32_t sent[EVENT_KINDS];  /* modulo 2^32, as firmware counts */
    uint32_t lost[EVENT_KINDS];  /* likewise */
    uint32_t task;               /* whose a reader takes the next events for */
    uint64_t damaged;            /* records written as damaged */
    uint64_t since[EVENT_KINDS]; /* sent since the last totals */
    unsigned depth;              /* of paths, as the hello tells it; 0: there are none */
    struct said said;
    bool stated; /* the block has a state of the timeline */
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

/* What has been sent and lost so far. `less`: one of the events since the last totals is
 * left out, where the captures' own did not add up. */
void put_totals(struct writer *writer, bool less);
/* A record that closes the block: MCUPROF_WIRE_END_.... */
void put_close(struct writer *writer, unsigned parameters);
/* The timeline. */
void put_timeline(struct writer *writer);
/* Room for a record's events before the next totals. */
void make_room(struct writer *writer, enum event_kind kind, uint32_t count);

/* The names of tasks, and those of which nothing was counted. */
void put_tasks(struct writer *writer);
/* Whose the events are that follow. */
void put_task(struct writer *writer, uint32_t number);
/* Samples of the path that was said last, or without one. */
void put_samples(struct writer *writer, uint32_t pc, uint32_t count);
/* aa of an event with these addresses, or the bits of one. */
unsigned address_sizes(uint32_t addresses);
/* All counters: those of which nobody knows whose they are, or the others. The samples
 * that have a path are not among them. */
bool put_counters(struct writer *writer, bool unknown, struct error *error);

/* The samples that have a path; the same. */
bool put_stacks(struct writer *writer, bool unknown, struct error *error);
bool put_stack(struct writer *writer, const struct stack *stack, struct error *error);
/* The depth that a hello must tell for all stacks. false: there is none. */
bool choose_depth(struct writer *writer, struct error *error);
/* How many of each sample counter's events have one. To be freed. */
uint64_t *count_with_path(const struct profile *profile, struct error *error);

#endif
