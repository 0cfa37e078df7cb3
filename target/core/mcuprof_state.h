/* SPDX-License-Identifier: MIT */
/* The one instance of all that the firmware half keeps in RAM. Private to the library
 * and, through mcuprof_port.h, to ports. */
#ifndef MCUPROF_STATE_H
#define MCUPROF_STATE_H

#include <stdint.h>

#include "mcuprof_arch.h"
#include "mcuprof_layout.h"

#if MCUPROF_INDEX_BYTES == 2
typedef uint16_t mcuprof_index;
#else
typedef uint8_t mcuprof_index;
#endif

/* Events of one kind, since power-on, modulo 2^32. */
struct mcuprof_total {
    uint32_t sent; /* in records that went into the ring */
    uint32_t lost;
};

/*
 * A counter. A call has its call site's return address in `from`, and in `to` an address
 * inside the callee, with bit 0 set; a sample has its program counter in both, with bit 0
 * clear; a block has its hook's return address in `to`, with bit 0 set, and that less 1
 * in `from`: no call's return address is the one before its callee's. So all kinds share
 * one cache, which serves whichever is the hotter.
 */
struct mcuprof_entry {
    uint32_t from, to;
    uint32_t count; /* 0: the entry is free */
};

struct mcuprof {
#if MCUPROF_HOOKS
    /* How far the mcount entry jumps: 0, stopped, or MCUPROF_ARCS_ON. A jump leaves the
     * flags alone and costs what a test and a branch would. */
    uint32_t hooks_on;
#endif
#if MCUPROF_RANDOM
    uint32_t random;
#endif
    /* The words of the totals record, as they are sent: */
    struct mcuprof_total total[MCUPROF_KINDS]; /* samples, arcs, blocks */
    uint32_t sum; /* of the check accumulators of all records */
    volatile mcuprof_index
        head; /* where the next byte goes; written with interrupts masked */
    volatile mcuprof_index tail; /* the next byte to send; written by the link alone */
    uint8_t due;                 /* records since the last hello, modulo 256 */
    volatile uint8_t busy;       /* the link is sending and will ask for more */
#if MCUPROF_INDEX_BYTES == 2
    uint16_t unused;
#endif
#if MCUPROF_ENTRIES
    struct mcuprof_entry entry[MCUPROF_ENTRIES];
#endif
    uint8_t ring[MCUPROF_RING_BYTES];
};

extern struct mcuprof mcuprof_state;

/* Counts what the assembly did not find at its own place: a call from `from` to `to` (bit
 * 0 set), a sample at `from` = `to` (bit 0 clear), or a block at `from` + 1 = `to` (bit 0
 * set). Called with interrupts masked; `irq` is the state before. */
void mcuprof_count(uint32_t from, uint32_t to, mcuprof_irq irq);

#endif
