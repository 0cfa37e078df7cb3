/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"

static struct error error;

/* A file that a test makes in one of the four layouts. */
struct file {
    uint8_t bytes[4096];
    size_t size;
    unsigned word_bytes;
    bool big_endian;
};

static void put(struct file *file, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        file->bytes[file->size++] =
            (uint8_t)(value >> 8 * (file->big_endian ? size - 1 - i : i));
}

static void put_text(struct file *file, const char *text, size_t size)
{
    memcpy(file->bytes + file->size, text, size);
    file->size += size;
}

static void put_header(struct file *file, unsigned version)
{
    put_text(file, "gmon", 4);
    put(file, version, 4);
    put(file, 0, 4);
    put(file, 0, 4);
    put(file, 0, 4);
}

static void put_histogram(struct file *file, uint64_t low, unsigned bins, unsigned width,
                          unsigned hz)
{
    put(file, 0, 1);
    put(file, low, file->word_bytes);
    put(file, low + (uint64_t)bins * width, file->word_bytes);
    put(file, bins, 4);
    put(file, hz, 4);
    put_text(file, "seconds\0\0\0\0\0\0\0\0s", 16);
    for (unsigned i = 0; i < bins; i++)
        put(file, 100 * i, 2);
}

static void put_arc(struct file *file, uint64_t from, uint64_t to, unsigned count)
{
    put(file, 1, 1);
    put(file, from, file->word_bytes);
    put(file, to, file->word_bytes);
    put(file, count, 4);
}

static void put_blocks(struct file *file)
{
    put(file, 2, 1);
    put(file, 2, 4);
    put(file, 0x1004, file->word_bytes);
    put(file, 7, file->word_bytes);
    put(file, 0x1008, file->word_bytes);
    put(file, 9, file->word_bytes);
}

static const struct file layouts[] = {
    {.word_bytes = 4, .big_endian = false},
    {.word_bytes = 4, .big_endian = true},
    {.word_bytes = 8, .big_endian = false},
    {.word_bytes = 8, .big_endian = true},
};
enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };

/* Makes two histograms of disjoint ranges, the second twice; three arcs; two blocks. */
static struct file whole_file(size_t layout)
{
    struct file file = layouts[layout];

    put_header(&file, 1);
    put_histogram(&file, 0x1000, 8, 4, 250);
    put_arc(&file, 0x1010, 0x1001, 3);
    put_histogram(&file, 0x20000000, 3, 4, 250);
    put_histogram(&file, 0x20000000, 3, 4, 250);
    put_arc(&file, 0x20000006, 0x1000, 0xffffffff);
    put_arc(&file, 0x20000006, 0x1000, 1);
    put_blocks(&file);
    return file;
}

static bool decode(struct profile *profile, const struct decode_options *options,
                   const struct file *file, size_t size)
{
    struct decoder decoder;
    bool done = true;

    profile_init(profile);
    error.text[0] = '\0';
    if (!decoder_init(&decoder, options, profile, "f.out", file->bytes, size, &error))
        return false;
    for (size_t at = 0; done && at < size; at += 7)
        done = decoder_bytes(&decoder, file->bytes + at, size - at < 7 ? size - at : 7,
                             &error);
    done = done && decoder_finish(&decoder, &error);
    decoder_release(&decoder);
    return done;
}

static uint64_t counted(const struct profile *profile, enum event_kind kind,
                        uint64_t from, uint64_t to)
{
    const struct counters *counters = &profile->counters[kind];

    for (size_t i = 0; i < counters->used; i++) {
        const struct counter counter = counter_at(counters, i);

        if (counter.from == from && counter.to == to)
            return counter.count;
    }
    return 0;
}

