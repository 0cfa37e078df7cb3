/* SPDX-License-Identifier: MIT */
/*
 * Tests the firmware's encoder of paths with the PC's decoder: a program makes random
 * calls and returns and is sampled now and then. Each path that arrives must have been
 * sampled, and as often; if the line takes all bytes, all paths must arrive. tests.mk
 * compiles this once for each set of knobs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "faults.h"
#include "mcuprof.h"
#include "mcuprof_port.h"
#include "mcuprof_sample.h"
#include "mcuprof_wire.h"
#include "mcuprof_wire3.h"
#include "pc.h"

extern const uint32_t __mcuprof_build_id[];
const uint32_t __mcuprof_build_id[] = {1, 2, 3, 4, 5};

enum { STEPS = 20000, DEEPEST = MCUPROF_PATHS, TASKS = 3 };

/* Where the program is. Addresses are of Thumb code, with bit 0 set. */
static uint32_t backs[DEEPEST], leaf_back, code_bytes;
static unsigned depth, root;

static uint32_t address(void)
{
    return 0x20000 + (uint32_t)(rand() % 97) * (code_bytes / 97 / 2) * 2;
}

/* Where an interrupt hit the program, this follows the program counter in the path. */
static const uint32_t exc_return = 0xFFFFFFFD;

/* The program comes back to this address again and again, at other depths. */
static const uint32_t home = 0x20100;
static bool at_home;

static void step(void)
{
    at_home = depth > 0 && rand() % 3 == 0;
    if (at_home) {
        depth = 1 + (unsigned)rand() % depth;
        leaf_back = (home + 64) | 1;
        return;
    }
    unsigned gone = (unsigned)rand() % 4 ? (unsigned)rand() % 3 : (unsigned)rand() % 64;

    depth = gone < depth ? depth - gone : 0;
    if (depth == 0)
        root = (unsigned)rand() % 4;
    for (unsigned more = (unsigned)rand() % (rand() % 8 ? 3 : 40); more; more--) {
        if (MCUPROF_THROUGH_INTERRUPTS && depth + 1 < DEEPEST && rand() % 4 == 0) {
            backs[depth++] = address() & ~1u;
            backs[depth++] = exc_return;
        } else if (depth < DEEPEST)
            backs[depth++] = address() | 1;
    }
    leaf_back = rand() % 3 ? 0 : address() | 1;
}

/* Stores the return addresses that a walk of the program's stack would find. */
static void remember(struct mcuprof_paths *paths, uint32_t back)
{
    uint32_t key = MCUPROF_PATH_KEY(back);
    uint32_t *frame = &paths->frame[key % MCUPROF_PATH_CACHE];

    if (!(back & 1) || back == exc_return)
        return;
    if ((*frame ^ MCUPROF_PATH_TAG(key)) >> 16 != 0 || *frame == 0)
        *frame = MCUPROF_PATH_TAG(key) | 1;
}

void mcuprof_walk(struct mcuprof_paths *paths, const struct mcuprof_context *context)
{
    unsigned kept = 0, used = paths->used / sizeof paths->slot[0];

    (void)context;
    while (root == paths->root && kept < used && kept < depth &&
           paths->slot[kept].address == backs[kept])
        kept++;
    if (kept < paths->known / sizeof paths->slot[0])
        paths->known = (uint16_t)(kept * sizeof paths->slot[0]);
    for (unsigned i = kept; i < depth; i++) {
        paths->slot[i].address = backs[i];
        remember(paths, backs[i]);
    }
    if (leaf_back)
        remember(paths, leaf_back);
    paths->link = leaf_back;
    paths->used = (uint16_t)(depth * sizeof paths->slot[0]);
    mcuprof_path_root(paths, root);
}

/* Takes one sample and adds it to `sampled`, unless the firmware lost it. */
static void sample(struct profile *sampled, uint32_t pc)
{
    static const enum stack_end ends[] = {STACK_WHOLE, STACK_INTERRUPT, STACK_CUT,
                                          STACK_UNSURE};
    const struct mcuprof_context context = {.pc = pc};
    uint64_t frames[DEEPEST + 2];
    size_t used = 0;
    uint32_t lost = mcuprof_state.total[0].lost;

    sample_path(&context);
    if (mcuprof_state.total[0].lost != lost)
        return;
    frames[used++] = pc;
    if (leaf_back)
        frames[used++] = leaf_back & ~1u;
    for (unsigned i = depth; i > 0; i--)
        frames[used++] = backs[i - 1] & ~1u;
    assert_true(profile_stack(sampled, frames, used, ends[root], 1));
}

