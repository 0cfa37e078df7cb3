/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/decode.h"

static struct error error;

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

/* Decodes the bytes in pieces of `piece` bytes. */
static bool decode(struct profile *profile, const struct decode_options *options,
                   const void *bytes, size_t size, size_t piece)
{
    struct decoder decoder;
    bool done = true;

    profile_init(profile);
    if (!decoder_init(&decoder, options, profile, "input", bytes, size, &error))
        return false;
    for (size_t at = 0; done && at < size; at += piece)
        done = decoder_bytes(&decoder, (const uint8_t *)bytes + at,
                             size - at < piece ? size - at : piece, &error);
    done = done && decoder_finish(&decoder, &error);
    decoder_release(&decoder);
    return done;
}

static bool decode_text(struct profile *profile, const struct decode_options *options,
                        const char *text)
{
    return decode(profile, options, text, strlen(text), 3);
}

static void refused(const struct decode_options *options, const void *bytes, size_t size,
                    enum exit_status status, const char *part)
{
    struct profile profile;

    error.text[0] = '\0';
    assert_false(decode(&profile, options, bytes, size, size > 0 ? size : 1));
    assert_int_equal(error.status, status);
    assert_non_null(strstr(error.text, part));
    profile_release(&profile);
}

static const uint8_t packets[] = {'P',  0x00, 0x04, 0x10, 'A', 0x00, 0x15,
                                  0x3d, 0x00, 0x14, 0xe5, 'P', 0x00, 0x04,
                                  0x10, 'P',  0x01, 0x00, 0x03};

static void check_packets(const struct profile *profile, const char *format)
{
    assert_string_equal(profile->format, format);
    assert_int_equal(profile->records, 4);
    assert_int_equal(profile->damaged, 0);
    assert_true(profile->complete);
    assert_false(profile->accounted);
    assert_true(profile->hz == 1000);
    assert_int_equal(profile->received[EVENT_SAMPLE], 3);
    assert_int_equal(profile->received[EVENT_ARC], 1);
    assert_int_equal(counted(profile, EVENT_SAMPLE, 0, 0x410), 2);
    assert_int_equal(counted(profile, EVENT_SAMPLE, 0, 0x10003), 1);
    assert_int_equal(counted(profile, EVENT_ARC, 0x153c, 0x14e4), 1);
}

static void takes_packets_in_pieces_of_any_size(void **state)
{
    const struct decode_options options = {.hz = 1000};

    (void)state;
    for (size_t piece = 1; piece <= sizeof packets; piece++) {
        struct profile profile;

        assert_true(decode(&profile, &options, packets, sizeof packets, piece));
        check_packets(&profile, "pa");
        profile_release(&profile);
    }
}

static void takes_hex_text_of_either_case_with_white_space(void **state)
{
    static const char *const texts[] = {
        "5000041041"
        "00153D0014E5"
        "50000410"
        "50010003",
        "5000041041"
        "00153d0014e5"
        "50000410"
        "50010003\n",
        "50 00 04 10\r\n41 0015 3d\t00 14E5\n\n50000410\n50010003",
    };
    const struct decode_options options = {.hz = 1000};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct profile profile;

        assert_true(decode_text(&profile, &options, texts[i]));
        check_packets(&profile, "pa-hex");
        profile_release(&profile);
    }
}

static void reads_addresses_of_2_and_4_bytes(void **state)
{
    static const uint8_t two[] = {'P', 0x12, 0x34, 'A', 0x00, 0x11, 0xff, 0xff};
    static const uint8_t four[] = {'P',  0x20, 0x00, 0x12, 0x34, 'A',  0x20,
                                   0x00, 0x00, 0x11, 0x08, 0x00, 0x01, 0x01};
    struct decode_options options = {.addr_bytes = 2};
    struct profile profile;

    (void)state;
    assert_true(decode(&profile, &options, two, sizeof two, 1));
    assert_int_equal(counted(&profile, EVENT_SAMPLE, 0, 0x1234), 1);
    assert_int_equal(counted(&profile, EVENT_ARC, 0x10, 0xfffe), 1);
    profile_release(&profile);
    options.addr_bytes = 4;
    assert_true(decode(&profile, &options, four, sizeof four, 1));
    assert_int_equal(counted(&profile, EVENT_SAMPLE, 0, 0x20001234), 1);
    assert_int_equal(counted(&profile, EVENT_ARC, 0x20000010, 0x08000100), 1);
    profile_release(&profile);
    options.addr_bytes = 5;
    refused(&options, four, sizeof four, EXIT_USAGE, "--addr-bytes");
}

static void skips_and_counts_what_begins_no_packet(void **state)
{
    static const uint8_t bytes[] = {0x00, 'P', 0, 4, 0x10, 'Q', 'P', 0, 4,
                                    0x12, 'P', 0, 4, 0x10, 'A', 0,   1};
    const struct decode_options options = {.format = "pa"};
    struct profile profile;

    (void)state;
    assert_true(decode(&profile, &options, bytes, sizeof bytes, 4));
    assert_int_equal(profile.records, 3);
    assert_int_equal(profile.damaged, 3); /* two bytes, and the packet cut at the end */
    assert_false(profile.complete);
    profile_release(&profile);
}

