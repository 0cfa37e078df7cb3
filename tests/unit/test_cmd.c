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

#include "cmd/cmd.h"
#include "cmd/loss.h"
#include "cmd/progress.h"
#include "cmd/rate.h"

static bool force, format_given;
static const char *output, *format;
static unsigned baud;
static double seconds;

static const struct option_spec options[] = {
    {'o', "output", OPTION_STRING, "FILE", "where", &output},
    {'f', "force", OPTION_FLAG, NULL, "all the same", &force},
    {'F', "forced", OPTION_FLAG, NULL, "longer than another's name", &format_given},
    {0, "format", OPTION_STRING, "NAME", "of what", &format},
    {'b', "baud", OPTION_UNSIGNED, "N", "how fast", &baud},
    {'d', "duration", OPTION_DOUBLE, "S", "how long", &seconds},
    {0},
};

static int run_nothing(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return EXIT_DONE;
}

static struct cmd cmd = {.name = "test",
                         .summary = "s",
                         .synopsis = "X",
                         .options = options,
                         .run = run_nothing};

static char *words[16];
static char **operands;
static int operand_count;
static char said[1024];

/* Parses the words (separated by blanks) and puts what is written to `stream` into
 * `said`. */
static int parse_to(FILE *stream, int number, const char *line)
{
    static char copy[256];
    FILE *file = tmpfile();
    int kept = dup(number), status;

    output = format = NULL;
    force = format_given = false;
    baud = 0;
    seconds = -1;
    operand_count = 0;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *rest = copy, *word; (word = strsep(&rest, " ")) != NULL;)
        words[operand_count++] = word;
    words[operand_count] = NULL;
    operands = words;
    assert_non_null(file);
    fflush(stream);
    dup2(fileno(file), number);
    status = cmd_parse(&cmd, &operand_count, &operands);
    fflush(stream);
    dup2(kept, number);
    close(kept);
    rewind(file);
    said[fread(said, 1, sizeof said - 1, file)] = '\0';
    fclose(file);
    return status;
}

static int parse(const char *line)
{
    return parse_to(stderr, STDERR_FILENO, line);
}

static void assert_refused(const char *line, const char *text)
{
    char expected[256];

    assert_int_equal(parse(line), EXIT_USAGE);
    snprintf(expected, sizeof expected, "mcuprof test: %s (see mcuprof test --help)\n",
             text);
    assert_string_equal(said, expected);
}

static void takes_options_in_every_spelling(void **state)
{
    static const char *const lines[] = {"-o out.x",       "-oout.x",     "--output out.x",
                                        "--output=out.x", "--out out.x", "--o=out.x",
                                        "-fo out.x",      "-foout.x"};

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_int_equal(parse(lines[i]), -1);
        assert_string_equal(output, "out.x");
        assert_int_equal(operand_count, 0);
        assert_string_equal(said, "");
    }
}

static void leaves_operands_in_order(void **state)
{
    (void)state;
    assert_int_equal(parse("one -f two --baud 9600 - three"), -1);
    assert_true(force);
    assert_int_equal(baud, 9600);
    assert_int_equal(operand_count, 4);
    assert_string_equal(operands[0], "one");
    assert_string_equal(operands[1], "two");
    assert_string_equal(operands[2], "-");
    assert_string_equal(operands[3], "three");
    assert_null(operands[4]);
}

static void ends_options_at_two_dashes(void **state)
{
    (void)state;
    assert_int_equal(parse("-f -- -o --baud"), -1);
    assert_int_equal(operand_count, 2);
    assert_string_equal(operands[0], "-o");
    assert_null(output);
    cmd.keeps_dashes = true;
    assert_int_equal(parse("-f -- make -- -x"), -1);
    cmd.keeps_dashes = false;
    assert_int_equal(operand_count, 4);
    assert_string_equal(operands[0], "--");
    assert_string_equal(operands[2], "--");
    assert_string_equal(operands[3], "-x");
}

static void prefers_the_exact_name(void **state)
{
    (void)state;
    assert_int_equal(parse("--force"), -1);
    assert_true(force);
    assert_false(format_given);
    assert_int_equal(parse("--forced"), -1);
    assert_true(format_given);
    assert_false(force);
    assert_refused("--fo=x", "--fo is ambiguous: --force, --forced");
    assert_int_equal(parse("--form x"), -1);
    assert_string_equal(format, "x");
}

