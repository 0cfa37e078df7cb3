/* SPDX-License-Identifier: MIT */
/*
 * From addresses to functions: self time and its standard error, calls, arcs between
 * functions, cycles (mutual recursion) collapsed, and time propagated from callee to
 * caller in proportion to the calls, as in S. Graham, P. Kessler, M. McKusick, "gprof: a
 * Call Graph Execution Profiler", SIGPLAN 1982. Self time and calls are measured;
 * children and total are estimated by that rule, unless the profile has stacks.
 * The result is a plain table: report/ and export/ only format it.
 */
#ifndef MCUPROF_HOST_ANALYSE_H
#define MCUPROF_HOST_ANALYSE_H

#include "../error.h"
#include "../image/image.h"
#include "profile.h"

/*
 * Which function:
 * - a sample, and an arc's `to`: the one whose symbol contains the address;
 * - an arc's caller: the one that contains the byte before the return address `from`.
 *   After a call that never returns, `from` is the first byte of the next function, and
 *   the call would be charged to that one. (GNU gprof looks up `from` itself.)
 * A `from` in no function, 0 or an ARM exception return (0xffffffe0 and above) has no
 * caller: NO_FUNCTION. Such calls count, and their share of the time is charged to
 * nobody.
 *
 * Bins of several bytes are shared out by overlap, in half-words, as GNU gprof does; what
 * lies in no function is the "[unknown]" row's.
 *
 * Percentages: 100 % is the program's time, analysis.program; the profiler's own
 * functions (overhead) are in analysis.total but not in it, and pass no time to their
 * callers.
 *
 * Without a rate (has_time false) every time below is a number of samples.
 */

enum { NO_CYCLE = 0 };

struct function {
    const struct image_symbol *symbol; /* NULL: the "[unknown]" row (no symbol there) */
    const char *name;                  /* demangled, for people; never NULL */
    uint64_t address;
    uint64_t samples;     /* self_samples, rounded */
    double self_samples;  /* samples, bins shared out by overlap */
    double self;          /* seconds */
    double self_error;    /* seconds: standard error sqrt(n)/hz */
    double children;      /* seconds, estimated: spent in what it called */
    uint64_t calls;       /* from others, self-recursive calls apart */
    uint64_t self_calls;  /* recursive calls */
    unsigned cycle;       /* number of its cycle, from 1; NO_CYCLE: in none */
    bool overhead;        /* the profiler's own: mcuprof_*, static ones of mcuprof*.c, and
                             the hooks a compiler calls */
    bool spontaneous;     /* no function is known to call it, not even itself */
    size_t first_in, ins; /* its arcs as callee: analysis.ins[first_in .. + ins] */
    size_t first_out, outs; /* its arcs as caller: analysis.outs[...] */
};

/* Calls from one function to another. Arcs whose caller is no call site (a return
 * address not in any function, an exception return) have caller NO_FUNCTION. */
#define NO_FUNCTION SIZE_MAX
struct arc {
    size_t caller, callee; /* indices into functions */
    uint64_t count;
    double self; /* seconds of the callee's (its cycle's) self time that pass along it */
    double children; /* seconds of the callee's (its cycle's) children time that do */
};

struct cycle {
    unsigned number; /* from 1 */
    double self, children;
    uint64_t calls;      /* into it from outside */
    uint64_t self_calls; /* among its members, each one's calls to itself apart */
    size_t *members;     /* function indices */
    size_t member_count;
};

struct analysis {
    struct function *functions; /* by address; only those with time or calls */
    size_t function_count;
    struct arc *arcs; /* by (caller, callee) */
    size_t arc_count;
    size_t *ins;  /* arc indices grouped by callee */
    size_t *outs; /* arc indices grouped by caller */
    struct cycle *cycles;
    size_t cycle_count;
    double hz;                /* never 0: 1 where the rate is unknown */
    bool has_samples;         /* samples were taken */
    bool has_time;            /* and their rate is known */
    double total;             /* seconds sampled, unknown and overhead included */
    double overhead;          /* seconds in the profiler's own functions */
    double program;           /* total without overhead: what percentages refer to */
    double unknown;           /* seconds at addresses in no function */
    uint64_t unknown_callers; /* calls whose caller is no call site */
    char *addresses_text;     /* names where there is no image: private */
};

/* image may be NULL: then each address is a function of its own, named in hex; else names
 * and symbols are the image's and live as long. Fails only for want of memory. */
bool analyse(struct analysis *analysis, const struct profile *profile,
             struct image *image, struct error *error);
void analysis_release(struct analysis *analysis);

#endif
