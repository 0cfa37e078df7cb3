/* SPDX-License-Identifier: MIT */
/*
 * A small ELF with the code of some functions, for a disassembler.
 */
#ifndef MCUPROF_HOST_EXCERPT_H
#define MCUPROF_HOST_EXCERPT_H

#include "image.h"

/*
 * Writes an ELF for the image's machine to an empty file. Its code sections are cut at
 * the edges of the ranges; only what is in a range, or in a small gap between two, keeps
 * its bytes. Symbols stay, each in the section that has its address, so that a branch to
 * code without bytes is named as in the image. So do sections that say how code is read
 * (attributes). The ranges ascend; what lies in no code section is left out.
 * `named`, ascending: of the symbols outside of the ranges, only those stay that name one
 * of these addresses: that are at it or, if none is, next before it. NULL: all stay.
 */
bool excerpt_write(const struct image *image, const struct image_range *ranges,
                   size_t count, const uint64_t *named, size_t named_count, int file,
                   struct error *error);

#endif
