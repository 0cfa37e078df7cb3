/* SPDX-License-Identifier: MIT */
/* Sums by task, and the profile of each task; every expected figure is worked out by
 * hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/tasks.h"

enum { SENSOR = 1, IDLE = 2, NAMELESS = 3, TWIN = 4, TICK = TASK_INTERRUPT + 15 };

static struct profile profile;

static void count(uint32_t task, enum event_kind kind, uint64_t to, uint64_t events)
{
    profile.task = task;
    assert_true(profile_count(&profile, kind, kind == EVENT_ARC ? 0x10 : 0, to, events));
}

static void timed(uint32_t task, uint64_t from, uint64_t to, uint64_t calls,
                  struct call_times took)
{
    profile.task = task;
    assert_true(profile_call(&profile, from, to, calls, &took));
}

static int begin(void **state)
{
    (void)state;
    profile_init(&profile);
    profile.arch = "cortex-m";
    profile.hz = 1000;
    assert_true(profile_task(&profile, SENSOR, "sensor", false));
    assert_true(profile_task(&profile, IDLE, "idle", true));
    assert_true(profile_task(&profile, TWIN, "sensor", false));
    return 0;
}

static int end(void **state)
{
    (void)state;
    profile_release(&profile);
    return 0;
}

static void assert_label(uint32_t number, const char *expected)
{
    char label[TASK_LABEL_MAX];
    task_label(label, &profile, number);
    assert_string_equal(label, expected);
}

static void labels(void **state)
{
    (void)state;
    assert_label(SENSOR, "sensor");
    assert_label(NAMELESS, "[task 3]");
    assert_label(0xFFF, "[task 4095]");
    assert_label(TASK_NONE, "[no task]");
    assert_label(TASK_UNKNOWN, "[unknown]");
    assert_label(TICK, "[SysTick]");
    assert_label(TASK_INTERRUPT + 13, "[interrupt 13]");
    assert_label(TASK_INTERRUPT + 16, "[IRQ 0]");
    assert_label(TASK_INTERRUPT + 0xFFF, "[IRQ 4079]");
    profile.arch = "riscv";
    assert_label(TICK, "[interrupt 15]");
    assert_true(profile_task(&profile, TASK_NONE, "main", false));
    assert_label(TASK_NONE, "main");
}

static const struct task_sum *sum_of(const struct task_sums *sums, uint32_t number)
{
    for (size_t i = 0; i < sums->count; i++)
        if (sums->items[i].number == number)
            return &sums->items[i];
    fail_msg("nothing of task %u", (unsigned)number);
    return NULL;
}

static void sums_by_task(void **state)
{
    (void)state;
    struct task_sums sums;
    count(SENSOR, EVENT_SAMPLE, 0x100, 5);
    count(SENSOR, EVENT_SAMPLE, 0x200, 6);
    count(SENSOR, EVENT_ARC, 0x200, 7);
    count(SENSOR, EVENT_BLOCK, 0x200, 1000);
    count(IDLE, EVENT_SAMPLE, 0x100, 30);
    count(TASK_UNKNOWN, EVENT_SAMPLE, 0x100, 1);
    timed(TICK, 0, 0, 4, (struct call_times){40, 10, 8, 12});
    timed(TICK, 0x10, 0x300, 8, (struct call_times){30, 30, 2, 5});
    assert_true(task_sums_init(&sums, &profile));
    assert_int_equal(sums.count, 4);
    assert_int_equal(sums.items[0].number, TICK);
    assert_int_equal(sums.items[1].number, IDLE);
    assert_int_equal(sums.items[2].number, SENSOR);
    assert_int_equal(sums.items[3].number, TASK_UNKNOWN);
    assert_int_equal(sums.samples, 42);
    assert_int_equal(sums.calls, 15);
    assert_int_equal(sums.time, 40);
    const struct task_sum *sensor = sum_of(&sums, SENSOR), *tick = sum_of(&sums, TICK);
    assert_string_equal(sensor->label, "sensor");
    assert_int_equal(sensor->samples, 11);
    assert_int_equal(sensor->calls, 7);
    assert_int_equal(sensor->runs, 0);
    assert_false(sensor->idle);
    assert_true(sum_of(&sums, IDLE)->idle);
    assert_int_equal(tick->runs, 4);
    assert_int_equal(tick->calls, 8);
    assert_int_equal(tick->self, 30);
    assert_int_equal(tick->time.total, 40);
    assert_int_equal(tick->time.shortest, 8);
    assert_int_equal(tick->time.longest, 12);
    task_sums_release(&sums);
}

static void nothing_has_no_sums(void **state)
{
    (void)state;
    struct task_sums sums;
    assert_true(task_sums_init(&sums, &profile));
    assert_int_equal(sums.count, 0);
    assert_null(task_sums_find(&sums, "sensor"));
    task_sums_release(&sums);
}

static void tasks_of_one_name_are_numbered(void **state)
{
    (void)state;
    struct task_sums sums;
    assert_true(profile_task(&profile, NAMELESS, "sensor", false));
    assert_true(profile_task(&profile, TWIN, "sensor", false)); /* as before */
    assert_label(SENSOR, "sensor");
    assert_label(TWIN, "sensor #2");
    assert_label(NAMELESS, "sensor #3");
    assert_true(profile_task(&profile, SENSOR, "other", false));
    assert_label(SENSOR, "other");
    assert_label(TWIN, "sensor #2");
    assert_true(profile_task(&profile, SENSOR, "sensor", false));
    assert_label(SENSOR, "sensor #4");
    count(TWIN, EVENT_ARC, 0x200, 7);
    count(NAMELESS, EVENT_ARC, 0x200, 1);
    assert_true(task_sums_init(&sums, &profile));
    assert_int_equal(sums.count, 2);
    assert_ptr_equal(task_sums_find(&sums, "sensor #2"), &sums.items[0]);
    assert_ptr_equal(task_sums_find(&sums, "sensor #3"), &sums.items[1]);
    assert_null(task_sums_find(&sums, "sensor"));
    assert_false(task_sums_keep(&sums, &profile, "none"));
    assert_true(task_sums_keep(&sums, &profile, "sensor"));
    assert_int_equal(sums.count, 2);
    assert_int_equal(task_sums_joined(&sums).number, TWIN);
    assert_true(task_sums_keep(&sums, &profile, "sensor #3"));
    assert_int_equal(sums.count, 1);
    assert_int_equal(sums.items[0].number, NAMELESS);
    task_sums_release(&sums);
}

