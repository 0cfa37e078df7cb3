/* SPDX-License-Identifier: MIT */
/*
 * From addresses to functions: self time and its standard error, calls, arcs between
 * functions, cycles (mutual recursion) collapsed, and time propagated from callee to
 * caller in proportion to the calls, as in S. Graham, P. Kessler, M. McKusick, "gprof: a
 * Call Graph Execution Profiler", SIGPLAN 1982. Self time and calls are measured;
 * children and total are estimated by that rule.
 * Where the profile has stacks, nothing is estimated (`measured`): a function's total is
 * the number of samples that have it in their stacks, an arc's time the number of those
 * that have the call; a sample counts once, however often its stack has them. There are
 * no cycles then. A stack that is cut or unsure may have more functions and calls than
 * it shows: all that may be there, by the code and the other stacks, are `hidden`, and a
 * part of the errors (hidden.c).
 * The result is a plain table: report/ and export/ only format it.
 */
#ifndef MCUPROF_HOST_ANALYSIS_H
#define MCUPROF_HOST_ANALYSIS_H

#include "../base/error.h"
#include "../image/image.h"
#include "../profile/profile.h"

/*
 * Which function:
 * - a sample, and an arc's `to`: the one whose symbol contains the address;
 * - an arc's caller: the one that contains the byte before the return address `from`.
 *   After a call that never returns, `from` is the first byte of the next function, and
 *   the call would be charged to that one. (GNU gprof looks up `from` itself.)
 * - a timed call's caller: likewise, but an inlined function is called by the function it
 *   is inlined in, by DWARF, and makes its calls itself (callers.h).
 * A `from` in no function, 0 or an exception return (arch/arch.h) has no
 * caller: NO_FUNCTION. Such calls count, and their share of the time is charged to
 * nobody.
 *
 * Bins of several bytes are shared out by overlap, in half-words, as GNU gprof does; what
 * lies in no function goes to the row "[unknown]".
 *
 * Percentages: 100 % is the program's time, analysis.program; the profiler's own
 * functions (overhead) are in analysis.total but not in it, and pass no time to their
 * callers.
 *
 * Without a rate (has_time false) every time below is a number of samples.
 */

/*
 * Stacks: each return address stands for the call before it. Where a stack is cut or
 * unsure, nobody knows who called its outermost function: NO_FUNCTION. If there are
 * stacks, a sample without one is a path of its leaf alone, whose caller is not known,
 * either. Nothing called the outermost function of a whole stack (function.root). Stacks
 * whose leaf is the profiler's own pass no time to the functions above it.
 */

/*
 * Timed calls are measured on the target: their times below are in ticks of the time
 * base, beside what samples say. What a function does outside of its hooks is measured as
 * its caller's time, and is moved to the function, by its code (outside.h). What it took
 * to save registers for the hooks is taken off all totals that it is in, shared as
 * estimated times are; nothing else is estimated. A total has no time twice: it has only
 * those calls of a recursive function that come from outside of it, and only those calls
 * of a cycle's members that come from outside of the cycle.
 * (Recursion through functions that are not timed is not seen, and is in the total
 * twice.)
 */

enum { NO_CYCLE = 0 };

/* The timed calls that are over: those of an arc, of a function (all arcs to it) or of a
 * cycle (all arcs to its members). */
struct timed {
    uint64_t calls;             /* from outside of the function and of its cycle */
    uint64_t recursive;         /* the others */
    uint64_t self;              /* of all of them */
    uint64_t total;             /* of `calls`; 0 without any */
    uint64_t shortest, longest; /* of single calls among `calls` */
    uint64_t
        children; /* the totals of the calls that the function makes itself to outside of
                     it and of its cycle, whether its own calls are over or not */
};

