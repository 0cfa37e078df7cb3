/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "../../host/profile/profile.h"

static void adds_up_by_key(void **state)
{
    struct profile profile;
    (void)state;
    profile_init(&profile);
    assert_true(profile_count(&profile, EVENT_ARC, 0x100, 0x200, 3));
    assert_true(profile_count(&profile, EVENT_ARC, 0x200, 0x100, 1));
    assert_true(profile_count(&profile, EVENT_ARC, 0x100, 0x200, 4));
    assert_int_equal(profile.counters[EVENT_ARC].used, 2);
    assert_int_equal(counter_at(&profile.counters[EVENT_ARC], 0).from, 0x100);
    assert_int_equal(counter_at(&profile.counters[EVENT_ARC], 0).to, 0x200);
    assert_int_equal(counter_at(&profile.counters[EVENT_ARC], 0).count, 7);
    assert_int_equal(counter_at(&profile.counters[EVENT_ARC], 1).count, 1);
    assert_int_equal(profile.received[EVENT_ARC], 8);
    assert_int_equal(profile.received[EVENT_SAMPLE], 0);
    profile_release(&profile);
}

static void keeps_kinds_apart(void **state)
{
    struct profile profile;
    (void)state;
    profile_init(&profile);
    for (int kind = 0; kind < EVENT_KINDS; kind++)
        assert_true(profile_count(&profile, kind, 0, 0x10, (uint64_t)kind + 1));
    for (int kind = 0; kind < EVENT_KINDS; kind++)
        assert_int_equal(counter_at(&profile.counters[kind], 0).count, kind + 1);
    profile_release(&profile);
}

/* The keys differ in one bit of either half, and are enough for the table to grow many
 * times. */
static void holds_many_keys(void **state)
{
    struct profile profile;
    enum { KEYS = 100000 };
    (void)state;
    profile_init(&profile);
    for (int round = 0; round < 2; round++)
        for (uint64_t i = 0; i < KEYS; i++)
            assert_true(profile_count(&profile, EVENT_ARC, i << 32, i * i, 1));
    assert_int_equal(profile.counters[EVENT_ARC].used, KEYS);
    for (uint64_t i = 0; i < KEYS; i++) {
        const struct counter counter = counter_at(&profile.counters[EVENT_ARC], i);
        assert_true(counter.from == i << 32 && counter.to == i * i && counter.count == 2);
    }
    profile_release(&profile);
}

/* Counts keys that ascend and keys that do not, also after profile_settle(). */
static void counts_on_after_settling(void **state)
{
    struct profile profile;
    (void)state;
    profile_init(&profile);
    for (int round = 1; round <= 3; round++) {
        for (uint64_t i = 0; i < 100; i++) {
            assert_true(profile_count(&profile, EVENT_SAMPLE, 0, i, 1));
            assert_true(profile_count(&profile, EVENT_ARC, 7 * i % 100, 1, 1));
        }
        profile_settle(&profile);
        assert_int_equal(profile.counters[EVENT_SAMPLE].used, 100);
        assert_int_equal(profile.counters[EVENT_ARC].used, 100);
        for (uint64_t i = 0; i < 100; i++) {
            assert_int_equal(counter_at(&profile.counters[EVENT_SAMPLE], i).count, round);
            assert_int_equal(counter_at(&profile.counters[EVENT_ARC], i).count, round);
        }
    }
    profile_release(&profile);
}

/* One counter is too large for half the room: in each of its members, and when it is new
 * or added to. The counters before and behind it do not change. */
