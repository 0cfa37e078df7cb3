/* SPDX-License-Identifier: MIT */
/* Compares digits.h with printf(), at random and where rounding is close. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/digits.h"

enum { TRIALS = 200000, TEXT_MAX = 400 };

static void is_printed(double number, int decimals)
{
    char ours[TEXT_MAX], theirs[TEXT_MAX];
    int used = digits_fixed(ours, sizeof ours, number, decimals);
    snprintf(theirs, sizeof theirs, "%.*f", decimals, number);
    assert_string_equal(ours, theirs);
    assert_int_equal(used, strlen(ours));
    used = digits_general(ours, sizeof ours, number);
    snprintf(theirs, sizeof theirs, "%.12g", number);
    assert_string_equal(ours, theirs);
    assert_int_equal(used, strlen(ours));
}

static void edges(void **state)
{
    static const double numbers[] = {0,      -0.0,   INFINITY, -INFINITY,      NAN,
                                     1e12,   0x1p41, 1e300,    999999999999.5, 5e-324,
                                     0.0001, 0.5,    2.5,      99999999999.95, -1.25};
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        for (int decimals = 0; decimals <= 20; decimals++)
            is_printed(numbers[i], decimals);
}

/* Numbers of any size, with few digits, with halves of the last digit, and near powers of
 * ten. */
static void random_ones(void **state)
{
    (void)state;
    srand48(1);
    for (int i = 0; i < TRIALS; i++) {
        int decimals = (int)(lrand48() % 8), power = (int)(lrand48() % 40 - 20);
        is_printed(drand48() * pow(10, power), decimals);
        is_printed((double)(lrand48() % 100000) / 1000, decimals);
        is_printed((double)(lrand48() % 100000) / 16, decimals);
        is_printed(nextafter(pow(10, power), drand48() - 0.5), decimals);
    }
}

static void whole_ones(void **state)
{
    static const uint64_t numbers[] = {0, 9, 10, 99, 100, UINT32_MAX, UINT64_MAX};
    char ours[TEXT_MAX], theirs[TEXT_MAX];
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        int used = digits_whole(ours, sizeof ours, " [", numbers[i], "]");
        snprintf(theirs, sizeof theirs, " [%" PRIu64 "]", numbers[i]);
        assert_string_equal(ours, theirs);
        assert_int_equal(used, strlen(ours));
    }
}

/* A text that does not fit is cut as snprintf() cuts it. */
static void small_ones(void **state)
{
    char ours[8];
    (void)state;
    assert_int_equal(digits_whole(ours, sizeof ours, "<", 1234567, ">"), 9);
    assert_string_equal(ours, "<123456");
    assert_int_equal(digits_fixed(ours, sizeof ours, 12345.6789, 3), 9);
    assert_string_equal(ours, "12345.6");
    assert_int_equal(digits_general(ours, sizeof ours, 0.123456789), 11);
    assert_string_equal(ours, "0.12345");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges),
        cmocka_unit_test(random_ones),
        cmocka_unit_test(whole_ones),
        cmocka_unit_test(small_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
