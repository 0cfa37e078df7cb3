/* SPDX-License-Identifier: MIT */
/* The one instance of all that the firmware half keeps in RAM. Private to the library
 * and, through mcuprof_port.h, to ports. */
#ifndef MCUPROF_STATE_H
#define MCUPROF_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "mcuprof.h"
#include "mcuprof_arch_port.h"
#include "mcuprof_layout.h"
#include "mcuprof_told.h"
#include "mcuprof_wire.h"

#if MCUPROF_RTT
typedef uint32_t mcuprof_index;
#elif MCUPROF_INDEX_BYTES == 2
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
 * clear; a block has its hook's return address in `to`, with bit 0 set, and `to` - 1 in
 * `from`, which no call has. So all kinds share one cache, which serves those events that
 * are the most frequent.
 */
struct mcuprof_entry {
    mcuprof_key from, to;
    mcuprof_events count; /* 0: the entry is free */
#if MCUPROF_BY_TASK
    uint32_t task; /* the number of its task or interrupt */
#endif
#if MCUPROF_CALLS /* timed calls only, in ticks: sums, then single calls */
    uint32_t total, self;
    mcuprof_ticks shortest, longest;
#endif
};

#if MCUPROF_PATHS
#ifndef MCUPROF_S_TABLE /* a port whose return addresses are shorter has its own */
/* A return address on the stack. */
struct mcuprof_slot {
    uint32_t address; /* as it lies there */
    uintptr_t at;
};
#endif

/* The time that the sampling interrupt takes, as the words of its record. */
struct mcuprof_sampling {
    uint32_t ticks, samples, least, most, late;
};

/*
 * The last path, outermost first, and what the reader knows of it. Code that closes a
 * block sets `said_used`, and sends and clears the `repeats` of `pc` and `task`; it must
 * not close a block while `saying` is set. The sampling interrupt alone uses all else;
 * its walk sets `used`, `root`, `known`, `link`, `frame` and `slot`.
 */
struct mcuprof_paths {
    const uint16_t *pages, *rows; /* of the unwind table; NULL: there is none. With
                                     MCUPROF_S_WALK `rows` is one before the first, or
                                     MCUPROF_ROWS_IN_RAM where the table has code in RAM,
                                     so that no address lies below: only then the walk
                                     must ask where an address is */
    uint16_t used;                /* bytes of slots */
    uint8_t root;         /* how it ends at its outer side: MCUPROF_WIRE_ROOT_... */
    volatile bool saying; /* sampling uses the ring, with interrupts not masked */
    uint16_t known; /* bytes of slots, outermost first, that are as they were said last */
    uint16_t said;  /* frames that were said last, in this block */
    uint32_t link;  /* the innermost return address, if it is in a register; else 0 */
    uint32_t said_link; /* `link` of the last sample said; 1: the next is no repeat */
    uint32_t pc;        /* of the last sample said */
    uint16_t repeats;   /* samples like the last one that were not said yet */
    uint16_t said_used; /* bytes of slots of the last sample said; MCUPROF_PATH_NONE: this
                           block has none */
#if MCUPROF_SAMPLES_TIMED
    struct mcuprof_sampling sampling;
#endif
#if MCUPROF_BY_TASK
    uint32_t task;    /* the last sample's task or interrupt */
    uint32_t context; /* this sample's */
#endif
    /* A cache of return addresses: the address with the key k is at k modulo
     * MCUPROF_PATH_CACHE. The upper 16 bits have the rest of k; the lowest 9 have the
     * number of the address's frame in the table, 0 for none; the 7 in between have the
     * number of the last block in which the address was the last one said for its place.
     * `block` has the number of the open block, from 1, in the same 7 bits. */
    uint32_t block;
    uint32_t frame[MCUPROF_PATH_CACHE];
#ifdef MCUPROF_S_WALK
    uintptr_t none; /* 0: `at` of the slot in front of the first */
#endif
    struct mcuprof_slot slot[MCUPROF_PATHS];
};
#define MCUPROF_PATH_NONE   0xFFFFu
#define MCUPROF_ROWS_IN_RAM ((const uint16_t *)1)

/* A walk calls this to say how the path ends at its outer side. */
static inline void mcuprof_path_root(struct mcuprof_paths *paths, unsigned root)
{
    if (paths->root != root) {
        paths->said_link = 1;
        paths->known = 0;
    }
    paths->root = (uint8_t)root;
}

/* They take a return address as it lies on the stack. MCUPROF_PATH_CALL() gives the byte
 * before it, which is in the call, and MCUPROF_PATH_KEY() gives its key. */
