/* SPDX-License-Identifier: MIT */
/* Compares the look-up in spans that were cut with a search of all spans for each
 * address. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "../../host/base/cursor.h"
#include "../../host/image/spans.h"

enum { ADDRESSES = 64, MOST = 24, ROUNDS = 2000, NOBODY = 0 };

/* Who has the address: the lowest rank, then the highest owner. */
static uint32_t owner_of(const struct span *all, size_t count, uint64_t address)
{
    const struct span *best = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct span *span = &all[i];
        bool has = span->low <= address && address < span->high;
        if (has && (best == NULL || span->rank < best->rank ||
                    (span->rank == best->rank && span->owner > best->owner)))
            best = span;
    }
    return best == NULL ? NOBODY : best->owner;
}

static void look_up(const struct spans *flat, const uint32_t owners[ADDRESSES])
{
    size_t hint = 0;
    for (int i = 0; i < 3 * ADDRESSES; i++) {
        uint64_t address = (uint64_t)(i < ADDRESSES ? i : rand() % ADDRESSES);
        uint64_t until = ADDRESSES;
        const struct span *span = spans_at(flat, &hint, address, &until);
        assert_int_equal(span == NULL ? NOBODY : span->owner, owners[address]);
        assert_true(until > address);
        for (uint64_t at = address; at < until; at++)
            assert_int_equal(owners[at], owners[address]);
    }
}

static void random_spans(void **state)
{
    (void)state;
    srand(1);
    for (int round = 0; round < ROUNDS; round++) {
        struct spans spans = {0};
        struct span all[MOST];
        uint32_t owners[ADDRESSES];
        size_t count = (size_t)rand() % MOST;
        for (size_t i = 0; i < count; i++) {
            uint64_t low = (uint64_t)rand() % (ADDRESSES - 1);
            uint64_t bytes = 1 + (uint64_t)rand() % (ADDRESSES - low - 1);
            all[i] = (struct span){low, low + bytes, (uint64_t)rand() % 5,
                                   1 + (uint32_t)rand() % 9};
            assert_true(spans_add(&spans, &all[i]));
        }
        for (uint64_t at = 0; at < ADDRESSES; at++)
            owners[at] = owner_of(all, count, at);
        assert_true(spans_flatten(&spans));
        for (size_t i = 1; i < spans.count; i++)
            assert_true(spans.items[i - 1].high <= spans.items[i].low);
        look_up(&spans, owners);
        free(spans.items);
    }
}

static void cursor_ends(void **state)
{
    static const uint8_t bytes[] = {0x12, 0x34, 'a', 0, 0xe5, 0x8e, 0x26, 0x7f, 0x80};
    struct cursor cursor = {bytes, bytes + sizeof bytes, true, false};
    (void)state;
    assert_int_equal(cursor_take(&cursor, 2), 0x1234);
    assert_string_equal(cursor_string(&cursor), "a");
    assert_int_equal(cursor_leb(&cursor, false), 624485); /* as in DWARF 5, 7.6 */
    assert_int_equal(cursor_leb(&cursor, true), -1);
    assert_false(cursor.failed);
    cursor_leb(&cursor, false); /* goes on behind the end */
    assert_true(cursor.failed);
    assert_int_equal(cursor_take(&cursor, 1), 0);
    assert_string_equal(cursor_string(&cursor), "");
    cursor = (struct cursor){.at = bytes, .end = bytes + 2};
    assert_int_equal(cursor_take(&cursor, 2), 0x3412);
    cursor_skip(&cursor, 1);
    assert_true(cursor.failed && cursor.at == cursor.end);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_spans),
        cmocka_unit_test(cursor_ends),
    };
    return cmocka_run_group_tests_name("spans", tests, NULL, NULL);
}
