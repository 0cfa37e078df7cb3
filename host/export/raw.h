/* SPDX-License-Identifier: MIT */
/*
 * Writes blocks of version 3 of the wire, as firmware that stores words will send them:
 * docs/wire.md. The caller fills in the members of struct raw up to `most`, begins and
 * ends the stream; in between each event goes into the present block, or into the next if
 * that is full.
 */
#ifndef MCUPROF_HOST_RAW_H
#define MCUPROF_HOST_RAW_H

#include <stdio.h>

#include "../base/error.h"
#include "../profile/profile.h"
#include "mcuprof_wire.h"
#include "mcuprof_wire3.h"

enum { RAW_FRAMES_MAX = MCUPROF_WIRE_DEPTH(UINT32_MAX) + 1 };

struct raw {
    FILE *out;
    bool
        as_words; /* as they lie in memory, lowest byte first; else for a line of bytes */
    uint32_t run;
    uint32_t hello[MCUPROF_WIRE_HELLO_WORDS];
    uint64_t sent[EVENT_KINDS], lost[EVENT_KINDS]; /* so far */
    bool counts[EVENT_KINDS];                      /* there are totals of it */
    uint32_t dither; /* the generator's state; it is stepped where the hello has dither */
    size_t most;     /* words of a block; 0: MCUPROF_WIRE3_BLOCK_WORDS_MAX */
    /* private: */
    uint32_t words[MCUPROF_WIRE3_BLOCK_WORDS_MAX];
    size_t count;
    uint64_t number, time;
    uint32_t task;
    bool path; /* the block has said one: */
    enum stack_end end;
    size_t depth;
    uint32_t frames[RAW_FRAMES_MAX]; /* outermost first, as on the wire */
};

/* Fills in `hello` and `counts` as a profile has them. false: error filled in; no hello
 * can say that. */
bool raw_hello(struct raw *raw, const struct profile *profile, struct error *error);

void raw_begin(struct raw *raw);
/* Writes the block; `why` is MCUPROF_WIRE3_FULL or another. raw_begin() begins the next.
 */
void raw_end(struct raw *raw, unsigned why);

/* A record of a kind from MCUPROF_WIRE3_BUILD_ID on. */
void raw_record(struct raw *raw, unsigned kind, uint32_t value, const uint32_t *words,
                size_t count);
/* The same with text, of which it takes 1,000 bytes. */
void raw_text_record(struct raw *raw, unsigned kind, uint32_t value, const char *text);
/* Totals of what was sent and lost so far. */
void raw_totals(struct raw *raw);

/* Events of this task. A sample has its stack, leaf first; one of firmware without paths
 * has a depth of 1. */
void raw_sample(struct raw *raw, uint32_t task, const struct stack *stack,
                uint32_t weight);
void raw_arc(struct raw *raw, uint32_t task, uint32_t from, uint32_t to, uint32_t count);
/* The address of a block's hook's call. */
void raw_block(struct raw *raw, uint32_t task, uint32_t address, uint32_t count);
void raw_calls(struct raw *raw, uint32_t task, const struct counter *counter,
               const struct call_times *times);

#endif
