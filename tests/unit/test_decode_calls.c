/* SPDX-License-Identifier: MIT */
/* The reader of the wire: timed calls and the time base, in streams made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "decode/decode.h"
#include "mcuprof_wire.h"

enum { FIRST = MCUPROF_WIRE_HELLO_FIRST, BASE = 0x08000000 };

static struct {
    uint8_t bytes[1 << 14];
    size_t used;
    uint32_t hash, check;
} stream;

static struct profile profile;
static struct error error;

static void put_byte(uint8_t byte)
{
    stream.bytes[stream.used++] = byte;
    stream.hash = MCUPROF_WIRE_HASH_STEP(stream.hash, byte);
}

static void begin(unsigned kind, unsigned parameters)
{
    stream.check = MCUPROF_WIRE_START(kind, parameters);
    if (MCUPROF_WIRE_CLOSES(stream.check))
        stream.hash = 0;
    put_byte((uint8_t)stream.check);
}

static void put(uint64_t value, unsigned groups)
{
    for (; groups > 0; groups--, value >>= 7) {
        put_byte(value & 0x7F);
        stream.check = MCUPROF_WIRE_CHECK_STEP(stream.check, value & 0x7F);
    }
}

static void finish(void)
{
    put_byte((uint8_t)(stream.check % MCUPROF_WIRE_CHECK_MODULUS));
}

static void words(unsigned kind, unsigned parameters, size_t count, const uint32_t *word)
{
    begin(kind, parameters);
    for (size_t i = 0; i < count; i++)
        put(word[i], 5);
    finish();
}

static void hello(void)
{
    words(MCUPROF_WIRE_HELLO, MCUPROF_WIRE_VERSION | FIRST, 4,
          (uint32_t[]){0, 0, BASE,
                       MCUPROF_WIRE_CONFIG(MCUPROF_WIRE_ARCH_CORTEX_M, 1, 8, 0, 256,
                                           MCUPROF_WIRE_FLAG_CALLS)});
}

static void time_base(uint32_t inside, uint32_t other, uint32_t run)
{
    words(MCUPROF_WIRE_HELLO, MCUPROF_WIRE_VERSION | MCUPROF_WIRE_HELLO_TIME, 5,
          (uint32_t[]){25000000, inside, 70, other, run});
}

/* Makes a record of the widest form; its addresses are 0x10 and 0x20 from the base. */
static void call(uint64_t count, uint64_t total, uint64_t self, uint64_t shortest,
                 uint64_t longest)
{
    begin(MCUPROF_WIRE_CALL, 3);
    put(0x08, 2);
    put(0x10, 2);
    put(count, 5);
    put(total, 5);
    put(self, 5);
    put(shortest, 5);
    put(longest, 5);
    finish();
}

static void single(uint32_t total, uint32_t self, unsigned groups)
{
    begin(MCUPROF_WIRE_CALL, groups == 3 ? 0 : 1);
    put(0x08, 2);
    put(0x10, 2);
    put(total, groups);
    put(self, groups);
    finish();
}

static void totals(uint32_t calls, uint32_t lost)
{
    words(MCUPROF_WIRE_TOTALS, MCUPROF_WIRE_TOTALS_CALLS, 3,
          (uint32_t[]){calls, lost, stream.hash});
}

static void check(void)
{
    words(MCUPROF_WIRE_END, MCUPROF_WIRE_END_CHECK, 1, (uint32_t[]){stream.hash});
}

static void end(void)
{
    words(MCUPROF_WIRE_END, 0, 1, (uint32_t[]){stream.hash});
}

static bool decode_as(const char *format)
{
    struct decode_options options = {.format = format};
    struct decoder decoder;
    bool done;
    profile_release(&profile);
    assert_true(decoder_init(&decoder, &options, &profile, "stream", stream.bytes,
                             stream.used, &error));
    done = decoder_bytes(&decoder, stream.bytes, stream.used, &error) &&
           decoder_finish(&decoder, &error);
    decoder_release(&decoder);
    return done;
}

static void decode(uint64_t calls, uint64_t damaged)
{
    assert_true(decode_as(NULL));
    assert_int_equal(profile.received[EVENT_CALL], calls);
    assert_int_equal(profile.damaged, damaged);
}

static void took(uint64_t total, uint64_t self, uint64_t shortest, uint64_t longest)
{
    assert_int_equal(profile.counters[EVENT_CALL].used, 1);
    assert_int_equal(counter_at(&profile.counters[EVENT_CALL], 0).from, BASE + 0x10);
    assert_int_equal(counter_at(&profile.counters[EVENT_CALL], 0).to, BASE + 0x20);
    assert_int_equal(profile.times[0].total, total);
    assert_int_equal(profile.times[0].self, self);
    assert_int_equal(profile.times[0].shortest, shortest);
    assert_int_equal(profile.times[0].longest, longest);
}

static int power_on(void **state)
{
    (void)state;
    stream.used = 0;
    stream.hash = 0;
    return 0;
}

/* The firmware restarts and its first block is lost: its times begin at 0 again. The
 * first record that shows this is one of times, or one of totals. */