static uint64_t count_of(const struct profile *profile, const struct stack *stack)
{
    for (size_t i = 0; i < profile->stacks.used; i++) {
        const struct stack *other = &profile->stacks.items[i];

        if (other->depth == stack->depth && other->end == stack->end &&
            memcmp(other->addresses, stack->addresses,
                   stack->depth * sizeof *stack->addresses) == 0)
            return other->count;
    }
    return 0;
}

/* Returns the most records in a block that was sent. */
static unsigned longest_block(void)
{
    unsigned longest = 0, records = 0;

    for (size_t at = 0; at < pc_link.used; at++) {
        uint8_t byte = pc_link.bytes[at];

        records += byte >= 0x80;
        longest = records > longest ? records : longest;
        if (byte >= 0x80 && MCUPROF_WIRE_CLOSES(byte))
            records = 0;
    }
    return longest;
}

/* Fills in what was sampled and what was received; the line takes so many bytes for each
 * sample. */
static void run(size_t bytes_a_sample, struct profile *sampled, struct profile *received)
{
    static const char *const names[TASKS] = {"red", "green", "blue"};
    uint32_t pc = 0x20000;

    profile_init(sampled);
    pc_reset();
    depth = root = 0;
    mcuprof_start();
    for (unsigned i = 0; i < STEPS; i++) {
        if (rand() % 3) {
            step();
            pc = at_home ? home : address() & ~1u;
        }
        if (MCUPROF_BY_TASK && rand() % 4 == 0)
            mcuprof_task_switch(&names[i % TASKS], names[i % TASKS], false);
        if (MCUPROF_ARCS && rand() % 2)
            pc_call(address(), address());
#if MCUPROF_BY_TASK
        mcuprof_state.context = mcuprof_the_paths()->context = mcuprof_state.task;
#endif
        sample(sampled, pc);
        if (i % 5000 == 4999) {
            pc_link.ready = SIZE_MAX;
            mcuprof_flush();
        }
        pc_link.ready = bytes_a_sample;
        pc_link_drain();
    }
    pc_link.ready = SIZE_MAX;
    mcuprof_end();
    assert_true(faults_decode(received, pc_link.bytes, pc_link.used, 7));
    assert_true(received->complete && !received->mismatch && !received->unaccounted);
    assert_int_equal(received->through_interrupts, MCUPROF_THROUGH_INTERRUPTS);
    assert_int_equal(received->damaged + received->discarded, 0);
    assert_int_equal(received->received[EVENT_SAMPLE] + received->lost[EVENT_SAMPLE],
                     STEPS);
    assert_in_range(longest_block(), 1, 96 + 8);
    pc_reset();
}

static void compare(bool all_arrive)
{
    struct profile sampled, received;
    uint64_t paths = 0;
    uint32_t tasks = 0;

    run(all_arrive ? SIZE_MAX : 6, &sampled, &received);
    if (!all_arrive)
        assert_true(received.lost[EVENT_SAMPLE] > 0);
    else if (MCUPROF_RING_BYTES >= 1024) /* a long path does not fit into less */
        assert_int_equal(received.lost[EVENT_SAMPLE], 0);
    for (size_t i = 0; i < received.stacks.used; i++) {
        const struct stack *stack = &received.stacks.items[i];

        if (!MCUPROF_BY_TASK)
            assert_int_equal(stack->count, count_of(&sampled, stack));
        else
            assert_in_range(stack->count, 1, count_of(&sampled, stack));
        paths += stack->count;
        tasks |= 1u << stack->task;
    }
    assert_int_equal(tasks | 1, MCUPROF_BY_TASK ? (2u << TASKS) - 1 : 1);
    assert_int_equal(paths, received.received[EVENT_SAMPLE]);
    profile_release(&sampled);
    profile_release(&received);
}

static void all_paths_arrive(void **state)
{
    (void)state;
    for (code_bytes = 2048; code_bytes < 1u << 31; code_bytes *= 32)
        compare(true);
}

static void what_is_lost_is_known(void **state)
{
    (void)state;
    for (code_bytes = 2048; code_bytes < 1u << 31; code_bytes *= 32)
        compare(false);
}

/* Version 3 of the wire tells the generator's state, and replays the periods. */
static void periods_can_be_replayed(void **state)
{
    uint32_t random;

    (void)state;
    pc_reset();
    random = mcuprof_state.random;
    for (int i = 0; i < 10000; i++) {
        random = MCUPROF_WIRE3_DITHER_STEP(random);
        assert_int_equal(next_period(),
                         MCUPROF_WIRE3_DITHER_PERIOD(random, (uint32_t)MCUPROF_PERIOD));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_paths_arrive),
        cmocka_unit_test(what_is_lost_is_known),
        cmocka_unit_test(periods_can_be_replayed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
