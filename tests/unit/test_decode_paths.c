/* SPDX-License-Identifier: MIT */
/* Call paths on the wire; streams made by hand. */
#include "stream.h"

enum {
    WHOLE = MCUPROF_WIRE_ROOT_WHOLE,
    CUT = MCUPROF_WIRE_ROOT_CUT,
    MAIN = BASE + 0x10,
    WORK = BASE + 0x20,
    LEAF = BASE + 0x30,
};

static void node(uint32_t number, uint32_t parent, uint32_t address)
{
    uint32_t sum = begin(MCUPROF_WIRE_END, MCUPROF_WIRE_END_NODE + 3);

    sum = group(group(sum, number, 2), parent, 2);
    finish(group(sum, (address - BASE) >> 1, 5));
}

static void path(uint32_t number, uint32_t address, uint32_t count)
{
    bool counts = count != 1;
    uint32_t sum =
        begin(MCUPROF_WIRE_END, MCUPROF_WIRE_END_PATH_SAMPLE + 2 + (counts ? 1 : 0));

    sum = group(group(sum, number, 2), (address - BASE) >> 1, 3);
    finish(counts ? group(sum, count, 2) : sum);
}

/* How often this stack, leaf first, was seen. */
static uint64_t seen(enum stack_end end, size_t depth, const uint32_t *addresses)
{
    for (size_t i = 0; i < profile.stacks.used; i++) {
        const struct stack *stack = &profile.stacks.items[i];
        size_t same = 0;

        while (same < depth && stack->depth == depth &&
               stack->addresses[same] == addresses[same])
            same++;
        if (stack->depth == depth && same == depth && stack->end == end)
            return stack->count;
    }
    return 0;
}
#define SEEN(end, ...)                                                                   \
    seen(end, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t),                      \
         (uint32_t[]){__VA_ARGS__})

static void reads_paths(void **state)
{
    (void)state;
    hello(FIRST);
    node(4, WHOLE, MAIN);
    path(4, LEAF, 2);
    node(5, 4, WORK);
    path(5, LEAF, 1);
    path(5, LEAF, 0x3FFF);
    path(MCUPROF_WIRE_ROOT_INTERRUPT, WORK, 3);
    node(6, CUT, WORK);
    path(6, LEAF, 4);
    path(MCUPROF_WIRE_ROOT_UNSURE, MAIN, 5);
    event(MCUPROF_WIRE_SAMPLE, 6, 0, LEAF);
    totals(15 + 0x3FFF + 6, 0, 0, 0);
    end();
    decode();
    whole(true, 0, false);
    assert_int_equal(profile.received[EVENT_SAMPLE], 15 + 0x3FFF + 6);
    assert_int_equal(profile.path_depth, 12);
    assert_int_equal(profile.stacks.used, 5);
    assert_int_equal(SEEN(STACK_WHOLE, LEAF, MAIN), 2);
    assert_int_equal(SEEN(STACK_WHOLE, LEAF, WORK, MAIN), 0x4000);
    assert_int_equal(SEEN(STACK_INTERRUPT, WORK), 3);
    assert_int_equal(SEEN(STACK_CUT, LEAF, WORK), 4);
    assert_int_equal(SEEN(STACK_UNSURE, MAIN), 5);
    assert_int_equal(profile.unresolved, 0);
}

static void numbers_come_again(void **state)
{
    (void)state;
    hello(FIRST);
    node(MCUPROF_WIRE_NODE_MAX, WHOLE, MAIN);
    path(MCUPROF_WIRE_NODE_MAX, LEAF, 1);
    node(4, WHOLE, MAIN);
    node(5, 4, WORK);
    path(5, LEAF, 1);
    check();
    node(4, WHOLE, LEAF); /* another node; 5's parent is what 4 was */
    path(4, LEAF, 1);
    path(5, LEAF, 1);
    check();
    decode();
    assert_int_equal(SEEN(STACK_WHOLE, LEAF, MAIN), 1);
    assert_int_equal(SEEN(STACK_WHOLE, LEAF, WORK, MAIN), 2);
    assert_int_equal(SEEN(STACK_WHOLE, LEAF, LEAF), 1);
}

/* What was not defined comes with the repetition. */
static void waits_for_definitions(void **state)
{
    (void)state;
    hello(FIRST);
    check();
    path(5, LEAF, 7);
    path(5, WORK, 1);
    check();
    node(5, 4, WORK);
    check();
    path(5, LEAF, 2);
    node(4, WHOLE, MAIN);
    node(4, WHOLE, MAIN);
    node(5, 4, WORK);
    check();
    path(5, LEAF, 100);
    totals(110, 0, 0, 0);
    end();
    decode();
    whole(true, 0, false);
    assert_int_equal(SEEN(STACK_WHOLE, LEAF, WORK, MAIN), 109);
    assert_int_equal(SEEN(STACK_WHOLE, WORK, WORK, MAIN), 1);
    assert_int_equal(profile.stacks.used, 2);
    assert_int_equal(profile.unresolved, 0);
}

