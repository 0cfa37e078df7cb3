/* SPDX-License-Identifier: MIT */
/* Version 3 of the wire, in streams made by hand. */
#include "words.h"

/* The stream of docs/wire.md. */
static const uint8_t documented[] = {
    0xcf, 0xb3, 0x00, 0x8f, 0xf3, 0x78, 0x56, 0x34, 0x12, 0x00, /* magic, run, number */
    0x80, 0x00, 0x00, 0x00,                                     /* number, time */
    0x98, 0x01, 0x00, 0x24, 0xf4, 0x80, 0x3e, /* dither, clock, period */
    'h',  'i',  0x9c, 0x00, 0x11, 0x00, 0x1d, 0x06, 0x9f, 0x04, /* base, ... totals */
    0x80, 0x00, 0x00, 0x00,                                     /* sent, lost */
    0x80, 0x00, 0x06, 0x02,             /* a long sample of 2 new frames */
    0x91, 0x08, 0x02, 0x01, 0x43, 0x01, /* pc, weight, return address */
    0xa9, 0x1d, 0x01, 0x10, 0x05, 0x01, 0x09, 0x02, 0x01, /* samples */
    0xb5, 0x23, 0x01, 0x37, 0x66, 0xd3, 0xc0, 0xe4, 0xa9, /* close */
    0x83, 0x69, 0x88, 0x31, 0x36, '\n',
};

static void assert_stack(size_t number, uint64_t pc, size_t depth, uint64_t caller)
{
    const struct stack *stack = &profile.stacks.items[number];

    assert_int_equal(stack->depth, depth);
    assert_int_equal(stack->addresses[0], pc);
    assert_int_equal(stack->addresses[1], caller);
    assert_int_equal(stack->addresses[depth - 1], 0x142);
    assert_int_equal(stack->count, 1);
    assert_int_equal(stack->end, STACK_WHOLE);
}

static void test_documented(void **state)
{
    (void)state;
    for (size_t piece = 1; piece <= sizeof documented; piece++) {
        assert_true(decode_bytes(documented, sizeof documented, piece));
        assert_int_equal(profile.received[EVENT_SAMPLE], 3);
        assert_int_equal(profile.stacks.used, 3);
        assert_stack(0, 0x208, 3, 0x11c);
        assert_stack(1, 0x20a, 3, 0x11c);
        assert_stack(2, 0x204, 3, 0x122);
        assert_true(profile.complete && profile.accounted && profile.hz == 1000);
        assert_int_equal(profile.damaged, 0);
        assert_string_equal(console, "hi\n");
        assert_int_equal(profile.path_depth, 8);
    }
    assert_int_equal(decode_mcuprof.recognise(documented, sizeof documented), 2);
}

/* A block with `count` samples, `sent` and `lost` before it. */
static void samples(uint64_t number, uint32_t count, uint64_t sent, uint64_t lost,
                    uint32_t why)
{
    begin(number);
    totals(0, sent, lost);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0)
            WORDS(6, 1, 0x200, 1, 0x143);
        else
            word(sample(0, 1, 0x200 + 2 * i));
    }
    end(why);
    stream.time += PERIOD * count;
}

static void test_forms(void **state)
{
    (void)state;
    for (stream.form = GROUPS; stream.form <= BIG; stream.form++) {
        stream.used = stream.time = 0;
        samples(0, 5, 0, 0, FULL);
        text("between\n");
        samples(1, 7, 5, 0, STOPPED);
        decode();
        assert_int_equal(profile.received[EVENT_SAMPLE], 12);
        assert_int_equal(count_at(EVENT_SAMPLE, 0, 0x200), 2);
        assert_string_equal(console, "between\n");
        assert_int_equal(profile.damaged + profile.lost[EVENT_SAMPLE], 0);
        assert_true(profile.complete);
    }
}

static void test_repeats(void **state)
{
    size_t whole;

    (void)state;
    samples(0, 5, 0, 0, FULL);
    samples(1, 7, 5, 0, STOPPED);
    whole = stream.used;
    memcpy(stream.bytes + whole, stream.bytes, whole);
    stream.used = 2 * whole;
    decode();
    assert_int_equal(profile.received[EVENT_SAMPLE], 12);
    assert_int_equal(profile.lost[EVENT_SAMPLE], 0);
    assert_int_equal(profile.discarded, 5 + 7 + 2 * 2);
    assert_int_equal(profile.resets, 0);
    assert_true(profile.complete);
}

