/* SPDX-License-Identifier: MIT */
/*
 * The model: what the firmware counted, summed over all inputs. Decoders add to it,
 * analysis/ turns it into functions and arcs between them, export/gmon writes it back.
 * Nothing in this folder prints or reads files.
 */
#ifndef MCUPROF_HOST_PROFILE_H
#define MCUPROF_HOST_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "durations.h"
#include "timeline.h"

/* The kinds of event; the order is that of the wire's totals record. */
enum event_kind { EVENT_SAMPLE, EVENT_ARC, EVENT_BLOCK, EVENT_CALL, EVENT_KINDS };

/* A counter. A sample or a block has its address in `to` and 0 in `from`; a block's
 * address is some address inside it, always the same one (on our own wire, the call of
 * its hook). An arc has the call site's return address in `from` and an address inside
 * the callee's prologue in `to`, as mcount saw them, Thumb bit cleared. Addresses are
 * byte addresses. */
struct counter {
    uint64_t from;
    uint64_t to;
    uint64_t count;
    uint32_t task; /* whose: a number of profile.tasks, TASK_NONE or TASK_UNKNOWN */
};

/* An entry of an index: an item's hash and 1 + its number; 0 if the entry is free. */
struct slot {
    uint32_t hash, item;
};

/* A counter as nearly all are: it fits into half the room. */
struct small_counter {
    uint32_t from, to;
    uint64_t count : 48, task : 16;
};
#define SMALL_COUNT_MAX (((uint64_t)1 << 48) - 1)

/* Counters by key, `used` of them, in order of first appearance: counter_at() gives them.
 * The rest is private. */
struct counters {
    struct small_counter *small; /* where every counter fits */
    struct counter *large;       /* else; one of the two is NULL */
    size_t used;
    size_t allocated;
    struct slot *index; /* NULL: none is needed, the keys ascend; or none is there */
    size_t index_size;
    size_t expected;
    bool indexed; /* the keys do not ascend: counting needs an index */
};

/* The counter of that number. */
static inline struct counter counter_at(const struct counters *counters, size_t number)
{
    if (counters->large != NULL)
        return counters->large[number];
    const struct small_counter *small = &counters->small[number];
    return (struct counter){small->from, small->to, small->count, (uint32_t)small->task};
}

/* What the calls of an EVENT_CALL counter took, in ticks of the time base: the counter's
 * `from` is the return address, its `to` the callee's first address. A recursive call
 * counts on its own, and its time is in its caller's total, too. A counter whose `from`
 * and `to` are 0 is no call: it says how often its task or interrupt ran, and for how
 * long. */
struct call_times {
    uint64_t total; /* from entry to exit, in its own task and without interrupts */
    uint64_t self;  /* total less what the timed calls made from it took */
    uint64_t shortest, longest; /* of the totals of single calls */
};

/* Adds what other calls took. Sums stop at UINT64_MAX. */
void call_times_add(struct call_times *sum, const struct call_times *more);

/* The clock of timed calls, and what the profiler took off their times. */
struct time_base {
    double hz;              /* 0: no calls were timed */
    double inside, outside; /* ticks that a pair of hooks takes between its two time
                               stamps and around them; the last input's count */
    uint64_t other;         /* ticks of the profiler beside those */
    uint64_t run;           /* ticks that the profiler was on */
};

/* What the firmware has measured of its sampling interrupt. */
struct sampling {
    double hz;            /* of the ticks; 0: it has measured nothing */
    uint64_t ticks;       /* between the first and the last reading of the timer */
    uint64_t samples;     /* interrupts that took these */
    uint32_t least, most; /* ticks from when a sample was due to the first reading */
    uint64_t late;        /* interrupts late by more than half a mean period */
    bool restarts;        /* the timer starts over at the interrupt's end */
};

/* What tells an input from others: how many bytes it has, and a hash of them. */
struct content {
    uint64_t bytes, hash;
};

/* A task or interrupt that the firmware told of, or for which something was counted. */
struct task {
    uint32_t number; /* interrupts: TASK_INTERRUPT + theirs */
    char name[16];   /* "" if it was not told */
    unsigned twin;   /* how many of that name were told of before it */
    bool idle;       /* nothing runs in it, it waits */
};

/* An interrupt's handler, by the ELF. */
struct handler {
    uint32_t number; /* TASK_INTERRUPT + the interrupt's */
    const char *name;
};

/* TASK_NONE: there are no tasks, or the first one did not run yet. TASK_UNKNOWN: bytes
 * were lost, so nobody knows whose the events are. */
enum { TASK_NONE = 0, TASK_INTERRUPT = 0x1000, TASK_UNKNOWN = 0x4000 };

