/* SPDX-License-Identifier: MIT */
/*
 * Makes streams of version 3 of the wire by hand, from what docs/wire.md says, without
 * the code of the program. Each test begins with an empty stream.
 */
#ifndef MCUPROF_TEST_WORDS_H
#define MCUPROF_TEST_WORDS_H

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

enum { GROUPS, LITTLE, BIG };
enum { FULL, FLUSHED, STOPPED };
enum { RUN = 0x12345678, CLOCK = 16000000, PERIOD = 16000 };

static struct {
    uint8_t bytes[1 << 16];
    size_t used;
    int form;
    uint32_t words[4096]; /* of the block that is being made */
    size_t count;
    uint32_t run, hello[4];
    uint32_t core, time;
    unsigned depth;
} stream;

static struct profile profile;
static struct error error;
static char console[256];

static inline void word(uint32_t value)
{
    stream.words[stream.count++] = value;
}

static inline void words(const uint32_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        word(values[i]);
}
#define WORDS(...)                                                                       \
    words((const uint32_t[]){__VA_ARGS__},                                               \
          sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static inline uint32_t other(uint32_t kind, uint32_t value)
{
    return 7 | kind << 3 | value << 8;
}

static inline uint32_t record(uint32_t kind, uint32_t words, uint32_t value)
{
    return other(kind, words | value << 8);
}

static inline uint32_t sample(uint32_t fresh, uint32_t kept, uint32_t pc)
{
    return fresh | kept << 3 | pc >> 1 << 8;
}

static inline void begin(uint64_t number)
{
    stream.count = 0;
    WORDS(0xF38F00B3 | stream.core << 8, stream.run, (uint32_t)number,
          (uint32_t)(number >> 32), stream.time, 0, 1, stream.hello[0], stream.hello[1],
          stream.hello[2], stream.hello[3]);
}

/* What was sent and lost before, of samples (0), arcs (1), blocks (2) or calls (3). */
static inline void totals(uint32_t kind, uint64_t sent, uint64_t lost)
{
    WORDS(record(19, 4, kind), (uint32_t)sent, (uint32_t)(sent >> 32), (uint32_t)lost,
          (uint32_t)(lost >> 32));
}

static inline void byte(uint32_t value)
{
    stream.bytes[stream.used++] = (uint8_t)value;
}

static inline unsigned bytes_of(uint32_t value)
{
    return value >> 24 ? 4 : value >> 16 ? 3 : value >> 8 ? 2 : 1;
}

static inline void put_words(void)
{
    for (size_t i = 0; i < stream.count; i++) {
        unsigned size = stream.form == GROUPS ? bytes_of(stream.words[i]) : 4;

        if (stream.form == GROUPS && i % 3 == 0) {
            uint32_t tag = i == 0 ? 0xC0 : 0x80;

            for (size_t k = 0; k < 3 && i + k < stream.count; k++)
                tag |= (bytes_of(stream.words[i + k]) - 1) << 2 * k;
            byte(tag);
        }
        for (unsigned k = 0; k < size; k++)
            byte(stream.words[i] >> 8 * (stream.form == BIG ? 3 - k : k));
    }
}

static inline void end(uint32_t why)
{
    uint32_t h = 0, s = 0;

    word(other(6, (uint32_t)stream.count << 2 | why));
    for (size_t i = 0; i < stream.count; i++) {
        h += stream.words[i];
        h += h << 10;
        h ^= h >> 6;
        s += h;
    }
    WORDS(h, s);
    put_words();
}

static inline void text(const char *said)
{
    while (*said != '\0')
        byte((uint8_t)*said++);
}

static inline void hear(void *context, const char *said, size_t bytes)
{
    (void)context;
    strncat(console, said, bytes < sizeof console ? bytes : 0);
}

/* Decodes in pieces of so many bytes. */
static inline bool decode_bytes(const uint8_t *bytes, size_t size, size_t piece)
{
    const struct decode_options options = {.format = "mcuprof", .console = hear};
    struct decoder decoder;
    bool done = true;

    profile_release(&profile);
    console[0] = error.text[0] = '\0';
    if (!decoder_init(&decoder, &options, &profile, "stream", bytes, size, &error))
        return false;
    for (size_t at = 0; done && at < size; at += piece)
        done = decoder_bytes(&decoder, bytes + at, size - at < piece ? size - at : piece,
                             &error);
    done = done && decoder_finish(&decoder, &error);
    decoder_release(&decoder);
    return done;
}

static inline void decode(void)
{
    if (!decode_bytes(stream.bytes, stream.used, stream.used))
        fail_msg("%s", error.text);
}

static inline uint64_t count_at(enum event_kind kind, uint64_t from, uint64_t to)
{
    for (size_t i = 0; i < profile.counters[kind].used; i++) {
        const struct counter counter = counter_at(&profile.counters[kind], i);

        if (counter.from == from && counter.to == to)
            return counter.count;
    }
    return 0;
}

static int setup(void **state)
{
    (void)state;
    memset(&stream, 0, sizeof stream);
    stream.run = RUN;
    stream.hello[0] = CLOCK;
    stream.hello[1] = PERIOD;
    /* Cortex-M, a unit of 2 bytes, no counters, paths of 8, 64 bytes of ring; dithers,
     * has samples, arcs and blocks, times calls */
    stream.hello[3] = 1 | 1 << 4 | 8 << 13 | 7 << 18 | (2u | 4 | 8 | 32 | 64) << 24;
    profile_init(&profile);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    profile_release(&profile);
    return 0;
}

#endif