#define MCUPROF_PATH_CALL(address) (((address) & ~(uint32_t)1) - 1)
#define MCUPROF_PATH_KEY(address)  ((address) >> MCUPROF_ARCH_UNIT)
/* The parts of an entry of `frame`: the rest of a key; the lowest bit of a block's
 * number. */
#define MCUPROF_PATH_TAG(key) ((key) / MCUPROF_PATH_CACHE << 16) /* in `frame` */
#define MCUPROF_PATH_BLOCK    ((uint32_t)1 << 9)
#define MCUPROF_PATH_BLOCKS   ((uint32_t)127 << 9) /* its mask */

/* Where a sample interrupted the program. */
struct mcuprof_context {
    uint32_t pc;
    uintptr_t sp;              /* before the interrupt */
    uintptr_t top;             /* one past the last byte of this stack */
    uintptr_t fp;              /* the frame pointer; 0: not known */
    const uint32_t *registers; /* from the one that MCUPROF_UNWIND_R0 names, up to the
                                  link register */
};
#endif

#if MCUPROF_CALLS
/* A timed call that is not over. */
struct mcuprof_frame {
    uintptr_t stack;   /* the stack pointer in it, as the hooks get it */
    uint32_t entered;  /* by its stack's clock */
    uint32_t children; /* ticks of the calls made from it */
};

/* The calls of one task that are not over: its shadow stack. */
struct mcuprof_stack {
    struct mcuprof_frame *top, *limit; /* the last call's frame; the last of all frames */
    uint32_t hidden; /* its clock is this far behind the time base: the profiler's time,
                        and that of interrupts and other tasks */
    unsigned beyond; /* calls above `limit`'s that are not over: they have no frame, and
                        are lost */
};

/* What was measured at the start and is not sent, in ticks; the link's interrupt in parts
 * of a tick, because there are several of them for each call that is sent. */
#define MCUPROF_LINK_SHIFT 4
#define MCUPROF_LINK_PARTS ((uint32_t)1 << MCUPROF_LINK_SHIFT)
struct mcuprof_costs {
    uint32_t link;   /* parts, of the link's interrupt, beside what mcuprof_link_entry()
                        times */
    uint32_t rest;   /* parts that were not taken off yet: less than a tick */
    uint32_t missed; /* of a pair of hooks whose counter is not at its own place: what it
                        takes beyond time.outside and what add() times; modulo 2^32 */
};

/* The time base, and the time that the profiler itself takes. */
struct mcuprof_time {
    uint32_t hz, inside, outside, other, now; /* the words of its record */
    uint32_t started; /* `now` is the time base less this, while it runs */
    uint32_t hidden;  /* `other` when `now` was set while it ran */
    uint32_t told;    /* the time base when `now` was set last while it ran, or when it
                         began to run: the record of time is due after 2^31 ticks */
};
#endif

#if MCUPROF_TIMELINE
/* The steps of the timeline that were not sent yet, and what runs before the first. */
struct mcuprof_timeline {
    uint32_t last;   /* the time of the last step */
    uint32_t state;  /* what runs, as in `sent_state` */
    uint32_t *next;  /* behind the steps that wait */
    uint32_t *limit; /* behind the last that may wait; NULL while stopped */
    uint8_t extra;   /* how many steps that wait are no event */
    bool dropped;    /* events behind the steps that wait were lost */
    bool told;       /* the reader knows what runs before the first step that waits */
    uint32_t step[MCUPROF_WIRE_STEPS];
    uint32_t hz, time, sent_state, sent, lost; /* the words of the STATE record */
};
#endif

#if MCUPROF_BY_TASK
/* A task that ran since the start. */
struct mcuprof_task {
    const void *key;  /* NULL: none */
    const char *name; /* the system's; NULL: none */
    uint16_t number;  /* from 1, a new one for each task */
    bool idle;        /* nothing runs, it only waits */
    bool named;       /* its name was sent */
#if MCUPROF_CALLS
    struct mcuprof_stack stack; /* its shadow stack while another task runs */
    uint32_t left;              /* when it was left, by the time base */
    struct mcuprof_frame frame[1 + MCUPROF_DEPTH];
#endif
};
#endif

