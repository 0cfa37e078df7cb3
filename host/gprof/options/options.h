/* SPDX-License-Identifier: MIT */
/*
 * What the files of the command line share: options.c (the parser), option_rows.c (the
 * table of options and the help) and arguments.c (@FILE). Outside this folder only
 * cmd/gprof.c includes it, for the table.
 */
#ifndef MCUPROF_HOST_GPROF_OPTIONS_H
#define MCUPROF_HOST_GPROF_OPTIONS_H

#include "../gprof.h"

enum gprof_option_kind {
    GPROF_OPTION_FLAG = 0,
    GPROF_OPTION_VALUE,    /* attached, or in the next argument */
    GPROF_OPTION_OPTIONAL, /* a value may be attached */
};

struct gprof_option {
    int value; /* the parser's number for the option: its letter, or more than 255 */
    const char *name; /* "": the option has only a letter */
    enum gprof_option_kind kind;
    const char *argument; /* the help's word for the value; NULL for a flag */
    const char *help;     /* one line */
};

/* The options that have no letter. */
enum {
    GPROF_OPTION_DEMANGLE = 256,
    GPROF_OPTION_NO_DEMANGLE,
    GPROF_OPTION_INLINE_FILE_NAMES,
    GPROF_OPTION_ORDERING_FORMAT,
    GPROF_OPTION_QUIRKS,
};

/* The last row has a NULL name. Where an abbreviation fits several names, GNU gprof lists
 * them in the order of its own table; names here with the same first letter are in that
 * order. */
extern const struct gprof_option gprof_option_rows[];

/* The texts of --help and --version. */
void gprof_print_help(const char *program, FILE *out);
void gprof_print_version(FILE *out);

/* The command line with each @FILE replaced by the arguments in that file. */
struct gprof_arguments {
    char **argv; /* ends with NULL */
    int argc;
    char **owned; /* the arguments that came from files */
    size_t owned_count;
};

/*
 * Arguments in a file are separated by white space, unless it is quoted by either kind of
 * quotes or by a backslash. An argument there may be an @FILE again; 2000 files in all. A
 * file that cannot be opened leaves its @FILE as it is. false: error->text is a message
 * like those of the steps in gprof.h.
 */
bool gprof_expand_arguments(struct gprof_arguments *arguments, int argc, char **argv,
                            struct error *error);
void gprof_arguments_release(struct gprof_arguments *arguments);

#endif
