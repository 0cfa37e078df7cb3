/* SPDX-License-Identifier: MIT */
/* Datagrams that are lost, doubled and out of order: what is given is in order, and each
 * is accounted for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "source/datagrams.h"
#include "stream.h"

static struct datagrams datagrams;

static void put_word(uint8_t *to, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(word >> (24 - 8 * i));
}

/* A datagram holds its own number. */
static bool add_of(uint32_t run, uint32_t number)
{
    uint8_t bytes[16] = "mcur";

    put_word(bytes + 4, run);
    put_word(bytes + 8, number);
    put_word(bytes + 12, number);
    return datagrams_add(&datagrams, bytes, sizeof bytes);
}

static bool add(uint32_t number)
{
    return add_of(7, number);
}

/* Adds a datagram of old firmware, which does not say its run. */
static bool add_old(uint32_t number)
{
    uint8_t bytes[12] = "mcup";

    put_word(bytes + 4, number);
    put_word(bytes + 8, number);
    return datagrams_add(&datagrams, bytes, sizeof bytes);
}

/* Expects that these numbers are given, and no more. */
static void assert_given(bool hurry, size_t count, const uint32_t *numbers)
{
    uint8_t bytes[4 * DATAGRAM_WINDOW];
    size_t taken = 0, size;

    while ((size = datagrams_take(&datagrams, bytes + taken, 3, hurry)) > 0)
        taken += size;
    assert_int_equal(taken, 4 * count);
    for (size_t i = 0; i < count; i++) {
        uint32_t number = (uint32_t)bytes[4 * i] << 24 |
                          (uint32_t)bytes[4 * i + 1] << 16 |
                          (uint32_t)bytes[4 * i + 2] << 8 | bytes[4 * i + 3];

        assert_int_equal(number, numbers[i]);
    }
}
#define GIVEN(hurry, ...)                                                                \
    assert_given(hurry, sizeof(uint32_t[]){__VA_ARGS__} / sizeof(uint32_t),              \
                 (uint32_t[]){__VA_ARGS__})

/* Expects the record that tells of a reset after which the first datagram was lost. */
static void assert_told(void)
{
    uint8_t bytes[7] = {0};

    for (size_t i = 0; i < sizeof bytes; i++)
        assert_int_equal(datagrams_take(&datagrams, bytes + i, 1, true), 1);
    power_on(NULL);
    words(MCUPROF_WIRE_END, MCUPROF_WIRE_END_RESET, (uint32_t[]){MCUPROF_WIRE_RESET_WORD},
          1);
    assert_int_equal(stream.used, sizeof bytes);
    assert_memory_equal(bytes, stream.bytes, sizeof bytes);
}

static void assert_account(uint64_t came, uint64_t lost, uint64_t doubled,
                           uint64_t disordered)
{
    assert_int_equal(datagrams.came, came);
    assert_int_equal(datagrams.lost, lost);
    assert_int_equal(datagrams.doubled, doubled);
    assert_int_equal(datagrams.disordered, disordered);
}

static int anew(void **state)
{
    (void)state;
    memset(&datagrams, 0, sizeof datagrams);
    return 0;
}

static void puts_in_order(void **state)
{
    (void)state;
    assert_true(add(7) && add(9) && add(10));
    GIVEN(false, 7);
    assert_true(add(8));
    GIVEN(false, 8, 9, 10);
    assert_account(4, 0, 0, 1);
}

static void gives_up_in_a_hurry(void **state)
{
    (void)state;
    assert_true(add(1) && add(3) && add(6));
    GIVEN(true, 1, 3, 6);
    assert_true(add(4)); /* too late: it stays lost */
    assert_given(true, 0, NULL);
    assert_account(3, 3, 0, 1);
}

static void drops_doubles(void **state)
{
    (void)state;
    assert_true(add(1) && add(1) && add(3) && add(3));
    GIVEN(false, 1);
    assert_true(add(1) && add(2));
    GIVEN(false, 2, 3);
    assert_true(add(3));
    assert_given(true, 0, NULL);
    assert_account(3, 0, 4, 1);
}

static void waits_for_so_many(void **state)
{
    (void)state;
    assert_true(add(1) && add(3) && add(DATAGRAM_WINDOW));
    GIVEN(false, 1);
    assert_true(add(DATAGRAM_WINDOW + 1));
    assert_false(add(DATAGRAM_WINDOW + 2));
    GIVEN(true, 3, DATAGRAM_WINDOW, DATAGRAM_WINDOW + 1);
    assert_true(add(DATAGRAM_WINDOW + 2));
    assert_false(add(5000));
    GIVEN(true, DATAGRAM_WINDOW + 2);
    assert_true(add(5000));
    assert_account(6, 5000 - 6, 0, 0);
    GIVEN(false, 5000);
}

