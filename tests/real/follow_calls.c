/* SPDX-License-Identifier: MIT */
/* Counts the calls, basic blocks and sampling interrupts that follow.c sees. */
#include "follow.h"

#include <stdio.h>
#include <stdlib.h>

enum { PAIRS_MAX = 1 << 16 };

/* A pair's place is free where its sum is 0. */
struct pair {
    uint32_t from, to;
    uint64_t sum;
};
struct sample {
    uint64_t cycles, found;
    unsigned frames;
};
static struct sample *samples;
static size_t sample_count;
static struct pair arcs[PAIRS_MAX], calls[PAIRS_MAX], blocks[PAIRS_MAX];

static void add(struct pair *pairs, uint32_t from, uint32_t to, uint64_t more)
{
    uint32_t at = (from * 2654435761u ^ to * 40503u) % PAIRS_MAX;

    for (unsigned tries = 0; tries < PAIRS_MAX; tries++, at = (at + 1) % PAIRS_MAX) {
        if (pairs[at].sum == 0) {
            pairs[at].from = from;
            pairs[at].to = to;
        }
        if (pairs[at].from == from && pairs[at].to == to) {
            pairs[at].sum += more;
            return;
        }
    }
    fail("too many arcs");
}

void add_arc(uint32_t from, uint32_t to, uint64_t inclusive)
{
    add(arcs, from, to, inclusive);
}

void add_call(uint32_t from, uint32_t to)
{
    add(calls, from, to, 1);
}

void add_block(uint32_t address)
{
    add(blocks, address, 0, 1);
}

void print_calls(void)
{
    for (const struct pair *arc = arcs; arc < arcs + PAIRS_MAX; arc++) {
        if (arc->sum && arc->from && arc->to) {
            printf("a %u %u %llu\n", arc->from - 1, arc->to - 1,
                   (unsigned long long)arc->sum);
        }
    }
    for (const struct pair *call = calls; call < calls + PAIRS_MAX; call++) {
        if (call->sum) {
            printf("h %d %d %llu\n", (int)call->from - 1, (int)call->to - 1,
                   (unsigned long long)call->sum);
        }
    }
    for (const struct pair *block = blocks; block < blocks + PAIRS_MAX; block++) {
        if (block->sum) {
            printf("b %x %llu\n", block->from, (unsigned long long)block->sum);
        }
    }
}

void add_sample(uint64_t cycles, uint64_t found, unsigned frames)
{
    samples = realloc(samples, (sample_count + 1) * sizeof *samples);
    if (!samples) {
        fail("out of memory");
    }
    samples[sample_count++] = (struct sample){cycles, found, frames};
}

void print_samples(void)
{
    for (const struct sample *sample = samples; sample < samples + sample_count;
         sample++) {
        printf("c %llu %llu %u\n", (unsigned long long)sample->cycles,
               (unsigned long long)sample->found, sample->frames);
    }
}
