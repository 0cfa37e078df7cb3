/* SPDX-License-Identifier: MIT */
/*
 * Writes mcuprof's own wire, record by record. Private to the files mcuprof*.c.
 */
#ifndef MCUPROF_HOST_EXPORT_RECORDS_H
#define MCUPROF_HOST_EXPORT_RECORDS_H

#include "../decode/record.h"
#include "export.h"
#include "mcuprof_wire.h"

enum {
    RECORDS_MAX = 1000,     /* for one counter: enough for 2 * 10^12 events */
    ALL_SIZES = 15,         /* the code for addresses and counts of 5 groups each */
    EVENTS_MAX = INT32_MAX, /* most between two totals: a reader takes more for a
                             * restart */
    DEPTH_MAX = MCUPROF_WIRE_DEPTH(UINT32_MAX),
};

/* What the block has described of paths so far: the last path, outermost frame first, and
 * the addresses at places, as they are on the wire. */
struct said {
    bool path;
    unsigned root;
    size_t depth;
    uint32_t frames[DEPTH_MAX + 1];
    uint32_t places[MCUPROF_WIRE_PLACES];
    bool filled[MCUPROF_WIRE_PLACES];
};

struct record_writer {
    FILE *out;
    const struct profile *profile;
    unsigned unit;
    uint32_t hash;               /* of the block that is being written */
    unsigned records;            /* number of records in that block */
    uint32_t sent[EVENT_KINDS];  /* modulo 2^32, as firmware counts */
    uint32_t lost[EVENT_KINDS];  /* likewise */
    uint32_t task;               /* the task that a reader takes the next events for */
    uint64_t damaged;            /* records written as damaged */
    uint64_t since[EVENT_KINDS]; /* events sent since the last totals */
    unsigned depth;              /* of paths, as the hello has it; 0: there are no
                                  * paths */
    struct said said;
    bool stated; /* the block has a record of the timeline's state */
    bool splits; /* totals that do not add up come before the second record of events */
};

/* A record that is being made: begin it, put values of so many groups or words, then
 * finish it, which writes it. */
struct record {
    uint8_t bytes[RECORD_MAX];
    size_t used;
};
void record_begin(struct record *record, unsigned kind, unsigned parameters);
void record_put(struct record *record, uint32_t value, unsigned groups);
void record_put_word(struct record *record, uint32_t word);
void record_finish(struct record_writer *writer, struct record *record);

/* Whether there are events of a kind, received or lost. */
bool is_counted(const struct profile *profile, size_t kind);

/* Splits the sampling rate into a clock and a period; 0 of both: there is none. */
bool find_clock(const struct profile *profile, uint32_t *clock, uint32_t *period,
                struct error *error);
/* The configuration that the hello must have for what is counted. */
uint32_t find_configuration(const struct record_writer *writer);
/* Whether records can say what kind of samples there are, and the largest unit of which
 * all addresses are multiples. */
bool choose_unit(struct record_writer *writer, struct error *error);

/* Writes console text, with '?' for what is not ASCII. */
void export_console(FILE *out, const char *text, size_t bytes);

/* Writes totals: what was sent and lost so far. `less`: leaves out one of the events
 * since the last totals, because the captures' own totals did not add up. */
void put_totals(struct record_writer *writer, bool less);
/* Writes a record that closes the block; `parameters` are MCUPROF_WIRE_END_.... */
void put_close(struct record_writer *writer, unsigned parameters);
/* Writes the timeline. */
void put_timeline(struct record_writer *writer);
/* How many of the events that are left, at most `most`, the next record should have. The
 * first record has one if totals must come between two, see `splits`. */
uint32_t events_now(const struct record_writer *writer, uint64_t left, uint32_t most);
/* Makes room for a record's events before the next totals. */
void make_room(struct record_writer *writer, enum event_kind kind, uint32_t count);

/* Writes the names of all tasks, even of those without events. */
void put_tasks(struct record_writer *writer);
/* Writes the number of the task that the next events belong to. */
void put_task(struct record_writer *writer, uint32_t number);
/* Writes samples that have the last path of the block, or samples without a path. */
void put_samples(struct record_writer *writer, uint32_t pc, uint32_t count);
/* The code aa for the size of an event's addresses. `addresses` may be the bits of
 * several, joined by OR. */
unsigned address_sizes(uint32_t addresses);
/* Writes all counters, with `unknown` those whose task is not known, else the others.
 * Samples that have a path are left out. */
bool put_counters(struct record_writer *writer, bool unknown, struct error *error);

/* The same for the samples that have a path. */
bool put_stacks(struct record_writer *writer, bool unknown, struct error *error);
bool put_stack(struct record_writer *writer, const struct stack *stack,
               struct error *error);
/* For qsort() of pointers to stacks: by task, end and frames from the outside in. */
int compare_paths(const void *left, const void *right);
/* Chooses the depth that the hello must have for all stacks. false: no depth is enough.
 */
bool choose_depth(struct record_writer *writer, struct error *error);
/* For each counter of samples, how many of its events have a path. The caller frees the
 * array. */
uint64_t *count_with_path(const struct profile *profile, struct error *error);

#endif
