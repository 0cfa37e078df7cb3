/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../host/answers/diff.h"

static void all_of_the_time_has_the_error_of_its_samples(void **state)
{
    const struct diff_share whole = {.share = 1, .samples = 300};
    struct diff_time time = diff_longer(&whole, &whole, 0.3, 0.4);

    (void)state;
    assert_float_equal(time.change, 0.1, 1e-9);
    assert_float_equal(time.error, 0.5 / sqrt(12 * 300), 1e-9);
}

static void a_part_has_that_of_its_share_too(void **state)
{
    const struct diff_share none = {.samples = 100}, some = {0.2, 0.04, 0, 100};
    struct diff_time time = diff_longer(&some, &none, 1, 2);
    double pooled = sqrt(0.1 * 0.9 * (2 / 100.0));

    (void)state;
    assert_float_equal(time.change, -0.2, 1e-9);
    assert_float_equal(time.error, hypot(pooled, 0.2 / sqrt(1200)), 1e-9);
}

static void what_was_measured_has_none(void **state)
{
    const struct diff_share before = {.share = 0.5}, after = {.share = 0.25};
    struct diff_time time = diff_longer(&before, &after, 2, 2);

    (void)state;
    assert_float_equal(time.change, -0.5, 1e-9);
    assert_float_equal(time.error, 0, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_the_time_has_the_error_of_its_samples),
        cmocka_unit_test(a_part_has_that_of_its_share_too),
        cmocka_unit_test(what_was_measured_has_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