/* The number tells how many samples a gap of any length had. */
static void test_gap(void **state)
{
    const uint64_t gap = ((uint64_t)5 << 32) + 3;

    (void)state;
    samples(0, 5, 0, 0, FULL);
    samples((uint64_t)7 << 32, 7, 5 + gap, 2, STOPPED);
    decode();
    assert_int_equal(profile.received[EVENT_SAMPLE], 12);
    assert_true(profile.lost[EVENT_SAMPLE] == gap + 2);
    assert_true(profile.complete && !profile.mismatch);
}

static void test_late_block(void **state)
{
    (void)state;
    samples(0, 5, 0, 0, FULL);
    samples(2, 7, 8, 0, FULL);
    stream.time = 5 * PERIOD;
    samples(1, 3, 5, 0, FULL);
    stream.time = 15 * PERIOD;
    samples(3, 1, 15, 0, STOPPED);
    decode();
    assert_int_equal(profile.received[EVENT_SAMPLE], 16);
    assert_int_equal(profile.lost[EVENT_SAMPLE], 0);
    assert_int_equal(profile.resets, 0);
    assert_true(profile.complete);
}

static void test_begins_late(void **state)
{
    (void)state;
    samples(9, 5, 1000, 10, FULL);
    samples(10, 7, 1005, 11, STOPPED);
    decode();
    assert_int_equal(profile.earlier[EVENT_SAMPLE], 1010);
    assert_int_equal(profile.lost[EVENT_SAMPLE], 1);
    assert_int_equal(profile.received[EVENT_SAMPLE], 12);
}

static void test_another_run(void **state)
{
    size_t second;

    (void)state;
    text("here");
    samples(0, 5, 0, 0, FULL);
    samples(1, 7, 5, 0, FULL);
    second = stream.used;
    stream.run++;
    stream.time = 0;
    samples(1, 3, 4, 2, STOPPED); /* its first block was lost */
    decode();
    assert_int_equal(profile.received[EVENT_SAMPLE], 15);
    assert_int_equal(profile.lost[EVENT_SAMPLE], 6);
    assert_int_equal(profile.resets, 1);
    assert_int_equal(profile.run_count, 2);
    assert_true(profile.runs[0].cut && profile.unaccounted && !profile.complete);
    assert_int_equal(profile.runs[0].offset, 4);
    assert_int_equal(profile.runs[1].offset, second);
}

/* Firmware whose runs all have the same number. */
static void test_run_without_number(void **state)
{
    (void)state;
    stream.run = 0;
    samples(0, 5, 0, 0, FULL);
    samples(1, 7, 5, 0, FULL);
    stream.time = 3;
    samples(0, 5, 0, 0, FULL); /* at another time */
    samples(1, 7, 5, 0, STOPPED);
    decode();
    assert_int_equal(profile.received[EVENT_SAMPLE], 24);
    assert_int_equal(profile.resets, 1);
    stream.time = 1; /* the last block's place is free, but its time is before */
    stream.used = 0;
    samples(0, 5, 0, 0, FULL);
    stream.time = 0;
    samples(1, 7, 5, 0, STOPPED);
    decode();
    assert_int_equal(profile.received[EVENT_SAMPLE], 12);
    assert_int_equal(profile.resets, 1);
}

static void test_cores(void **state)
{
    (void)state;
    samples(0, 5, 0, 0, FULL);
    stream.core = 1;
    stream.time = 1;
    samples(0, 4, 0, 0, STOPPED);
    stream.core = 0;
    stream.time = 5 * PERIOD;
    samples(1, 7, 5, 0, STOPPED);
    decode();
    assert_int_equal(profile.received[EVENT_SAMPLE], 16);
    assert_int_equal(profile.resets + profile.lost[EVENT_SAMPLE], 0);
    assert_true(profile.complete);
    stream.used = 0;
    samples(0, 5, 0, 0, FULL);
    stream.core = 1;
    samples(0, 4, 0, 0, STOPPED);
    stream.core = 0;
    stream.run++; /* this one was reset, the other was not */
    samples(0, 7, 0, 0, STOPPED);
    decode();
    assert_int_equal(profile.run_count, 3);
    assert_true(profile.runs[0].cut && !profile.runs[1].cut && !profile.runs[2].cut);
}

