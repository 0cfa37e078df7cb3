/* SPDX-License-Identifier: MIT */
/*
 * From the bytes of a capture to a profile. A decoder takes bytes in pieces of any size,
 * as they come from a line; the same code serves files and live sources.
 */
#ifndef MCUPROF_HOST_DECODE_H
#define MCUPROF_HOST_DECODE_H

#include "../base/error.h"
#include "../profile/profile.h"

/* What a format cannot say of itself, from the command line. 0: not given. */
struct decode_options {
    const char *format;  /* NULL: recognise by content */
    double hz;           /* --hz: sampling rate of pa, pa-hex, pclog */
    unsigned addr_bytes; /* --addr-bytes: 2, 3 (default) or 4, of pa and pa-hex */
    /* Console text of the firmware as it is found; NULL: dropped (but counted). */
    void (*console)(void *context, const char *text, size_t bytes);
    void *context;
    unsigned
        word_bytes;  /* of a gmon.out's addresses; 0: from the file where it can tell */
    bool big_endian; /* byte order of a gmon.out, where word_bytes is given */
    bool thumb;      /* ARM: bit 0 of the code addresses in gmon and pclog is no part of
                        them and is cleared (pa and pa-hex: always, in arcs) */
};

struct decoder;

/* One format's decoder. A format adds itself to the table in decode.c. */
struct decode_format {
    const char *name;
    /* How sure: 0 no; 1 could be; 2 surely, judged by the first bytes of the input. The
     * surest format reads it; of equally sure ones the first in the table. */
    int (*recognise)(const uint8_t *bytes, size_t size);
    bool (*init)(struct decoder *decoder, struct error *error);
    bool (*bytes)(struct decoder *decoder, const uint8_t *bytes, size_t size,
                  struct error *error);
    bool (*finish)(struct decoder *decoder,
                   struct error *error); /* at the end of input */
    void (*release)(struct decoder *decoder);
};

struct decoder {
    const struct decode_format *format;
    struct decode_options options;
    struct profile *profile; /* counters are added to it as they are decoded */
    const char *path;        /* for errors */
    uint64_t offset;         /* bytes taken so far, for errors */
    bool ended;              /* an end record was seen: a live source may stop here */
    void *state;             /* the format's own */
};

/* format is chosen by options->format or, NULL, by `first`, the first bytes of the input
 * (at least 512 unless the input is shorter), which are still to be given to
 * decoder_bytes. options are copied; profile and path must outlive it. false: nothing to
 * release. */
bool decoder_init(struct decoder *decoder, const struct decode_options *options,
                  struct profile *profile, const char *path, const uint8_t *first,
                  size_t first_bytes, struct error *error);
bool decoder_bytes(struct decoder *decoder, const uint8_t *bytes, size_t size,
                   struct error *error);
bool decoder_finish(struct decoder *decoder, struct error *error);
void decoder_release(struct decoder *decoder);

/* Reads a whole capture ("-": standard input) and adds it to the profile. Profiles of
 * different build IDs, rates or widths of bins do not add up: an error names both.
 * After an error the profile is good for nothing but profile_release. */
bool decode_file(const char *path, const struct decode_options *options,
                 struct profile *profile, struct error *error);

extern const struct decode_format decode_mcuprof, decode_pa, decode_pa_hex, decode_pclog,
    decode_gmon;

#endif
