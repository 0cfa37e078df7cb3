/* SPDX-License-Identifier: MIT */
/*
 * The ELF and the source lines, as symbols/, bfd/ and calls/ share them; print/names.c
 * gets demangled names from here.
 *
 * The ELF's symbol table, or the table of -S, becomes labels in the table's order. Labels
 * are folded (sorted, one kept of each address) and become gprof->symbols. The ELF stays
 * open as long as the symbols live, because their names are in it.
 */
#ifndef MCUPROF_HOST_GPROF_IMAGE_H
#define MCUPROF_HOST_GPROF_IMAGE_H

#include "../bfd/bfd.h"
#include "../gprof.h"

/* A label: it may become a symbol. */
struct gprof_label {
    uint64_t address;
    uint64_t end; /* its last address; folding sets it where has_end is false */
    const char *name;
    uint32_t file; /* number in gprof->files, from 1; 0: unknown */
    uint32_t line;
    bool is_function;
    bool is_static;
    bool is_line;
    bool has_border; /* it is a symbol of the table, or one was folded into it */
    bool has_end;
};

struct gprof_labels {
    struct gprof_label *items;
    size_t count, room;
};

struct gprof_image {
    struct elf_file file;
    size_t text_index; /* number of .text, the only section that GNU gprof takes for the
                          program's code */
    uint64_t text_low, text_high;

    bool underscore;    /* the C compiler puts an underscore in front of names */
    char **plain_names; /* for each symbol the demangled name once it was printed; NULL:
                           no name was */

    char *table; /* -S: the file's text, which has the names; NULL without -S */

    struct bfd_lines *lines; /* for gprof_lines() */
    void *paths;             /* a tree of the paths of gprof->files, private to lines.c */
    size_t file_room;
};

/* Opens gprof->options.image; sets gprof->image, the word size and the byte order. */
bool gprof_open_image(struct gprof *gprof, struct error *error);

bool gprof_add_label(struct gprof_labels *labels, const struct gprof_label *label);
/* Sorts the labels, keeps one of each address, sets the ends. */
bool gprof_fold_labels(struct gprof_labels *labels, uint64_t last_end);
/* Makes gprof->symbols of folded labels. */
bool gprof_make_symbols(struct gprof *gprof, const struct gprof_labels *labels);

/* Reads the file's text and puts a zero behind it. *text is NULL on entry; the caller
 * frees it, also after an error. */
bool gprof_read_text(const char *path, char **text, size_t *bytes, struct error *error);
/* Reads the table of -S. */
bool gprof_read_table(struct gprof *gprof, struct gprof_labels *labels,
                      struct error *error);

/* The table of lines, which is read at the first call. NULL: out of memory. */
struct bfd_lines *gprof_lines(struct gprof *gprof);
/* Fills in the label's file and line where the debug information has them. false: out of
 * memory. */
bool gprof_find_line(struct gprof *gprof, struct gprof_label *label);
/* *depends: an answer depends on which addresses were looked up before. false: out of
 * memory. */
bool gprof_lines_depend(struct gprof *gprof, bool *depends);
/* -l: adds to `lines` a label for each address of .text where file, line or function
 * changes; `functions` must be folded. */
bool gprof_add_line_labels(struct gprof *gprof, const struct gprof_labels *functions,
                           struct gprof_labels *lines);

#endif
