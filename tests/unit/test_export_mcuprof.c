/* SPDX-License-Identifier: MIT */
/* The PC's writers of the wire, version 2 and 3: decoding gives the profile that was
 * written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "export/export.h"

static struct profile written, back;
static struct error error;
static char text[256];
static size_t text_bytes;
static bool (*writes)(FILE *out, const struct profile *profile, const char *said,
                      size_t bytes, struct error *error) = export_mcuprof;

static int setup(void **state)
{
    (void)state;
    profile_init(&written);
    written.accounted = written.complete = true;
    written.arch = "cortex-m";
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    profile_release(&written);
    profile_release(&back);
    return 0;
}

static void keep(void *context, const char *bytes, size_t size)
{
    (void)context;
    for (size_t i = 0; i < size && text_bytes < sizeof text; i++)
        text[text_bytes++] = bytes[i];
}

static void round_trip(const char *said)
{
    const struct decode_options options = {.console = keep};
    struct decoder decoder;
    char *bytes;
    size_t size;
    FILE *out = open_memstream(&bytes, &size);

    error.text[0] = '\0';
    if (!writes(out, &written, said, strlen(said), &error))
        fail_msg("%s", error.text);
    fclose(out);
    text_bytes = 0;
    profile_init(&back);
    assert_true(decoder_init(&decoder, &options, &back, "sum", (const uint8_t *)bytes,
                             size, &error));
    assert_true(decoder_bytes(&decoder, (const uint8_t *)bytes, size, &error));
    assert_true(decoder_finish(&decoder, &error));
    decoder_release(&decoder);
    free(bytes);
}

static uint64_t count_of_stack(const struct stack *like)
{
    for (size_t i = 0; i < back.stacks.used; i++) {
        const struct stack *stack = &back.stacks.items[i];

        if (stack->depth == like->depth && stack->task == like->task &&
            stack->end == like->end &&
            memcmp(stack->addresses, like->addresses,
                   like->depth * sizeof *like->addresses) == 0)
            return stack->count;
    }
    return 0;
}

static void assert_same(void)
{
    assert_string_equal(back.format, "mcuprof");
    assert_true(back.hz == written.hz);
    assert_string_equal(back.arch, written.arch);
    assert_int_equal(back.build_id_bytes, written.build_id_bytes);
    assert_memory_equal(back.build_id, written.build_id, written.build_id_bytes);
    assert_int_equal(back.complete, written.complete);
    assert_int_equal(back.accounted, written.accounted);
    assert_int_equal(back.mismatch, written.mismatch);
    assert_int_equal(profile_loses_more(&back), profile_loses_more(&written));
    if (written.accounted)
        assert_int_equal(back.unaccounted, written.unaccounted);
    assert_int_equal(back.damaged, written.damaged);
    assert_int_equal(back.discarded, written.discarded);
    assert_int_equal(back.unproven, written.unproven);
    assert_int_equal(back.unsent, written.unsent);
    assert_int_equal(back.resets, written.resets);
    assert_int_equal(back.stacks.used, written.stacks.used);
    for (size_t i = 0; i < written.stacks.used; i++)
        assert_int_equal(count_of_stack(&written.stacks.items[i]),
                         written.stacks.items[i].count);
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        const struct counters *counters = &written.counters[kind];

        assert_int_equal(back.received[kind], written.received[kind]);
        assert_int_equal(back.lost[kind], written.lost[kind]);
        assert_int_equal(back.earlier[kind], written.earlier[kind]);
        assert_int_equal(back.counters[kind].used, counters->used);
        for (size_t i = 0; i < counters->used; i++) {
            const struct counter theirs = counter_at(counters, i);
            const struct counter ours = counter_at(&back.counters[kind], i);

            assert_int_equal(ours.from, theirs.from);
            assert_int_equal(ours.to, theirs.to);
            assert_int_equal(ours.count, theirs.count);
            assert_int_equal(ours.task, theirs.task);
        }
    }
}

static void count(enum event_kind kind, uint64_t from, uint64_t to, uint64_t events)
{
    assert_true(profile_count(&written, kind, from, to, events));
}

static void count_some(void)
{
    written.hz = 16000000 / 15873.0;
    count(EVENT_SAMPLE, 0, 0x20000000, 1);
    count(EVENT_SAMPLE, 0, 0, 127);
    count(EVENT_SAMPLE, 0, 0xFFFFFFFE, 128);
    count(EVENT_ARC, 0x100, 0x200, 16383);
    count(EVENT_ARC, 0xFFFFFFF8, 0x4000, 16384);
    count(EVENT_BLOCK, 0, 0xFFFFFFFE, 3);
    count(EVENT_BLOCK, 0, 0x102, 4000000000);
}

static void test_nothing(void **state)
{
    (void)state;
    round_trip("");
    assert_same();
}

static void test_counters(void **state)
{
    (void)state;
    count_some();
    for (uint8_t i = 0; i < BUILD_ID_MAX; i++)
        written.build_id[i] = i ^ 0xA5;
    written.build_id_bytes = BUILD_ID_MAX;
    round_trip("text\n");
    assert_same();
    assert_int_equal(back.console_bytes, 5);
    assert_memory_equal(text, "text\n", 5);
}

static void test_odd_addresses(void **state)
{
    (void)state;
    count_some();
    count(EVENT_SAMPLE, 0, 0x123, 1);
    round_trip("");
    assert_same();
}

/* Every combination of what may be wrong with captures. */
static void check_what_was_wrong(void)
{
    for (unsigned wrong = 0; wrong < 2048; wrong++) {
        written.complete = (wrong & 1) == 0;
        written.accounted = (wrong & 2) == 0;
        written.mismatch = (wrong & 4) != 0 && written.accounted;
        written.damaged = (wrong & 8) != 0 ? 3 : 0;
        written.lost[EVENT_ARC] = (wrong & 16) != 0 && written.accounted ? 7 : 0;
        written.earlier[EVENT_BLOCK] = (wrong & 32) != 0 && written.accounted ? 9 : 0;
        written.discarded = (wrong & 64) != 0 && written.accounted ? 5 : 0;
        written.resets = (wrong & 128) != 0 && !written.complete ? 2 : 0;
        written.unsent = (wrong & 256) != 0 && !written.complete ? 3 * 8 : 0;
        if (written.resets == 0)
            written.unsent /= 3;
        written.unproven = (wrong & 512) != 0 && !written.complete ? 6 : 0;
        written.unaccounted =
            (wrong & 1024) != 0 || !written.accounted || written.unproven > 0;
        profile_release(&back);
        round_trip("console text after the totals \x90\n");
        assert_same();
        assert_int_equal(back.console_bytes, 32);
        assert_int_equal(text[30], '?');
    }
}

