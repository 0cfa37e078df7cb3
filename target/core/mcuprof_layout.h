/* SPDX-License-Identifier: MIT */
/* Where things are in struct mcuprof, for assembly; mcuprof_control.c asserts each. */
#ifndef MCUPROF_LAYOUT_H
#define MCUPROF_LAYOUT_H

#include "mcuprof_config.h"

#define MCUPROF_RANDOM (MCUPROF_SAMPLES * MCUPROF_DITHER)

#if MCUPROF_RING_BYTES > 256 || MCUPROF_RTT
#define MCUPROF_INDEX_BYTES 2
#else
#define MCUPROF_INDEX_BYTES 1
#endif

/* Whether compiled code calls hooks, of calls or of blocks. */
#define MCUPROF_HOOKS (MCUPROF_ARCS | MCUPROF_CALLS | MCUPROF_BLOCKS)

#if MCUPROF_TASKS
#define MCUPROF_BY_TASK 1
#else
#define MCUPROF_BY_TASK 0
#endif

/* A counter's bytes: from, to, count; its task; the four times of timed calls. */
#ifdef MCUPROF_SHORT_COUNTERS
#define MCUPROF_ENTRY_BYTES (20 + 4 * MCUPROF_BY_TASK)
#else
#define MCUPROF_ENTRY_BYTES (12 + 4 * MCUPROF_BY_TASK + 16 * MCUPROF_CALLS)
#endif

#define MCUPROF_KINDS           (MCUPROF_SAMPLES + MCUPROF_ARCS + MCUPROF_BLOCKS + MCUPROF_CALLS)
#define MCUPROF_HOOKS_ON_OFFSET 0
#define MCUPROF_RANDOM_OFFSET   (4 * MCUPROF_HOOKS)

/* Whether 32 bits are enough for the layout of any record: one for each group, and one
 * more. */
#define MCUPROF_SHORT_LAYOUT (MCUPROF_KINDS <= 2 && !MCUPROF_CALLS)

/* Whether the port lets interrupts in while it makes a record. It cannot where events are
 * counted by task: they need a record of the task before their own. */
#if defined(MCUPROF_S_LETS_IN) && (MCUPROF_CALLS || MCUPROF_ENTRIES > 1) &&              \
    !MCUPROF_BY_TASK && !MCUPROF_BLOCKS && !MCUPROF_WAIT
#define MCUPROF_LETS_IN 1
#else
#define MCUPROF_LETS_IN 0
#endif

/* Distances from the hash to the fields behind it, and the bytes of all these fields.
 * With RTT the indices are in the control block, in 32 bits, and the upper 16 are 0. */
#if MCUPROF_RTT
#define MCUPROF_DUE_DISTANCE     4
#define MCUPROF_CONTROL_DISTANCE 8
#define MCUPROF_HEAD_DISTANCE    (MCUPROF_CONTROL_DISTANCE + 36)
#define MCUPROF_TAIL_DISTANCE    (MCUPROF_CONTROL_DISTANCE + 40)
#define MCUPROF_MOVES_DISTANCE   (4 + 52)
#define MCUPROF_RING_STATE_BYTES (52 + 4 * MCUPROF_LETS_IN)
#else
#if MCUPROF_SPAN_BYTES
#define MCUPROF_SPAN_STATE_BYTES 4
#else
#define MCUPROF_SPAN_STATE_BYTES 0
#endif
#define MCUPROF_HEAD_DISTANCE  4
#define MCUPROF_TAIL_DISTANCE  (4 + MCUPROF_INDEX_BYTES)
#define MCUPROF_DUE_DISTANCE   (4 + 2 * MCUPROF_INDEX_BYTES)
#define MCUPROF_MOVES_DISTANCE (4 + 4 * MCUPROF_INDEX_BYTES + MCUPROF_SPAN_STATE_BYTES)
#define MCUPROF_RING_STATE_BYTES                                                         \
    (4 * MCUPROF_INDEX_BYTES + 4 * MCUPROF_LETS_IN + MCUPROF_SPAN_STATE_BYTES)
