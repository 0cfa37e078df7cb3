/* SPDX-License-Identifier: MIT */
/*
 * Decoders make a profile of a capture's bytes. A decoder takes bytes in pieces of any
 * size, so that the same code serves files and live sources.
 */
#ifndef MCUPROF_HOST_DECODE_H
#define MCUPROF_HOST_DECODE_H

#include "../base/error.h"
#include "../profile/profile.h"

/* What the command line or the ELF tells where the format cannot. 0: not given. */
struct decode_options {
    const char *format;  /* NULL: the format is recognised by its content */
    double hz;           /* --hz: the sampling rate of pa, pa-hex and pclog */
    unsigned addr_bytes; /* --addr-bytes: 2, 3 (default) or 4, of pa and pa-hex */
    /* Gets the firmware's console text as it is found; NULL: the text is only counted. */
    void (*console)(void *context, const char *text, size_t bytes);
    void *context;
    unsigned word_bytes; /* size of a gmon.out's addresses; 0: found from the file, if
                          * possible */
    bool big_endian;     /* byte order of a gmon.out, if word_bytes is given */
    bool thumb; /* ARM: bit 0 of code addresses in gmon and pclog is not part of the
                   address and is cleared (pa and pa-hex always clear it in arcs) */
};

struct decoder;

/* For help and errors: the formats of the table in decode.c. */
#define DECODE_FORMAT_NAMES "mcuprof, pa, pa-hex, pclog or gmon"

/* The decoder of one format. The table in decode.c lists all of them. */
struct decode_format {
    const char *name;
    /* Judges by the first bytes of the input: 0: not this format; 1: could be; 2: surely.
     * The surest format decodes it; of equally sure ones, the first in the table. */
    int (*recognise)(const uint8_t *bytes, size_t size);
    bool (*init)(struct decoder *decoder, struct error *error);
    bool (*bytes)(struct decoder *decoder, const uint8_t *bytes, size_t size,
                  struct error *error);
    bool (*finish)(struct decoder *decoder,
                   struct error *error); /* at the end of input */
    void (*release)(struct decoder *decoder);
};

/* The format of an input, judged by its first bytes, and how sure that is. NULL: none. */
const struct decode_format *decode_recognise(const uint8_t *first, size_t first_bytes,
                                             int *sure);

struct decoder {
    const struct decode_format *format;
    struct decode_options options;
    struct profile *profile; /* counters are added to it as they are decoded */
    const char *path;        /* for errors */
    uint64_t offset;         /* bytes taken so far, for errors */
    bool ended;              /* an end record came last: a live source may stop here */
    void *state;             /* private to the format */
};

/* options->format names the format; if it is NULL, `first` decides: the first bytes of
 * the input, at least 512 unless the input is shorter. They must be passed to
 * decoder_bytes() as well. *options is copied; profile and path must outlive the decoder.
 * false: there is nothing to release. */
bool decoder_init(struct decoder *decoder, const struct decode_options *options,
                  struct profile *profile, const char *path, const uint8_t *first,
                  size_t first_bytes, struct error *error);
bool decoder_bytes(struct decoder *decoder, const uint8_t *bytes, size_t size,
                   struct error *error);
bool decoder_finish(struct decoder *decoder, struct error *error);
void decoder_release(struct decoder *decoder);

/* For formats: counts text that is no profile's, and hands it to whoever wants it. */
static inline void decoder_console(struct decoder *decoder, const char *text,
                                   size_t bytes)
{
    decoder->profile->console_bytes += bytes;
    if (decoder->options.console && bytes)
        decoder->options.console(decoder->options.context, text, bytes);
}

/* Reads a whole capture ("-": standard input) and adds it to the profile. Profiles of
 * different build IDs, rates or widths of bins do not add up: an error names both. After
 * an error the profile can only be released. */
bool decode_file(const char *path, const struct decode_options *options,
                 struct profile *profile, struct error *error);

extern const struct decode_format decode_mcuprof, decode_pa, decode_pa_hex, decode_pclog,
    decode_gmon;
/* Decodes as pa-hex does, but knows text some of whose digits are lost or bad, too. */
extern const struct decode_format decode_pa_hex_damaged;

#endif