static void check_whole(const struct profile *profile)
{
    assert_string_equal(profile->format, "gmon");
    assert_true(profile->complete);
    assert_true(profile->hz == 250);
    assert_int_equal(profile->bin_bytes, 4);
    assert_int_equal(profile->records, 7);
    assert_int_equal(profile->received[EVENT_SAMPLE], 2800 + 2 * 300);
    assert_int_equal(counted(profile, EVENT_SAMPLE, 0, 0x101c), 700);
    assert_int_equal(counted(profile, EVENT_SAMPLE, 0, 0x20000008), 400);
    assert_true(counted(profile, EVENT_ARC, 0x1010, 0x1001) == 3);
    assert_true(counted(profile, EVENT_ARC, 0x20000006, 0x1000) == 0x100000000u);
    assert_int_equal(counted(profile, EVENT_BLOCK, 0, 0x1004), 7);
    assert_int_equal(counted(profile, EVENT_BLOCK, 0, 0x1008), 9);
}

static void reads_every_layout_told_or_guessed(void **state)
{
    (void)state;
    for (size_t i = 0; i < LAYOUTS; i++) {
        struct file file = whole_file(i);
        struct decode_options told = {.word_bytes = file.word_bytes,
                                      .big_endian = file.big_endian};
        const struct decode_options guessed = {.hz = 0};
        struct profile profile;

        assert_true(decode(&profile, &told, &file, file.size));
        check_whole(&profile);
        profile_release(&profile);
        assert_true(decode(&profile, &guessed, &file, file.size));
        check_whole(&profile);
        profile_release(&profile);
        /* a tool that wrote the PC's words for another target */
        told.word_bytes = 12 - told.word_bytes;
        assert_true(decode(&profile, &told, &file, file.size));
        check_whole(&profile);
        profile_release(&profile);
    }
}

/* A file that is cut between two records is whole, too; any other cut is an error that
 * says so. */
static void refuses_every_truncation(void **state)
{
    (void)state;
    for (size_t i = 0; i < LAYOUTS; i++) {
        struct file file = whole_file(i);
        const struct decode_options told = {.format = "gmon",
                                            .word_bytes = file.word_bytes,
                                            .big_endian = file.big_endian};
        unsigned whole = 0;

        for (size_t size = 1; size < file.size; size++) {
            struct profile profile;

            if (decode(&profile, &told, &file, size)) {
                whole++;
            } else {
                assert_int_equal(error.status, EXIT_BAD_INPUT);
                assert_non_null(strstr(error.text, "f.out: offset "));
                assert_non_null(strstr(error.text, "expected"));
            }
            profile_release(&profile);
        }
        assert_int_equal(whole, 7); /* the header alone, and after 6 of 7 records */
    }
}

static void survives_every_changed_byte(void **state)
{
    static const uint8_t changes[] = {0x01, 0x80, 0xff};

    (void)state;
    for (size_t at = 0; at < 200; at++) {
        for (size_t i = 0; i < LAYOUTS * sizeof changes; i++) {
            struct file file = whole_file(i % LAYOUTS);
            const struct decode_options options = {.format = "gmon"};
            struct profile profile;

            file.bytes[at] ^= changes[i / LAYOUTS];
            if (!decode(&profile, &options, &file, file.size))
                assert_non_null(strstr(error.text, "f.out: offset "));
            profile_release(&profile);
        }
    }
}

static struct file bsd_file(size_t layout, bool bsd44)
{
    struct file file = layouts[layout];
    unsigned header = 2 * file.word_bytes + 4 + (bsd44 ? 20 : 0);

    put(&file, 0x410, file.word_bytes);
    put(&file, 0x450, file.word_bytes);
    put(&file, header + 2 * 16, 4);
    if (bsd44) {
        put(&file, 0x51879, 4);
        put(&file, 1000, 4);
        put_text(&file, "unset memory", 12);
    }
    for (unsigned i = 0; i < 16; i++)
        put(&file, i == 3 ? 1000 : 0, 2);
    for (unsigned i = 0; i < 2; i++) {
        put(&file, 0x420 + 8 * i, file.word_bytes);
        put(&file, 0x441, file.word_bytes);
        put(&file, 5 + i, file.word_bytes);
    }
    return file;
}

