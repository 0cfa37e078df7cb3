/* SPDX-License-Identifier: MIT */
/* Figures with units as people write them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/quantity.h"

static void assert_read(const char *text, enum quantity expected, double value)
{
    enum quantity quantity;
    double read;

    assert_true(quantity_read(text, &read, &quantity));
    assert_int_equal(quantity, expected);
    assert_true(fabs(read - value) <= 1e-12 * value);
}

static void units(void **state)
{
    (void)state;
    assert_read("5", QUANTITY_NUMBER, 5);
    assert_read(" 5 %", QUANTITY_PERCENT, 5);
    assert_read("0s", QUANTITY_TIME, 0);
    assert_read("50us", QUANTITY_TIME, 50e-6);
    assert_read("1.5e3 ns", QUANTITY_TIME, 1.5e-6);
    assert_read("2h", QUANTITY_TIME, 7200);
    assert_read("300 days", QUANTITY_TIME, 300 * 86400.0);
    assert_read("3mJ", QUANTITY_ENERGY, 3e-3);
    assert_read("4.4 mA", QUANTITY_CURRENT, 4.4e-3);
    assert_read("2.6 \u00b5A", QUANTITY_CURRENT, 2.6e-6);
    assert_read("2.6\u03bcA", QUANTITY_CURRENT, 2.6e-6);
    assert_read("900\tnA", QUANTITY_CURRENT, 900e-9);
    assert_read("3300 mV", QUANTITY_VOLTAGE, 3.3);
    assert_read("220 mAh", QUANTITY_CHARGE, 792);
}

static void no_quantities(void **state)
{
    static const char *const texts[] = {"",     "mA",     "-1 mA", "1 kA",  "1 ma",
                                        "1 mh", "1mdays", "1 u",   "1 A h", "nan s",
                                        "inf",  "1e400",  "1 m%",  "1 mA x"};
    enum quantity quantity;
    double value;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_false(quantity_read(texts[i], &value, &quantity));
}

static void trims(void **state)
{
    char blanks[] = " \t a b \r\n", none[] = "a", only[] = "  ";

    (void)state;
    assert_string_equal(quantity_trim(blanks), "a b");
    assert_string_equal(quantity_trim(none), "a");
    assert_string_equal(quantity_trim(only), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units),
        cmocka_unit_test(no_quantities),
        cmocka_unit_test(trims),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
