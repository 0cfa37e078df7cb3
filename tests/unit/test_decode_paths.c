/* SPDX-License-Identifier: MIT */
/* Call paths on the wire, in streams made by hand. */
#include "stream.h"

enum {
    WHOLE = MCUPROF_WIRE_ROOT_WHOLE,
    CUT = MCUPROF_WIRE_ROOT_CUT,
    MAIN = BASE + 0x10,
    WORK = BASE + 0x20,
    STEP = BASE + 0x6E,
    LEAF = BASE + 0x30,
    FRAMES_MAX = 64,
};

static uint32_t base; /* of addresses */

static void hello_with_paths(unsigned depth, unsigned flags, unsigned first)
{
    stream.depth = depth;
    base = BASE;
    hello_of(100000, KINDS | flags, first);
}

static uint32_t wide(uint32_t sum, uint32_t first, uint32_t value, unsigned bits,
                     unsigned more)
{
    sum = group(sum, first | (value & ((1u << bits) - 1)), 1);
    return group(sum, value >> bits, more);
}

/* Writes a place or an address. */
static uint32_t frame(uint32_t sum, uint32_t said)
{
    uint32_t value = (said - base) >> 1;

    if (said < MCUPROF_WIRE_PLACES)
        return group(sum, said, 1);
    if (value < 1u << 12)
        return wide(sum, 0x40, value, 5, 1);
    return value < 1u << 18 ? wide(sum, 0x60, value, 4, 2) : wide(sum, 0x70, value, 4, 4);
}

/* Writes a path; `how`: MCUPROF_WIRE_PATH_ANEW(), or the number of frames that are gone.
 * Without a program counter it is no sample. */
static void say(unsigned how, uint32_t pc, unsigned frames, const uint32_t *said)
{
    unsigned more = MCUPROF_WIRE_PATH_DROP_MORE;
    uint32_t sum = begin(MCUPROF_WIRE_END,
                         pc ? MCUPROF_WIRE_END_PATH_SAMPLE + 3 : MCUPROF_WIRE_END_PATH);

    if (how >= MCUPROF_WIRE_PATH_ANEW(0))
        sum = group(sum, how | frames, 1);
    else
        sum = group(sum, MCUPROF_WIRE_PATH_DROP(how < more ? how : more) | frames, 1);
    if (how >= more && how < MCUPROF_WIRE_PATH_ANEW(0))
        sum = group(sum, how, 1);
    for (unsigned i = 0; i < frames; i++)
        sum = frame(sum, said[i]);
    finish(pc ? group(sum, (pc - base) >> 1, 5) : sum);
}
#define SAY(how, pc, ...)                                                                \
    say(how, pc, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t),                   \
        (uint32_t[]){__VA_ARGS__})
#define ANEW(root)     MCUPROF_WIRE_PATH_ANEW(root)
#define PLACE(address) MCUPROF_WIRE_PLACE((uint32_t)(address), 1)

static void again(uint32_t count, uint32_t pc)
{
    uint32_t sum = begin(MCUPROF_WIRE_SAMPLE, 15);

    finish(group(group(sum, (pc - base) >> 1, 5), count, 5));
}

/* Writes a sample in the last path; bits 14 and 15 of its program counter are `high`. */
static void say_high(unsigned high, uint32_t pc)
{
    uint32_t sum = begin(MCUPROF_WIRE_END, MCUPROF_WIRE_END_PATH + high);

    finish(group(group(sum, 0, 1), (pc - base) >> 1, 2));
}

static void totals_and_end(uint32_t samples)
{
    totals(samples, 0, 0, 0);
    end();
}

/* Returns how often this stack, leaf first, was seen. */
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

/* Checks the numbers of samples that came and that were lost, and of damaged records. */
static void samples(uint64_t came, uint64_t lost, uint64_t damaged)
{
    assert_int_equal(profile.received[EVENT_SAMPLE], came);
    assert_int_equal(profile.lost[EVENT_SAMPLE], lost);
    assert_int_equal(profile.damaged, damaged);
}

/* ---- What is said ---- */

static void reads_high_program_counters(void **state)
{
    (void)state;
    hello_with_paths(12, 0, FIRST);
    SAY(ANEW(WHOLE), LEAF, MAIN);
    for (unsigned high = 1; high < 4; high++)
        say_high(high, LEAF);
    totals_and_end(4);
    decode();
    whole(true, 0, false);
    samples(4, 0, 0);
    for (uint32_t high = 0; high < 4; high++)
        assert_int_equal(SEEN(STACK_WHOLE, LEAF + (high << 15), MAIN), 1);
}