static void holds_large_counters(void **state)
{
    static const struct event large[] = {
        {EVENT_ARC, 3, (uint64_t)1 << 32, 0x10, 1},
        {EVENT_ARC, 3, 0x20, (uint64_t)1 << 32, 1},
        {EVENT_ARC, 3, 0x20, 0x10, (uint64_t)1 << 48},
        {EVENT_ARC, 3, 5, 1, ((uint64_t)1 << 48) - 1},
        {EVENT_ARC, UINT16_MAX + 1, 0x20, 0x10, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        struct profile profile;
        uint64_t sum = 0;
        profile_init(&profile);
        profile.task = 3;
        for (int round = 0; round < 2; round++) {
            for (uint64_t k = 100; k > 0; k--)
                assert_true(profile_count(&profile, EVENT_ARC, k, 1, 1));
            assert_true(profile_count_all(&profile, &large[i], 1));
        }
        assert_int_equal(profile.counters[EVENT_ARC].used,
                         large[i].from == 5 ? 100 : 101);
        for (uint64_t k = 0; k < profile.counters[EVENT_ARC].used; k++) {
            const struct counter counter = counter_at(&profile.counters[EVENT_ARC], k);
            bool is_large = counter.from == large[i].from && counter.to == large[i].to;
            assert_true(is_large || (counter.from == 100 - k && counter.to == 1));
            assert_int_equal(counter.task, is_large ? large[i].task : 3);
            assert_true(counter.count ==
                        (is_large ? 2 * large[i].count : 0) + (k < 100 ? 2 : 0));
            sum += counter.count;
        }
        assert_true(sum == profile.received[EVENT_ARC]);
        profile_release(&profile);
    }
}

static void sums_saturate(void **state)
{
    struct profile profile;
    (void)state;
    profile_init(&profile);
    assert_true(profile_count(&profile, EVENT_SAMPLE, 0, 2, UINT64_MAX - 1));
    assert_true(profile_count(&profile, EVENT_SAMPLE, 0, 2, 5));
    assert_true(counter_at(&profile.counters[EVENT_SAMPLE], 0).count == UINT64_MAX);
    assert_true(profile.received[EVENT_SAMPLE] == UINT64_MAX);
    profile_release(&profile);
}

static void stacks_are_samples_of_their_leaf(void **state)
{
    struct profile profile;
    const uint64_t deep[] = {0x10, 0x20, 0x30}, shallow[] = {0x10, 0x20};
    (void)state;
    profile_init(&profile);
    assert_true(profile_stack(&profile, deep, 3, STACK_WHOLE, 2));
    assert_true(profile_stack(&profile, shallow, 2, STACK_WHOLE, 1));
    assert_true(profile_stack(&profile, deep, 3, STACK_WHOLE, 4));
    assert_true(profile_stack(&profile, deep, 0, STACK_WHOLE, 9));
    assert_int_equal(profile.stacks.used, 2);
    assert_int_equal(profile.stacks.items[0].depth, 3);
    assert_int_equal(profile.stacks.items[0].count, 6);
    assert_int_equal(profile.stacks.items[0].addresses[2], 0x30);
    assert_int_equal(profile.stacks.items[1].count, 1);
    assert_int_equal(profile.counters[EVENT_SAMPLE].used, 1);
    assert_int_equal(profile.received[EVENT_SAMPLE], 7);
    profile_release(&profile);
}

/* Returns the count of the stack that equals this one, root last; 0 if there is none. */
static uint64_t count_of(const struct profile *profile, size_t depth,
                         const uint64_t *addresses, enum stack_end end, uint64_t hit)
{
    for (size_t i = 0; i < profile->stacks.used; i++) {
        const struct stack *stack = &profile->stacks.items[i];
        if (stack->depth == depth && stack->end == end && stack->hit == hit &&
            memcmp(stack->addresses, addresses, depth * sizeof *addresses) == 0)
            return stack->count;
    }
    return 0;
}

#define OF(profile, end, hit, ...)                                                       \
    count_of(profile, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t),              \
             (uint64_t[]){__VA_ARGS__}, end, hit)

/* The handler at 0x200 hits the handler at 0x180, or main; another one hits unknown code.
 */
static void fill_interrupted(struct profile *profile, const char *arch)
{
    const uint64_t nested[] = {0x200, 0x210, 0xFFFFFFF0, 0x180, 0xFFFFFFFC, 0x40, 0x20};
    const uint64_t deep[] = {0x200, 0x210, 0xFFFFFFFC, 0x40, 0x20};
    const uint64_t leaf[] = {0x200, 0xFFFFFFFC, 0x42, 0x20};
    const uint64_t open[] = {0x200, 0x210, 0xFFFFFFBC};
    const uint64_t whole[] = {0x40, 0x20};
    profile_init(profile);
    profile->arch = arch;
    assert_true(profile_stack(profile, nested, 7, STACK_WHOLE, 1));
    assert_true(profile_stack(profile, deep, 5, STACK_UNSURE, 2));
    assert_true(profile_stack(profile, leaf, 4, STACK_WHOLE, 4));
    assert_true(profile_stack(profile, open, 3, STACK_CUT, 8));
    assert_true(profile_stack(profile, whole, 2, STACK_WHOLE, 16));
}