static void reads_the_old_bsd_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * LAYOUTS; i++) {
        struct file file = bsd_file(i % LAYOUTS, i < LAYOUTS);
        const struct decode_options options = {.hz = 60, .thumb = true};
        struct profile profile;

        assert_true(decode(&profile, &options, &file, file.size));
        assert_string_equal(profile.format, "gmon");
        assert_true(profile.hz == (i < LAYOUTS ? 1000 : 60));
        assert_int_equal(profile.bin_bytes, 4);
        assert_int_equal(profile.received[EVENT_SAMPLE], 1000);
        assert_int_equal(counted(&profile, EVENT_SAMPLE, 0, 0x41c), 1000);
        assert_int_equal(counted(&profile, EVENT_ARC, 0x420, 0x440), 5);
        assert_int_equal(counted(&profile, EVENT_ARC, 0x428, 0x440), 6);
        profile_release(&profile);
    }
}

static void refuses_a_truncated_bsd_file(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * LAYOUTS; i++) {
        struct file file = bsd_file(i % LAYOUTS, i < LAYOUTS);
        const struct decode_options options = {.format = "gmon",
                                               .word_bytes = file.word_bytes,
                                               .big_endian = file.big_endian};
        unsigned whole = 0;

        for (size_t size = 1; size < file.size; size++) {
            struct profile profile;

            whole += decode(&profile, &options, &file, size);
            profile_release(&profile);
        }
        assert_int_equal(whole, 2); /* without arcs, and with one */
    }
}

static void refuses(const struct file *file, const char *part)
{
    const struct decode_options options = {.word_bytes = 4};
    struct profile profile;

    assert_false(decode(&profile, &options, file, file->size));
    assert_int_equal(error.status, EXIT_BAD_INPUT);
    assert_non_null(strstr(error.text, part));
    profile_release(&profile);
}

static void refuses_what_makes_no_sense(void **state)
{
    struct file file = layouts[0];

    (void)state;
    put_header(&file, 2);
    refuses(&file, "offset 4: expected version 1");

    file = layouts[0];
    put_header(&file, 1);
    put(&file, 3, 1);
    refuses(&file, "offset 20: expected a record of type");

    file = layouts[0];
    put_header(&file, 0);
    put_histogram(&file, 0x1000, 8, 4, 100);
    put_histogram(&file, 0x2000, 8, 2, 100);
    refuses(&file, "bins as wide");

    file = layouts[0];
    put_header(&file, 1);
    put_histogram(&file, 0x1000, 8, 4, 100);
    put_histogram(&file, 0x2000, 8, 4, 200);
    refuses(&file, "same rate");
}

static void a_header_alone_is_an_empty_profile(void **state)
{
    const struct decode_options options = {.hz = 0};
    struct file file = layouts[0];
    struct profile profile;

    (void)state;
    put_header(&file, 1);
    assert_true(decode(&profile, &options, &file, file.size));
    assert_int_equal(profile.received[EVENT_SAMPLE], 0);
    assert_true(profile.complete);
    profile_release(&profile);
}

/* The header of the published capture is 4.4BSD's, with uninitialised memory in its spare
 * fields. */
static void reads_the_published_file(void **state)
{
    const struct decode_options options = {.hz = 0};
    struct profile profile;

    (void)state;
    profile_init(&profile);
    assert_true(decode_file("tests/data/kl25z-blinky/blink1gmon.out", &options, &profile,
                            &error));
    assert_true(profile.hz == 1000);
    assert_int_equal(profile.bin_bytes, 4);
    assert_int_equal(profile.received[EVENT_SAMPLE], 17214);
    assert_int_equal(profile.received[EVENT_ARC], 26440);
    assert_int_equal(counted(&profile, EVENT_ARC, 0x1538, 0x14e5), 13155);
    profile_release(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_layout_told_or_guessed),
        cmocka_unit_test(refuses_every_truncation),
        cmocka_unit_test(survives_every_changed_byte),
        cmocka_unit_test(reads_the_old_bsd_files),
        cmocka_unit_test(refuses_a_truncated_bsd_file),
        cmocka_unit_test(refuses_what_makes_no_sense),
        cmocka_unit_test(a_header_alone_is_an_empty_profile),
        cmocka_unit_test(reads_the_published_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