struct mcuprof {
#if MCUPROF_HOOKS
    uint32_t hooks_on; /* 0 while stopped, else MCUPROF_ARCS_ON */
#endif
#if MCUPROF_RANDOM
    uint32_t random;
#endif
    /* The words of the totals record, as they are sent: */
    struct mcuprof_total total[MCUPROF_KINDS]; /* samples, arcs, blocks, calls */
    uint32_t hash; /* of the block of records that is not closed; 0: none was sent */
#if MCUPROF_RTT
    uint8_t due;
    volatile uint8_t busy;
    uint16_t unused;
    /* The control block of RTT, which a probe finds by its first bytes: one buffer to the
     * PC, which is the ring, and none from it. */
    char rtt_id[16];
    uint32_t rtt_up, rtt_down; /* 1, 0 */
    const char *rtt_name;
    uint8_t *rtt_ring;
    uint32_t rtt_ring_bytes;
#endif
    volatile mcuprof_index head; /* where the next byte goes; written with interrupts
                                    masked, or by sampling */
    volatile mcuprof_index tail; /* the next byte to send; written by the link alone */
#if MCUPROF_RTT
    uint32_t rtt_flags; /* 0: what does not fit is not written */
#else
    uint8_t due; /* records since the last hello, modulo 256; it stays while one is due */
    volatile uint8_t busy; /* the link is sending and will ask for more */
#if MCUPROF_INDEX_BYTES == 2
    uint16_t unused;
#endif
#if MCUPROF_SPAN_BYTES
    uint16_t span;         /* bytes that the driver sends; 0: none */
    volatile uint8_t push; /* all that waits is to be sent, however few bytes it is */
    uint8_t unused_too;
#endif
#endif
#if MCUPROF_LETS_IN
    uint32_t moves; /* changes where a record is begun or appended, or a counter moves */
#endif
#if MCUPROF_BY_TASK
    uint32_t task;    /* the number of the task that runs; 0: none, or without a place */
    uint32_t context; /* the task or interrupt whose event is counted */
    uint32_t sent_task; /* the task or interrupt of the last records' events */
#endif
#if MCUPROF_CALLS
    struct mcuprof_stack stack;
    struct mcuprof_time time;
#endif
#if MCUPROF_ENTRIES
    struct mcuprof_entry entry[MCUPROF_ENTRIES];
#endif
    uint8_t ring[MCUPROF_RING_BYTES];
#if MCUPROF_PATHS
    struct mcuprof_paths paths;
#endif
#if MCUPROF_CALLS
    struct mcuprof_frame frame[1 + MCUPROF_DEPTH]; /* the first is below all calls */
#ifdef MCUPROF_S_CALLS
    uintptr_t above; /* 0, as the stack pointer of calls above them, without a frame */
#else
    struct mcuprof_costs costs;
#endif
    uint16_t starts; /* how often it was started, modulo 65536 */
#endif
#if MCUPROF_BY_TASK
    struct mcuprof_task *running; /* NULL: number 0 */
    uint16_t last_task;           /* the last number given */
    struct mcuprof_task tasks[MCUPROF_TASKS];
#endif
#if MCUPROF_TIMELINE
    struct mcuprof_timeline timeline;
#endif
#if MCUPROF_RTT
    mcuprof_index rtt_seen; /* `tail` when something waited for the probe last */
    uint32_t rtt_turns;     /* turns that it waited in vain since then */
#endif
#if !MCUPROF_HOOKS
    bool sampling_on; /* as hooks_on */
#endif
#if MCUPROF_FLUSH_SAMPLES
    uint16_t
        swept; /* the next step of mcuprof_sweep(); from the last on it counts samples */
#endif
    bool ended; /* the end record was sent, and it was not started since */
};

extern struct mcuprof mcuprof_state;

#if MCUPROF_PATHS
/* Gives the paths an address of their own, for their distance in mcuprof_state is too
 * long for the loads of most processors.
 */
static inline __attribute__((always_inline)) MCUPROF_NOT_PROFILED struct mcuprof_paths *
mcuprof_the_paths(void)
{
    struct mcuprof_paths *paths = &mcuprof_state.paths;

    __asm__("" : "+r"(paths));
    return paths;
}
/* Whether this code has interrupted the sampling interrupt while that uses the ring: if
 * so, leave the ring alone. */
#define MCUPROF_SAYING() (mcuprof_the_paths()->saying != 0)
#else
#define MCUPROF_SAYING() false
#endif

#if MCUPROF_ENTRIES
/* A key's own entries: MCUPROF_OWN of them, from number mcuprof_own() on. */
#define MCUPROF_OWN (MCUPROF_ENTRIES > 1 ? 2u : 1u)
static inline __attribute__((always_inline)) unsigned mcuprof_own(mcuprof_key from,
                                                                  mcuprof_key to)
{
    return MCUPROF_HASH(from, to) % ((MCUPROF_ENTRIES + 1u) / 2) * 2;
}
#endif

#endif
