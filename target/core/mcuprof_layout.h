/* SPDX-License-Identifier: MIT */
/* Where things are in struct mcuprof, for assembly; mcuprof.c asserts each. */
#ifndef MCUPROF_LAYOUT_H
#define MCUPROF_LAYOUT_H

#include "mcuprof_config.h"

#if MCUPROF_SAMPLES && MCUPROF_DITHER
#define MCUPROF_RANDOM 1
#else
#define MCUPROF_RANDOM 0
#endif

#if MCUPROF_RING_BYTES > 256
#define MCUPROF_INDEX_BYTES 2
#else
#define MCUPROF_INDEX_BYTES 1
#endif

#define MCUPROF_KINDS         (MCUPROF_SAMPLES + MCUPROF_ARCS)
#define MCUPROF_RANDOM_OFFSET 0
#define MCUPROF_FIXED_BYTES                                                              \
    (4 * MCUPROF_RANDOM + 4 + 8 * MCUPROF_KINDS + 4 * MCUPROF_INDEX_BYTES)
/* Arcs: the callees, then the call sites, then the counts; samples: the addresses, then
 * the counts; all 32 bits wide. */
#define MCUPROF_ARC_CACHE_OFFSET MCUPROF_FIXED_BYTES
#if MCUPROF_ARCS
#define MCUPROF_SAMPLE_CACHE_OFFSET (MCUPROF_FIXED_BYTES + 12 * MCUPROF_ARC_ENTRIES)
#else
#define MCUPROF_SAMPLE_CACHE_OFFSET MCUPROF_FIXED_BYTES
#endif

#endif
