/* SPDX-License-Identifier: MIT */
/*
 * What a machine's code tells of calls and branches. Private to blocks.c and branches.c.
 */
#ifndef MCUPROF_HOST_IMAGE_BLOCKS_H
#define MCUPROF_HOST_IMAGE_BLOCKS_H

#include "internal.h"

enum { CALL_MAX = 8 };

/* One instruction. */
struct branch {
    unsigned bytes;  /* to the next one */
    unsigned ends;   /* a block ends so many bytes on; 0: goes on */
    unsigned also;   /* another begins so many bytes on; 0: none */
    bool has_target; /* another begins at the target */
    uint64_t target;
};

/* A way to call: */
struct form {
    unsigned machine;
    bool narrow;    /* not of 64-bit code */
    unsigned delay; /* bytes of what is run before the call is made */
    unsigned step;  /* calls begin at multiples of this */
    uint64_t reach; /* bytes either way */
    /* What a call to that distance looks like; returns its bytes. */
    unsigned (*call)(uint32_t distance, bool big_endian, uint8_t call[CALL_MAX]);
    /* How code that calls so is to be read; at least 2 bytes are left. */
    void (*branch)(uint64_t at, const uint8_t *bytes, size_t left, bool big_endian,
                   struct branch *branch);
};

/* Ends with a NULL call. */
extern const struct form forms[];

#endif
