/* SPDX-License-Identifier: MIT */
/*
 * Calls in machine code, for -c: private to static.c, code.c and call_sites.c.
 */
#ifndef MCUPROF_HOST_GPROF_CODE_H
#define MCUPROF_HOST_GPROF_CODE_H

#include "../symbols/image.h"

/* A section's code. */
struct gprof_code {
    uint64_t low, high;
    const uint8_t *bytes;
};

/* ARM: how the code from here on is to be read: 'a' A32, 't' T32, 'd' not at all. */
struct gprof_mapping {
    uint64_t address;
    char state;
};

struct gprof_decoder;

/* One instruction. */
struct gprof_instruction {
    unsigned bytes;  /* to the next one; > 0 */
    bool has_target; /* calls, or jumps to, `target` */
    uint64_t target;
};

typedef void gprof_decode(const struct gprof_decoder *decoder, uint64_t at,
                          const uint8_t *bytes, size_t left,
                          struct gprof_instruction *instruction);

struct gprof_decoder {
    gprof_decode *decode;
    bool as_gnu; /* GNU gprof has it: .text only, no debug information */
    bool big_endian;
    bool wide; /* 64-bit addresses */
    struct gprof_mapping *mappings;
    size_t mapping_count;
};

/* decode is NULL where nothing is known of the machine. false: out of memory. */
bool gprof_choose_decoder(const struct gprof *gprof, struct gprof_decoder *decoder);

/* Arcs of count 0 for direct calls that the debug information knows (DW_TAG_call_site).
 * false: out of memory. */
bool gprof_add_call_sites(struct gprof *gprof);

#endif
