/* SPDX-License-Identifier: MIT */
/*
 * Pieces of code of one line each, and their sums by function and line. Private to
 * annotate.c and pieces.c.
 */
#ifndef MCUPROF_HOST_PIECES_H
#define MCUPROF_HOST_PIECES_H

#include "annotate.h"

enum { PIECE_DEPTH_MAX = 32 }; /* of inlined calls */

/* What is counted of a piece in one function: the one of the ELF that it is in (symbol)
 * or, symbol NULL, one that was inlined there. */
struct piece {
    const struct image_symbol *symbol;
    uint64_t low, high;          /* its code */
    const char *function;        /* inlined: its name */
    const char *home;            /* the function's file */
    bool first;                  /* it begins the function of the ELF */
    bool elsewhere;              /* not in that file */
    struct image_line at;        /* the line in this function */
    struct image_line from;      /* where it was written; function NULL: at that line */
    uint64_t copy;               /* of the function it was written in */
    const char *landed_in;       /* the function of the ELF */
    struct annotated here;       /* `ran`: of blocks and statements that begin in it */
    uint64_t inside;             /* of the block that it begins in */
    struct annotated_line *line; /* that it was added to, by pieces_tabulate() */
};

struct pieces {
    struct piece *items;
    size_t used, allocated;
    const char *home; /* of the function of the ELF that is being added */
};

/* Adds a piece, of which symbol, first, here and inside are filled in, to its function
 * and to all that it was inlined through; the chain is image_lines()'. Pieces of a
 * function come one after another, the first one first. false: out of memory. */
bool pieces_add(struct pieces *pieces, const struct piece *piece,
                const struct image_line *chain, size_t depth);

/* Fills in functions, lines and landings. false: out of memory. */
bool pieces_tabulate(struct pieces *pieces, struct annotation *annotation);

void pieces_release(struct pieces *pieces);

#endif