static void test_counts(void **state)
{
    const struct call_times *times;

    (void)state;
    begin(0);
    for (uint32_t kind = 0; kind < 4; kind++)
        totals(kind, 0, 0);
    WORDS(other(3, 0), 0x105, 0x201, 4000000000);
    WORDS(other(4, 3), 0x302);
    WORDS(other(5, 0), 0x106, 0x200, 2, 0, 7, 1, 5, 1, 2, 0, 5, 1);
    end(STOPPED);
    decode();
    assert_int_equal(count_at(EVENT_ARC, 0x104, 0x200), 4000000000);
    assert_int_equal(count_at(EVENT_BLOCK, 0, 0x300), 3);
    assert_int_equal(count_at(EVENT_CALL, 0x106, 0x200), 2);
    times = &profile.times[0];
    assert_true(times->total == 0x100000007 && times->self == 0x100000005);
    assert_true(times->shortest == 2 && times->longest == 0x100000005);
    assert_int_equal(profile.damaged, 0);
}

static void test_tasks(void **state)
{
    (void)state;
    stream.hello[3] |= 128u << 24;
    begin(0);
    totals(1, 0, 0);
    WORDS(other(3, 1), 0x104, 0x200);
    WORDS(record(18, 1, 3 | 0x2000), 'i' | 'd' << 8 | 'l' << 16 | 'e' << 24);
    WORDS(other(1, 3), other(3, 2), 0x104, 0x200);
    end(STOPPED);
    decode();
    assert_int_equal(counter_at(&profile.counters[EVENT_ARC], 0).task, 0);
    assert_int_equal(counter_at(&profile.counters[EVENT_ARC], 1).task, 3);
    assert_string_equal(profile.tasks[0].name, "idle");
    assert_true(profile.tasks[0].idle);
}

/* Times and what sampling took have 64 bits and run from power-on. */
static void test_times(void **state)
{
    (void)state;
    for (uint32_t number = 0; number < 2; number++) {
        begin(number);
        WORDS(record(20, 7, 0), 1000, 3, 4, 5 + number, 1, 9, 2 + number);
        WORDS(record(21, 8, 0), 2 + number, 9, 7, 1 + number, 8, 0, number, 0);
        end(number ? STOPPED : FULL);
    }
    decode();
    assert_true(profile.time.hz == 1000 && profile.time.inside == 3);
    assert_true(profile.time.other == 0x100000006 && profile.time.run == 0x300000009);
    assert_true(profile.sampling.ticks == 0x200000007 && profile.sampling.least == 2);
    assert_int_equal(profile.sampling.late, 1);
}

/* What is of no use yet is passed over, and told of; another metric's sample is none of
 * time, but its path is the last one. */
static void test_not_shown(void **state)
{
    (void)state;
    begin(0);
    totals(0, 0, 0);
    WORDS(record(25, 1, 0), 'x', record(16, 2, 9), 1, 2);
    WORDS(other(7, 4), 512, 0, 6, 1, 0x300, 1, 0x143, sample(0, 1, 0x200));
    end(STOPPED);
    decode();
    assert_int_equal(profile.unshown, 3);
    assert_int_equal(profile.received[EVENT_SAMPLE], 1);
    assert_int_equal(profile.stacks.used, 1);
    assert_stack(0, 0x200, 2, 0x142);
}

static void test_impossible_paths(void **state)
{
    (void)state;
    begin(0);
    totals(0, 0, 0);
    word(sample(0, 0, 0x200));    /* the first does not say how it ends */
    WORDS(6, 1, 0x200, 1, 0x143); /* counts */
    word(sample(0, 2, 0x200));    /* keeps more than there is */
    word(sample(0, 0, 0x200));    /* there is no path now */
    WORDS(6, 10, 0x200, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10); /* deeper than can be */
    end(STOPPED);
    decode();
    assert_int_equal(profile.received[EVENT_SAMPLE], 1);
    assert_int_equal(profile.damaged, 4);
    assert_int_equal(profile.lost[EVENT_SAMPLE], 4);
}

