/* SPDX-License-Identifier: MIT */
/* The state of the decoder of mcuprof's wire: what mcuprof.c and wire_events.c share. */
#ifndef MCUPROF_HOST_WIRE_H
#define MCUPROF_HOST_WIRE_H

#include "decode.h"
#include "mcuprof_wire.h"
#include "record.h"

enum {
    HELD_MAX = 256,     /* text held until the first record tells whether it is text */
    PENDING_MAX = 65536 /* events kept until the first hello tells their base */
};

struct totals {
    uint32_t sent[EVENT_KINDS];
    uint32_t lost[EVENT_KINDS];
    uint32_t sum; /* of the check accumulators of all records */
};

/* What the firmware says of itself again and again. */
struct claim {
    bool known, doubted;
    uint32_t words[MCUPROF_WIRE_BUILD_ID_WORDS];
    uint32_t doubt[MCUPROF_WIRE_BUILD_ID_WORDS]; /* the last that differed */
};

struct event {
    enum event_kind kind;
    uint32_t task;
    uint32_t from, to, count; /* addresses as on the wire */
    struct call_times times;
};

struct wire {
    uint8_t record[RECORD_MAX];
    size_t have, want; /* bytes of the record begun; have 0: outside */
    bool skipping;     /* in a record of unknown length: until the next start byte */
    bool synced;       /* a record was accepted */
    bool cut;          /* the firmware restarted before an end record */
    unsigned version;  /* another version that a record claimed; 0: none did */
    char held[HELD_MAX];
    size_t held_bytes;

    bool greeted; /* base and unit are known */
    struct claim hello, build_id, time;
    uint32_t other, run; /* of the last time record since the firmware's start */
    uint32_t base;
    unsigned unit;
    bool big_endian;
    uint32_t task; /* whose the next events are */
    struct event *pending;
    size_t pending_used;

    bool based;            /* `last` is known */
    struct totals last;    /* the last totals, or zeros at the firmware's start */
    struct totals since;   /* received since */
    uint64_t damaged_then; /* profile->damaged at `last` */
};

/* Take a record of events, or a task's: count it, or keep it until the hello comes. */
bool wire_take_event(struct decoder *decoder, const uint8_t *record, struct error *error);
bool wire_take_call(struct decoder *decoder, const uint8_t *record, struct error *error);
bool wire_take_task(struct decoder *decoder, const uint8_t *record, struct error *error);

/* Counts the events that were kept. */
bool wire_count_pending(struct decoder *decoder, struct error *error);

#endif
