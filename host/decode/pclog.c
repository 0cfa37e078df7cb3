/* SPDX-License-Identifier: MIT */
/*
 * Decodes the text of other samplers: each line is a hexadecimal address, or several
 * from leaf to root, separated by blanks, commas or semicolons, with or without 0x.
 * Empty lines and what follows a # are skipped. Any other line counts as damaged.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "hex.h"

enum { DIGITS_MAX = 16, DEPTH_MAX = 1024 };

/* The state of reading a line character by character. */
struct pclog {
    uint64_t addresses[DEPTH_MAX];
    size_t depth;
    uint64_t address; /* of the current token */
    unsigned digits;
    bool prefix;  /* the token began with 0x */
    bool comment; /* the rest of the line is a comment */
    bool bad;     /* the line is damaged */
};

static bool is_separator(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == ',' || c == ';';
}

static void end_token(struct pclog *log)
{
    if (log->digits > 0 && log->depth < DEPTH_MAX)
        log->addresses[log->depth++] = log->address;
    else if (log->digits > 0 || log->prefix)
        log->bad = true;
    log->address = 0;
    log->digits = 0;
    log->prefix = false;
}

/* Takes one character of a line, but not the line's end. */
static void take_character(struct pclog *log, uint8_t c)
{
    int value = hex_digit(c);

    if (log->comment || log->bad)
        return;
    if (c == '#') {
        log->comment = true;
    } else if (is_separator(c)) {
        end_token(log);
    } else if ((c == 'x' || c == 'X') && log->digits == 1 && log->address == 0 &&
               !log->prefix) {
        log->prefix = true;
        log->digits = 0;
    } else if (value >= 0 && log->digits < DIGITS_MAX) {
        log->address = log->address << 4 | (unsigned)value;
        log->digits++;
    } else {
        log->bad = true;
    }
}

static void start_line(struct pclog *log)
{
    log->depth = 0;
    log->comment = false;
    log->bad = false;
}

static bool add_line(struct decoder *decoder, struct pclog *log)
{
    struct profile *profile = decoder->profile;

    end_token(log);
    if (log->bad) {
        profile->damaged++;
        return true;
    }
    if (log->depth == 0)
        return true;
    for (size_t i = 0; decoder->options.thumb && i < log->depth; i++)
        log->addresses[i] &= ~1ull;
    profile->records++;
    if (log->depth == 1)
        return profile_count(profile, EVENT_SAMPLE, 0, log->addresses[0], 1);
    return profile_stack(profile, log->addresses, log->depth, STACK_WHOLE, 1);
}

static bool pclog_init(struct decoder *decoder, struct error *error)
{
    decoder->state = calloc(1, sizeof(struct pclog));
    if (decoder->state == NULL)
        return error_no_memory(error);
    decoder->profile->hz = decoder->options.hz;
    decoder->profile->accounted = false;
    return true;
}

static bool pclog_bytes(struct decoder *decoder, const uint8_t *bytes, size_t size,
                        struct error *error)
{
    struct pclog *log = decoder->state;

    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != '\n') {
            take_character(log, bytes[i]);
            continue;
        }
        if (!add_line(decoder, log))
            return error_no_memory(error);
        start_line(log);
    }
    return true;
}

static bool pclog_finish(struct decoder *decoder, struct error *error)
{
    struct profile *profile = decoder->profile;

    if (!add_line(decoder, decoder->state)) /* the last line may have no newline */
        return error_no_memory(error);
    profile->complete = true;
    if (profile->damaged > profile->records)
        return error_set(error, EXIT_BAD_INPUT,
                         "%s: offset 0: expected hexadecimal addresses on each line, but "
                         "%llu lines hold something else and %llu addresses",
                         decoder->path, (unsigned long long)profile->damaged,
                         (unsigned long long)profile->records);
    return true;
}

static void pclog_release(struct decoder *decoder)
{
    free(decoder->state);
    decoder->state = NULL;
}

/* Every line in the window must be valid, and at least one must hold an address. */
static int pclog_recognise(const uint8_t *bytes, size_t size)
{
    struct pclog *log = calloc(1, sizeof *log);
    bool bad = false, any = false;

    if (log == NULL)
        return 0;
    for (size_t i = 0; i < size && !bad; i++) {
        if (bytes[i] != '\n') {
            take_character(log, bytes[i]);
            bad = log->bad;
            continue;
        }
        end_token(log);
        bad = log->bad;
        any = any || log->depth > 0;
        start_line(log);
    }
    any = any || log->depth > 0 || log->digits > 0;
    free(log);
    return any && !bad ? 1 : 0;
}

const struct decode_format decode_pclog = {
    "pclog", pclog_recognise, pclog_init, pclog_bytes, pclog_finish, pclog_release,
};
