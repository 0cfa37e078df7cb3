/* SPDX-License-Identifier: MIT */
#include "faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"

bool faults_decode(struct profile *profile, const uint8_t *bytes, size_t size,
                   size_t piece)
{
    static const struct decode_options options = {.format = "mcuprof"};
    struct decoder decoder;
    struct error error;
    bool done = true;

    profile_init(profile);
    if (!decoder_init(&decoder, &options, profile, "stream", bytes, size, &error))
        return false;
    for (size_t at = 0; done && at < size; at += piece)
        done = decoder_bytes(&decoder, bytes + at, size - at < piece ? size - at : piece,
                             &error);
    done = done && decoder_finish(&decoder, &error);
    decoder_release(&decoder);
    return done;
}

static uint64_t count_of(const struct counters *counters, const struct counter *key)
{
    for (size_t i = 0; i < counters->used; i++) {
        if (counters->items[i].from == key->from && counters->items[i].to == key->to)
            return counters->items[i].count;
    }
    return 0;
}

/* Whether one has events that the other has not. */
static bool has_more(const struct profile *one, const struct profile *other)
{
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        const struct counters *counters = &one->counters[kind];

        for (size_t i = 0; i < counters->used; i++) {
            if (counters->items[i].count >
                count_of(&other->counters[kind], &counters->items[i]))
                return true;
        }
    }
    return false;
}

static bool same_firmware(const struct profile *one, const struct profile *other)
{
    return one->hz == other->hz && strcmp(one->arch, other->arch) == 0 &&
           one->build_id_bytes == other->build_id_bytes &&
           memcmp(one->build_id, other->build_id, one->build_id_bytes) == 0;
}

static bool loses_other(const struct profile *one, const struct profile *other)
{
    return memcmp(one->lost, other->lost, sizeof one->lost) != 0 ||
           memcmp(one->earlier, other->earlier, sizeof one->earlier) != 0;
}

static void judge(const uint8_t *bytes, size_t size, const struct profile *whole,
                  struct fault_tally *tally)
{
    struct profile profile;
    bool decoded = faults_decode(&profile, bytes, size, size ? size : 1);
    bool more = has_more(&profile, whole);

    tally->injected++;
    if (!decoded) {
        tally->refused++;
    } else if (!more && !has_more(whole, &profile) && same_firmware(&profile, whole)) {
        tally->same++;
    } else if (profile.mismatch || !profile.complete || profile.unaccounted ||
               profile.unproven || profile.unsent || loses_other(&profile, whole)) {
        tally->shown++;
        tally->taken += more && profile.damaged <= whole->damaged;
    } else {
        tally->silent++;
    }
    profile_release(&profile);
}

/* A fault makes of the stream and an offset another stream; 0: none there. */
typedef size_t fault(uint8_t *to, const uint8_t *from, size_t size, size_t at,
                     unsigned variant);

static size_t flip_bit(uint8_t *to, const uint8_t *from, size_t size, size_t at,
                       unsigned bit)
{
    memcpy(to, from, size);
    to[at] ^= (uint8_t)(1u << bit);
    return size;
}

/* 1, 2, 4, ... bytes. */
static size_t drop(uint8_t *to, const uint8_t *from, size_t size, size_t at,
                   unsigned variant)
{
    size_t bytes = (size_t)1 << variant;

    if (bytes > size - at)
        return 0;
    memcpy(to, from, at);
    memcpy(to + at, from + at + bytes, size - at - bytes);
    return size - bytes;
}

static size_t double_byte(uint8_t *to, const uint8_t *from, size_t size, size_t at,
                          unsigned variant)
{
    (void)variant;
    memcpy(to, from, at + 1);
    memcpy(to + at + 1, from + at, size - at);
    return size + 1;
}

static size_t swap_bytes(uint8_t *to, const uint8_t *from, size_t size, size_t at,
                         unsigned variant)
{
    (void)variant;
    if (at + 1 == size)
        return 0;
    memcpy(to, from, size);
    to[at] = from[at + 1];
    to[at + 1] = from[at];
    return size;
}

/* Any byte but the right one, with its top bit as it was: what checks see least. */
static size_t other_byte(uint8_t *to, const uint8_t *from, size_t size, size_t at,
                         unsigned variant)
{
    memcpy(to, from, size);
    to[at] = (uint8_t)((from[at] & 0x80) | ((from[at] + 1 + 7 * variant) & 0x7F));
    return to[at] == from[at] ? 0 : size;
}

static size_t end_there(uint8_t *to, const uint8_t *from, size_t size, size_t at,
                        unsigned variant)
{
    (void)variant;
    (void)size;
    memcpy(to, from, at);
    return at;
}

static size_t begin_there(uint8_t *to, const uint8_t *from, size_t size, size_t at,
                          unsigned variant)
{
    (void)variant;
    memcpy(to, from + at, size - at);
    return size - at;
}

static const struct {
    const char *name;
    fault *inject;
    unsigned variants;
} faults[] = {
    {"a bit flipped", flip_bit, 8},     {"1 to 64 bytes dropped", drop, 7},
    {"a byte doubled", double_byte, 1}, {"two bytes swapped", swap_bytes, 1},
    {"another byte", other_byte, 16},   {"ends early", end_there, 1},
    {"begins late", begin_there, 1},
};

static void add(struct fault_tally *sum, const struct fault_tally *more)
{
    sum->injected += more->injected;
    sum->same += more->same;
    sum->refused += more->refused;
    sum->shown += more->shown;
    sum->taken += more->taken;
    sum->silent += more->silent;
}

static void print(const char *name, const struct fault_tally *tally)
{
    printf("%-22s %7u: %6u the same, %6u shown (%4u taken for data), %5u refused, "
           "%u silent\n",
           name, tally->injected, tally->same, tally->shown, tally->taken, tally->refused,
           tally->silent);
}

void faults_inject(const uint8_t *bytes, size_t size, struct fault_tally *tally)
{
    uint8_t *damaged = malloc(size + 1);
    struct profile whole;

    *tally = (struct fault_tally){.silent = 0};
    if (!damaged || !faults_decode(&whole, bytes, size, size) || !whole.complete) {
        fprintf(stderr, "the stream itself is not whole\n");
        abort();
    }
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct fault_tally one = {.silent = 0};

        for (size_t at = 0; at < size; at++) {
            for (unsigned variant = 0; variant < faults[i].variants; variant++) {
                size_t left = faults[i].inject(damaged, bytes, size, at, variant);

                if (left)
                    judge(damaged, left, &whole, &one);
            }
        }
        print(faults[i].name, &one);
        add(tally, &one);
    }
    profile_release(&whole);
    free(damaged);
}