static void counts_what_is_no_hex(void **state)
{
    const struct decode_options options = {.format = "pa-hex"};
    struct profile profile;

    (void)state;
    /* a letter, half a byte before a line's end, half a byte at the end */
    assert_true(decode_text(&profile, &options,
                            "50000410x50000410\n5\n500004105000041050000410"
                            "4"));
    assert_int_equal(profile.records, 5);
    assert_int_equal(profile.damaged, 3);
    assert_false(profile.complete);
    profile_release(&profile);
}

/* Writes samples whose digit at `at` is lost (""), or something else. */
static void write_damaged(char *text, const char *whole, size_t at, const char *instead)
{
    memcpy(text, whole, at);
    strcpy(text + at, instead);
    strcat(text, whole + at + 1);
}

/* A line that loses, repeats or spoils a digit costs a packet or two, and no --format. */
static void finds_back_into_step_after_a_digit(void **state)
{
    static const char sample[] = "50012346", *const instead[] = {"", "00", "?"};
    enum { SAMPLES = 64, BYTES = SAMPLES * (sizeof sample - 1) };
    const struct decode_options options = {.hz = 1000};
    char whole[BYTES + 1] = "", text[BYTES + 2];
    struct profile profile;

    (void)state;
    for (int i = 0; i < SAMPLES; i++)
        strcat(whole, sample);
    for (size_t i = 0; i < 3 * BYTES; i++) {
        write_damaged(text, whole, i / 3, instead[i % 3]);
        if (!decode_text(&profile, &options, text))
            fail_msg("%zu: %s", i, error.text);
        assert_string_equal(profile.format, "pa-hex");
        assert_in_range(counted(&profile, EVENT_SAMPLE, 0, 0x12346), SAMPLES - 2,
                        SAMPLES);
        assert_in_range(profile.damaged, 0, 16);
        profile_release(&profile);
    }
}

static void refuses_what_is_not_packets(void **state)
{
    uint8_t noise[4096];
    uint32_t seed = 12345;
    struct decode_options options = {.hz = 0};

    (void)state;
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
    refused(&options, noise, sizeof noise, EXIT_BAD_INPUT, "--format");
    refused(&options, "", 0, EXIT_BAD_INPUT, "empty");
    refused(&options, "int main(void);\n", 16, EXIT_BAD_INPUT, DECODE_FORMAT_NAMES);
    options.format = "pa";
    refused(&options, noise, sizeof noise, EXIT_BAD_INPUT, "--addr-bytes");
    options.format = "pa-hex";
    refused(&options, noise, sizeof noise, EXIT_BAD_INPUT, "--addr-bytes");
    options.format = "elf";
    refused(&options, noise, sizeof noise, EXIT_USAGE, DECODE_FORMAT_NAMES);
}

static void reads_logs_of_addresses(void **state)
{
    const struct decode_options options = {.hz = 100, .thumb = true};
    struct profile profile;

    (void)state;
    assert_true(decode_text(&profile, &options,
                            "# leaf first\n\n0x08000411\n8000410 # here\r\n"
                            "0x8000420,0x8000433;8000501\n  8000420 8000433 08000501\n"
                            "8000410"));
    assert_string_equal(profile.format, "pclog");
    assert_int_equal(profile.records, 5);
    assert_int_equal(profile.damaged, 0);
    assert_true(profile.complete);
    assert_int_equal(profile.received[EVENT_SAMPLE], 5);
    assert_int_equal(counted(&profile, EVENT_SAMPLE, 0, 0x8000410), 3);
    assert_int_equal(counted(&profile, EVENT_SAMPLE, 0, 0x8000420), 2);
    assert_int_equal(profile.stacks.used, 1);
    assert_int_equal(profile.stacks.items[0].count, 2);
    assert_int_equal(profile.stacks.items[0].depth, 3);
    assert_true(profile.stacks.items[0].addresses[1] == 0x8000432);
    assert_true(profile.stacks.items[0].addresses[2] == 0x8000500);
    profile_release(&profile);
}

/* Logs of addresses that look like packets some of whose digits were lost stay logs. */
static void reads_logs_that_look_like_damaged_packets(void **state)
{
    static const char *const lines[] = {
        "08050123\n08050abc\n",
        "50001234;50002346\n",
        "50001234 # P and 3 bytes\n",
    };
    const struct decode_options options = {.hz = 100};
    struct profile profile;

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char text[200 * 32] = "";

        for (int n = 0; n < 200; n++)
            strcat(text, lines[i]);
        assert_true(decode_text(&profile, &options, text));
        assert_string_equal(profile.format, "pclog");
        assert_int_equal(profile.damaged, 0);
        assert_int_equal(profile.records, i == 0 ? 400 : 200);
        profile_release(&profile);
    }
}

