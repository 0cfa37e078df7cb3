/* SPDX-License-Identifier: MIT */
/*
 * GNU gprof in place of GNU gprof: what `mcuprof gprof` is made of. Same options, same
 * output to the byte, same exit status as GNU gprof 2.40. It has a model of its own
 * beside analysis/: GNU gprof's symbols, look-up, cycles, orders and roundings are part
 * of its output, and not those of `mcuprof report`.
 *
 * One way through, in GNU gprof's order, for its messages come in that order:
 *   options/  gprof_parse()             the command line, @FILE, --help
 *   symbols/  gprof_read_symbols()      the ELF's, with lines (-l) from bfd/, or a
 *                                       table's (-S), folded; demangled
 *   select/   gprof_read_specs()        which symbols and arcs an option means
 *   input/    gprof_read_profiles()     gmon.out files; the histograms' time to the
 *             gprof_assign_samples()    symbols; sums (-s)
 *   calls/    gprof_add_static_calls()  arcs, those found in the code (-c) among them
 *   graph/    gprof_build_graph()       cycles, shares of time, entries in printed order
 *   print/    gprof_print_*()           sections, source with counts (-A), orders (-r -R)
 *   trace.h                             -d: what each of these does, told by it
 * layers.txt says which of these may use which.
 *
 * Nothing here is quadratic in symbols, arcs or files, nor recurses on input, but for
 * what GNU gprof's output itself demands. Out of memory is an error like another.
 */
#ifndef MCUPROF_HOST_GPROF_H
#define MCUPROF_HOST_GPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../base/error.h"
#include "sort.h"

/* ---- Options ---- */

/* What to print; a bit each. */
enum gprof_output {
    GPROF_FLAT = 1 << 0,           /* -p */
    GPROF_GRAPH = 1 << 1,          /* -q */
    GPROF_COUNTS = 1 << 2,         /* -C */
    GPROF_ANNOTATED = 1 << 3,      /* -A */
    GPROF_FUNCTION_ORDER = 1 << 4, /* -r */
    GPROF_FILE_ORDER = 1 << 5,     /* -R */
    GPROF_SUM = 1 << 6,            /* -s */
};

/* PROF is refused, but not before the symbols are read. */
enum gprof_format { GPROF_AUTO, GPROF_BSD, GPROF_44BSD, GPROF_MAGIC, GPROF_PROF };

/* What -r prints: names, as GNU gprof does; a section ordering for GNU ld; a symbol
 * ordering for lld. */
enum gprof_ordering { GPROF_ORDER_NAMES, GPROF_ORDER_LD, GPROF_ORDER_LLD };

/* The lists of symbols and arcs that specs make. */
enum gprof_list {
    GPROF_INCLUDE_FLAT,
    GPROF_EXCLUDE_FLAT,
    GPROF_INCLUDE_GRAPH,
    GPROF_EXCLUDE_GRAPH,
    GPROF_INCLUDE_ARCS,
    GPROF_EXCLUDE_ARCS,
    GPROF_INCLUDE_TIME,
    GPROF_EXCLUDE_TIME,
    GPROF_INCLUDE_ANNOTATED,
    GPROF_EXCLUDE_ANNOTATED,
    GPROF_INCLUDE_COUNTS,
    GPROF_EXCLUDE_COUNTS,
    GPROF_LISTS
};

/* A spec as it was given. text is the user's and lives as long as the command line. */
struct gprof_spec {
    enum gprof_list list;
    const char *text;
};

struct gprof_options {
    const char *program; /* messages begin with it: argv[0], as GNU gprof's do */
    const char *image;   /* a.out if none was given */
    char **profiles;     /* gmon.out if none was given; "-": standard input */
    size_t profile_count;
    unsigned output;      /* GPROF_FLAT | ...; what was asked for */
    unsigned user_output; /* the outputs that some option named, -P, -Q, -Z and -J too */
    struct gprof_spec
        *specs; /* in order of appearance; behind them the default exclusions (mcount and
                   its like), as GNU gprof adds them */
    size_t spec_count;
    enum gprof_format format;
    bool debug;             /* -d */
    unsigned traced;        /* -d: GPROF_TRACE_... of trace.h, added up */
    bool no_static;         /* -a */
    bool brief;             /* -b */
    bool static_calls;      /* -c */
    bool only_functions;    /* -D */
    bool file_info;         /* -i */
    bool lines;             /* -l */
    bool inline_file_names; /* --inline-file-names */
    bool print_path;        /* -L */
    bool traditional;       /* -T */
    bool separate_files;    /* -y */
    bool all_lines;         /* -x */
    bool unused;            /* -z */
    bool demangle;
    int demangle_style;         /* DMGL_* of demangle.h; 0: auto */
    int index_width;            /* -w */
    int table_length;           /* -t */
    uint64_t min_count;         /* -m */
    const char *symbol_table;   /* -S; NULL */
    const char *file_order_map; /* -R; NULL */
    char **source_directories;  /* -I, then GPROF_PATH */
    size_t source_directory_count;
    enum gprof_ordering ordering;
    struct gprof_arguments
        *arguments; /* private to options.c: the arguments that came from @FILEs */
    bool
        gnu_text; /* --quirks: the defects that GNU gprof's output shows (inf, nan) too */
};