static void paths_end_at_the_handler(void **state)
{
    struct profile profile;
    (void)state;
    fill_interrupted(&profile, "cortex-m");
    assert_true(profile_follow_interrupts(&profile, false));
    assert_int_equal(profile.stacks.used, 3);
    assert_int_equal(OF(&profile, STACK_INTERRUPT, 0, 0x200, 0x210), 1 + 2 + 8);
    assert_int_equal(OF(&profile, STACK_INTERRUPT, 0, 0x200), 4);
    assert_int_equal(OF(&profile, STACK_WHOLE, 0, 0x40, 0x20), 16);
    assert_int_equal(profile.received[EVENT_SAMPLE], 31);
    profile_release(&profile);
}

static void paths_go_through_interrupts(void **state)
{
    struct profile profile;
    (void)state;
    fill_interrupted(&profile, "cortex-m");
    assert_true(profile_follow_interrupts(&profile, true));
    assert_int_equal(profile.stacks.used, 5);
    assert_int_equal(OF(&profile, STACK_WHOLE, 4 | 8, 0x200, 0x210, 0x181, 0x41, 0x20),
                     1);
    assert_int_equal(OF(&profile, STACK_UNSURE, 4, 0x200, 0x210, 0x41, 0x20), 2);
    assert_int_equal(OF(&profile, STACK_WHOLE, 2, 0x200, 0x43, 0x20), 4);
    assert_int_equal(OF(&profile, STACK_INTERRUPT, 0, 0x200, 0x210), 8);
    assert_int_equal(OF(&profile, STACK_WHOLE, 0, 0x40, 0x20), 16);
    assert_int_equal(profile.received[EVENT_SAMPLE], 31);
    profile_release(&profile);
}

static void other_processors_have_no_exc_return(void **state)
{
    struct profile profile;
    (void)state;
    fill_interrupted(&profile, "riscv");
    assert_true(profile_follow_interrupts(&profile, false));
    assert_int_equal(OF(&profile, STACK_CUT, 0, 0x200, 0x210, 0xFFFFFFBC), 8);
    profile_release(&profile);
}

static void timed_calls_add_up(void **state)
{
    struct profile profile;
    (void)state;
    profile_init(&profile);
    for (uint64_t i = 0; i < 200; i++) {
        struct call_times took = {10 + i, i, 3 + i % 2, 7 + i};
        assert_true(profile_call(&profile, i % 100, 0x10, 2, &took));
    }
    assert_int_equal(profile.received[EVENT_CALL], 400);
    assert_int_equal(profile.counters[EVENT_CALL].used, 100);
    for (uint64_t i = 0; i < 100; i++) {
        const struct call_times *sum = &profile.times[i];
        assert_int_equal(counter_at(&profile.counters[EVENT_CALL], i).from, i);
        assert_int_equal(counter_at(&profile.counters[EVENT_CALL], i).count, 4);
        assert_int_equal(sum->total, 20 + 2 * i + 100);
        assert_int_equal(sum->self, 2 * i + 100);
        assert_int_equal(sum->shortest, 3 + i % 2);
        assert_int_equal(sum->longest, 107 + i);
    }
    assert_true(profile_call(&profile, 0, 0x10, 1,
                             &(struct call_times){UINT64_MAX, UINT64_MAX, 1, 9}));
    assert_true(profile.times[0].total == UINT64_MAX);
    assert_true(profile.times[0].self == UINT64_MAX);
    assert_int_equal(profile.times[0].shortest, 1);
    assert_int_equal(profile.times[0].longest, 107);
    profile_release(&profile);
}

static void can_be_released_and_used_again(void **state)
{
    struct profile profile;
    (void)state;
    profile_init(&profile);
    assert_true(profile_count(&profile, EVENT_BLOCK, 0, 1, 1));
    profile_release(&profile);
    assert_int_equal(profile.received[EVENT_BLOCK], 0);
    assert_int_equal(profile.bin_bytes, 1);
    assert_true(profile_count(&profile, EVENT_BLOCK, 0, 1, 1));
    assert_int_equal(profile.counters[EVENT_BLOCK].used, 1);
    profile_release(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adds_up_by_key),
        cmocka_unit_test(keeps_kinds_apart),
        cmocka_unit_test(holds_many_keys),
        cmocka_unit_test(counts_on_after_settling),
        cmocka_unit_test(holds_large_counters),
        cmocka_unit_test(sums_saturate),
        cmocka_unit_test(stacks_are_samples_of_their_leaf),
        cmocka_unit_test(paths_end_at_the_handler),
        cmocka_unit_test(paths_go_through_interrupts),
        cmocka_unit_test(other_processors_have_no_exc_return),
        cmocka_unit_test(timed_calls_add_up),
        cmocka_unit_test(can_be_released_and_used_again),
    };
    return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