static void refuses_what_is_no_option(void **state)
{
    (void)state;
    assert_refused("--buad 3", "unknown option --buad; did you mean --baud?");
    assert_refused("--xyzzy", "unknown option --xyzzy");
    assert_refused("-x", "unknown option -x");
    assert_refused("-fx", "unknown option -x");
    assert_refused("--force=yes", "--force takes no value");
    assert_refused("-o", "-o needs a value: -o FILE");
    assert_refused("--baud", "--baud needs a value: --baud N");
}

static void validates_numbers_to_their_last_digit(void **state)
{
    (void)state;
    assert_refused("--baud=12x", "--baud: '12x' is not a whole number");
    assert_refused("--baud=", "--baud: '' is not a whole number");
    assert_refused("-b -1", "-b: '-1' is not a whole number");
    assert_refused("-b0x10", "-b: '0x10' is not a whole number");
    assert_refused("-b 4294967296", "-b: 4294967296 is too large (at most 4294967295)");
    assert_refused("-b 99999999999999999999999",
                   "-b: 99999999999999999999999 is too large (at most 4294967295)");
    assert_int_equal(parse("-b 4294967295"), -1);
    assert_int_equal(baud, UINT32_MAX);
    assert_refused("-d nan", "-d: 'nan' is not a number");
    assert_refused("-d inf", "-d: 'inf' is not a number");
    assert_refused("-d 0x1p3", "-d: '0x1p3' is not a number");
    assert_refused("-d 1.2.3", "-d: '1.2.3' is not a number");
    assert_refused("-d=1", "-d: '=1' is not a number");
    assert_refused("-d -1", "-d: -1 is negative");
    assert_refused("-d 1e999", "-d: 1e999 is too large");
    assert_int_equal(parse("-d 2.5e-1"), -1);
    assert_true(seconds == 0.25);
}

static void explains_itself(void **state)
{
    (void)state;
    assert_int_equal(parse_to(stdout, STDOUT_FILENO, "--help --nonsense"), EXIT_DONE);
    assert_string_equal(said, "usage: mcuprof test X\n"
                              "s\n"
                              "\n"
                              "  -o, --output FILE  where\n"
                              "  -f, --force        all the same\n"
                              "  -F, --forced       longer than another's name\n"
                              "      --format NAME  of what\n"
                              "  -b, --baud N       how fast\n"
                              "  -d, --duration S   how long\n"
                              "  -h, --help         this text\n");
}

static void measures_distances(void **state)
{
    char longest[80];

    (void)state;
    memset(longest, 'a', sizeof longest);
    longest[79] = '\0';
    assert_int_equal(cmd_distance("", ""), 0);
    assert_int_equal(cmd_distance("abc", ""), 3);
    assert_int_equal(cmd_distance("record", "recrod"), 1);
    assert_int_equal(cmd_distance("report", "reports"), 1);
    assert_int_equal(cmd_distance("kitten", "sitting"), 3);
    assert_true(cmd_distance(longest, "a") == SIZE_MAX);
    longest[63] = '\0';
    assert_int_equal(cmd_distance(longest, longest), 0);
    assert_int_equal(cmd_distance(longest, ""), 63);
    cmd_all = commands;
    assert_ptr_equal(cmd_nearest("reprot"), &cmd_report);
    assert_ptr_equal(cmd_nearest("inof"), &cmd_info);
    assert_null(cmd_nearest("xyzzy"));
}

