/* SPDX-License-Identifier: MIT */
/*
 * The image side of gprof: what symbols/, bfd/ and calls/ share of it; print/names.c has
 * names from it.
 *
 * The ELF's symbol table, or the table of -S, becomes labels in its order; labels are
 * folded (sorted, one for each address) and become gprof->symbols. The ELF stays open as
 * long as the symbols: their names are in it.
 */
#ifndef MCUPROF_HOST_GPROF_IMAGE_H
#define MCUPROF_HOST_GPROF_IMAGE_H

#include "../../bfd/bfd.h"
#include "../gprof.h"

/* What is to become a symbol. */
struct gprof_label {
    uint64_t address;
    uint64_t end; /* the last address of it; set by folding where has_end is false */
    const char *name;
    uint32_t file; /* number in gprof->files, from 1; 0: unknown */
    uint32_t line;
    bool is_function;
    bool is_static;
    bool is_line;
    bool has_border; /* one of the symbol table was folded into it, or it is one */
    bool has_end;
};

struct gprof_labels {
    struct gprof_label *items;
    size_t count, room;
};

struct gprof_image {
    struct elf_file file;
    size_t text_index; /* of .text, the one that GNU gprof takes for the program's code */
    uint64_t text_low, text_high;

    bool underscore;    /* the C compiler puts one in front of names */
    char **plain_names; /* by symbol: demangled, as far as printed; NULL: none yet */

    char *table; /* -S: the file's text, names are in it; NULL */

    struct bfd_lines *lines; /* for gprof_lines() */
    void *paths;             /* of gprof->files: a tree, private to lines.c */
    size_t file_room;
};

/* Opens gprof->options.image: gprof->image, word size and byte order. */
bool gprof_open_image(struct gprof *gprof, struct error *error);

bool gprof_add_label(struct gprof_labels *labels, const struct gprof_label *label);
/* Sorts them, keeps one of each address, sets the ends. */
bool gprof_fold_labels(struct gprof_labels *labels, uint64_t last_end);
/* gprof->symbols from folded labels. */
bool gprof_make_symbols(struct gprof *gprof, const struct gprof_labels *labels);

/* The text of the file, which ends with a zero more, to be freed also where this failed;
 * *text is NULL before. */
bool gprof_read_text(const char *path, char **text, size_t *bytes, struct error *error);
/* -S */
bool gprof_read_table(struct gprof *gprof, struct gprof_labels *labels,
                      struct error *error);

/* Addresses to lines, read when they are asked for first. NULL: out of memory. */
struct bfd_lines *gprof_lines(struct gprof *gprof);
/* Fills in the label's file and line where the debug information has them. false: out of
 * memory. */
bool gprof_find_line(struct gprof *gprof, struct gprof_label *label);
/* *depends: what is found depends on what was looked for before. false: out of memory. */
bool gprof_lines_depend(struct gprof *gprof, bool *depends);
/* -l: `lines` gets a label for each address of .text where file, line or function
 * changes; `functions` are folded. */
bool gprof_add_line_labels(struct gprof *gprof, const struct gprof_labels *functions,
                           struct gprof_labels *lines);

#endif
