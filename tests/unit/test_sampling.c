/* SPDX-License-Identifier: MIT */
/* The time that sampling itself took, read from streams made by hand and subtracted. The
 * clock is 100 kHz, the mean period 1000 ticks. */
#include "stream.h"

#include <math.h>

#include "capture/sampling.h"

static void took(uint32_t ticks, uint32_t samples, uint32_t least, uint32_t most,
                 uint32_t late)
{
    words(MCUPROF_WIRE_HELLO, MCUPROF_WIRE_VERSION | MCUPROF_WIRE_HELLO_TIME,
          (uint32_t[]){ticks, samples, least, most, late}, MCUPROF_WIRE_TIME_WORDS);
}

static void is_near(double value, double expected)
{
    if (fabs(value - expected) > 1e-9 * fabs(expected))
        fail_msg("%.12g, not %.12g", value, expected);
}

/* A sample takes 60 ticks between its readings of the timer, 20 before and 20 after. */
static void it_is_taken_off(void **state)
{
    char text[SAMPLING_TEXT_MAX];
    (void)state;
    hello(FIRST);
    took(600, 10, 25, 300, 0);
    took(6000, 100, 20, 500, 0);
    end();
    decode();
    is_near(sampling_seconds(&profile), 100 / 1e5);
    is_near(sampling_share(&profile), 0.1);
    is_near(sampling_rate(&profile), 100 / 0.9);
    is_near(sampling_wall_rate(&profile), 100);
    is_near(sampling_latest(&profile), 480 / 1e5);
    assert_false(sampling_late(&profile, text));
    assert_string_equal(text, "");
}

/* The timer starts over at the interrupt's end: the program has all of the 1000 ticks but
 * the 10 of the return from the interrupt. */
static void a_timer_that_starts_over(void **state)
{
    char text[SAMPLING_TEXT_MAX];
    (void)state;
    words(MCUPROF_WIRE_HELLO, MCUPROF_WIRE_VERSION | FIRST,
          (uint32_t[]){100000, 1000 | MCUPROF_WIRE_PERIOD_RESTARTS, BASE,
                       config(256, KINDS)},
          MCUPROF_WIRE_HELLO_WORDS);
    took(6000, 100, 20, 500, 0);
    end();
    decode();
    is_near(profile.hz, 100);
    assert_true(profile.sampling.restarts);
    is_near(sampling_seconds(&profile), 100 / 1e5);
    is_near(sampling_share(&profile), 100 / 1090.0);
    is_near(sampling_rate(&profile), 1e5 / 990);
    is_near(sampling_wall_rate(&profile), 1e5 / 1090);
    assert_true(sampling_taken_off(&profile));
    assert_false(sampling_heavy(&profile, text));
    assert_string_equal(text, "");
}

/* Then each period also holds a sample's time. */
static void a_timer_that_runs_on(void **state)
{
    char text[SAMPLING_TEXT_MAX];
    (void)state;
    hello(FIRST);
    took(5000, 100, 20, 500, 0);
    end();
    decode();
    is_near(sampling_share(&profile), 0.09);
    assert_false(sampling_heavy(&profile, text));
    power_on(NULL);
    hello(FIRST);
    took(8000, 100, 20, 500, 0);
    end();
    decode();
    is_near(sampling_share(&profile), 0.12);
    assert_true(sampling_heavy(&profile, text));
    assert_non_null(strstr(text, "12 % of the time: the timer runs on meanwhile"));
}

static void late_samples_are_noticed(void **state)
{
    char text[SAMPLING_TEXT_MAX];
    (void)state;
    hello(FIRST);
    took(6000, 100, 20, 1220, 3);
    end();
    decode();
    assert_true(sampling_late(&profile, text));
    assert_non_null(strstr(text, "up to 12 ms late (3 by more than half a period)"));
}

/* Sums wrap around, and begin at 0 when the firmware restarts. */
static void differences_add_up(void **state)
{
    (void)state;
    hello(FIRST);
    took(0xFFFFFFF0, 0xFFFFFFFE, 9, 30, 0xFFFFFFFF);
    took(0x10, 2, 8, 30, 1);
    end();
    power_cycle();
    hello(FIRST);
    took(5, 1, 12, 40, 1);
    end();
    decode();
    assert_int_equal(profile.sampling.ticks, 0x100000015ull);
    assert_int_equal(profile.sampling.samples, 0x100000003ull);
    assert_int_equal(profile.sampling.late, 0x100000002ull);
    assert_int_equal(profile.sampling.least, 8);
    assert_int_equal(profile.sampling.most, 40);
}

/* The hello tells the record's meaning; a late recording gets the hello after it. */
static void before_the_hello(void **state)
{
    (void)state;
    check();
    took(600, 10, 20, 30, 0);
    check();
    took(1200, 20, 20, 30, 0);
    check();
    hello(0);
    check();
    took(1800, 30, 20, 30, 0);
    check();
    decode();
    assert_int_equal(profile.sampling.ticks, 1800);
    assert_int_equal(profile.sampling.samples, 30);
    assert_true(profile.time.hz == 0);
}

static void what_cannot_be_is_not_taken_off(void **state)
{
    char text[SAMPLING_TEXT_MAX];
    (void)state;
    hello(FIRST);
    took(0xFFFFFFFF, 1, 0xFFFFFFFF, 0, 0);
    end();
    decode();
    is_near(sampling_share(&profile), 1);
    assert_false(sampling_taken_off(&profile));
    assert_true(sampling_heavy(&profile, text));
    assert_non_null(strstr(text, "sampling took 100 % of the time: too much"));
    is_near(sampling_rate(&profile), 100);
    is_near(sampling_latest(&profile), 0);
    power_on(NULL);
    hello(FIRST);
    took(0, 0, 0xFFFFFFFF, 0, 0); /* there is no sample yet */
    end();
    decode();
    is_near(sampling_seconds(&profile), 0);
    is_near(sampling_rate(&profile), 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_is_taken_off),
        TEST(a_timer_that_starts_over),
        TEST(a_timer_that_runs_on),
        TEST(late_samples_are_noticed),
        TEST(differences_add_up),
        TEST(before_the_hello),
        TEST(what_cannot_be_is_not_taken_off),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