/* What is known of the outer side of a sampled call stack. */
enum stack_end {
    STACK_WHOLE,     /* nothing called its outermost function */
    STACK_INTERRUPT, /* its outermost function is an interrupt's handler */
    STACK_CUT,       /* there is more, beyond the depth that the firmware takes */
    STACK_UNSURE,    /* there may be more: it could not be followed, or bytes were lost */
    STACK_ENDS
};

/* A sampled call stack, leaf first, and how often it was seen: the program counter, then
 * return addresses (each call is before its own). */
struct stack {
    uint64_t *addresses;
    size_t depth;
    uint64_t count;
    uint32_t task; /* whose, as a counter's */
    enum stack_end end;
    uint64_t hit; /* bit n: an interrupt hit level n, which did not call level n - 1; its
                     address is that of the next instruction, plus 1 */
};

/* Whether an interrupt hit what is at this level of a stack. */
enum { HIT_LEVELS = 64 };
static inline bool stack_is_hit(const struct stack *stack, size_t level)
{
    return level < HIT_LEVELS && (stack->hit >> level & 1) != 0;
}

/* Distinct stacks, in order of first appearance; `index` is private. */
struct stacks {
    struct stack *items;
    size_t used;
    size_t allocated;
    struct slot *index;
    size_t index_size;
};

/* A run of the firmware, from power-on or from where the recording began. */
struct run {
    uint64_t offset; /* of its first byte that was found in the input */
    unsigned input;  /* the number of the input, from 0 */
    bool cut;        /* it was reset before an end record */
};
enum { RUNS_MAX = 16 };

/* Bytes of a GNU build ID; 0 in build_id_bytes means that the input carries none. */
enum { BUILD_ID_MAX = 20 };

struct profile {
    struct counters counters[EVENT_KINDS];
    struct call_times *times;  /* of the counters[EVENT_CALL], one each */
    struct durations *singles; /* of the same: the totals of single calls, as far as they
                               are known; its `count` says of how many */
    struct time_base time;
    uint64_t run_wrapped; /* of time.run: what is known only from the calls, a multiple of
                             2^32, for the record of it did not come often enough */
    struct task *tasks;   /* by first appearance; empty where none was told of */
    size_t task_count;
    struct handler *handlers; /* of the interrupts among the tasks and in the timeline */
    size_t handler_count;
    uint32_t task; /* the task of the events that are added from now on */
    bool one_task; /* it is one task's part of another profile */
    /* If one_task: what was received from all tasks (`lost` is of all tasks, too), and
     * how many of run_received[EVENT_CALL] are no calls. */
    uint64_t run_received[EVENT_KINDS];
    uint64_t run_switches;
    struct stacks stacks;     /* each stack's leaf is also in the samples */
    struct timeline timeline; /* of all inputs, one run after the other */

    double hz; /* mean sampling rate; 0: unknown */
    struct sampling sampling;
    unsigned bin_bytes; /* width of a sample's address range; 1: addresses are exact, else
                           they are those of the first bytes of gmon's bins */
    uint8_t build_id[BUILD_ID_MAX];
    size_t build_id_bytes;
    const char *format;  /* of the (first) input, as --format names it */
    const char *arch;    /* as the stream names it, "" if it does not */
    unsigned word_bytes; /* of the addresses of gmon.out, 4 or 8; 0: the input is none */
    bool big_endian;     /* and their byte order */
    bool complete; /* every input ended with an end record (or is a format that has none
                      and ended whole) */
    uint64_t records;  /* accepted */
    uint64_t damaged;  /* discarded: bad check, bad length */
    uint64_t repaired; /* damaged, but it is proven what they were */
    uint64_t foreign; /* places where text that the profiler did not send is amid records:
                         something else writes to the line */
    uint64_t discarded;     /* whole, but in a block of records whose check fails */
    uint64_t unshown;       /* records that this program reads, and has no use for yet */
    uint64_t console_bytes; /* bytes outside records */
    bool accounted;         /* an input says what was lost; else `lost` means nothing */
    bool mismatch; /* received + lost differs from what the firmware says it sent,
                      in a way that no discarded record explains */
    uint64_t received[EVENT_KINDS]; /* events in `counters` */
    uint64_t lost[EVENT_KINDS];     /* dropped by the firmware or on the line */
    uint64_t earlier[EVENT_KINDS];  /* counted by the firmware before the recording began,
                                       where that began late */
    uint64_t unproven; /* events at the end that no check proves: not counted */
    bool unaccounted;  /* more may be lost than `lost` says: after the last account of it,
                          where a run ended of which nothing else came, or of an input
                          that says nothing of it */
    uint64_t unsent;   /* how many counters the firmware still had at the end, at most */
    uint64_t starts;   /* blocks that mcuprof_start() has closed */
    uint64_t late_starts; /* those behind which a whole period passes without a sample */
    unsigned entries; /* counters that the firmware has; 0: none, or it does not say so */
    uint64_t alone;   /* calls, counted or timed, that came each in a record of its own;
                         0 in a part of another profile */
    unsigned path_depth;     /* return addresses that the firmware takes for a sample */
    uint32_t ring_bytes;     /* of the firmware's ring; 0: it does not say so */
    bool through_interrupts; /* paths go on into what interrupts hit, in all inputs */
    uint64_t tail_samples;   /* whose paths lack a function that left by a tail call, */
    bool tail_calls;         /* though others were put into them: tails.h */
    struct run runs[RUNS_MAX];
    size_t run_count;       /* may be more than are in `runs` */
    size_t resets;          /* runs that were reset before their end */
    unsigned inputs;        /* summed so far */
    struct content content; /* of the last input */
    uint64_t seed;          /* of the indices' hash: private */
};

