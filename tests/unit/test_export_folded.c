/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/export.h"

static struct error error;

/* Without an image each address is a function and its own call site, which is enough for
 * a call graph of any shape. */
static void called(struct profile *profile, uint64_t caller, uint64_t callee,
                   uint64_t times)
{
    assert_true(profile_count(profile, EVENT_ARC, caller, callee, times));
}

static void sampled(struct profile *profile, uint64_t function, uint64_t samples)
{
    assert_true(profile_count(profile, EVENT_SAMPLE, 0, function, samples));
}

/* Returns the lines, which the caller frees. Releases the profile. */
static char *fold(struct profile *profile)
{
    const struct export_options options = {.limit = 0};
    struct analysis analysis;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    assert_true(analyse(&analysis, profile, NULL, &error));
    assert_true(export_folded(out, profile, &analysis, NULL, &options, &error));
    fclose(out);
    analysis_release(&analysis);
    profile_release(profile);
    return text;
}

static uint64_t sum_of(const char *text, size_t *lines)
{
    uint64_t sum = 0;

    *lines = 0;
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1) {
        const char *count = strchr(line, ' ');

        assert_non_null(count);
        assert_true(strtoull(count, NULL, 10) > 0);
        sum += strtoull(count, NULL, 10);
        ++*lines;
    }
    return sum;
}

static void shares_samples_by_calls(void **state)
{
    struct profile profile;
    char *text;

    (void)state;
    profile_init(&profile);
    sampled(&profile, 3, 10);
    called(&profile, 1, 3, 2);
    called(&profile, 2, 3, 1);
    called(&profile, 1, 2, 7);
    text = fold(&profile);
    assert_string_equal(text, "0x00000001;0x00000002;0x00000003 3\n"
                              "0x00000001;0x00000003 7\n");
    free(text);
}

static void leaves_recursion_out(void **state)
{
    struct profile profile;
    char *text;

    (void)state;
    profile_init(&profile);
    sampled(&profile, 2, 5);
    sampled(&profile, 3, 4);
    sampled(&profile, 4, 3);
    called(&profile, 1, 2, 1);
    called(&profile, 2, 3, 100);
    called(&profile, 3, 2, 100);
    called(&profile, 3, 4, 10);
    called(&profile, 4, 2, 100);
    called(&profile, 4, 3, 100);
    called(&profile, 2, 2, 50);
    text = fold(&profile);
    assert_string_equal(text, "0x00000001;0x00000002 5\n"
                              "0x00000001;0x00000002;0x00000003 4\n"
                              "0x00000001;0x00000002;0x00000003;0x00000004 3\n");
    free(text);
}

static void a_cycle_that_nobody_calls_is_its_own_root(void **state)
{
    struct profile profile;
    char *text;

    (void)state;
    profile_init(&profile);
    sampled(&profile, 2, 5);
    called(&profile, 2, 3, 1);
    called(&profile, 3, 2, 1);
    called(&profile, 3, 4, 1);
    sampled(&profile, 4, 1);
    text = fold(&profile);
    assert_string_equal(text, "0x00000002 5\n"
                              "0x00000003;0x00000004 1\n");
    free(text);
}

/* A share that is too small for a line of its own is added to the largest. */
static void gives_small_shares_to_the_largest(void **state)
{
    struct profile profile;
    char *text;

    (void)state;
    profile_init(&profile);
    sampled(&profile, 9, 3);
    called(&profile, 1, 9, 1000);
    for (uint64_t caller = 10; caller < 60; caller++)
        called(&profile, caller, 9, 1);
    text = fold(&profile);
    assert_string_equal(text, "0x00000001;0x00000009 3\n");
    free(text);
}

static void unknown_callers_end_a_path(void **state)
{
    struct profile profile;
    char *text;

    (void)state;
    profile_init(&profile);
    sampled(&profile, 2, 4);
    called(&profile, 0, 2, 1);
    called(&profile, 1, 2, 3);
    text = fold(&profile);
    assert_string_equal(text, "0x00000001;0x00000002 3\n"
                              "0x00000002 1\n");
    free(text);
}

static uint32_t pseudo_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

static void keeps_every_sample_of_any_graph(void **state)
{
    uint32_t seed = 1;

    (void)state;
    for (unsigned round = 0; round < 200; round++) {
        struct profile profile;
        uint64_t samples = 0;
        unsigned functions = 1 + pseudo_random(&seed) % 40;
        size_t lines;
        char *text;

        profile_init(&profile);
        for (unsigned i = 0; i < functions; i++) {
            uint64_t count = pseudo_random(&seed) % 50;

            samples += count;
            sampled(&profile, 1 + i, count);
        }
        for (unsigned i = 0; i < 3 * functions; i++)
            called(&profile, pseudo_random(&seed) % (functions + 1),
                   1 + pseudo_random(&seed) % functions, 1 + pseudo_random(&seed) % 1000);
        text = fold(&profile);
        assert_true(sum_of(text, &lines) == samples);
        free(text);
    }
}