static void goes_round(void **state)
{
    (void)state;
    assert_true(add(UINT32_MAX) && add(1) && add(0));
    GIVEN(false, UINT32_MAX, 0, 1);
    assert_account(3, 0, 0, 1);
}

/* Datagrams of another run are not taken for doubled ones, however early the reset is. */
static void another_run(void **state)
{
    (void)state;
    for (uint32_t number = 0; number < 5; number++)
        assert_true(add_of(1, number));
    GIVEN(false, 0, 1, 2, 3, 4);
    assert_true(add_of(2, 0) && add_of(2, 1) && add_of(2, 2));
    GIVEN(false, 0, 1, 2);
    assert_account(8, 0, 0, 0);
    assert_int_equal(datagrams.resets, 1);
}

static void another_run_without_its_first(void **state)
{
    (void)state;
    assert_true(add_of(1, 0) && add_of(1, 2));
    assert_false(add_of(2, 1)); /* until what is held of the first run is taken */
    GIVEN(true, 0, 2);
    assert_true(add_of(2, 1) && add_of(2, 2));
    assert_given(false, 0, NULL);
    assert_true(add_of(2, 0)); /* late, but in time */
    GIVEN(false, 0, 1, 2);
    assert_account(5, 1, 0, 1);
    assert_true(add_of(3, 4) && add_of(3, 5));
    assert_given(false, 0, NULL);
    assert_told();
    GIVEN(true, 4, 5);
    assert_true(add_of(4, 1000) && add_of(4, 1001));
    assert_told();
    GIVEN(false, 1000, 1001);
    assert_account(9, 1 + 4 + 1000, 0, 1);
}

/* One datagram of another run is not yet a reset: this run may go on. */
static void a_stray_one_of_another_run(void **state)
{
    (void)state;
    assert_true(add_of(1, 0) && add_of(1, 1));
    GIVEN(false, 0, 1);
    for (uint32_t number = 2; number < 100; number++) {
        assert_true(add_of(1000 + number, 7) && datagrams_wait(&datagrams));
        assert_given(false, 0, NULL);
        /* a doubled datagram does not tell which run goes on */
        assert_true(add_of(1, number - 1));
        assert_true(datagrams_wait(&datagrams) && add_of(1, number));
        GIVEN(true, number);
        assert_false(datagrams_wait(&datagrams));
    }
    assert_account(100, 0, 98, 0);
    assert_int_equal(datagrams.strange, 98);
    assert_int_equal(datagrams.resets, 0);
    assert_true(add_of(4, 3) && add_of(4, 3)); /* twice the same is not two */
    assert_true(add_of(1, 100));
    GIVEN(true, 100);
    assert_account(101, 0, 99, 0);
    assert_int_equal(datagrams.strange, 99);
    /* the second of two strange runs is kept; after it was alone for long enough, this
     * run has ended */
    assert_true(add_of(5, 0) && add_of(6, 0));
    assert_given(false, 0, NULL);
    GIVEN(true, 0);
    assert_account(102, 0, 99, 0);
    assert_int_equal(datagrams.strange, 100);
    assert_int_equal(datagrams.resets, 1);
}

/* A run that seemed to be over goes on, or its number comes again. */
static void a_run_that_comes_back(void **state)
{
    (void)state;
    assert_true(add_of(1, 0) && add_of(1, 1));
    GIVEN(false, 0, 1);
    assert_true(add_of(2, 0) && add_of(2, 1));
    GIVEN(false, 0, 1);
    for (uint32_t number = 0; number < DATAGRAM_WINDOW; number++)
        assert_true(add_of(1, number)); /* late, as far as one can tell */
    assert_given(true, 0, NULL);
    assert_true(add_of(1, 64) && add_of(1, 65));
    assert_told();
    GIVEN(true, 64, 65);
    assert_account(6, 64, 0, 64);
    assert_int_equal(datagrams.resets, 2);
}

/* A datagram of a run that is over changes nothing, nor does an early datagram of this
 * run that comes late. */
