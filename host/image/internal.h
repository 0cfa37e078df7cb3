/* SPDX-License-Identifier: MIT */
/*
 * What the files of image/ share. Nobody else includes this.
 */
#ifndef MCUPROF_HOST_IMAGE_INTERNAL_H
#define MCUPROF_HOST_IMAGE_INTERNAL_H

#include "demangle.h"
#include "elf_file.h"
#include "image.h"

struct lines;        /* lines.c: the debug information that was read so far */
struct block_reader; /* blocks.c */
struct hook_reader;  /* hooks.c */
struct image_names;  /* names.c */
struct image_tails;  /* tails.c */

struct image {
    char *path;
    struct elf_file file;
    struct image_range *code;
    size_t code_count;
    struct image_symbol *symbols;
    size_t symbol_count;
    bool short_code; /* some function's symbol had the state_bit of its arch set */
    uint8_t build_id[64];
    size_t build_id_bytes;
    bool no_memory;              /* see image_no_memory() */
    struct lines *lines;         /* NULL until the first image_lines() */
    struct block_reader *blocks; /* likewise, image_blocks() */
    struct hook_reader *hooks;   /* likewise, image_hooks() and image_call_target() */
    struct image_call_graph *call_graph; /* likewise, image_call_graph() */
    struct image_names *names;           /* likewise, image_name() */
    struct image_tails *tails;           /* likewise, image_tail_calls() */
    struct image *shipped;               /* NULL or the firmware as it ships */
    struct image_site *sites;            /* see image_sites() */
    size_t site_count;
};

/* hooks.c: makes image->hooks, if it is NULL; false: out of memory. The others need it:
 * how code is read, and whether a hook of timed calls is at an address. */
bool image_open_hooks(struct image *image);
const struct arch_code *image_code_reader(const struct image *image);
bool image_is_hook(const struct image *image, uint64_t address);

bool image_find_symbols(struct image *image, struct error *error);
void image_release_symbols(struct image *image);
void image_release_names(struct image *image); /* before its symbols */
/* Takes the files of local symbols that the symbol table does not have from the debug
 * information. */
void image_find_sources(struct image *image);
void image_release_lines(struct image *image);
void image_release_blocks(struct image *image);
void image_release_hooks(struct image *image);
void image_release_call_graph(struct image *image);
/* Finds the call sites that lead through thunks, and puts them back in the image. false:
 * out of memory. */
bool image_find_sites(struct image *image);
void image_release_tails(struct image *image);

/* How much text the names of one image may become; beyond that, names stay mangled. */
#define IMAGE_DEMANGLE_BUDGET ((struct demangle_budget){4096, (size_t)64 << 20})

#endif
