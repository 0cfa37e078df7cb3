/* SPDX-License-Identifier: MIT */
/*
 * sort_stable: its result and the order of its comparisons, which is that of glibc's
 * merge sort and is worked out by hand below.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../host/gprof/sort.h"

enum { ITEMS = 5, MANY = 1000 };

struct item {
    int key;
    int at; /* its index before sorting */
};

/* Gives the same verdict on any two items, and writes down which they were. */
struct judge {
    int verdict;
    char log[64];
};

static int judge(const void *left, const void *right, void *context)
{
    struct judge *asked = context;
    size_t used = strlen(asked->log);

    snprintf(asked->log + used, sizeof asked->log - used, "%d%d ",
             ((const struct item *)left)->at, ((const struct item *)right)->at);
    return asked->verdict;
}

static void sort_judged(struct judge *asked, int *order)
{
    struct item items[ITEMS];
    void *pointers[ITEMS];

    for (int i = 0; i < ITEMS; i++) {
        items[i] = (struct item){0, i};
        pointers[i] = &items[i];
    }
    assert_true(sort_stable(pointers, ITEMS, judge, asked));
    for (int i = 0; i < ITEMS; i++)
        order[i] = ((struct item *)pointers[i])->at;
}

static void test_equal(void **state)
{
    static const int expected[ITEMS] = {0, 1, 2, 3, 4};
    struct judge asked = {0, ""};
    int order[ITEMS];

    (void)state;
    sort_judged(&asked, order);
    assert_memory_equal(order, expected, sizeof order);
    /* the halves have 2 and 3 items, the halves of the 3 have 1 and 2; once a half is
     * used up, the rest of the other one needs no comparison */
    assert_string_equal(asked.log, "01 34 23 02 12 ");
}

static void test_reversed(void **state)
{
    static const int expected[ITEMS] = {4, 3, 2, 1, 0};
    struct judge asked = {1, ""};
    int order[ITEMS];

    (void)state;
    sort_judged(&asked, order);
    assert_memory_equal(order, expected, sizeof order);
    assert_string_equal(asked.log, "01 34 24 23 14 13 12 ");
}

static int by_key(const void *left, const void *right, void *context)
{
    (void)context;
    return ((const struct item *)left)->key - ((const struct item *)right)->key;
}

static void test_many(void **state)
{
    static struct item items[MANY];
    static void *pointers[MANY];

    (void)state;
    for (int i = 0; i < MANY; i++) {
        items[i] = (struct item){i * 7919 % 101, i};
        pointers[i] = &items[i];
    }
    assert_true(sort_stable(pointers, MANY, by_key, NULL));
    for (int i = 1; i < MANY; i++) {
        const struct item *before = pointers[i - 1], *item = pointers[i];

        assert_true(before->key < item->key ||
                    (before->key == item->key && before->at < item->at));
    }
    assert_true(sort_stable(pointers, 0, by_key, NULL));
    assert_true(sort_stable(pointers, 1, by_key, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal),
        cmocka_unit_test(test_reversed),
        cmocka_unit_test(test_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