#endif
#define MCUPROF_TASK_OFFSET                                                              \
    (4 * MCUPROF_HOOKS + 4 * MCUPROF_RANDOM + 8 * MCUPROF_KINDS + 4 +                    \
     MCUPROF_RING_STATE_BYTES)
#define MCUPROF_CONTEXT_OFFSET (MCUPROF_TASK_OFFSET + 4)
#define MCUPROF_ENTRIES_OFFSET                                                           \
    (MCUPROF_TASK_OFFSET + 12 * MCUPROF_BY_TASK +                                        \
     (36 + 2 * __SIZEOF_POINTER__ + __SIZEOF_INT__) * MCUPROF_CALLS)

#define MCUPROF_ARCS_LOST_OFFSET                                                         \
    (4 * MCUPROF_HOOKS + 4 * MCUPROF_RANDOM + 8 * MCUPROF_SAMPLES + 4)
#define MCUPROF_HASH_OFFSET (4 * MCUPROF_HOOKS + 4 * MCUPROF_RANDOM + 8 * MCUPROF_KINDS)
#define MCUPROF_RING_OFFSET                                                              \
    (MCUPROF_ENTRIES_OFFSET + MCUPROF_ENTRY_BYTES * MCUPROF_ENTRIES)

/* A key is searched for in a set of this many entries. Two of them, an even one and the
 * next, are its own. A larger set saves few records and makes the search slower: by 8
 * cycles an entry for a sample, 16 for a call. */
#if MCUPROF_LETS_IN && !MCUPROF_CALLS
#define MCUPROF_WAYS_MOST 4
#else
#define MCUPROF_WAYS_MOST 8
#endif
#if MCUPROF_ENTRIES < MCUPROF_WAYS_MOST
#define MCUPROF_WAYS MCUPROF_ENTRIES
#else
#define MCUPROF_WAYS MCUPROF_WAYS_MOST
#endif

/* Distances from mcuprof_state to the fields of a key's first entry, once
 * MCUPROF_ENTRY_BYTES times its number is added. */
#define MCUPROF_ENTRY_FROM  MCUPROF_ENTRIES_OFFSET
#define MCUPROF_ENTRY_TO    (MCUPROF_ENTRIES_OFFSET + 4)
#define MCUPROF_ENTRY_COUNT (MCUPROF_ENTRIES_OFFSET + 8)

/* The longest record. An event waits until it would fit, however short the event's own
 * record is, and text waits for more. Otherwise the short records of interrupts could
 * keep a task from ever sending a long one. */
#define MCUPROF_RECORD_BYTES_MAX                                                         \
    (2 + MCUPROF_WORDS_MAX * MCUPROF_WIRE_WORD_GROUPS + 23 * MCUPROF_BY_TASK)
/* The words of totals or of a timed call, or those of the build ID. Where there are
 * tasks, a record of 4 bytes tells the events' task, and a task's name takes 19 bytes. */
#if MCUPROF_CALLS || MCUPROF_KINDS > 2
#define MCUPROF_WORDS_MAX 7
#else
#define MCUPROF_WORDS_MAX 5
#endif

/* The most return addresses in a record: a small ring has no room for more. */
#if MCUPROF_RING_BYTES < 128
#define MCUPROF_PATH_FRAMES 3
#else
#define MCUPROF_PATH_FRAMES MCUPROF_WIRE_PATH_FRAMES
#endif

/* At most this many samples like the last one said are counted before they are sent, so
 * that none waits for long. */
#define MCUPROF_REPEATS_MAX 64

/* The room that a sample's record wants. Sampling outranks all code that waits for room,
 * and comes again and again: it must ask for more room than text does, now and then
 * (text_fits()), or text would never get any. */
#define MCUPROF_PATH_FEW 3 /* addresses fit where any record does */
#define MCUPROF_PATH_ROOM                                                                \
    (MCUPROF_RECORD_BYTES_MAX + 2 +                                                      \
     MCUPROF_WIRE_WORD_GROUPS * (MCUPROF_PATH_FRAMES - MCUPROF_PATH_FEW))

#endif
