/* SPDX-License-Identifier: MIT */
/*
 * Pieces of code of one line each, and their sums by function and line. Private to
 * annotate.c and pieces.c.
 */
#ifndef MCUPROF_HOST_PIECES_H
#define MCUPROF_HOST_PIECES_H

#include "annotate.h"

enum { PIECE_DEPTH_MAX = 32 }; /* of inlined calls */

/* A piece of code as part of one function: of the ELF's function that has it (symbol) or,
 * with symbol NULL, of a function that was inlined there. */
struct piece {
    const struct image_symbol *symbol;
    uint64_t low, high;     /* its code */
    const char *function;   /* inlined: its name */
    const char *home;       /* the function's file */
    bool first;             /* it begins the function of the ELF */
    bool elsewhere;         /* not in that file */
    struct image_line at;   /* the line in this function */
    struct image_line from; /* where it was written; function NULL: at that line */
    uint64_t copy;          /* which copy of the function that it was written in */
    const char *landed_in;  /* the function of the ELF */
    struct annotated here;  /* `ran` counts the blocks and statements that begin in it,
                               under no condition */
    uint64_t inside, block; /* how often the busiest block ran that has code in it, and
                               which that is */
    struct annotated_line *line; /* the line that pieces_tabulate() added it to */
};

struct pieces {
    struct piece *items;
    size_t used, allocated;
    const char *home; /* the file of the ELF's function that is being added */
};

/* Adds a piece to its function and to all that it was inlined through. Its symbol, low,
 * high, first, here, inside and block are filled in; the chain comes from
 * image_lines(). The pieces of a function are added one after another, the first one
 * first. false: out of memory. */
bool pieces_add(struct pieces *pieces, const struct piece *piece,
                const struct image_line *chain, size_t depth);

/* Fills in functions, lines and landings. false: out of memory. */
bool pieces_tabulate(struct pieces *pieces, struct annotation *annotation);

void pieces_release(struct pieces *pieces);

#endif