/* The timed calls from one place in the code to one function. */
struct call_site {
    uint64_t from, to;     /* return address, callee's first address */
    size_t caller, callee; /* indices into functions; caller as in an arc */
    uint64_t count;
    struct call_times took;
    int64_t gained; /* ticks of each call that were measured as its caller's, less those
                       that calls within took to save registers */
    /* `saving`: ticks of all calls that it took to save registers for hooks (outside.h);
     * they are taken off the caller. `differs`: ticks taken off took.self, because the
     * firmware that ships has other code (shipped.h); less than 0: added. `taken`: ticks
     * taken off took.total, namely both, and the same of the calls within. */
    uint64_t saving;
    double astray; /* the error of `saving` */
    int64_t differs, taken;
    bool recursive; /* the times of these calls are in their callers' totals already */
    bool scaled;    /* single calls are longer or shorter than those in the capture */
    /* The callee was inlined in its caller: `from` is where the function around both
     * returns to. Then `where` is the call's line; its file is NULL if there are several
     * lines. */
    bool inlined;
    struct image_line where;
};

struct function {
    const struct image_symbol *symbol; /* NULL: the "[unknown]" row (no symbol there) */
    const char *name;                  /* image_name(), for people; never NULL */
    uint64_t address;
    uint64_t samples;    /* self_samples, rounded */
    double self_samples; /* samples, bins shared out by overlap */
    double self;         /* seconds */
    double self_error;   /* seconds: analysis_error() */
    double children;     /* seconds spent in what it called; estimated, or measured */
    double total;        /* self + children */
    double total_error;  /* seconds: sqrt(analysis_error()^2 + hidden^2), where measured;
                            else 0: nobody knows */
    double hidden;       /* seconds that total may be too low by, at most, where measured;
                            else 0 */
    double root;         /* measured seconds in stacks whose outermost function it is */
    double root_self;    /* seconds of root in stacks that have no other call */
    uint64_t calls;      /* from others, self-recursive calls apart */
    uint64_t self_calls; /* recursive calls */
    unsigned cycle;      /* number of its cycle, from 1; NO_CYCLE: in none */
    bool overhead;       /* the profiler's own: mcuprof_*, static ones of mcuprof*.c, and
                            the hooks a compiler calls */
    bool spontaneous;    /* no function is known to call it, not even itself */
    const struct timed *timed; /* never NULL */
    uint32_t first_in, ins;    /* its arcs as callee: analysis.ins[first_in .. + ins] */
    uint32_t first_out, outs; /* its arcs as caller: analysis.arcs[first_out .. + outs] */
};

/* The sums of a function, if nobody asks who called it: they take a sixth of the
 * memory. */
struct function_sum {
    const struct image_symbol *symbol; /* NULL: the "[unknown]" row */
    double samples;                    /* self_samples of a function */
    uint64_t calls;                    /* all calls of it, its own included */
};

/* Calls from one function to another. Arcs whose caller is no call site (a return
 * address not in any function, an exception return) have caller NO_FUNCTION. */
#define NO_FUNCTION ((size_t)UINT32_MAX)
struct arc_times {
    struct timed timed;
    double cost; /* ticks of the profiler that were taken off `timed.total`; computed from
                    the calls, by the time of the calls along each arc */
    double saving; /* likewise, ticks that it took to save registers */
};
struct arc {
    uint32_t caller, callee : 31; /* indices into functions */
    uint32_t interrupt : 1;       /* it is no call: an interrupt entered the callee */
    uint64_t count; /* counted and timed calls; 0: only stacks show the arc */
    double self; /* seconds of the callee's (its cycle's) self time that pass along it */
    double children;         /* seconds of its children time that pass along it */
    double error;            /* seconds: of the sum of both, where measured; else 0 */
    double hidden;           /* seconds that this sum may be too low by, where measured */
    double hidden_self;      /* and that `self` may */
    struct arc_times *times; /* NULL: none of these calls was timed */
};

/* A function at work in a call path, at one address: one of the ELF, or one that was
 * inlined into it. */
struct frame {
    size_t function;     /* index into functions; of the one around, if it is inlined */
    const char *inlined; /* its plain name; NULL: it is the function itself */
    const char *name;    /* as people tell it: functions of one name by FILE:NAME */
    const char *file; /* the line that is at work in it, for a caller that of the call; */
    unsigned line;    /* NULL and 0 where unknown */
    uint32_t same;    /* the first frame that is of the same function (if it is inlined,
                       * in the same function around), whatever the address */
    uint64_t address; /* of the sample or, for a caller, inside the call instruction */
};