static void test_plain(void **state)
{
    (void)state;
    stream.hello[2] = 0x08000000;
    stream.hello[3] &= ~(31u << 13);
    begin(0);
    totals(0, 0, 0);
    WORDS(sample(0, 0, 0x200), sample(0, 0, 0x202), sample(0, 0, 0x200));
    end(STOPPED);
    decode();
    assert_int_equal(count_at(EVENT_SAMPLE, 0, 0x08000200), 2);
    assert_int_equal(profile.stacks.used, 0);
}

static void test_two_firmwares(void **state)
{
    char expected[64];

    (void)state;
    text("here");
    samples(0, 5, 0, 0, FULL);
    snprintf(expected, sizeof expected, "stream: offset %zu: expected one firmware",
             stream.used);
    stream.hello[1]++;
    samples(1, 5, 5, 0, FULL);
    assert_false(decode_bytes(stream.bytes, stream.used, stream.used));
    assert_non_null(strstr(error.text, expected));
}

/* What a damaged stream counts was sent, and what is missing is told: lost, unproven, or
 * not known. */
static void judge(const uint8_t *bytes, size_t size)
{
    static const uint32_t sent[] = {3, 3, 3, 2, 1, 1};
    uint64_t got = 0;

    if (!decode_bytes(bytes, size, size))
        return;
    for (uint32_t i = 0; i < sizeof sent / sizeof sent[0]; i++) {
        uint64_t count = count_at(EVENT_SAMPLE, 0, 0x200 + 2 * i);

        assert_true(count <= sent[i]);
        got += count;
    }
    assert_int_equal(got, profile.received[EVENT_SAMPLE]);
    if (profile.complete && !profile.unaccounted)
        assert_int_equal(got + profile.lost[EVENT_SAMPLE] + profile.earlier[EVENT_SAMPLE],
                         13);
    assert_false(profile.mismatch);
}

static void test_damage(void **state)
{
    static uint8_t damaged[1 << 12];

    (void)state;
    for (stream.form = GROUPS; stream.form <= BIG; stream.form++) {
        stream.used = stream.time = 0;
        samples(0, 4, 0, 0, FULL);
        samples(1, 6, 4, 0, FULL);
        samples(2, 3, 10, 0, STOPPED);
        for (size_t at = 0; at < stream.used; at++) {
            for (unsigned bit = 0; bit < 8; bit++) {
                memcpy(damaged, stream.bytes, stream.used);
                damaged[at] ^= (uint8_t)(1u << bit);
                judge(damaged, stream.used);
            }
            memcpy(damaged, stream.bytes, at);
            memcpy(damaged + at, stream.bytes + at + 1, stream.used - at - 1);
            judge(damaged, stream.used - 1); /* a byte lost */
            judge(stream.bytes, at);         /* ends, begins there */
            judge(stream.bytes + at, stream.used - at);
            memcpy(damaged + at + 1, stream.bytes + at, stream.used - at);
            judge(damaged, stream.used + 1); /* a byte twice */
        }
    }
}

/* Text that something else writes costs the block that it hits, and is named. */
static void test_foreign_text(void **state)
{
    size_t at;

    (void)state;
    samples(0, 4, 0, 0, FULL);
    at = stream.used + 12;
    samples(1, 6, 4, 0, FULL);
    samples(2, 3, 10, 0, STOPPED);
    memmove(stream.bytes + at + 14, stream.bytes + at, stream.used - at);
    memcpy(stream.bytes + at, "hello, world \n", 14);
    stream.used += 14;
    decode();
    assert_int_equal(profile.received[EVENT_SAMPLE], 7);
    assert_int_equal(profile.lost[EVENT_SAMPLE], 6);
    assert_int_equal(profile.damaged, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(documented),  TEST(forms),
        TEST(repeats),     TEST(gap),
        TEST(late_block),  TEST(begins_late),
        TEST(another_run), TEST(run_without_number),
        TEST(cores),       TEST(counts),
        TEST(tasks),       TEST(times),
        TEST(not_shown),   TEST(impossible_paths),
        TEST(plain),       TEST(two_firmwares),
        TEST(damage),      TEST(foreign_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
