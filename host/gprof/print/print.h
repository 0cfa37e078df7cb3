/* SPDX-License-Identifier: MIT */
/* What the files that print share. Private to print/. */
#ifndef MCUPROF_HOST_GPROF_PRINT_H
#define MCUPROF_HOST_GPROF_PRINT_H

#include <string.h>

#include "../graph/graph.h"

/* ---- Printing: fields.c ---- */

/* Converts samples to seconds, or to whatever the dimension is. A rate of 0 gives 0; GNU
 * gprof prints inf and nan there, and so does this with gnu_text. */
double gprof_seconds(const struct gprof *gprof, double samples);

/*
 * These write what "%WIDTH.DECIMALSf", "%WIDTHlu", "%-WIDTHlu", "%lx" and "%s" would,
 * without the cost of printf: the tables have millions of fields. They write at `at`,
 * which has room for GPROF_FIELD_BYTES, put no 0 behind, and return the end. 1 or 2
 * decimals, width at most 32, texts at most 64 bytes.
 */
enum { GPROF_FIELD_BYTES = 352, GPROF_LINE_BYTES = 8 * GPROF_FIELD_BYTES };
char *gprof_put_fixed(char *at, double value, int width, int decimals);
char *gprof_put_count(char *at, uint64_t value, int width);
char *gprof_put_count_left(char *at, uint64_t value, int width);
char *gprof_put_hex(char *at, uint64_t value);
static inline char *gprof_put_text(char *at, const char *text)
{
    size_t length = strlen(text);
    return (char *)memcpy(at, text, length) + length;
}

/* Prints the text between the two pointers. */
void gprof_put_line(FILE *out, const char *begin, const char *end);

/* Prints the form feed between two sections; before the first section it prints nothing.
 * */
void gprof_put_section_break(struct gprof *gprof);

/* Prints "granularity: each sample hit covers ...", up to "byte(s)". */
void gprof_put_granularity(const struct gprof *gprof);

/* ---- The layouts: traditional.c has those of -T ---- */

struct graph_layout {
    int child_width;         /* of the column of the children's time */
    const char *spontaneous; /* blanks before <spontaneous> */
    const char *blank_times; /* stands in place of both times, for calls within a cycle */
    const char *around_rules; /* before and after the line between entries */
};

struct flat_layout {
    int percent_width, percent_decimals;
    int cumulative_width;
};

extern const struct graph_layout gprof_traditional_graph;
extern const struct flat_layout gprof_traditional_flat;

/* Prints everything of the section that stands above the rows, with the explanatory text.
 * */
void gprof_put_traditional_graph_heading(const struct gprof *gprof);
void gprof_put_traditional_flat_heading(const struct gprof *gprof);

/* Prints a cell of the index. index: "[1]" or "(1)"; name: not demangled. */
void gprof_put_traditional_cell(FILE *out, const char *index, const char *name);

/* Prints " for X% of Y seconds" behind the granularity, and the blank line under it. */
void gprof_put_graph_share(const struct gprof *gprof);
/* Prints the two lines above the flat profile's columns; unit: "ms/call". */
void gprof_put_flat_columns(const struct gprof *gprof, const char *unit);

/* ---- Names that are printed often: labels.c ---- */

/* The text that gprof_print_name() prints for each symbol, with a newline; it is made
 * once. */
struct graph_labels {
    struct gprof *gprof;
    FILE *stream; /* writes text */
    char *text;
    size_t text_bytes;
    struct graph_label {
        size_t begin, length; /* in text; length 0: the label is not made yet */
    } * labels;               /* one for each symbol */
};

/* false: out of memory; the caller releases it in any case. */
bool gprof_labels_init(struct graph_labels *labels, struct gprof *gprof);
void gprof_labels_release(struct graph_labels *labels);
/* Brings the label into the processor's cache, because it will be put soon. */
static inline void gprof_warm_label(const struct graph_labels *labels,
                                    const struct gprof_symbol *symbol)
{
    __builtin_prefetch(&labels->labels[symbol - labels->gprof->symbols]);
}
/* Prints the text between the two pointers, the name and a newline; false: out of memory.
 * There is room for GPROF_FIELD_BYTES behind `end`. */
bool gprof_put_labelled(struct graph_labels *labels, char *begin, char *end,
                        const struct gprof_symbol *symbol);

/* ---- The explanations without -b: texts.c ---- */

extern const char gprof_flat_text[];
extern const char gprof_graph_text[];
extern const char gprof_traditional_graph_text[];

#endif