static void test_what_was_wrong(void **state)
{
    (void)state;
    count_some();
    check_what_was_wrong();
}

static void test_what_was_wrong_with_one_record(void **state)
{
    (void)state;
    count(EVENT_ARC, 0x100, 0x200, 2);
    check_what_was_wrong();
}

/* Two samples of one path, and two timed calls. */
static void test_mismatch_before_the_last_event(void **state)
{
    static const uint64_t path[] = {0x100, 0x200};
    const struct call_times times = {.total = 9, .self = 5, .shortest = 3, .longest = 6};

    for (int kind = 0; kind < 2; kind++) {
        profile_release(&written);
        setup(state);
        written.mismatch = written.unaccounted = true;
        written.time.hz = kind == 1 ? 16000000 : 0;
        if (kind == 0)
            assert_true(profile_stack(&written, path, 2, STACK_WHOLE, 2));
        else
            assert_true(profile_call(&written, 0x100, 0x200, 2, &times));
        profile_release(&back);
        round_trip("");
        assert_same();
    }
}

/* A single event leaves no place for totals that do not add up before another one: it
 * stays unaccounted. Version 3 has a record that says so. */
static void test_mismatch_of_one_event(void **state)
{
    (void)state;
    count(EVENT_ARC, 0x100, 0x200, 1);
    written.mismatch = written.unaccounted = true;
    round_trip("");
    assert_true(back.unaccounted);
    assert_int_equal(back.mismatch, writes == export_words);
    assert_int_equal(back.received[EVENT_ARC], 1);
}

/* How often sampling began: version 2 has no place for it. */
static void test_starts(void **state)
{
    (void)state;
    count(EVENT_ARC, 0x100, 0x200, 1);
    written.starts = 50;
    written.late_starts = 20;
    round_trip("");
    assert_int_equal(back.starts, writes == export_words ? 50 : 0);
    assert_int_equal(back.late_starts, writes == export_words ? 20 : 0);
}