/* Checks that the part has the counters of that task alone, and the whole's loss. */
static void check_sensor(const struct profile *part)
{
    assert_true(part->one_task);
    assert_int_equal(part->counters[EVENT_SAMPLE].used, 1);
    assert_int_equal(counter_at(&part->counters[EVENT_SAMPLE], 0).count, 2);
    assert_int_equal(part->received[EVENT_SAMPLE], 2);
    assert_int_equal(part->run_received[EVENT_SAMPLE], 38);
    assert_int_equal(part->received[EVENT_CALL], 3);
    assert_int_equal(part->counters[EVENT_CALL].used, 1);
    assert_int_equal(part->times[0].total, 30);
    assert_int_equal(part->times[0].self, 20);
    assert_int_equal(part->times[0].shortest, 5);
    assert_int_equal(part->times[0].longest, 15);
    assert_int_equal(part->lost[EVENT_SAMPLE], 11);
    assert_int_equal(part->task_count, 1);
    assert_int_equal(part->tasks[0].twin, 1);
    assert_true(part->hz == 1000);
}

static void each_task_has_its_part(void **state)
{
    (void)state;
    struct task_sum wanted[] = {{.number = IDLE}, {.number = TWIN}};
    const struct task_sums tasks = {.items = wanted, .count = 2};
    struct profile parts[2];
    count(SENSOR, EVENT_SAMPLE, 0x100, 5);
    count(TWIN, EVENT_SAMPLE, 0x100, 2);
    count(IDLE, EVENT_SAMPLE, 0x100, 30);
    count(NAMELESS, EVENT_SAMPLE, 0x100, 1);
    timed(TWIN, 0x10, 0x300, 3, (struct call_times){30, 20, 5, 15});
    timed(IDLE, 0x10, 0x300, 1, (struct call_times){9, 9, 9, 9});
    profile.lost[EVENT_SAMPLE] = 11;
    assert_true(profile_split(parts, &profile, &tasks));
    assert_int_equal(parts[0].received[EVENT_SAMPLE], 30);
    assert_int_equal(parts[0].times[0].total, 9);
    assert_true(parts[0].tasks[0].idle);
    check_sensor(&parts[1]);
    profile_release(&parts[0]);
    profile_release(&parts[1]);
    assert_false(profile.one_task);
    assert_int_equal(profile.received[EVENT_SAMPLE], 38);
    assert_int_equal(profile.counters[EVENT_SAMPLE].used, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(labels, begin, end),
        cmocka_unit_test_setup_teardown(sums_by_task, begin, end),
        cmocka_unit_test_setup_teardown(nothing_has_no_sums, begin, end),
        cmocka_unit_test_setup_teardown(tasks_of_one_name_are_numbered, begin, end),
        cmocka_unit_test_setup_teardown(each_task_has_its_part, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
