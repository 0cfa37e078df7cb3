/* SPDX-License-Identifier: MIT */
/*
 * -d: what a step does, told while it does it. Each line begins with the number that asks
 * for it, and a word: "[16 tally] main calls beta 2 times ...". The numbers are those of
 * GNU gprof's manual; what is told is of this engine, in its own words.
 */
#ifndef MCUPROF_HOST_GPROF_TRACE_H
#define MCUPROF_HOST_GPROF_TRACE_H

#include "gprof.h"

/* The numbers, which may be added up. */
enum gprof_trace {
    GPROF_TRACE_ORDER = 2,          /* the functions, each behind what it calls */
    GPROF_TRACE_CYCLES = 4,         /* the cycles and their members */
    GPROF_TRACE_TALLY = 16,         /* calls, as they are added up */
    GPROF_TRACE_SORTING = 32,       /* callers and callees in the order of their time */
    GPROF_TRACE_RECORDS = 64,       /* histograms and calls, as they are read */
    GPROF_TRACE_SYMBOLS = 128,      /* what lies where, and which symbols are left out */
    GPROF_TRACE_STATIC = 256,       /* -c: calls in the code */
    GPROF_TRACE_LOOKUP = 512,       /* addresses of calls and blocks to symbols */
    GPROF_TRACE_PROPAGATION = 1024, /* time, from callees to callers */
    GPROF_TRACE_BLOCKS = 2048,      /* blocks, as they are read */
    GPROF_TRACE_SPECS = 4096,       /* what each SPEC means */
    GPROF_TRACE_SOURCE = 8192,      /* -A: where a source file was looked for */
    GPROF_TRACE_ALL = 16374
};

/* The first line: what is traced, or, if it is nothing, what could be. */
void gprof_trace_begin(const struct gprof *gprof);

/* Whether `what` is traced. */
static inline bool gprof_traces(const struct gprof *gprof, unsigned what)
{
    return (gprof->options.traced & what) != 0;
}

/* Prints "[16 tally] ", where that is traced. The caller prints the rest of the line. */
bool gprof_trace(const struct gprof *gprof, enum gprof_trace what);
/* A whole line. */
void gprof_trace_line(const struct gprof *gprof, enum gprof_trace what,
                      const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Print "main", or "cycle 1"; "main calls beta". */
void gprof_trace_name(const struct gprof *gprof, const struct gprof_symbol *symbol);
void gprof_trace_call(const struct gprof *gprof, const struct gprof_symbol *parent,
                      const struct gprof_symbol *child);

#endif
