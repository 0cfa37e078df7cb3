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

static struct datagrams datagrams;

/* A datagram holds its own number, as text. */
static bool add(uint32_t number)
{
    uint8_t bytes[DATAGRAM_HEADER_BYTES + 4] = "mcup";

    for (int i = 0; i < 4; i++)
        bytes[4 + i] = bytes[8 + i] = (uint8_t)(number >> (24 - 8 * i));
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

static void firmware_that_starts_anew(void **state)
{
    (void)state;
    for (uint32_t number = 0; number < 100; number++) {
        assert_true(add(number));
        GIVEN(false, number);
    }
    assert_true(add(0) && add(1));
    GIVEN(false, 0, 1);
    assert_account(102, 0, 0, 0);
}

static void leaves_others_alone(void **state)
{
    static uint8_t bytes[DATAGRAM_HEADER_BYTES + DATAGRAM_BYTES_MAX + 1] = "mcup";

    (void)state;
    assert_true(datagrams_add(&datagrams, bytes, 7));
    assert_true(datagrams_add(&datagrams, bytes, sizeof bytes));
    assert_true(datagrams_add(&datagrams, (const uint8_t *)"mcuq\0\0\0\0", 8));
    assert_int_equal(datagrams.strange, 3);
    assert_true(datagrams_add(&datagrams, bytes, DATAGRAM_HEADER_BYTES)); /* empty */
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
        cmocka_unit_test_setup(firmware_that_starts_anew, anew),
        cmocka_unit_test_setup(leaves_others_alone, anew),
        cmocka_unit_test_setup(any_order, anew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
