/* SPDX-License-Identifier: MIT */
/* Text that something else has written to the line, amid records. */
#include "stream.h"

/* Puts text into the stream, as something else writes it to the line. */
static void intrude(size_t at, const char *what)
{
    size_t bytes = strlen(what);

    memmove(stream.bytes + at + bytes, stream.bytes + at, stream.used - at);
    memcpy(stream.bytes + at, what, bytes);
    stream.used += bytes;
}

static void foreign_text_amid_a_record(void **state)
{
    enum { TEXT = 14 };
    size_t from, to;
    (void)state;
    hello(FIRST);
    arc(300);
    from = stream.used;
    arc(5);
    to = stream.used;
    totals(0, 0, 305, 0);
    end();
    for (size_t at = from + 1; at < to; at++) {
        intrude(at, "speed: 123 mm\n");
        decode();
        received(305, 0);
        whole(true, 0, false);
        assert_int_equal(profile.repaired, 1);
        assert_int_equal(profile.foreign, 1);
        memmove(stream.bytes + at, stream.bytes + at + TEXT, stream.used - at - TEXT);
        stream.used -= TEXT;
    }
}

/* In three records of one block, one of which closes it. */
static void foreign_text_in_several_places(void **state)
{
    size_t at[3];
    (void)state;
    hello(FIRST);
    for (unsigned i = 0; i < 3; i++) {
        at[i] = stream.used + 3 + i;
        if (i == 2)
            check();
        arc(7 + i);
        arc(1);
    }
    totals(0, 0, 27, 0);
    end();
    for (unsigned i = 3; i-- > 0;)
        intrude(at[i], "speed: 123 mm\n");
    decode();
    received(27, 0);
    whole(true, 0, false);
    assert_int_equal(profile.repaired, 3);
    assert_int_equal(profile.foreign, 3);
}

/* Text that cannot be taken out, for bytes of the record are missing, too. */
static void foreign_text_in_a_block_that_is_lost(void **state)
{
    size_t at;
    (void)state;
    hello(FIRST);
    arc(1);
    check();
    at = stream.used + 3;
    arc(5);
    arc(6);
    check();
    totals(0, 0, 12, 0);
    end();
    memcpy(stream.bytes + at, "speed: 123 mm", 5);
    intrude(at + 5, " is too fast");
    decode();
    received(1, 11);
    assert_int_equal(profile.repaired, 0);
    assert_int_equal(profile.foreign, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(foreign_text_amid_a_record),
        TEST(foreign_text_in_several_places),
        TEST(foreign_text_in_a_block_that_is_lost),
    };
    int failed;
    profile_init(&profile);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    profile_release(&profile);
    return failed;
}