/* How many of received[EVENT_CALL] are no calls, but runs of tasks and interrupts. */
uint64_t profile_switches(const struct profile *profile);
/* The sum over all kinds of event. */
uint64_t events_sum(const uint64_t counts[EVENT_KINDS]);
/* Whether events are known to be missing, and not how many. */
bool profile_misses_some(const struct profile *profile);
/* Whether the firmware's account of what it lost is complete. */
bool profile_is_told(const struct profile *profile);
/* Whether more may be lost than `lost` says. */
bool profile_loses_more(const struct profile *profile);

void profile_init(struct profile *profile);
/* Begins a part of another profile: it has all that the whole says of the firmware, the
 * runs, the losses and how many events came, but no events and no tasks. */
void profile_init_part(struct profile *part, const struct profile *whole);
void profile_release(struct profile *profile);

/* Adds `count` events. false: out of memory. Also raises received[kind]. Sums stop at
 * UINT64_MAX. */
bool profile_count(struct profile *profile, enum event_kind kind, uint64_t from,
                   uint64_t to, uint64_t count);

/* Events as profile_count() takes them, and whose they are. */
struct event {
    enum event_kind kind;
    uint32_t task; /* as a counter's */
    uint64_t from, to, count;
};

/* Adds events in their order. This is faster than one at a time: the memory that
 * EVENT_BATCH of them need is fetched at once. false: out of memory. */
enum { EVENT_BATCH = 64 };
bool profile_count_all(struct profile *profile, const struct event *events, size_t count);

/* Says that about so many counters of a kind will come, so that their index need not grow
 * on the way. */
void profile_expect(struct profile *profile, enum event_kind kind, size_t count);

/* Says that all is counted, and frees what only counting needs. Counting more makes that
 * anew. */
void profile_settle(struct profile *profile);

/* A sorted copy of the counters; the caller frees it. The order is as qsort() takes it.
 * NULL: out of memory. */
struct counter *counters_sorted(const struct counters *counters,
                                int (*compare)(const void *, const void *));

/* Adds a task and its name. NULL: only its number is known. false: out of memory. */
bool profile_task(struct profile *profile, uint32_t number, const char *name, bool idle);

/* Adds `count` timed calls of one call site and callee, and what they took. */
bool profile_call(struct profile *profile, uint64_t from, uint64_t to, uint64_t count,
                  const struct call_times *times);

/* The same for the calls of one record. It also keeps the time of each call if the sums
 * tell it: with one, two or three calls. */
bool profile_call_record(struct profile *profile, uint64_t from, uint64_t to,
                         uint64_t count, const struct call_times *times);

/* Adds a counter of the whole's calls, and what these took, to a part of the whole. */
bool profile_call_copy(struct profile *part, const struct profile *whole, size_t index);

/* Adds a stack (leaf first, copied) of profile->task and its leaf as a sample. false: out
 * of memory. */
bool profile_stack(struct profile *profile, const uint64_t *addresses, size_t depth,
                   enum stack_end end, uint64_t count);

/* The same, with all members of the stack; its task must be profile->task. */
bool profile_add_stack(struct profile *profile, const struct stack *like);

/* The same, but without the samples of its leaf, which the caller adds in another way. */
bool profile_add_path(struct profile *profile, const struct stack *like);

void profile_release_stacks(struct stacks *stacks);

/* Decoders leave EXC_RETURN in stacks of a Cortex-M as the return address of an
 * interrupt's handler; the next level is the program counter that the interrupt hit. This
 * ends stacks at EXC_RETURN or, with `through`, takes it out and marks the level that was
 * hit in stack.hit. false: out of memory. */
bool profile_follow_interrupts(struct profile *profile, bool through);

/* Fills in how many samples of each of the counters[EVENT_SAMPLE] have no stack. */
void profile_stackless(const struct profile *profile, uint64_t *counts);

#endif