/* Events of a task, of none and of an unknown one, with and without damage. */
static void test_tasks(void **state)
{
    (void)state;
    for (unsigned how = 0; how < 8; how++) {
        profile_release(&written);
        setup(NULL);
        written.damaged = (how & 1) != 0 ? 2 : 0;
        written.earlier[EVENT_SAMPLE] = (how & 2) != 0 ? 5 : 0;
        written.mismatch = (how & 4) != 0;
        written.task = TASK_UNKNOWN;
        count_some();
        written.task = TASK_NONE;
        count_some();
        assert_true(profile_task(&written, 3, "idle", true));
        assert_true(profile_task(&written, TASK_INTERRUPT + 15, "", false));
        assert_true(profile_task(&written, 7, "a name of 15 ch", false));
        assert_true(profile_task(&written, 0, NULL, false));
        written.task = 3;
        count_some();
        written.task = TASK_INTERRUPT + 15;
        count_some();
        profile_release(&back);
        round_trip("text");
        assert_same();
        assert_int_equal(back.task_count, written.task_count);
        for (size_t i = 0; i < written.task_count; i++) {
            assert_int_equal(back.tasks[i].number, written.tasks[i].number);
            assert_int_equal(back.tasks[i].idle, written.tasks[i].idle);
            assert_string_equal(back.tasks[i].name, written.tasks[i].name);
        }
    }
}

static void test_more_than_32_bits(void **state)
{
    (void)state;
    count(EVENT_SAMPLE, 0, 0x100, 5000000000);
    count(EVENT_ARC, 0x100, 0x200, 20000000000);
    written.lost[EVENT_SAMPLE] = 30000000000;
    written.lost[EVENT_BLOCK] = 1;
    written.earlier[EVENT_ARC] = 4000000000;
    round_trip("");
    assert_same();
}

static void assert_same_times(void)
{
    assert_true(back.time.hz == written.time.hz);
    assert_true(back.time.inside == written.time.inside);
    assert_true(back.time.outside == written.time.outside);
    assert_int_equal(back.time.other, written.time.other);
    assert_int_equal(back.time.run, written.time.run);
    for (size_t i = 0; i < written.counters[EVENT_CALL].used; i++)
        assert_memory_equal(&back.times[i], &written.times[i], sizeof back.times[i]);
}

static void test_timed_calls(void **state)
{
    static const struct {
        uint64_t count;
        struct call_times times;
    } calls[] = {
        {1, {7, 3, 7, 7}},
        {1, {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}},
        {3, {8500000000, 8499999999, 1, 4200000000}},
        {3, {3ull * UINT32_MAX, 1, UINT32_MAX, UINT32_MAX}},
        {5000000000, {35000000000, 35000000000, 7, 7}},
        {10000000000, {1234567890123, 1234567890120, 5, 4000000000}},
        {7, {20000000001, 0, 2000000000, 4294967295}},
    };

    (void)state;
    written.time = (struct time_base){16000000, 30, 12, 123, 20000000000};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        assert_true(profile_call(&written, 0x1000 + 4 * i, 0x2000 + 4 * i, calls[i].count,
                                 &calls[i].times));
    round_trip("");
    assert_same();
    assert_same_times();
}

static void test_rates(void **state)
{
    static const double rates[] = {1,    1000,    25000000 / 25011.0,  0.1,
                                   99.9, 1234.5,  4000000000.0,        16000000 / 7.0,
                                   1e-6, 1 / 3.0, 180000000 / 179999.0};

    (void)state;
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        written.hz = rates[i];
        profile_release(&back);
        round_trip("");
        assert_same();
    }
}

/* The rate of any clock and period is kept to the last bit. */
static void test_rates_of_firmware(void **state)
{
    uint32_t random = 1;

    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        random = random * 1664525u + 1013904223u;
        written.hz = (1000000 + random % 400000000) / (double)(1000 + (random >> 12));
        profile_release(&back);
        round_trip("");
        assert_true(back.hz == written.hz);
    }
}

static void refused(const char *what)
{
    FILE *out = fopen("/dev/null", "wb");

    assert_false(writes(out, &written, "", 0, &error));
    assert_non_null(strstr(error.text, what));
    assert_int_equal(error.status, EXIT_BAD_INPUT);
    fclose(out);
}