static void restarts_unseen(bool times_first)
{
    size_t at;

    hello();
    time_base(50, 1000, 5000);
    call(9, 90, 90, 10, 10);
    totals(9, 0);
    check();
    stream.hash = 0;
    at = stream.used;
    hello();
    stream.used = at;
    single(10, 10, 3);
    check();
    if (times_first)
        time_base(50, 10, 100);
    totals(1, 0);
    check();
    time_base(50, 20, 300);
    totals(1, 0);
    end();
    assert_true(decode_as(NULL));
    assert_int_equal(profile.run_count, 2);
    assert_int_equal(profile.time.run, 5000 + 300);
    assert_int_equal(profile.time.other, 1000 + 20);
}

static void times_of_a_reset_whose_hello_is_missing(void **state)
{
    (void)state;
    restarts_unseen(true);
    power_on(NULL);
    restarts_unseen(false);
}

static void sums_all_sizes(void **state)
{
    (void)state;
    hello();
    single(30, 20, 3);
    single(2000, 1000, 5);
    begin(MCUPROF_WIRE_CALL, 2);
    put(0x08, 2);
    put(0x10, 2);
    put(2, 3);
    put(40, 3);
    put(9, 3);
    put(15, 3);
    put(25, 3);
    finish();
    call(3, 0xFFFFFFFF, 0xFFFFFFF0, 1, 0xFFFFFFFD);
    totals(7, 4);
    end();
    decode(7, 0);
    took(0xFFFFFFFFull + 30 + 2000 + 40, 0xFFFFFFF0ull + 20 + 1000 + 9, 1, 0xFFFFFFFD);
    assert_int_equal(profile.lost[EVENT_CALL], 4);
    assert_true(profile.complete);
    assert_false(profile.mismatch);
}

static void discards_what_cannot_be(void **state)
{
    (void)state;
    hello();
    check();
    call(0, 0, 0, 0, 0);           /* no call */
    call(2, 10, 11, 5, 5);         /* more self than total */
    call(2, 10, 10, 6, 7);         /* the total is less than two of the shortest */
    call(2, 10, 10, 1, 4);         /* the total is more than two of the longest */
    call(2, 10, 10, 6, 4);         /* the shortest is longer than the longest */
    call(2, 1ull << 32, 1, 1, 1);  /* 33 bits */
    call(1ull << 32, 10, 1, 1, 1); /* 33 bits */
    call(2, 10, 1, 1, 1ull << 32); /* 33 bits */
    single(10, 11, 3);             /* more self than total */
    decode_as("mcuprof");
    assert_int_equal(profile.received[EVENT_CALL], 0);
    assert_int_equal(profile.damaged, 9);
    check();
    call(2, 10, 10, 4, 6);
    check();
    decode(2, 9);
    took(10, 10, 4, 6);
}

/* Flips each bit of each byte in turn: it is found and repaired, or its block is lost if
 * the record's own check does not show it. */
static void finds_flipped_bits(void **state)
{
    size_t first, last, repaired = 0;
    (void)state;
    hello();
    first = stream.used;
    call(2, 100000, 70000, 40000, 60000);
    last = stream.used;
    totals(2, 0);
    end();
    for (size_t bit = 0; bit < 7 * (last - first); bit++) {
        uint8_t *byte = &stream.bytes[first + bit / 7], was = *byte;

        *byte ^= (uint8_t)(1u << bit % 7);
        assert_true(decode_as("mcuprof"));
        if (profile.repaired)
            took(100000, 70000, 40000, 60000);
        else
            assert_int_equal(profile.received[EVENT_CALL], 0);
        assert_int_equal(profile.lost[EVENT_CALL], profile.repaired ? 0 : 2);
        repaired += profile.repaired;
        *byte = was;
    }
    decode(2, 0);
    assert_in_range(repaired, 210, 217);
}

static void cut_short(void **state)
{
    (void)state;
    hello();
    for (size_t bytes = 1; bytes < 31; bytes++) {
        size_t at = stream.used;

        call(2, 10, 10, 4, 6);
        stream.used = at + bytes;
    }
    hello();
    decode(0, 30);
}

static void the_clock_goes_round(void **state)
{
    (void)state;
    hello();
    time_base(39, 10, 0xFFFFFFF0);
    time_base(39, 5, 0x10); /* both wrapped around */
    call(2, 10, 10, 4, 6);
    check();
    decode(2, 0);
    assert_true(profile.time.hz == 25e6 && profile.time.inside == 39);
    assert_true(profile.time.outside == 70);
    assert_int_equal(profile.time.run, 0x100000010ull);
    assert_int_equal(profile.time.other, 0x100000005ull);
}

static void runs_add_up(void **state)
{
    (void)state;
    hello();
    time_base(39, 10, 1000);
    call(2, 10, 10, 4, 6);
    end();
    stream.hash = 0;
    hello();
    time_base(40, 3, 100); /* measured anew */
    time_base(40, 5, 500);
    call(2, 10, 10, 4, 6);
    end();
    decode(4, 0);
    assert_int_equal(profile.time.run, 1500);
    assert_int_equal(profile.time.other, 15);
    assert_true(profile.time.inside == 40);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, power_on)
    const struct CMUnitTest tests[] = {
        TEST(times_of_a_reset_whose_hello_is_missing),
        TEST(sums_all_sizes),
        TEST(discards_what_cannot_be),
        TEST(finds_flipped_bits),
        TEST(cut_short),
        TEST(the_clock_goes_round),
        TEST(runs_add_up),
    };
    int failed;
    profile_init(&profile);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    profile_release(&profile);
    return failed;
}
