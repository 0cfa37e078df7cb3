/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../host/base/memstream.h"
#include "../../host/page/difference.h"

static void differs(const char *before, const char *after, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = port_open_memstream(&text, &size);

    assert_non_null(out);
    assert_true(difference_write(out, before, after));
    assert_true(memstream_close(out, &text));
    assert_string_equal(text, expected);
    free(text);
}

static void what_is_the_same_is_not_sent(void **state)
{
    (void)state;
    differs("[[1],[2],[3]]", "[[1],[2],[3]]", "[[0,3]]");
    differs("[[1],[2],[3]]", "[[1],[7],[3]]", "[[0,1],\"[7],\",[2,1]]");
    differs("[[1],[2],[3]]", "[[1],[2],[8],[9],[3]]", "[[0,2],\"[8],[9],\",[2,1]]");
    differs("[1],[2],[3],", "[3],[1],[2],[1],", "[[2,1],[0,2],[0,1]]");
    differs("[1],[1],[2],", "[1],[1],[2],", "[[0,3]]");
}

static void all_may_be_new(void **state)
{
    (void)state;
    differs("", "[1],[2]", "[\"[1],[2]\"]");
    differs("[1],", "", "[]");
    differs("", "", "[]");
    differs("a", "b", "[\"b\"]");
    differs("x],", "\"\\\n],", "[\"\\\"\\\\\\n],\"]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_the_same_is_not_sent),
        cmocka_unit_test(all_may_be_new),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