/* Lines of a packet each look like a log of addresses. */
static void reads_lines_of_a_packet_each(void **state)
{
    static const char sample[] = "50012346\n", *const damage[] = {"boot: v1.2\n",
                                                                  "5001234\n", "~"};
    const struct decode_options options = {.hz = 1000};
    struct profile profile;

    (void)state;
    for (size_t i = 0; i < sizeof damage / sizeof damage[0]; i++) {
        char text[64 * sizeof sample] = "";

        for (int n = 0; n < 63; n++) {
            strcat(text, sample);
            if (n == 20)
                strcat(text, damage[i]);
        }
        assert_true(decode_text(&profile, &options, text));
        assert_string_equal(profile.format, "pa-hex");
        assert_in_range(counted(&profile, EVENT_SAMPLE, 0, 0x12346), 61, 63);
        profile_release(&profile);
    }
}

/* A line of something else does not make packets of them: nobody knows what they are. */
static void refuses_logs_with_other_lines(void **state)
{
    const struct decode_options options = {.hz = 100};
    char text[200 * 32] = "main\n";

    (void)state;
    for (int n = 0; n < 200; n++)
        strcat(text, "41504150 50415041\n");
    refused(&options, text, strlen(text), EXIT_BAD_INPUT, "--format");
}

static void counts_lines_that_are_no_addresses(void **state)
{
    const struct decode_options options = {.format = "pclog"};
    struct profile profile;

    (void)state;
    assert_true(
        decode_text(&profile, &options, "100\n200\n300\nmain\n12345678123456789\n0x\n"));
    assert_int_equal(profile.records, 3);
    assert_int_equal(profile.damaged, 3);
    profile_release(&profile);
    refused(&options, "main\n", 5, EXIT_BAD_INPUT, "addresses");
}

/* Makes a file with this content; the caller frees the path after unlink. */
static char *file_of(const void *bytes, size_t size)
{
    char *path = strdup("/tmp/mcuprof-test-XXXXXX");
    int file = mkstemp(path);

    assert_true(file >= 0);
    assert_true(write(file, bytes, size) == (ssize_t)size);
    close(file);
    return path;
}

static void sums_files_and_refuses_other_rates(void **state)
{
    char *first = file_of(packets, sizeof packets), *other = file_of("410\n", 4);
    struct decode_options options = {.hz = 1000};
    struct profile profile;

    (void)state;
    profile_init(&profile);
    assert_true(decode_file(first, &options, &profile, &error));
    assert_true(decode_file(first, &options, &profile, &error));
    assert_true(decode_file(other, &options, &profile, &error));
    assert_string_equal(profile.format, "pa");
    assert_int_equal(profile.records, 9);
    assert_int_equal(profile.received[EVENT_SAMPLE], 7);
    assert_int_equal(profile.received[EVENT_ARC], 2);
    assert_int_equal(counted(&profile, EVENT_SAMPLE, 0, 0x410), 5);
    options.hz = 500;
    assert_false(decode_file(other, &options, &profile, &error));
    assert_non_null(strstr(error.text, other));
    assert_non_null(strstr(error.text, "500 Hz"));
    assert_non_null(strstr(error.text, "1000 Hz"));
    profile_release(&profile);
    unlink(first);
    unlink(other);
    free(first);
    free(other);
}

static void refuses_what_is_no_file(void **state)
{
    const struct decode_options options = {.hz = 0};
    struct profile profile;
    char *empty = file_of("", 0);

    (void)state;
    profile_init(&profile);
    assert_false(decode_file("/tmp", &options, &profile, &error));
    assert_non_null(strstr(error.text, "/tmp: is a directory"));
    assert_false(decode_file("/nonexistent", &options, &profile, &error));
    assert_non_null(strstr(error.text, "/nonexistent: No such file"));
    assert_false(decode_file(empty, &options, &profile, &error));
    assert_non_null(strstr(error.text, ": empty"));
    assert_int_equal(error.status, EXIT_BAD_INPUT);
    profile_release(&profile);
    unlink(empty);
    free(empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_packets_in_pieces_of_any_size),
        cmocka_unit_test(takes_hex_text_of_either_case_with_white_space),
        cmocka_unit_test(reads_addresses_of_2_and_4_bytes),
        cmocka_unit_test(skips_and_counts_what_begins_no_packet),
        cmocka_unit_test(counts_what_is_no_hex),
        cmocka_unit_test(finds_back_into_step_after_a_digit),
        cmocka_unit_test(refuses_what_is_not_packets),
        cmocka_unit_test(reads_logs_of_addresses),
        cmocka_unit_test(reads_logs_that_look_like_damaged_packets),
        cmocka_unit_test(reads_lines_of_a_packet_each),
        cmocka_unit_test(refuses_logs_with_other_lines),
        cmocka_unit_test(counts_lines_that_are_no_addresses),
        cmocka_unit_test(sums_files_and_refuses_other_rates),
        cmocka_unit_test(refuses_what_is_no_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