static void puts_losses_into_words(void **state)
{
    struct profile profile;
    char text[LOSS_MAX];

    (void)state;
    profile_init(&profile);
    loss_describe(&profile, text);
    assert_string_equal(text, "no events received");
    profile.received[EVENT_SAMPLE] = 600;
    profile.received[EVENT_ARC] = 1028309;
    loss_describe(&profile, text);
    assert_string_equal(
        text, "1,028,309 calls and 600 samples received, what was lost is not known");
    assert_true(loss_any(&profile));
    profile.accounted = true;
    loss_describe(&profile, text);
    assert_string_equal(text, "all 1,028,309 calls and 600 samples received");
    assert_false(loss_any(&profile));
    profile.received[EVENT_BLOCK] = 1;
    profile.lost[EVENT_SAMPLE] = 200;
    loss_describe(&profile, text);
    assert_string_equal(text, "1,028,309 calls, 1 block and 600 samples received, "
                              "200 samples (25.0 %) lost");
    assert_true(loss_any(&profile));
    profile.lost[EVENT_SAMPLE] = 0;
    profile.damaged = 1;
    assert_true(loss_any(&profile));
    profile.damaged = 0;
    profile.mismatch = true;
    assert_true(loss_any(&profile));
    loss_describe(&profile, text);
    assert_string_equal(text,
                        "1,028,309 calls, 1 block and 600 samples received, which is "
                        "not what the firmware sent");
    profile_release(&profile);
}

static void draws_progress_to_the_width(void **state)
{
    struct progress progress = {.baud = 115200,
                                .events_per_s = 1234.5,
                                .bytes_per_s = 5760,
                                .top = "lo\033op",
                                .top_share = 0.679};
    struct profile profile;
    char text[LOSS_MAX];

    (void)state;
    profile_init(&profile);
    profile.received[EVENT_SAMPLE] = 1;
    profile.received[EVENT_ARC] = 2997;
    profile.lost[EVENT_ARC] = 2;
    profile.accounted = true;
    progress_text(&progress, &profile, 12345, 3.21, 200, text);
    assert_string_equal(text, "3.2 s  12,345 bytes  1 sample  2,997 calls  1,234/s  "
                              "lost 2 (0.1 %)  link 50 %  67.9 % lo\\x1bop");
    progress_text(&progress, &profile, 12345, 3.21, 10, text);
    assert_string_equal(text, "3.2 s  12,");
    profile_release(&profile);
}

/* What record says of samples that come at this rate for 20 s. */
static bool rate_is_off(struct profile *profile, double hz, char text[LOSS_MAX])
{
    struct rate rate = {0};

    for (int i = 0; i <= 200; i++) {
        profile->received[EVENT_SAMPLE] = (uint64_t)(1 + hz * i / 10);
        rate_note(&rate, 5 + i / 10.0, profile);
    }
    return rate_advice(&rate, profile, text);
}

static void a_rate_beside_the_clock(void **state)
{
    struct profile profile;
    char text[LOSS_MAX];

    (void)state;
    profile_init(&profile);
    profile.hz = 1000;
    assert_false(rate_is_off(&profile, 1000, text));
    assert_string_equal(text, "");
    assert_false(rate_is_off(&profile, 1025, text));
    assert_false(rate_is_off(&profile, 975, text));
    assert_true(rate_is_off(&profile, 2000, text));
    assert_non_null(
        strstr(text, "2000 samples came a second, but the firmware says 1000"));
    assert_non_null(strstr(text, "wrong by a factor of 2.00"));
    assert_true(rate_is_off(&profile, 500, text));
    assert_non_null(strstr(text, "a deep sleep stopped the timer"));
    profile.sampling.restarts = true; /* and what a sample takes is not known */
    assert_false(rate_is_off(&profile, 900, text));
    assert_true(rate_is_off(&profile, 500, text));
    profile.lost[EVENT_SAMPLE] = 500; /* these come with the totals, so late */
    assert_false(rate_is_off(&profile, 2000, text));
    profile.lost[EVENT_SAMPLE] = 0;
    profile.hz = 100; /* too few to tell */
    assert_false(rate_is_off(&profile, 200, text));
    profile_release(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rate_beside_the_clock),
        cmocka_unit_test(takes_options_in_every_spelling),
        cmocka_unit_test(leaves_operands_in_order),
        cmocka_unit_test(ends_options_at_two_dashes),
        cmocka_unit_test(prefers_the_exact_name),
        cmocka_unit_test(refuses_what_is_no_option),
        cmocka_unit_test(validates_numbers_to_their_last_digit),
        cmocka_unit_test(explains_itself),
        cmocka_unit_test(measures_distances),
        cmocka_unit_test(puts_losses_into_words),
        cmocka_unit_test(draws_progress_to_the_width),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