static void late_ones_of_other_runs(void **state)
{
    (void)state;
    for (uint32_t run = 1; run <= DATAGRAM_RUNS; run++) {
        assert_true(add_of(run, 0) && add_of(run, 1));
        GIVEN(false, 0, 1);
    }
    for (uint32_t run = 1; run < DATAGRAM_RUNS; run++)
        assert_true(add_of(run, 2));
    for (uint32_t number = 2; number < 100; number++) {
        assert_true(add_of(DATAGRAM_RUNS, number));
        GIVEN(false, number);
    }
    assert_true(add_of(DATAGRAM_RUNS, 0));
    assert_given(true, 0, NULL);
    assert_account(2 * DATAGRAM_RUNS + 98, 0, 0, DATAGRAM_RUNS);
}

static void old_firmware_that_starts_anew(void **state)
{
    (void)state;
    for (uint32_t number = 0; number < 100; number++) {
        assert_true(add_old(number));
        GIVEN(false, number);
    }
    assert_true(add_old(99) && add_old(0) && add_old(1));
    GIVEN(false, 0, 1);
    assert_account(102, 0, 1, 0);
    for (uint32_t number = 2; number < 2000; number++) {
        assert_true(add_old(number));
        GIVEN(false, number);
    }
    assert_true(add_old(3));
    assert_told();
    GIVEN(false, 3);
    assert_true(add_of(0, 0) && add_of(0, 1)); /* the firmware was updated */
    GIVEN(false, 0, 1);
    assert_int_equal(datagrams.resets, 3);
}

/* Firmware should not say the same run twice. If it does, a number that is far behind
 * shows that it started anew, and what it sends then is not dropped. */
static void a_run_that_repeats_itself(void **state)
{
    (void)state;
    for (uint32_t number = 0; number < 3000; number++) {
        assert_true(add(number));
        GIVEN(false, number);
    }
    assert_true(add(3000 - 1023)); /* late */
    assert_given(true, 0, NULL);
    for (uint32_t number = 0; number < 2500; number++) {
        assert_true(add(number));
        GIVEN(false, number);
    }
    assert_account(5500, 0, 0, 1);
    assert_int_equal(datagrams.resets, 1);
    assert_true(add(2500 - 1024));
    assert_told();
    GIVEN(false, 2500 - 1024);
    assert_int_equal(datagrams.resets, 2);
}

static void leaves_others_alone(void **state)
{
    static uint8_t bytes[12 + DATAGRAM_BYTES_MAX + 1] = "mcur";

    (void)state;
    assert_true(datagrams_add(&datagrams, bytes, 11));
    assert_true(datagrams_add(&datagrams, bytes, sizeof bytes));
    assert_true(datagrams_add(&datagrams, (const uint8_t *)"mcuq\0\0\0\0\0\0\0", 12));
    assert_true(datagrams_add(&datagrams, (const uint8_t *)"mcup\0\0", 7));
    assert_int_equal(datagrams.strange, 4);
    assert_true(datagrams_add(&datagrams, bytes, 12)); /* empty */
    assert_true(datagrams_add(&datagrams, bytes, sizeof bytes - 1));
    assert_account(1, 0, 1, 0);
    assert_given(true, 0, NULL);
}

/* What is given is always in order, and the account is right, whatever comes. */
static void any_order(void **state)
{
    uint32_t next = 0;
    uint64_t given = 0;

    (void)state;
    srand(1);
    for (unsigned i = 0; i < 200000; i++) {
        uint32_t number = 100 + i / 2 + (uint32_t)(rand() % 40);
        uint8_t bytes[4];

        while (!add(number) || rand() % 3 == 0) {
            while (datagrams_take(&datagrams, bytes, 4, rand() % 50 == 0) == 4) {
                uint32_t got = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
                               (uint32_t)bytes[2] << 8 | bytes[3];

                assert_true(given == 0 || got > next);
                next = got;
                given++;
            }
        }
    }
    assert_int_equal(given + datagrams.held, datagrams.came);
    assert_true(datagrams.came > 50000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(puts_in_order, anew),
        cmocka_unit_test_setup(gives_up_in_a_hurry, anew),
        cmocka_unit_test_setup(drops_doubles, anew),
        cmocka_unit_test_setup(waits_for_so_many, anew),
        cmocka_unit_test_setup(goes_round, anew),
        cmocka_unit_test_setup(another_run, anew),
        cmocka_unit_test_setup(another_run_without_its_first, anew),
        cmocka_unit_test_setup(a_stray_one_of_another_run, anew),
        cmocka_unit_test_setup(a_run_that_comes_back, anew),
        cmocka_unit_test_setup(late_ones_of_other_runs, anew),
        cmocka_unit_test_setup(old_firmware_that_starts_anew, anew),
        cmocka_unit_test_setup(a_run_that_repeats_itself, anew),
        cmocka_unit_test_setup(leaves_others_alone, anew),
        cmocka_unit_test_setup(any_order, anew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
