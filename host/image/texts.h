/* SPDX-License-Identifier: MIT */
/*
 * The text of the source files that debug information names, found on this machine.
 */
#ifndef MCUPROF_HOST_TEXTS_H
#define MCUPROF_HOST_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "image.h"
#include "text_folders.h"

struct text {
    char *path;         /* as the debug information has it */
    char *found;        /* where it was found; NULL: nowhere */
    char *bytes;        /* all lines, each ended by a zero; blanks replace tabs */
    const char **lines; /* lines[0] is line 1 */
    size_t line_count;  /* 0: not found */
};

struct texts {
    /* To be filled in before texts_begin(): */
    bool none;                      /* no text is read; none is missing */
    const char *const *directories; /* -I; ends with NULL; NULL: none */
    const char *const *maps;        /* "FROM=TO": likewise */
    /* The files that were asked for and have this fault. */
    struct texts_fault {
        size_t files;
        const char *first;     /* path of one of them; valid as long as the texts */
    } missing, newer, outside; /* newer: changed after the ELF was made, so lines may
                                * not match; outside: it may not be read */
    bool no_memory; /* texts_find() returned NULL: some texts are missing in the output */
    /* Private: */
    struct timespec built; /* when the ELF was written; 0: not known */
    struct text_folders folders;
    void *tree;
};

/* Whether a map has a FROM and a TO. */
bool texts_is_map(const char *map);

/* The image whose texts are asked for: it tells which folders may be read. */
void texts_begin(struct texts *texts, struct image *image);

/*
 * The text of a file by its path in the debug information. The file is searched where a
 * map puts it (FROM is one or more of its first directories); at that path itself; then
 * below each directory, with as many of its last directories as exist there. Only what
 * text_folders.h allows is read. NULL: out of memory.
 */
const struct text *texts_find(struct texts *texts, const char *path);
void texts_release(struct texts *texts);

#endif
