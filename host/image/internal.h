/* SPDX-License-Identifier: MIT */
/*
 * What the files of image/ share. Nobody else includes this.
 */
#ifndef MCUPROF_HOST_IMAGE_INTERNAL_H
#define MCUPROF_HOST_IMAGE_INTERNAL_H

#include "elf_file.h"
#include "image.h"

struct lines; /* lines.c: what was read of the debug information so far */

struct image {
    char *path;
    struct elf_file file;
    struct image_range *code;
    size_t code_count;
    struct image_symbol *symbols;
    size_t symbol_count;
    bool thumb; /* some function's symbol had the Thumb bit set */
    uint8_t build_id[64];
    size_t build_id_bytes;
    struct lines *lines; /* NULL until the first image_lines() */
};

/* Reads the symbol table into image->symbols. */
bool image_read_symbols(struct image *image, struct error *error);
void image_release_symbols(struct image *image);
void image_release_lines(struct image *image);

/* How much may still be spent on demangling: a short hostile name can stand for
 * gigabytes of text. */
struct demangle_budget {
    size_t bytes;
};
/* A new string, or NULL where there is nothing to demangle (or no budget for it). */
char *image_demangle(const char *name, struct demangle_budget *budget);

#endif