static void test_refused(void **state)
{
    (void)state;
    written.hz = 1e12;
    refused("1e+12 Hz");
    written.hz = 1000;
    written.earlier[EVENT_ARC] = 1ull << 32;
    if (writes == export_mcuprof)
        refused("before the recordings began");
    written.earlier[EVENT_ARC] = 0;
    count(EVENT_SAMPLE, 0, 0x100, 1);
    written.bin_bytes = 2;
    refused("bins of 2 bytes");
    written.bin_bytes = 1;
    count(EVENT_ARC, 0, 0x100, UINT64_MAX);
    refused("18446744073709551615 events");
    count(EVENT_BLOCK, 0, 1ull << 32, 1);
    refused("32 bits");
}

static void assert_same_stacks(void)
{
    for (int kind = 0; kind < EVENT_KINDS; kind++)
        written.counters[kind].used = back.counters[kind].used = 0; /* in another order */
    assert_same();
}

/* Stacks of all ends and depths, of several tasks and of an unknown one, in many blocks.
 */
static void test_stacks(void **state)
{
    uint64_t addresses[40], pathless = 0x100;

    (void)state;
    written.hz = 1000;
    written.path_depth = 62;
    assert_true(profile_task(&written, 3, "one", false));
    srand(1);
    for (unsigned i = 0; i < 6000; i++) {
        size_t depth = 1 + (size_t)rand() % (i % 100 == 0 ? 40 : 8);
        enum stack_end end = (enum stack_end)(rand() % STACK_ENDS);

        written.task = i % 5 == 0 ? 3 : i % 7 == 0 ? TASK_UNKNOWN : TASK_NONE;
        for (size_t at = 0; at < depth; at++)
            addresses[at] = 2 * ((uint64_t)rand() % (8u << 2 * (depth - at) % 28));
        assert_true(profile_stack(&written, addresses, depth, end,
                                  1 + (uint64_t)(i % 50 ? rand() % 4 : rand() % 100000)));
    }
    count(EVENT_SAMPLE, 0, pathless, 77);
    round_trip("");
    assert_true(profile_stack(&written, &pathless, 1, STACK_UNSURE, 77));
    written.received[EVENT_SAMPLE] -= 77;
    assert_int_equal(back.path_depth, 62);
    assert_same_stacks();
    assert_int_equal(back.discarded, 0);
}

/* Paths through interrupts do not change. */
static void test_through_interrupts(void **state)
{
    const uint64_t addresses[] = {0x200, 0x210, 0xFFFFFFF8, 0x40, 0x20};

    (void)state;
    written.path_depth = 24;
    for (unsigned i = 0; i < 2; i++) {
        written.through_interrupts = i;
        assert_true(profile_stack(&written, addresses, 5, STACK_WHOLE, 7));
        assert_true(profile_stack(&written, addresses + 3, 2, STACK_WHOLE, 5));
        round_trip("");
        assert_int_equal(back.through_interrupts, i);
        assert_same_stacks();
        profile_release(&back);
        profile_init(&back);
    }
}

/* Stacks that share most frames with the one before, or none; more samples than a record
 * can count. */
static void test_deep_stacks(void **state)
{
    uint64_t addresses[130];

    (void)state;
    for (size_t at = 0; at < 130; at++)
        addresses[at] = 0x8000000 + 0x80 * (uint64_t)(at % 50);
    for (size_t depth = 1; depth <= 129; depth += 8)
        assert_true(
            profile_stack(&written, addresses + 129 - depth, depth, STACK_CUT, 3));
    assert_true(profile_stack(&written, addresses, 1, STACK_WHOLE, 5000000000));
    round_trip("");
    assert_same_stacks();
    assert_int_equal(back.path_depth, 127);
    assert_true(profile_stack(&written, addresses, 130, STACK_WHOLE, 1));
    refused("paths of 129 frames");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_counters, setup, teardown),
        cmocka_unit_test_setup_teardown(test_odd_addresses, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_was_wrong, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_was_wrong_with_one_record, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_mismatch_before_the_last_event, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_mismatch_of_one_event, setup, teardown),
        cmocka_unit_test_setup_teardown(test_starts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_tasks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_more_than_32_bits, setup, teardown),
        cmocka_unit_test_setup_teardown(test_timed_calls, setup, teardown),
        cmocka_unit_test_setup_teardown(test_rates, setup, teardown),
        cmocka_unit_test_setup_teardown(test_rates_of_firmware, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_stacks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_through_interrupts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_deep_stacks, setup, teardown),
    };

    int failed = cmocka_run_group_tests_name("version 2", tests, NULL, NULL);

    writes = export_words;
    return failed + cmocka_run_group_tests_name("version 3", tests, NULL, NULL);
}
