/* SPDX-License-Identifier: MIT */
/*
 * Tests the firmware's timeline with the PC's decoder: tasks, interrupts in one another
 * and marks at random times, also on lines that lose bytes or are too slow. What is drawn
 * must be what happened.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/timeline_sums.h"
#include "decode/decode.h"
#include "faults.h"
#include "mcuprof.h"
#include "mcuprof_port.h"
#include "mcuprof_wire.h"
#include "pc.h"

extern const uint32_t __mcuprof_build_id[];
const uint32_t __mcuprof_build_id[] = {1, 2, 3, 4, 5};

enum { TASKS = 40, DEPTH = 3, EVENTS = 1500 };

/* What happened: from when on what ran. */
static struct {
    uint32_t time, runs;
} truth[EVENTS + 1];
static size_t happened, marked;

static uint32_t random_state;

static uint32_t any(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(random_state >> 8) * below >> 24);
}

static uint32_t numbers[DEPTH], depth, task;
static char keys[TASKS];

static void note(void)
{
    truth[happened].time = pc_time;
    truth[happened++].runs = depth ? TASK_INTERRUPT + numbers[depth - 1] : task;
}

/* Lets some time pass: mostly little, at times more than 14 or 28 bits, but never 2^32
 * ticks. */
static void pass(void)
{
    static const uint32_t most[] = {20, 20, 200, 200, 5000, 5000, 40000, 1u << 20};

    pc_time += any(any(500) ? most[any(8)] : 1u << 29);
}

static void interrupt(void)
{
    uint32_t number = any(4) ? 1 + any(79) : 80 + any(400);

    numbers[depth++] = number;
    mcuprof_interrupt_enter(number);
    note();
}

static void leave(void)
{
    depth--;
    mcuprof_interrupt_leave();
    note();
}

static void switch_task(void)
{
    task = 1 + any(TASKS);
    mcuprof_task_switch(&keys[task - 1], "task", task == 1);
    note();
}

/* The name is an address in some ELF. */
static void mark(void)
{
    static const uint32_t names[] = {0x1234, 0x08001234, 0xFFFFFFFF};
    const char *name = (const char *)(uintptr_t)names[any(3)];

    marked++;
    switch (any(3)) {
    case 0:
        mcuprof_mark(name, (int32_t)any(1u << 24) - (1 << 23));
        break;
    case 1:
        mcuprof_span_begin(name);
        break;
    default:
        mcuprof_span_end(name);
    }
}

/* In each step something happens, and the line takes so many bytes. */
static void run(size_t bytes_a_step)
{
    pc_reset();
    random_state = 1;
    pc_time = 1000;
    happened = marked = depth = task = 0;
    mcuprof_start();
    for (uint32_t i = 0; i < TASKS; i++) { /* in order, so that keys have these numbers */
        mcuprof_task_switch(&keys[i], "task", i == 0);
        pc_link_drain();
    }
    task = TASKS;
    note();
    while (happened < EVENTS) {
        pass();
        switch (any(8)) {
        case 0:
        case 1:
            switch_task();
            break;
        case 2:
        case 3:
            if (depth < DEPTH)
                interrupt();
            break;
        case 4:
            mark();
            break;
        case 5:
            mcuprof_task_ready(&keys[any(TASKS)]);
            break;
        default:
            if (depth > 0)
                leave();
        }
        pc_call(0x1000, 0x2000 + 16 * any(40));
        pc_link.ready = bytes_a_step;
        pc_link_drain();
    }
    pc_link.ready = SIZE_MAX;
    mcuprof_end();
}

/* What ran at that time, up to the next event. */
static uint32_t ran_at(uint64_t time)
{
    size_t low = 0, high = happened;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (truth[middle].time <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? truth[low - 1].runs : 0;
}

/* Checks each stretch that is drawn. Returns the ticks that are known. */
static uint64_t check(const struct profile *profile)
{
    struct timeline_cursor cursor;
    uint64_t known = 0;

    timeline_begin(&cursor, &profile->timeline);
    while (timeline_next(&cursor)) {
        if (cursor.time == cursor.since || cursor.before == TASK_UNKNOWN ||
            cursor.since < truth[0].time)
            continue;
        assert_int_equal(ran_at(cursor.since), cursor.before);
        assert_int_equal(ran_at(cursor.time - 1), cursor.before);
        known += cursor.time - cursor.since;
    }
    return known;
}

static void all_that_happened_is_drawn(void **state)
{
    struct profile profile;
    struct timeline_sums sums;

    (void)state;
    run(SIZE_MAX);
    assert_true(faults_decode(&profile, pc_link.bytes, pc_link.used, 7));
    assert_true(profile.complete && !profile.mismatch);
    assert_int_equal(profile.damaged + profile.discarded, 0);
    assert_int_equal(profile.timeline.earlier, 0);
    if (MCUPROF_RING_BYTES < 256) { /* all that is due at once does not fit */
        (void)check(&profile);
        profile_release(&profile);
        return;
    }
    assert_int_equal(profile.timeline.lost, 0);
    assert_true(profile.timeline.received >= happened + marked);
    assert_int_equal(check(&profile), pc_time - truth[0].time);
    assert_true(timeline_sums_init(&sums, &profile));
    assert_int_equal(sums.gaps, 0);
    assert_int_equal(sums.known, pc_time - 1000);
    assert_int_equal(sums.mark_count, 3);
    timeline_sums_release(&sums);
    profile_release(&profile);
    pc_reset();
}

/* On a slow line events are lost, and what ran meanwhile is not known. */
static void what_is_lost_is_counted(void **state)
{
    struct profile profile;
    uint64_t sent, lost;

    (void)state;
    run(SIZE_MAX);
    assert_true(faults_decode(&profile, pc_link.bytes, pc_link.used, 7));
    sent = profile.timeline.received + profile.timeline.lost;
    profile_release(&profile);
    run(3);
    assert_true(faults_decode(&profile, pc_link.bytes, pc_link.used, 7));
    lost = profile.timeline.lost;
    print_message("%u of %u lost\n", (unsigned)lost, (unsigned)sent);
    assert_true(lost > 100);
    assert_int_equal(profile.timeline.received + lost, sent);
    assert_in_range(check(&profile), 1, pc_time - truth[0].time - 1);
    profile_release(&profile);
    pc_reset();
}

static void no_fault_is_drawn(void **state)
{
    struct fault_tally tally;

    (void)state;
    run(SIZE_MAX);
    faults_inject_random("timeline", pc_link.bytes, pc_link.used, 3000, 3, &tally);
    assert_int_equal(faults_bad(&tally), 0);
    run(3);
    faults_inject_random("slow timeline", pc_link.bytes, pc_link.used, 3000, 4, &tally);
    assert_int_equal(faults_bad(&tally), 0);
    pc_reset();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_happened_is_drawn),
        cmocka_unit_test(what_is_lost_is_counted),
        cmocka_unit_test(no_fault_is_drawn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