static void reads_paths(void **state)
{
    (void)state;
    hello_with_paths(12, 0, FIRST);
    SAY(ANEW(WHOLE), LEAF, MAIN);
    again(0x12345, LEAF);
    SAY(0, LEAF, WORK, STEP);
    SAY(2, LEAF, PLACE(STEP), PLACE(MAIN));
    again(3, WORK);
    say(1, LEAF, 0, NULL);
    say(ANEW(MCUPROF_WIRE_ROOT_INTERRUPT), WORK, 0, NULL);
    again(1, LEAF);
    SAY(ANEW(CUT), LEAF, PLACE(WORK));
    SAY(ANEW(MCUPROF_WIRE_ROOT_UNSURE), MAIN, MAIN);
    totals_and_end(0x12345 + 11);
    for (stream.piece = 0; stream.piece < 3; stream.piece++) {
        decode();
        whole(true, 0, false);
        samples(0x12345 + 11, 0, 0);
        assert_int_equal(profile.path_depth, 12);
        assert_int_equal(profile.stacks.used, 9);
        assert_int_equal(SEEN(STACK_WHOLE, LEAF, MAIN), 0x12346);
        assert_int_equal(SEEN(STACK_WHOLE, LEAF, STEP, WORK, MAIN), 1);
        assert_int_equal(SEEN(STACK_WHOLE, LEAF, MAIN, STEP, MAIN), 1);
        assert_int_equal(SEEN(STACK_WHOLE, WORK, MAIN, STEP, MAIN), 3);
        assert_int_equal(SEEN(STACK_WHOLE, LEAF, STEP, MAIN), 1);
        assert_int_equal(SEEN(STACK_INTERRUPT, WORK), 1);
        assert_int_equal(SEEN(STACK_INTERRUPT, LEAF), 1);
        assert_int_equal(SEEN(STACK_CUT, LEAF, WORK), 1);
        assert_int_equal(SEEN(STACK_UNSURE, MAIN, MAIN), 1);
    }
}

/* The smallest and the largest address of each length, also below the base. */
static void reads_addresses_of_each_length(void **state)
{
    (void)state;
    hello_with_paths(12, 0, FIRST);
    SAY(ANEW(WHOLE), LEAF, BASE, BASE + 0x1FFE, BASE + 0x2000, BASE + 0x7FFFE,
        BASE + 0x80000, 0xFFFFFFFE, 0x80);
    totals_and_end(1);
    decode();
    samples(1, 0, 0);
    assert_int_equal(SEEN(STACK_WHOLE, LEAF, 0x80, 0xFFFFFFFE, BASE + 0x80000,
                          BASE + 0x7FFFE, BASE + 0x2000, BASE + 0x1FFE, BASE),
                     1);
}

/* The paths have more frames than one record holds, and lose more than its shape can say.
 */
static void reads_deep_paths(void **state)
{
    uint32_t addresses[FRAMES_MAX + 1] = {LEAF};
    (void)state;
    for (uint32_t i = 1; i <= FRAMES_MAX; i++)
        addresses[FRAMES_MAX + 1 - i] = MAIN + 2 * i;
    hello_with_paths(FRAMES_MAX - 1, 0, FIRST);
    for (uint32_t i = 0; i < 9; i++) {
        uint32_t at = MAIN + 14 * i + 2;

        SAY(i == 0 ? ANEW(CUT) : 0, 0, at, at + 2, at + 4, at + 6, at + 8, at + 10,
            at + 12);
    }
    SAY(0, LEAF, MAIN + 128);
    SAY(6, LEAF, MAIN);
    SAY(7, LEAF, WORK);
    SAY(46, LEAF, STEP);
    totals_and_end(4);
    decode();
    samples(4, 0, 0);
    assert_int_equal(profile.path_depth, 63);
    assert_int_equal(seen(STACK_CUT, FRAMES_MAX + 1, addresses), 1);
    addresses[6] = MAIN;
    addresses[5] = LEAF;
    assert_int_equal(seen(STACK_CUT, FRAMES_MAX - 4, addresses + 5), 1);
    addresses[12] = WORK;
    addresses[11] = LEAF;
    assert_int_equal(seen(STACK_CUT, FRAMES_MAX - 10, addresses + 11), 1);
    assert_int_equal(SEEN(STACK_CUT, LEAF, STEP, MAIN + 14, MAIN + 12, MAIN + 10,
                          MAIN + 8, MAIN + 6, MAIN + 4, MAIN + 2),
                     1);
}

static void a_place_means_what_was_said_last(void **state)
{
    (void)state;
    hello_with_paths(12, 0, FIRST);
    assert_int_equal(PLACE(MAIN), PLACE(MAIN + 128));
    SAY(ANEW(WHOLE), LEAF, MAIN, MAIN + 128, PLACE(MAIN));
    SAY(1, LEAF, MAIN, PLACE(MAIN));
    totals_and_end(2);
    decode();
    samples(2, 0, 0);
    assert_int_equal(SEEN(STACK_WHOLE, LEAF, MAIN + 128, MAIN + 128, MAIN), 1);
    assert_int_equal(SEEN(STACK_WHOLE, LEAF, MAIN, MAIN, MAIN + 128, MAIN), 1);
}