/* One graph has 2^40 paths, another is a million functions deep. */
static void neither_wide_nor_deep_graphs_blow_up(void **state)
{
    struct profile profile;
    size_t lines;
    char *text;

    (void)state;
    profile_init(&profile);
    for (uint64_t level = 0; level < 40; level++) {
        for (uint64_t from = 0; from < 2; from++) {
            called(&profile, 10 * level + 1 + from, 10 * level + 11, 1 + from);
            called(&profile, 10 * level + 1 + from, 10 * level + 12, 2);
        }
    }
    sampled(&profile, 401, 1000000000000);
    text = fold(&profile);
    assert_true(sum_of(text, &lines) == 1000000000000);
    assert_true(lines > 1000 && lines < 50000);
    free(text);

    profile_init(&profile);
    for (uint64_t i = 1; i < 100000; i++)
        called(&profile, i, i + 1, 1);
    sampled(&profile, 100000, 7);
    sampled(&profile, 50000, 1);
    text = fold(&profile);
    assert_true(sum_of(text, &lines) == 8);
    assert_int_equal(lines, 2);
    free(text);
}

static void counts_large_numbers_whole(void **state)
{
    struct profile profile;
    size_t lines;
    char *text;

    (void)state;
    profile_init(&profile);
    sampled(&profile, 1, (1ull << 53) - 1);
    sampled(&profile, 2, 3);
    text = fold(&profile);
    assert_true(sum_of(text, &lines) == (1ull << 53) + 2);
    free(text);
}

static void stacked(struct profile *profile, enum stack_end end, uint64_t count,
                    uint64_t leaf, uint64_t caller)
{
    const uint64_t addresses[] = {leaf, caller};

    assert_true(profile_stack(profile, addresses, caller != 0 ? 2 : 1, end, count));
}

static void paths_are_the_lines(void **state)
{
    struct profile profile;
    char *text;

    (void)state;
    profile_init(&profile);
    called(&profile, 7, 2, 1000);
    stacked(&profile, STACK_WHOLE, 5, 2, 1);
    stacked(&profile, STACK_CUT, 4, 2, 1);
    stacked(&profile, STACK_UNSURE, 1, 2, 1);
    stacked(&profile, STACK_INTERRUPT, 3, 9, 0);
    stacked(&profile, STACK_WHOLE, 2, 1, 1);
    sampled(&profile, 2, 6);
    text = fold(&profile);
    assert_string_equal(text, "0x00000001;0x00000001 2\n"
                              "0x00000001;0x00000002 5\n"
                              "<interrupt>;0x00000009 3\n"
                              "[unknown];0x00000001;0x00000002 5\n"
                              "[unknown];0x00000002 6\n");
    free(text);
}

/* An interrupt's handler is a root already. */
static void tasks_are_roots_of_paths(void **state)
{
    struct profile profile;
    char *text;

    (void)state;
    profile_init(&profile);
    profile.arch = "cortex-m";
    assert_true(profile_task(&profile, 1, "sensor", false));
    profile.task = 1;
    stacked(&profile, STACK_WHOLE, 5, 2, 1);
    stacked(&profile, STACK_CUT, 4, 2, 1);
    profile.task = TASK_INTERRUPT + 15;
    stacked(&profile, STACK_INTERRUPT, 3, 9, 8);
    profile.task = TASK_NONE;
    stacked(&profile, STACK_INTERRUPT, 1, 9, 8);
    text = fold(&profile);
    assert_string_equal(text, "[SysTick];0x00000008;0x00000009 3\n"
                              "[no task];<interrupt>;0x00000008;0x00000009 1\n"
                              "sensor;0x00000001;0x00000002 5\n"
                              "sensor;[unknown];0x00000001;0x00000002 4\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_samples_by_calls),
        cmocka_unit_test(leaves_recursion_out),
        cmocka_unit_test(a_cycle_that_nobody_calls_is_its_own_root),
        cmocka_unit_test(gives_small_shares_to_the_largest),
        cmocka_unit_test(unknown_callers_end_a_path),
        cmocka_unit_test(keeps_every_sample_of_any_graph),
        cmocka_unit_test(neither_wide_nor_deep_graphs_blow_up),
        cmocka_unit_test(counts_large_numbers_whole),
        cmocka_unit_test(paths_are_the_lines),
        cmocka_unit_test(tasks_are_roots_of_paths),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