/* ---- The model ---- */

struct gprof_file {
    const char *path; /* as recorded: comp_dir/dir/name */
    const char *base; /* in path, after its last slash */
    size_t order;     /* order in which symbols named files */
};

/* GNU gprof keeps this many basic blocks of a symbol. */
enum { GPROF_BLOCKS = 10 };

struct gprof_arc;

struct gprof_symbol {
    /* set by symbols.c */
    uint64_t address;
    uint64_t end;            /* the last address that belongs to it */
    const char *name;        /* as in the ELF (-R: the object's) */
    struct gprof_file *file; /* NULL: unknown */
    unsigned line;
    bool is_function;
    bool is_static;
    bool is_line;   /* -l: it is a line, not a symbol of the table */
    bool is_border; /* a symbol of the table begins here, even if another one is shown */

    /* set by samples.c */
    double samples;

    /* Set by input.c. At first calls includes self_calls; cycles.c subtracts them. */
    uint64_t calls;
    uint64_t self_calls;
    uint32_t parents, children; /* numbers of its newest arcs; 0: none */

    /* set by cycles.c and propagate.c */
    int top_order;                   /* number of the depth-first search, from 1 */
    size_t index;                    /* printed as [index]; 0: no entry */
    unsigned cycle;                  /* number, from 1; 0: in none */
    struct gprof_symbol *cycle_head; /* the cycle's own symbol, or this one */
    struct gprof_symbol *cycle_next; /* next member of the cycle */
    bool print;                      /* has an entry in the graph */
    double fraction;                 /* share of its time that is propagated */
    double self;                     /* samples that are propagated */
    double child;                    /* samples of its callees that are propagated */
    double descendants; /* all samples of its callees: the flat profile's total */

    struct gprof_blocks *blocks; /* set by input.c; NULL: none */
};

/* Executions of a symbol's basic blocks. */
struct gprof_blocks {
    size_t count;
    uint64_t addresses[GPROF_BLOCKS], executions[GPROF_BLOCKS];
};

/* There may be millions of arcs. So an arc does not keep what can be computed from its
 * two ends, such as the time that is propagated along it (gprof_share_of()). */
struct gprof_arc {
    struct gprof_symbol *parent, *child;
    uint64_t count;
    uint32_t next_parent, next_child; /* number of the next older arc in child's list of
                                         parents, in parent's list of children; 0: none */
};

struct gprof_histogram {
    uint64_t low, high;
    uint32_t bin_count;
    int64_t *bins; /* sums over all files */
};

struct gprof {
    struct gprof_options options;
    FILE *out;

    /* What reading the profiles needs of the image. Set by symbols.c */
    struct gprof_image *image; /* private: symbols/image.h */
    unsigned word_bytes;       /* of addresses in gmon.out: 4 or 8 */
    bool big_endian;
    bool sign_extend; /* MIPS: addresses of 4 bytes are sign-extended to 8 */

    struct gprof_symbol *symbols; /* ascending by address, distinct */
    size_t symbol_count;
    struct gprof_file *files; /* in order of first appearance */
    size_t file_count;

    struct gprof_map *map;     /* private to map.c, order.c: the map of -R */
    struct gprof_lists *lists; /* private to specs.c */

    /* Set by input.c */
    bool has_histogram, has_arcs, has_blocks; /* kinds of records read */
    struct gprof_histogram *histograms;
    size_t histogram_count;
    uint32_t rate;
    char dimension[16];
    char abbreviation;
    double scale; /* of the bins, in half-words */
    struct gprof_arc
        *arcs; /* [1 .. arc_count], by creation; adding an arc may move them all */
    uint32_t arc_count;
    struct gprof_arc_table *arc_table; /* private to arcs.c: all arcs, by their ends */

    /* Set by samples.c: the samples that are 100 % in the flat profile */
    double total;
    /* Set by propagate.c: the sum of all self, which is 100 % in the graph */
    double graph_total;

    /* Set by propagate.c: the graph's entries in printed order, cycles included. They are
     * set only if they are printed. */
    struct gprof_symbol **entries;
    size_t entry_count;
    struct gprof_symbol *cycles; /* [1 .. cycle_count]: a symbol for each cycle */
    size_t cycle_count;

    bool first_output; /* no section was printed yet: the first one has no form feed in
                          front */
    bool bare_error;   /* the error's text is printed without "PROGRAM: " in front */
    bool open_error;   /* the error's text is printed without a newline at its end */
};