static void events_know_their_task(void **state)
{
    (void)state;
    hello_with_paths(12, MCUPROF_WIRE_FLAG_TASKS, FIRST);
    SAY(ANEW(WHOLE), LEAF, MAIN);
    finish(group(begin(MCUPROF_WIRE_TASK, 0), 7, 2));
    again(2, LEAF);
    check();
    decode();
    assert_int_equal(profile.stacks.used, 2);
    assert_int_equal(profile.stacks.items[0].task, TASK_NONE);
    assert_int_equal(profile.stacks.items[1].task, 7);
    assert_int_equal(profile.stacks.items[1].count, 2);
}

/* ---- What cannot be ---- */

/* What follows a refused record is not believed until a path is said anew. */
static void refused_in_a_block(void (*what)(void))
{
    power_on(NULL);
    hello_with_paths(3, 0, FIRST);
    SAY(ANEW(WHOLE), LEAF, MAIN, WORK);
    what();
    again(5, LEAF);
    SAY(0, LEAF, STEP);
    SAY(ANEW(CUT), LEAF, STEP);
    again(10, LEAF);
    check();
    again(7, LEAF); /* this block has said no path */
    SAY(ANEW(CUT), LEAF, STEP);
    totals_and_end(27);
    decode();
    samples(13, 14, 4);
    whole(true, 4, false);
    assert_int_equal(profile.discarded, 0);
    assert_int_equal(SEEN(STACK_WHOLE, LEAF, WORK, MAIN), 1);
    assert_int_equal(SEEN(STACK_CUT, LEAF, STEP), 12);
}

static void drop_too_many(void)
{
    SAY(3, LEAF, MAIN);
}

static void drop_by_far_too_many(void)
{
    SAY(63, LEAF, MAIN);
}

static void say_an_empty_place(void)
{
    SAY(0, LEAF, PLACE(STEP));
}

static void say_no_root(void)
{
    SAY(ANEW(4), LEAF, MAIN);
}

static void say_too_many(void)
{
    SAY(0, LEAF, MAIN, MAIN, WORK);
}

static void refuses_what_cannot_be(void **state)
{
    (void)state;
    refused_in_a_block(drop_too_many);
    refused_in_a_block(drop_by_far_too_many);
    refused_in_a_block(say_an_empty_place);
    refused_in_a_block(say_no_root);
    refused_in_a_block(say_too_many);
}

static void refuses_records_that_cannot_be(void **state)
{
    uint32_t sum;
    (void)state;
    hello_with_paths(12, 0, FIRST);
    check();
    sum = group(begin(MCUPROF_WIRE_END, 11), ANEW(WHOLE), 1);
    finish(group(group(sum, 1, 4), 16, 1)); /* 33 bits */
    begin(MCUPROF_WIRE_END, 3);             /* no such records */
    finish(0);
    begin(MCUPROF_WIRE_END, 13);
    finish(0);
    check();
    decode();
    assert_int_equal(profile.damaged, 3);
}

static void firmware_without_paths_has_none(void **state)
{
    (void)state;
    hello_with_paths(0, 0, FIRST);
    check();
    SAY(ANEW(WHOLE), LEAF, MAIN);
    check();
    again(3, LEAF);
    totals_and_end(3);
    decode();
    samples(3, 0, 1);
    assert_int_equal(profile.stacks.used, 0);
}

/* Version 1's hello has other bits where version 2's tells a depth. */
static void version_1_has_none(void **state)
{
    (void)state;
    stream.depth = 12;
    base = BASE;
    for (unsigned i = 0; i < 3; i++)
        words(MCUPROF_WIRE_HELLO, 1, (uint32_t[]){1000, 1, BASE, config(256, KINDS)},
              MCUPROF_WIRE_HELLO_WORDS);
    again(3, LEAF);
    say(ANEW(WHOLE), 0, 0, NULL);
    decode();
    samples(3, 0, 1);
    assert_int_equal(profile.stacks.used, 0);
}

/* ---- What is lost ---- */

static void blocks_stand_alone(void **state)
{
    size_t at;
    (void)state;
    hello_with_paths(12, 0, FIRST);
    SAY(ANEW(WHOLE), LEAF, MAIN, WORK);
    check();
    SAY(ANEW(WHOLE), LEAF, MAIN, STEP);
    at = stream.used;
    again(5, LEAF);
    stream.used = at; /* this block is lost */
    SAY(0, LEAF, PLACE(MAIN));
    check();
    SAY(ANEW(WHOLE), LEAF, MAIN);
    again(3, LEAF);
    totals_and_end(12);
    decode();
    samples(5, 7, 0);
    assert_int_equal(SEEN(STACK_WHOLE, LEAF, WORK, MAIN), 1);
    assert_int_equal(SEEN(STACK_WHOLE, LEAF, MAIN), 4);
}

