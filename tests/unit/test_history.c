/* SPDX-License-Identifier: MIT */
/* Compares the last steps of a profile that grows with a profile to which only the events
 * of these steps were added. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "capture/history.h"

enum { STEPS = HISTORY_STEPS + 25, EVENTS = 40 };

/* Returns a random number. A step has the same events in any profile, because its number
 * is the seed; step STEPS does not end. */
static uint32_t lot(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 16;
}

static void add_events(struct profile *profile, size_t step)
{
    unsigned seed = (unsigned)step * 7919u + 1;

    for (size_t i = 0; i < (step % 5 == 3 ? 0 : EVENTS); i++) {
        uint64_t to = 0x100 + 2 * (lot(&seed) % (10 + 3 * step)), from = to + 0x1000;
        uint64_t count = 1 + lot(&seed) % 100, ticks = lot(&seed);
        uint64_t path[3] = {to, from, 0x5000 + 2 * (lot(&seed) % 3)};
        const struct call_times times = {2 * ticks, ticks, 1, ticks};

        profile->task = lot(&seed) % 3;
        assert_true(profile_count(profile, EVENT_SAMPLE, 0, to, count));
        assert_true(profile_count(profile, EVENT_ARC, from, to, count));
        assert_true(profile_call(profile, from, to, count, &times));
        assert_true(profile_stack(profile, path, 3, STACK_WHOLE, count));
        profile->lost[EVENT_ARC] += count;
        profile->damaged++;
        profile->time.run += ticks;
    }
}

static int by_key(const void *left, const void *right)
{
    const struct counter *a = left, *b = right;

    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->task > b->task) - (a->task < b->task);
}

/* The order of the counters may differ. */
static void assert_counters(const struct counters *counters,
                            const struct counters *expected)
{
    struct counter *are = counters_sorted(counters, by_key);
    struct counter *should = counters_sorted(expected, by_key);

    assert_non_null(are);
    assert_non_null(should);
    assert_int_equal(counters->used, expected->used);
    for (size_t i = 0; i < counters->used; i++) {
        assert_int_equal(by_key(&are[i], &should[i]), 0);
        assert_int_equal(are[i].count, should[i].count);
    }
    free(are);
    free(should);
}

static struct call_times sum_times(const struct profile *profile)
{
    struct call_times sum = {0, 0, UINT64_MAX, 0};

    for (size_t i = 0; i < profile->counters[EVENT_CALL].used; i++)
        call_times_add(&sum, &profile->times[i]);
    return sum;
}

static uint64_t count_stacks(const struct profile *profile, size_t *distinct)
{
    uint64_t count = 0;

    *distinct = profile->stacks.used;
    for (size_t i = 0; i < profile->stacks.used; i++)
        count += profile->stacks.items[i].count;
    return count;
}

static void assert_same(struct profile *is, struct profile *should)
{
    size_t distinct, wanted;

    assert_int_equal(sum_times(is).total, sum_times(should).total);
    assert_int_equal(sum_times(is).self, sum_times(should).self);
    assert_int_equal(count_stacks(is, &distinct), count_stacks(should, &wanted));
    assert_int_equal(distinct, wanted);
    assert_int_equal(is->lost[EVENT_ARC], should->lost[EVENT_ARC]);
    assert_int_equal(is->damaged, should->damaged);
    assert_int_equal(is->time.run, should->time.run);
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        assert_int_equal(is->received[kind], should->received[kind]);
        assert_counters(&is->counters[kind], &should->counters[kind]);
    }
}

static void assert_part(const struct history *history, const struct profile *whole,
                        size_t steps, size_t ended)
{
    size_t kept = ended < HISTORY_STEPS ? ended : HISTORY_STEPS;
    size_t first = steps == HISTORY_ALL ? 0 : ended - (steps < kept ? steps : kept);
    struct profile should, part;

    profile_init(&should);
    for (size_t step = first; step <= ended; step++)
        add_events(&should, step);
    assert_true(history_part(history, whole, steps, &part));
    assert_same(&part, &should);
    profile_release(&part);
    profile_release(&should);
}

static void parts_are_what_was_counted(void **state)
{
    static const size_t asked[] = {0, 1, 2, 10, HISTORY_STEPS, 1000, HISTORY_ALL};
    struct profile whole;
    struct history history;

    (void)state;
    profile_init(&whole);
    history_init(&history, &whole);
    for (size_t ended = 0; ended < STEPS; ended++) {
        add_events(&whole, ended);
        for (size_t i = 0; i < sizeof asked / sizeof asked[0] && ended % 7 < 2; i++)
            assert_part(&history, &whole, asked[i], ended);
        assert_true(history_step(&history, &whole));
        assert_int_equal(history_kept(&history),
                         ended + 1 < HISTORY_STEPS ? ended + 1 : HISTORY_STEPS);
    }
    history_release(&history);
    profile_release(&whole);
}

static void keeps_names_and_what_is_said_of_the_firmware(void **state)
{
    struct profile whole, part;
    struct history history;

    (void)state;
    profile_init(&whole);
    history_init(&history, &whole);
    whole.hz = 1000;
    whole.arch = "cortex-m";
    assert_true(profile_task(&whole, 3, "idle", true));
    assert_true(history_step(&history, &whole));
    assert_true(history_part(&history, &whole, 1, &part));
    assert_int_equal(part.task_count, 1);
    assert_string_equal(part.tasks[0].name, "idle");
    assert_true(part.tasks[0].idle);
    assert_true(part.hz > 999);
    assert_string_equal(part.arch, "cortex-m");
    profile_release(&part);
    history_release(&history);
    profile_release(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_what_was_counted),
        cmocka_unit_test(keeps_names_and_what_is_said_of_the_firmware),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