/* ---- The steps ---- */

/*
 * All steps return false with *error filled in where GNU gprof ends with status 1.
 * error->text is GNU gprof's message without its "PROGRAM: " in front, error->status
 * EXIT_NO (1). GNU gprof prints some messages bare (those of perror, and that of a file
 * that is too short): for them gprof->bare_error is true. It forgets the newline of some:
 * for them gprof->open_error is true. Warnings, after which GNU gprof goes on, go through
 * gprof_warn().
 */

/* *done: --help or --version was printed (status 0), or a usage on stderr (status 1).
 * *status is the status to end with. */
bool gprof_parse(struct gprof_options *options, int argc, char **argv, bool *done,
                 int *status, struct error *error);
void gprof_options_release(struct gprof_options *options);

/* -R: reads the map. It must come before the symbols, which get their names from it.
 * map.c */
bool gprof_read_map(struct gprof *gprof, struct error *error);
void gprof_map_release(struct gprof *gprof);
/* -R: replaces the name of a symbol of the ELF by the name of its object. false: leave
 * the symbol out, because another symbol stands for the object. Without -R: true. */
bool gprof_map_name(const struct gprof *gprof, const char **name);

bool gprof_read_symbols(struct gprof *gprof, struct error *error);
/* Closes the image; frees symbols and files. */
void gprof_symbols_release(struct gprof *gprof);
bool gprof_read_specs(struct gprof *gprof, struct error *error);
void gprof_specs_release(struct gprof *gprof);
bool gprof_read_profiles(struct gprof *gprof, struct error *error);
/* Frees what was read: histograms and arcs. Safe on a struct gprof of zeros. */
void gprof_profiles_release(struct gprof *gprof);
bool gprof_add_static_calls(struct gprof *gprof, struct error *error);
bool gprof_assign_samples(struct gprof *gprof, struct error *error);
bool gprof_write_sum(struct gprof *gprof, struct error *error);
bool gprof_build_graph(struct gprof *gprof, struct error *error);
void gprof_graph_release(struct gprof *gprof);

bool gprof_print_flat(struct gprof *gprof, struct error *error);
bool gprof_print_graph(struct gprof *gprof, struct error *error);
bool gprof_print_index(struct gprof *gprof, struct error *error);
bool gprof_print_counts(struct gprof *gprof, struct error *error);
bool gprof_print_annotated(struct gprof *gprof, struct error *error);
bool gprof_print_function_order(struct gprof *gprof, struct error *error);
bool gprof_print_file_order(struct gprof *gprof, struct error *error);

/* Runs all steps, as GNU gprof's main does, with the sections in its order. Returns the
 * exit status; prints messages on stderr. run.c */
int gprof_run(int argc, char **argv);

/* ---- Shared by the steps ---- */

/* "PROGRAM: TEXT" on stderr; not an error. */
void gprof_warn(const struct gprof *gprof, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The symbol that an address belongs to: the one with the greatest start at or below the
 * address, unless the address is beyond its end (NULL). O(log n). symbols.c */
struct gprof_symbol *gprof_symbol_at(const struct gprof *gprof, uint64_t address);

/* Adds `count` calls (0 for -c and -k) to the arc between two symbols, and makes the arc
 * if there is none. O(1). false: out of memory. arcs.c */
bool gprof_add_arc(struct gprof *gprof, struct gprof_symbol *parent,
                   struct gprof_symbol *child, uint64_t count);

/* Whether the list has this symbol; for the lists of arcs, whether it has this arc. An
 * empty list has none. */
bool gprof_listed(const struct gprof *gprof, enum gprof_list list,
                  const struct gprof_symbol *symbol);
bool gprof_arc_listed(const struct gprof *gprof, enum gprof_list list,
                      const struct gprof_symbol *parent,
                      const struct gprof_symbol *child);
/* Whether some spec added to the list. */
bool gprof_list_used(const struct gprof *gprof, enum gprof_list list);

/* Prints the name as flat profile, graph and index do: demangled if asked for, with "
 * (file:line)" for -l and --inline-file-names, " <cycle N>", and its index, like GNU
 * gprof's print_name and its relatives. names.c */
size_t gprof_print_name_only(const struct gprof *gprof,
                             const struct gprof_symbol *symbol);
size_t gprof_print_name(const struct gprof *gprof, const struct gprof_symbol *symbol);

/* The style that --demangle=NAME means: DMGL_* of demangle.h, 0 for auto, -1 for none.
 * false: no style has that name. demangle.c */
bool gprof_demangle_style(const char *name, int *style);
/* The name in plain text; the caller frees it. NULL: the name is not mangled. Dots, '$'
 * and "@version" around it stay. demangle.c */
char *gprof_demangle(const struct gprof *gprof, const char *name);

#endif