/* Nothing is left for the next block of what was said before a reset, or before a damaged
 * record that closed a block. */
static void a_block_begins_anew(void **state)
{
    size_t at;
    (void)state;
    hello_with_paths(12, 0, FIRST);
    SAY(ANEW(WHOLE), LEAF, MAIN);
    at = stream.used;
    check();
    again(4, LEAF);
    check();
    SAY(ANEW(WHOLE), LEAF, WORK);
    power_cycle();
    hello_with_paths(12, 0, FIRST);
    again(2, LEAF);
    totals_and_end(2);
    stream.bytes[at] = 'x';
    decode();
    samples(1, 6, 2);
    assert_int_equal(profile.repaired, 1);
    assert_int_equal(profile.unproven, 1);
}

static bool is_right(void)
{
    return profile.received[EVENT_SAMPLE] == 8 && profile.stacks.used == 3 &&
           SEEN(STACK_WHOLE, LEAF, MAIN + 0x100002, WORK, MAIN) == 5 &&
           SEEN(STACK_WHOLE, LEAF, MAIN, WORK, MAIN) == 2 &&
           SEEN(STACK_CUT, LEAF, WORK) == 1;
}

/* Whichever byte of a path is damaged, even a shape or an address's first group, the
 * block is repaired or lost. */
static void damaged_bytes_are_mended(void **state)
{
    unsigned tried = 0, right = 0;
    size_t from, to;
    (void)state;
    hello_with_paths(12, 0, FIRST);
    check();
    from = stream.used;
    SAY(ANEW(WHOLE), 0, MAIN, WORK);
    SAY(0, LEAF, MAIN + 0x100002);
    again(4, LEAF);
    SAY(1, LEAF, PLACE(MAIN));
    again(1, LEAF);
    SAY(ANEW(CUT), LEAF, PLACE(WORK));
    to = stream.used;
    totals_and_end(8);
    for (size_t at = from; at < to; at++) {
        uint8_t was = stream.bytes[at];

        for (unsigned value = 0; value < 256; value++) {
            stream.bytes[at] = (uint8_t)value;
            decode();
            tried++;
            right += is_right();
            assert_true(is_right() || (profile.received[EVENT_SAMPLE] == 0 &&
                                       profile.lost[EVENT_SAMPLE] == 8));
        }
        stream.bytes[at] = was;
    }
    assert_in_range(tried - right, 0, tried / 50); /* 1 of 127 passes the check */
}

/* ---- A reader that came late ---- */

/* The hello, which tells what places mean, comes after the samples. */
static void keeps_samples_for_a_hello(void **state)
{
    (void)state;
    stream.depth = 12;
    base = BASE + 0x14;
    again(9, LEAF);
    stream.used = 0; /* the recording begins here */
    check();
    SAY(ANEW(WHOLE), LEAF, MAIN, PLACE(MAIN));
    again(2, LEAF);
    check();
    again(4, LEAF);
    SAY(ANEW(CUT), LEAF, WORK);
    words(MCUPROF_WIRE_HELLO, MCUPROF_WIRE_VERSION,
          (uint32_t[]){1000, 1, base, config(256, KINDS)}, MCUPROF_WIRE_HELLO_WORDS);
    SAY(0, LEAF, PLACE(WORK));
    check();
    SAY(ANEW(CUT), LEAF, PLACE(WORK));
    totals_and_end(19);
    decode();
    assert_int_equal(SEEN(STACK_WHOLE, LEAF, MAIN, MAIN), 3);
    assert_int_equal(SEEN(STACK_CUT, LEAF, WORK), 1);
    assert_int_equal(SEEN(STACK_CUT, LEAF, WORK, WORK), 1);
    samples(5, 5, 2);
    assert_int_equal(profile.earlier[EVENT_SAMPLE], 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_paths),
        TEST(reads_high_program_counters),
        TEST(reads_addresses_of_each_length),
        TEST(reads_deep_paths),
        TEST(a_place_means_what_was_said_last),
        TEST(events_know_their_task),
        TEST(refuses_what_cannot_be),
        TEST(refuses_records_that_cannot_be),
        TEST(firmware_without_paths_has_none),
        TEST(version_1_has_none),
        TEST(blocks_stand_alone),
        TEST(a_block_begins_anew),
        TEST(damaged_bytes_are_mended),
        TEST(keeps_samples_for_a_hello),
    };
    int failed;
    profile_init(&profile);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    profile_release(&profile);
    return failed;
}
