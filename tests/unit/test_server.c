/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../host/page/server.h"

static void is_named_with_its_port(void **state)
{
    (void)state;
    assert_true(server_is_named("127.0.0.1:8080", 8080));
    assert_true(server_is_named("localhost:8080", 8080));
    assert_false(server_is_named("localhost:8081", 8080));
    assert_false(server_is_named("localhost", 8080));
    assert_false(server_is_named("127.0.0.1", 8080));
    assert_false(server_is_named("evil.example:8080", 8080));
    assert_false(server_is_named("localhost:8080.evil.example", 8080));
    assert_false(server_is_named("", 8080));
    assert_false(server_is_named(NULL, 8080));
}

/* Browsers leave out the port of http. */
static void port_80_may_be_left_out(void **state)
{
    (void)state;
    assert_true(server_is_named("127.0.0.1", 80));
    assert_true(server_is_named("localhost", 80));
    assert_true(server_is_named("localhost:80", 80));
    assert_false(server_is_named("evil.example", 80));
    assert_false(server_is_named("localhost.evil.example", 80));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_named_with_its_port),
        cmocka_unit_test(port_80_may_be_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