/* A sampled call path. There may be several of the same functions, or of the same
 * addresses. */
struct call_path {
    uint32_t *frames; /* indices into analysis.frames, outermost first */
    size_t depth;     /* at least 1 */
    uint64_t samples;
    uint32_t task; /* as in struct stack */
    enum stack_end end;
    uint32_t outermost; /* the function of the first frame */
    bool overhead;      /* its leaf is the profiler's own */
};

struct cycle {
    unsigned number; /* from 1 */
    double self, children;
    uint64_t calls;      /* into it from outside */
    uint64_t self_calls; /* among its members, without their calls of themselves */
    struct timed timed;
    uint32_t *members; /* function indices, ascending */
    size_t member_count;
};

/*
 * Where the time of a run with timed calls went, in ticks (in one task's part: the time
 * while that task ran): run = self + profiler + unfinished. Where the run's time is not
 * known, it is self. The profiler's part is computed: pairs of hooks times the cost of a
 * pair, what it took to save registers for them, and what the profiler spent beside them.
 * The unfinished part is the rest: calls that are not over (a main loop's) or were lost,
 * code whose calls are not timed.
 */
struct timed_run {
    bool known;          /* any calls were timed */
    double tick_seconds; /* of the time base; 0: unknown */
    uint64_t run, self, profiler, unfinished;
    uint64_t saving;      /* the part of `profiler` that saved registers for hooks */
    int64_t differs;      /* and the part that its functions' own code is longer */
    size_t compared;      /* functions whose code was compared with what ships */
    uint64_t program;     /* run - profiler: what shares refer to */
    double program_error; /* its standard error; 0: not known */
    bool at_most;         /* calls were lost: `unfinished` has their time, too */
    bool raw; /* analysis_put_back() was called: `self` has `put_back` ticks of the
                 profiler's */
    uint64_t put_back;
};

/* What stands for the unfinished part where functions have names. */
#define TIMED_UNFINISHED "[in no finished call]"

struct analysis {
    struct function *functions; /* by address; only those with time or calls */
    size_t function_count;
    struct function_sum *sums; /* NULL where there are functions: private */
    size_t sum_count;
    struct arc *arcs; /* by (caller, callee) */
    size_t arc_count;
    uint32_t *ins;                         /* arc indices grouped by callee */
    struct arc_times *times;               /* of the arcs that have some: private */
    struct function_times *function_times; /* NULL: nothing was timed: private */
    struct call_site *sites;               /* by (from, to) */
    size_t site_count;
    struct timed_run timed;
    struct cycle *cycles;
    size_t cycle_count;
    double hz;        /* samples in a second of the program's time, without the time that
                         sampling took; 1, never 0, where the rate is unknown */
    double samples;   /* how many, in all */
    double of_run;    /* how many in all tasks, where it is one task's part */
    bool has_samples; /* samples were taken */
    bool has_time;    /* and their rate is known */
    double total;     /* seconds sampled, unknown and overhead included */
    double overhead;  /* seconds in the profiler's own functions */
    double program;   /* total without overhead: what percentages refer to */
    double unknown;   /* seconds at addresses in no function */
    bool has_calls;   /* calls were counted or timed */
    bool measured;    /* there are stacks: totals are measured, and there are the frames,
                         paths and ends below */
    struct frame *frames; /* by function; itself, then what is inlined, by name and file;
                             then by address */
    size_t frame_count;
    struct call_path *paths; /* by task, end, outermost function: frame_tree.h is what to
                                read */
    size_t path_count;
    double ends[STACK_ENDS]; /* samples whose path ends so, overhead included */
    double unplaced; /* seconds of the program's functions, main apart, no call of which
                        was counted; 0 where totals are measured */
    uint64_t unknown_callers; /* calls whose caller is no call site */
    char *addresses_text;     /* names where there is no image: private */
    uint32_t *path_frames;    /* of the paths: private */
    char **frame_texts;       /* names of inlined functions: private */
    size_t frame_text_count;
};

#endif
