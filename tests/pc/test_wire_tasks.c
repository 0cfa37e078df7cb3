/* SPDX-License-Identifier: MIT */
/*
 * Tests the firmware's encoder with the PC's decoder when each task has its own
 * counters: three named tasks take turns, with any cache, also on a line that loses
 * bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "faults.h"
#include "mcuprof.h"
#include "mcuprof_port.h"
#include "mcuprof_wire.h"
#include "pc.h"

extern const uint32_t __mcuprof_build_id[];
const uint32_t __mcuprof_build_id[] = {1, 2, 3, 4, 5};

enum { TASKS = 3, ROUNDS = 3000, BYTES_A_STEP = 60 };

static uint64_t counted[TASKS + 1];
static const char *const names[TASKS] = {"red", "green", "blue, the third"};

/* Each task calls its own function and is sampled in it; in between the line takes some
 * bytes. */
static void run(size_t bytes_a_step)
{
    memset(counted, 0, sizeof counted);
    pc_reset();
    mcuprof_start();
    for (unsigned i = 0; i < ROUNDS; i++) {
        unsigned task = i % TASKS;

        mcuprof_task_switch(&names[task], names[task], task == 2);
        pc_call(0x1000 + 0x100 * task, 0x2000 + 0x100 * task);
        pc_sample(0x2010 + 0x100 * task);
        counted[1 + task]++;
        if (!MCUPROF_WAIT) {
            pc_link.ready = bytes_a_step;
            pc_link_drain();
        }
    }
    pc_link.ready = SIZE_MAX;
    mcuprof_end();
}

static uint64_t calls_of(const struct profile *profile, uint32_t task)
{
    uint64_t count = 0;

    for (size_t i = 0; i < profile->counters[EVENT_ARC].used; i++) {
        const struct counter counter = counter_at(&profile->counters[EVENT_ARC], i);

        if (counter.task != task)
            continue;
        assert_int_equal(counter.to, 0x2000 + 0x100 * (task - 1));
        count += counter.count;
    }
    return count;
}

static void each_task_has_its_own(void **state)
{
    struct profile profile;

    (void)state;
    run(SIZE_MAX);
    assert_true(faults_decode(&profile, pc_link.bytes, pc_link.used, 7));
    assert_true(profile.complete && !profile.mismatch && !profile.unaccounted);
    assert_int_equal(profile.damaged + profile.discarded + profile.lost[EVENT_ARC], 0);
    assert_int_equal(profile.task_count, TASKS + (profile.tasks[0].number == 0));
    for (uint32_t task = 1; task <= TASKS; task++)
        assert_int_equal(calls_of(&profile, task), counted[task]);
    profile_release(&profile);
    pc_reset();
}

static void what_the_firmware_loses_is_known(void **state)
{
    struct profile profile;

    (void)state;
    run(5);
    assert_true(faults_decode(&profile, pc_link.bytes, pc_link.used, 7));
    assert_true(profile.complete && !profile.mismatch && !profile.unaccounted);
    assert_int_equal(profile.received[EVENT_ARC] + profile.lost[EVENT_ARC], ROUNDS);
    assert_int_equal(profile.received[EVENT_SAMPLE] + profile.lost[EVENT_SAMPLE], ROUNDS);
    if (!MCUPROF_WAIT && MCUPROF_ENTRIES == 0)
        assert_true(profile.lost[EVENT_ARC] > 0);
    for (uint32_t task = 1; task <= TASKS; task++)
        assert_true(calls_of(&profile, task) <= counted[task]);
    profile_release(&profile);
    pc_reset();
}

/* After the end, nothing is sent: no name of a task that ends or runs, and no other
 * end. */
static void the_end_is_the_end(void **state)
{
    size_t used;

    (void)state;
    run(SIZE_MAX);
    used = pc_link.used;
    mcuprof_task_end(&names[0]);
    mcuprof_task_switch(&used, "late", false);
    mcuprof_task_end(&used);
    mcuprof_flush();
    mcuprof_end();
    pc_link_drain();
    assert_int_equal(pc_link.used, used);
    pc_reset();
}

static unsigned farther(unsigned farthest, unsigned records, unsigned *last)
{
    unsigned distance = records - *last;

    *last = records;
    return distance > farthest ? distance : farthest;
}

/* Records that name the task do not delay the records that are due. */
static void what_is_due_comes_in_time(void **state)
{
    unsigned records = 0, hello = 0, totals = 0, closed = 0;
    unsigned hellos = 0, all_totals = 0, blocks = 0;

    (void)state;
    run(MCUPROF_WAIT ? SIZE_MAX : 9);
    for (size_t at = 0; at < pc_link.used; at++) {
        uint8_t byte = pc_link.bytes[at];

        if (byte < 0x80)
            continue;
        records++;
        if ((byte & 0xF4) == MCUPROF_WIRE_START(MCUPROF_WIRE_HELLO, 0))
            hellos = farther(hellos, records, &hello);
        if ((byte & 0xF0) == MCUPROF_WIRE_START(MCUPROF_WIRE_TOTALS, 0))
            all_totals = farther(all_totals, records, &totals);
        if (MCUPROF_WIRE_CLOSES(byte))
            blocks = farther(blocks, records, &closed);
    }
    printf("%u records; apart at most: hellos %u, totals %u, blocks %u\n", records,
           hellos, all_totals, blocks);
    if (records > 1000)
        assert_in_range(hellos, 1, 256 + 32);
    assert_in_range(all_totals, 1, 192 + 16);
    assert_in_range(blocks, 1, 64 + 8);
    pc_reset();
}

/* A record whose task is wrong may be lost but not counted. */
static void no_fault_is_counted(void **state)
{
    struct fault_tally tally;

    (void)state;
    run(SIZE_MAX);
    faults_inject_random("tasks", pc_link.bytes, pc_link.used, 1000, 3, &tally);
    assert_int_equal(faults_bad(&tally), 0);
    pc_reset();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_task_has_its_own),
        cmocka_unit_test(what_the_firmware_loses_is_known),
        cmocka_unit_test(the_end_is_the_end),
        cmocka_unit_test(what_is_due_comes_in_time),
        cmocka_unit_test(no_fault_is_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
