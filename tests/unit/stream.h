/* SPDX-License-Identifier: MIT */
/*
 * Makes streams of the wire by hand and decodes them. Each test begins with an empty
 * stream.
 */
#ifndef MCUPROF_TEST_STREAM_H
#define MCUPROF_TEST_STREAM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "mcuprof_wire.h"

enum { FIRST = MCUPROF_WIRE_HELLO_FIRST, BASE = 0x08000000 };
enum {
    KINDS = MCUPROF_WIRE_FLAG_SAMPLES | MCUPROF_WIRE_FLAG_ARCS | MCUPROF_WIRE_FLAG_BLOCKS
};
enum { BOTH = MCUPROF_WIRE_TOTALS_SAMPLES | MCUPROF_WIRE_TOTALS_ARCS };

static struct {
    uint8_t bytes[1 << 21];
    size_t used;
    uint32_t hash;  /* of the block, as the firmware computes it */
    unsigned depth; /* of its paths */
    size_t piece;   /* how many bytes the PC gets at a time; 0: all */
} stream;

static struct profile profile;
static struct error error;
static char console[1 << 12];

/* ---- The firmware ---- */

static inline void put(uint8_t byte)
{
    stream.bytes[stream.used++] = byte;
    stream.hash = MCUPROF_WIRE_HASH_STEP(stream.hash, byte);
}

static inline uint32_t group(uint32_t check, uint32_t value, unsigned groups)
{
    while (groups--) {
        put(value & 0x7F);
        check = MCUPROF_WIRE_CHECK_STEP(check, value & 0x7F);
        value >>= 7;
    }
    return check;
}

static inline void finish(uint32_t check)
{
    put((uint8_t)(check % MCUPROF_WIRE_CHECK_MODULUS));
}

static inline uint32_t begin(unsigned kind, unsigned parameters)
{
    uint8_t start = (uint8_t)MCUPROF_WIRE_START(kind, parameters);
    if (MCUPROF_WIRE_CLOSES(start))
        stream.hash = 0;
    put(start);
    return start;
}

static inline void words(unsigned kind, unsigned parameters, const uint32_t *values,
                         size_t count)
{
    uint32_t check = begin(kind, parameters);
    for (size_t i = 0; i < count; i++)
        check = group(check, values[i], MCUPROF_WIRE_WORD_GROUPS);
    finish(check);
}

static inline uint32_t config(uint32_t ring, uint32_t flags)
{
    return MCUPROF_WIRE_CONFIG(MCUPROF_WIRE_ARCH_CORTEX_M, 1, 8, stream.depth, ring,
                               flags);
}

static inline void hello_of(uint32_t hz, uint32_t flags, unsigned first)
{
    words(MCUPROF_WIRE_HELLO, MCUPROF_WIRE_VERSION | first,
          (uint32_t[]){hz, 1000, BASE, config(256, flags)}, MCUPROF_WIRE_HELLO_WORDS);
}

static inline void hello(unsigned first)
{
    hello_of(100000, KINDS, first);
}

static inline void build_id(uint32_t word)
{
    words(MCUPROF_WIRE_HELLO, MCUPROF_WIRE_VERSION | MCUPROF_WIRE_HELLO_ID,
          (uint32_t[]){0x03020100, 0x07060504, 0x0B0A0908, 0x0F0E0D0C, word},
          MCUPROF_WIRE_BUILD_ID_WORDS);
}

/* All numbers have five groups. */
static inline void event(unsigned kind, uint32_t count, uint32_t from, uint32_t to)
{
    uint32_t check = begin(kind, 15);
    if (kind == MCUPROF_WIRE_ARC)
        check = group(check, (from - BASE) >> 1, 5);
    check = group(check, (to - BASE) >> 1, 5);
    finish(group(check, count, 5));
}

static inline void arc(uint32_t count)
{
    event(MCUPROF_WIRE_ARC, count, BASE + 0x10, BASE + 0x20);
}

static inline void totals(uint32_t samples, uint32_t samples_lost, uint32_t arcs,
                          uint32_t arcs_lost)
{
    words(MCUPROF_WIRE_TOTALS, BOTH,
          (uint32_t[]){samples, samples_lost, arcs, arcs_lost, stream.hash}, 5);
}

static inline void close_by(unsigned parameters)
{
    words(MCUPROF_WIRE_END, parameters, (uint32_t[]){stream.hash}, 1);
}

static inline void check(void)
{
    close_by(MCUPROF_WIRE_END_CHECK);
}

static inline void end(void)
{
    close_by(MCUPROF_WIRE_END_STOPPED);
}

static inline void text(const char *what)
{
    memcpy(stream.bytes + stream.used, what, strlen(what));
    stream.used += strlen(what);
}

/* ---- The PC ---- */

static inline bool give_bytes(struct decoder *decoder)
{
    size_t piece = stream.piece > 0 ? stream.piece : stream.used;
    bool done = true;
    for (size_t at = 0; done && at < stream.used; at += piece) {
        size_t left = stream.used - at;
        done = decoder_bytes(decoder, stream.bytes + at, left < piece ? left : piece,
                             &error);
    }
    return done;
}

static inline void take_console(void *context, const char *what, size_t bytes)
{
    (void)context;
    strncat(console, what, bytes);
}

static inline const char *decoded_by(const char *format)
{
    struct decode_options options = {.format = format, .console = take_console};
    struct decoder decoder;
    bool done;
    profile_release(&profile);
    console[0] = '\0';
    error.text[0] = '\0';
    if (!decoder_init(&decoder, &options, &profile, "stream", stream.bytes, stream.used,
                      &error))
        return error.text;
    done = give_bytes(&decoder) && decoder_finish(&decoder, &error);
    decoder_release(&decoder);
    return done ? decoder.format->name : error.text;
}

static inline void decode(void)
{
    assert_string_equal(decoded_by(NULL), "mcuprof");
}

static inline void refused(const char *part)
{
    assert_non_null(strstr(decoded_by("mcuprof"), part));
    assert_int_equal(error.status, EXIT_BAD_INPUT);
}

static inline void received(uint64_t arcs, uint64_t lost)
{
    assert_int_equal(profile.received[EVENT_ARC], arcs);
    assert_int_equal(profile.lost[EVENT_ARC], lost);
}

static inline void whole(bool complete, uint64_t damaged, bool mismatch)
{
    assert_int_equal(profile.complete, complete);
    assert_int_equal(profile.damaged, damaged);
    assert_int_equal(profile.mismatch, mismatch);
}

static inline int power_on(void **state)
{
    (void)state;
    stream.used = 0;
    stream.hash = 0;
    stream.depth = 0;
    stream.piece = 0;
    return 0;
}

static inline void power_cycle(void)
{
    stream.hash = 0;
}

#define TEST(name) cmocka_unit_test_setup(name, power_on)

#endif
