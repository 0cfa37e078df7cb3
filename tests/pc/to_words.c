/* SPDX-License-Identifier: MIT */
/*
 * Turns a capture of version 2 into one of version 3, event by event in their order, as
 * firmware that stores words would have sent it: to_words FORM WORDS FROM TO, where FORM
 * is "bytes" or "words" and WORDS how many a block has at most. It prints how many
 * samples there were, and bytes of the capture, before and after, without text.
 *
 * The linker wraps the functions through which the decoder counts (tests.mk).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "export/raw.h"

static struct raw raw;
static bool writing;
static uint32_t task;

bool __real_profile_stack(struct profile *profile, const uint64_t *addresses,
                          size_t depth, enum stack_end end, uint64_t count);
bool __wrap_profile_stack(struct profile *profile, const uint64_t *addresses,
                          size_t depth, enum stack_end end, uint64_t count);
bool __real_profile_count_all(struct profile *profile, const struct event *events,
                              size_t count);
bool __wrap_profile_count_all(struct profile *profile, const struct event *events,
                              size_t count);
bool __real_profile_call_record(struct profile *profile, uint64_t from, uint64_t to,
                                uint64_t count, const struct call_times *times);
bool __wrap_profile_call_record(struct profile *profile, uint64_t from, uint64_t to,
                                uint64_t count, const struct call_times *times);

/* A chip sends each sample by itself. */
static void put_samples(uint64_t *addresses, size_t depth, enum stack_end end,
                        uint64_t count)
{
    const struct stack stack = {addresses, depth, 1, task, end, 0};

    while (writing && count-- > 0)
        raw_sample(&raw, task, &stack, 1);
}

bool __wrap_profile_stack(struct profile *profile, const uint64_t *addresses,
                          size_t depth, enum stack_end end, uint64_t count)
{
    uint64_t copy[RAW_FRAMES_MAX + 1];

    memcpy(copy, addresses, depth * sizeof *addresses);
    task = profile->task;
    put_samples(copy, depth, end, count);
    return __real_profile_stack(profile, addresses, depth, end, count);
}

bool __wrap_profile_count_all(struct profile *profile, const struct event *events,
                              size_t count)
{
    for (size_t i = 0; writing && i < count; i++) {
        uint64_t to = events[i].to;

        task = events[i].task;
        if (events[i].kind == EVENT_SAMPLE)
            put_samples(&to, 1, STACK_UNSURE, events[i].count);
        else if (events[i].kind == EVENT_ARC)
            raw_arc(&raw, task, (uint32_t)events[i].from, (uint32_t)to,
                    (uint32_t)events[i].count);
        else
            raw_block(&raw, task, (uint32_t)to, (uint32_t)events[i].count);
    }
    return __real_profile_count_all(profile, events, count);
}

bool __wrap_profile_call_record(struct profile *profile, uint64_t from, uint64_t to,
                                uint64_t count, const struct call_times *times)
{
    const struct counter counter = {from, to, count, profile->task};

    if (writing)
        raw_calls(&raw, profile->task, &counter, times);
    return __real_profile_call_record(profile, from, to, count, times);
}

static void read_all(struct profile *profile, const char *path)
{
    static const struct decode_options options = {.format = "mcuprof"};
    struct error error;

    profile_init(profile);
    if (decode_file(path, &options, profile, &error))
        return;
    fprintf(stderr, "to_words: %s\n", error.text);
    exit(2);
}

static void put_all(const struct profile *profile, const char *path)
{
    struct profile again;
    struct error error;

    if (!raw_hello(&raw, profile, &error)) {
        fprintf(stderr, "to_words: %s: %s\n", path, error.text);
        exit(2);
    }
    raw.hello[3] |= (uint32_t)MCUPROF_WIRE_FLAG_DITHER << 24;
    raw.run = 0x6D637572;
    raw.dither = 1;
    raw_begin(&raw);
    for (size_t i = 0; i < profile->task_count; i++)
        raw_text_record(&raw, MCUPROF_WIRE3_NAME, profile->tasks[i].number,
                        profile->tasks[i].name);
    writing = true;
    read_all(&again, path);
    profile_release(&again);
    memcpy(raw.lost, profile->lost, sizeof raw.lost);
    raw_totals(&raw);
    raw_end(&raw, MCUPROF_WIRE3_STOPPED);
}

static uint64_t size_of(FILE *file)
{
    fseek(file, 0, SEEK_END);
    return (uint64_t)ftell(file);
}

int main(int argc, char **argv)
{
    struct profile profile;
    FILE *from = argc == 5 ? fopen(argv[3], "rb") : NULL;

    raw.out = argc == 5 ? fopen(argv[4], "wb") : NULL;
    if (from == NULL || raw.out == NULL) {
        fprintf(stderr, "to_words: expected bytes or words, words of a block, files\n");
        return 2;
    }
    raw.as_words = strcmp(argv[1], "words") == 0;
    raw.most = strtoul(argv[2], NULL, 10);
    read_all(&profile, argv[3]);
    put_all(&profile, argv[3]);
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", profile.received[EVENT_SAMPLE],
           size_of(from) - profile.console_bytes, size_of(raw.out));
    profile_release(&profile);
    return fclose(raw.out) != 0 || fclose(from) != 0;
}