static void tells_what_it_knows_at_the_end(void **state)
{
    (void)state;
    hello(FIRST);
    path(5, LEAF, 7);
    node(6, 5, WORK);
    path(6, LEAF, 2);
    path(WHOLE, LEAF, 1);
    totals(10, 0, 0, 0);
    end();
    decode();
    assert_int_equal(SEEN(STACK_UNSURE, LEAF), 7);
    assert_int_equal(SEEN(STACK_UNSURE, LEAF, WORK), 2);
    assert_int_equal(SEEN(STACK_WHOLE, LEAF), 1);
    assert_int_equal(profile.unresolved, 9);
    assert_int_equal(profile.received[EVENT_SAMPLE], 10);
}

/* Among what is lost a number may have been defined anew. */
static void forgets_numbers_when_records_are_lost(void **state)
{
    size_t at;
    (void)state;
    hello(FIRST);
    node(4, WHOLE, MAIN);
    node(5, WHOLE, WORK);
    path(4, LEAF, 1);
    check();
    at = stream.used;
    node(4, WHOLE, LEAF);
    path(4, LEAF, 1);
    stream.used = at;
    check();
    path(4, LEAF, 3);
    path(5, LEAF, 5);
    check();
    node(5, WHOLE, WORK);
    totals(10, 0, 0, 0);
    end();
    decode();
    assert_int_equal(SEEN(STACK_WHOLE, LEAF, MAIN), 1);
    assert_int_equal(SEEN(STACK_UNSURE, LEAF), 3);
    assert_int_equal(SEEN(STACK_WHOLE, LEAF, WORK), 5);
    assert_int_equal(profile.unresolved, 3);
    assert_int_equal(profile.lost[EVENT_SAMPLE], 1);
}

/* A definition that comes when half of all numbers were given since may be another's. */
static void does_not_wait_for_ever(void **state)
{
    (void)state;
    hello(FIRST);
    path(4, LEAF, 3);
    path(5, LEAF, 5);
    check();
    node(5, WHOLE, WORK);
    for (uint32_t i = 0; i <= 8192; i++) {
        node(6 + i, WHOLE, MAIN + 2 * i);
        if (i % 64 == 63)
            check();
    }
    node(4, WHOLE, MAIN);
    path(4, LEAF, 1);
    totals(9, 0, 0, 0);
    end();
    decode();
    assert_int_equal(SEEN(STACK_UNSURE, LEAF), 3);
    assert_int_equal(SEEN(STACK_WHOLE, LEAF, WORK), 5);
    assert_int_equal(SEEN(STACK_WHOLE, LEAF, MAIN), 1);
}

static void paths_that_go_round_have_no_frames(void **state)
{
    (void)state;
    hello(FIRST);
    path(4, LEAF, 3);
    node(4, 5, MAIN);
    node(5, 6, WORK);
    node(6, 4, WORK);
    check();
    decode();
    assert_int_equal(SEEN(STACK_UNSURE, LEAF), 3);
    assert_int_equal(profile.unresolved, 3);
}

static void refuses_nodes_that_cannot_be(void **state)
{
    uint32_t sum;
    (void)state;
    hello(FIRST);
    check();
    node(3, WHOLE, MAIN); /* a root's number */
    node(4, 4, MAIN);     /* its own parent */
    sum = group(group(begin(MCUPROF_WIRE_END, 7), 5, 2), 4, 2);
    finish(group(group(sum, 1, 4), 16, 1)); /* 33 bits */
    begin(MCUPROF_WIRE_END, 3);             /* no such record */
    finish(0);
    check();
    decode();
    assert_int_equal(profile.damaged, 4);
}

static void events_know_their_task(void **state)
{
    (void)state;
    hello_of(100000, KINDS | MCUPROF_WIRE_FLAG_TASKS, FIRST);
    path(4, LEAF, 1);
    finish(group(begin(MCUPROF_WIRE_TASK, 0), 7, 2));
    path(4, LEAF, 2);
    check();
    node(4, WHOLE, MAIN);
    check();
    decode();
    assert_int_equal(profile.stacks.used, 2);
    assert_int_equal(profile.stacks.items[0].task, TASK_NONE);
    assert_int_equal(profile.stacks.items[1].task, 7);
    assert_int_equal(profile.stacks.items[1].count, 2);
}

/* A recording that began late, before the hello is known. */
static void keeps_samples_for_a_hello(void **state)
{
    (void)state;
    check();
    node(4, WHOLE, MAIN);
    path(4, LEAF, 1);
    check();
    path(4, LEAF, 2);
    hello(0);
    check();
    decode();
    assert_int_equal(SEEN(STACK_WHOLE, LEAF, MAIN), 3);
    assert_int_equal(profile.received[EVENT_SAMPLE], 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_paths),
        TEST(numbers_come_again),
        TEST(waits_for_definitions),
        TEST(tells_what_it_knows_at_the_end),
        TEST(forgets_numbers_when_records_are_lost),
        TEST(does_not_wait_for_ever),
        TEST(paths_that_go_round_have_no_frames),
        TEST(refuses_nodes_that_cannot_be),
        TEST(events_know_their_task),
        TEST(keeps_samples_for_a_hello),
    };
    int failed;
    profile_init(&profile);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    profile_release(&profile);
    return failed;
}
