/* SPDX-License-Identifier: MIT */
/* Blocks of records, in streams made by hand: what is proven counts, what is not is told.
 */
#include "stream.h"

/* Checks what the profile says of the end. */
static void ends(uint64_t unproven, uint64_t unsent, bool unaccounted)
{
    assert_int_equal(profile.unproven, unproven);
    assert_int_equal(profile.unsent, unsent);
    assert_int_equal(profile.unaccounted, unaccounted);
}

static void an_end_that_is_missing(void **state)
{
    (void)state;
    hello(FIRST);
    arc(5);
    totals(0, 0, 5, 0);
    check();
    arc(2);
    arc(1);
    decode();
    received(5, 0);
    whole(false, 0, false);
    ends(3, 8, true);
}

/* The last totals may be damaged themselves. */
static void last_totals_are_not_proven(void **state)
{
    (void)state;
    hello(FIRST);
    arc(5);
    totals(0, 0, 5, 0);
    arc(2);
    totals(0, 0, 7, 100);
    decode();
    received(7, 0);
    whole(false, 0, false);
    ends(0, 8, true);
}

static void all_that_was_flushed(void **state)
{
    (void)state;
    hello(FIRST);
    arc(5);
    totals(0, 0, 5, 0);
    close_by(MCUPROF_WIRE_END_FLUSHED);
    decode();
    received(5, 0);
    whole(false, 0, false);
    ends(0, 0, false);
    build_id(1);
    decode();
    ends(0, 0, false);
    arc(1);
    decode();
    ends(1, 8, true);
    check();
    decode();
    received(6, 0);
    ends(0, 8, true);
}

/* A record that closes is repaired whichever of its bytes is damaged. */
static void records_that_close_are_mended(void **state)
{
    size_t from, to;
    (void)state;
    hello(FIRST);
    arc(5);
    from = stream.used;
    check();
    to = stream.used;
    arc(6);
    totals(0, 0, 11, 3);
    end();
    for (size_t at = from; at < to; at++) {
        uint8_t was = stream.bytes[at];

        for (unsigned value = 0; value < 256; value += 5) {
            stream.bytes[at] = (uint8_t)value;
            decode();
            received(11, 3);
            whole(true, 0, false);
            assert_int_equal(profile.repaired, value != was);
        }
        stream.bytes[at] = was;
    }
    /* the whole record is damaged */
    memset(stream.bytes + from, 'x', to - from);
    stream.bytes[from] = 0xF3;
    decode();
    received(11, 3);
}

static void the_end_itself_is_mended(void **state)
{
    (void)state;
    hello(FIRST);
    arc(5);
    totals(0, 0, 5, 0);
    end();
    text("bye\n");
    stream.bytes[stream.used - 7] ^= 1; /* in its hash */
    decode();
    received(5, 0);
    assert_int_equal(profile.repaired, 1);
    ends(0, 0, false);
}

/* The first block of another run was lost; its other blocks are as in the run before. */
static void a_reset_that_is_told(void **state)
{
    size_t begin, bytes;
    (void)state;
    hello(FIRST);
    arc(5);
    begin = stream.used;
    check();
    arc(6);
    totals(0, 0, 11, 0);
    arc(7);
    check();
    bytes = stream.used - begin;
    words(MCUPROF_WIRE_END, MCUPROF_WIRE_END_RESET, (uint32_t[]){MCUPROF_WIRE_RESET_WORD},
          1);
    memcpy(stream.bytes + stream.used, stream.bytes + begin, bytes);
    stream.used += bytes;
    decode();
    received(5 + 6 + 7 + 6 + 7, 5);
    whole(false, 0, false);
    assert_int_equal(profile.run_count, 2);
    assert_int_equal(profile.resets, 1);
}

static void text_between_records_is_no_part_of_them(void **state)
{
    (void)state;
    text("before");
    hello(FIRST);
    text("one\n");
    arc(5);
    text("two\n");
    totals(0, 0, 5, 0);
    text("three\n");
    end();
    decode();
    received(5, 0);
    whole(true, 0, false);
    assert_string_equal(console, "beforeone\ntwo\nthree\n");
}

/* Text in the middle of a record; noise of the line that begins a record. */
static void text_and_noise_inside(void **state)
{
    size_t at;
    (void)state;
    hello(FIRST);
    check();
    at = stream.used + 3;
    arc(5);
    totals(0, 0, 5, 0);
    end();
    memmove(stream.bytes + at + 4, stream.bytes + at, stream.used - at);
    stream.used += 4;
    memcpy(stream.bytes + at, "text", 4);
    decode();
    received(5, 0);
    whole(true, 0, false);
    assert_int_equal(profile.repaired, 1);
    assert_int_equal(profile.foreign, 0); /* four letters may be noise */

    power_on(state);
    hello(FIRST);
    arc(5);
    stream.bytes[stream.used++] = 0x9F; /* nothing follows it */
    totals(0, 0, 5, 0);
    end();
    decode();
    received(5, 0);
    whole(true, 1, false);
}

static void two_damaged_places_are_too_many(void **state)
{
    size_t one, other;
    (void)state;
    hello(FIRST);
    check();
    one = stream.used + 3;
    arc(5);
    arc(2);
    other = stream.used + 3;
    arc(3);
    check();
    arc(1);
    totals(0, 0, 11, 0);
    end();
    stream.bytes[one] ^= 1;
    stream.bytes[other] ^= 1;
    decode();
    received(1, 10);
    whole(true, 2, false);
    assert_int_equal(profile.discarded, 2);
}

/* Only text is where a record was: its start byte lost its top bit, or is gone. */
static void a_record_that_turned_to_text(void **state)
{
    size_t at;
    (void)state;
    hello(FIRST);
    text("text ");
    at = stream.used;
    arc(5);
    text(" and more\n");
    totals(0, 0, 5, 0);
    end();
    stream.bytes[at] &= 0x7F;
    decode();
    received(5, 0);
    memmove(stream.bytes + at, stream.bytes + at + 1, stream.used - at - 1);
    stream.used--;
    decode();
    received(5, 0);
    assert_int_equal(profile.repaired, 1);
}

/* The first run's counters are lost with the reset; both runs count. */
static void a_reset_in_the_middle(void **state)
{
    size_t at;
    (void)state;
    hello(FIRST);
    arc(5);
    totals(0, 0, 5, 1);
    check();
    at = stream.used;
    power_cycle();
    hello(FIRST);
    arc(7);
    totals(0, 0, 7, 2);
    end();
    decode();
    received(12, 3);
    whole(false, 0, false);
    assert_int_equal(profile.run_count, 2);
    assert_int_equal(profile.runs[0].offset, 0);
    assert_true(profile.runs[0].cut);
    assert_int_equal(profile.runs[1].offset, at);
    ends(0, 8, false);

    stream.bytes[at + 3] ^= 4; /* in the second hello */
    decode();
    received(12, 3);
    assert_int_equal(profile.run_count, 2);
}

/* The beginning comes twice, the second time damaged. */
static void a_beginning_that_comes_again(void **state)
{
    size_t to;
    (void)state;
    hello(FIRST);
    arc(5);
    to = stream.used;
    memcpy(stream.bytes + to, stream.bytes, to);
    stream.bytes[to] = 0x90;
    stream.used += to;
    totals(0, 0, 5, 0);
    end();
    decode();
    received(5, 0);
    assert_int_equal(profile.unproven, 5);
    assert_int_equal(profile.run_count, 2);
}

/* A hello that tells of a reset is believed even if it is not proven. */
static void a_reset_whose_block_is_lost(void **state)
{
    size_t at;
    (void)state;
    hello(FIRST);
    arc(500);
    totals(0, 0, 500, 0);
    check();
    power_cycle();
    hello(FIRST);
    at = stream.used;
    arc(600);
    stream.used = at;
    check();
    arc(1);
    totals(0, 0, 601, 0);
    end();
    decode();
    received(501, 600);
    whole(false, 0, false);
    assert_int_equal(profile.run_count, 2);
}

static void runs_that_end_are_told_apart(void **state)
{
    size_t at[3];
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        power_cycle();
        at[i] = stream.used;
        hello(FIRST);
        arc(5);
        totals(0, 0, 5, 1);
        end();
    }
    decode();
    received(15, 3);
    whole(true, 0, false);
    ends(0, 0, false);
    assert_int_equal(profile.run_count, 3);
    assert_int_equal(profile.resets, 0);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(profile.runs[i].offset, at[i]);
}

static void a_late_reader_learns_whose_events_are(void **state)
{
    (void)state;
    hello_of(100000, KINDS | MCUPROF_WIRE_FLAG_TASKS, FIRST);
    finish(group(begin(MCUPROF_WIRE_TASK, 0), 3, 2));
    arc(1);
    stream.used -= 40;
    check();
    arc(2);
    hello_of(100000, KINDS | MCUPROF_WIRE_FLAG_TASKS, 0);
    check();
    finish(group(begin(MCUPROF_WIRE_TASK, 0), 3, 2));
    arc(4);
    totals(0, 0, 7, 0);
    end();
    decode();
    received(6, 0);
    assert_int_equal(profile.earlier[EVENT_ARC], 1);
    assert_int_equal(counter_at(&profile.counters[EVENT_ARC], 0).task, TASK_UNKNOWN);
    assert_int_equal(counter_at(&profile.counters[EVENT_ARC], 1).task, 3);
}

/* A gap of more than 2^32 calls was told as one of 2^32 less. The samples in it say that
 * there were more: as many of both as before. */
static void a_gap_in_which_a_counter_wraps(void **state)
{
    static const struct {
        uint32_t samples;
        uint64_t calls;
        bool more;
    } gaps[] = {{5000000, 5000000000, true},
                {4000000, 4000000000, false},
                {2000000, 2500000000, false}};

    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
        size_t from;

        power_on(state);
        hello(FIRST);
        for (int k = 0; k < 100; k++) {
            event(MCUPROF_WIRE_SAMPLE, 10, 0, BASE + 0x10);
            arc(10000);
            if (k % 20 == 0)
                check();
        }
        totals(1000, 0, 1000000, 0);
        check();
        from = stream.used;
        arc(1);
        check();
        memset(stream.bytes + from, 'x', stream.used - from); /* the gap */
        totals(1000 + gaps[i].samples, 0, (uint32_t)(1000000 + gaps[i].calls), 0);
        check();
        decode();
        assert_int_equal(profile.lost[EVENT_SAMPLE], gaps[i].samples);
        assert_int_equal(profile.lost[EVENT_ARC], (uint32_t)gaps[i].calls);
        assert_int_equal(profile.unaccounted, gaps[i].more);
    }
}

/* A line that repeats bytes may repeat a whole block. */
static void a_block_that_comes_again(void **state)
{
    size_t from, to;
    (void)state;
    hello(FIRST);
    arc(1);
    from = stream.used;
    check();
    arc(2);
    arc(4);
    totals(0, 0, 7, 0);
    to = stream.used;
    memcpy(stream.bytes + to, stream.bytes + from, to - from);
    stream.used += to - from;
    end();
    decode();
    received(7, 0);
    whole(true, 0, false);
    assert_int_equal(profile.discarded, 4);
}

/* Makes the bytes of a run of 12 blocks; totals close every second one. Returns where its
 * first block ends. */
static size_t make_run(void)
{
    size_t first_block = 0;
    uint32_t sent = 0;

    power_cycle();
    hello(FIRST);
    for (uint32_t i = 0; i < 12; i++) {
        arc(i + 1);
        sent += i + 1;
        if (i % 2 == 1)
            totals(0, 0, sent, 0);
        else
            check();
        if (i == 0)
            first_block = stream.used;
    }
    for (int i = 0; i < 3; i++) {
        totals(0, 0, sent, 0);
        close_by(MCUPROF_WIRE_END_FLUSHED);
    }
    return first_block;
}

/* A program that does the same after each reset sends the same bytes. Where the end of a
 * run and the beginning of the next are lost, what does not come counts as lost. */
static void runs_that_are_alike(void **state)
{
    enum { RUNS = 6, RUN_ARCS = 78 };

    srand(1);
    for (int turn = 0; turn < 2000; turn++) {
        size_t next = 0, lost = 0;

        power_on(state);
        for (int run = 0; run < RUNS; run++) {
            size_t begin = stream.used, first_block = make_run();

            if (run % 2 == 1 && rand() % 2) { /* a hole at the border */
                size_t from = begin - (size_t)(rand() % 60);
                size_t to = begin + 1 + (size_t)rand() % (first_block - begin + 40);

                memmove(stream.bytes + from, stream.bytes + to, stream.used - to);
                stream.used -= to - from;
                lost++;
            }
            next = stream.used;
            if (rand() % 3 == 0) /* a hole within */
                stream.bytes[next - 1 - (size_t)rand() % (next - begin - 80)] ^= 4;
        }
        decode();
        assert_int_equal(profile.received[EVENT_ARC] + profile.lost[EVENT_ARC],
                         RUNS * RUN_ARCS);
        assert_true(lost == 0 || profile.run_count == RUNS);
    }
}

/* Sends a run's first seven blocks. Block i has 10 i + 12 events; if `lost` has bit i, it
 * turns to text on the line, and without its hello nobody knows that a run begins. */
static void seven_blocks(unsigned lost)
{
    hello(FIRST);
    for (uint32_t i = 0; i < 7; i++) {
        size_t from = i == 0 ? stream.used - 22 : stream.used;

        arc(10 * i + 10);
        arc(1);
        arc(1);
        if (lost >> i & 1)
            memset(stream.bytes + from, 'x', stream.used - from);
        check();
    }
}

/* Two runs begin alike, and the beginning of the second is lost. The block that comes of
 * it, between two that are lost, may be the first one's: what is lost may be less. */
static void a_reset_in_one_of_two_places(void **state)
{
    (void)state;
    seven_blocks(1 << 1);
    totals(0, 0, 294, 0);
    check();
    power_cycle();
    seven_blocks(1 << 0 | 1 << 2);
    arc(7);
    totals(0, 0, 301, 0);
    end();
    decode();
    received(272 + 22 + 7, 22 + 272);
    assert_int_equal(profile.run_count, 2);
    assert_true(profile.unaccounted);
    assert_false(profile.mismatch);
}

/* Of a run nothing came but totals that are those of the run before. */
static void a_run_that_is_lost_whole(void **state)
{
    (void)state;
    seven_blocks(0);
    totals(0, 0, 294, 0);
    check();
    power_cycle();
    hello(FIRST);
    memset(stream.bytes + stream.used - 22, 'x', 22);
    for (size_t i = 0; i < 14; i++)
        arc(21);
    totals(0, 0, 294, 0);
    end();
    decode();
    received(294, 0);
    assert_int_equal(profile.discarded, 15);
    assert_true(profile.unaccounted);
}

/* Millions of bytes that never close a block do not fill the memory. */
static void a_block_without_end(void **state)
{
    (void)state;
    hello(FIRST);
    check();
    for (unsigned i = 0; i < 100000; i++)
        arc(1);
    check();
    arc(1);
    totals(0, 0, 100001, 0);
    end();
    decode();
    received(1, 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_end_that_is_missing),
        TEST(last_totals_are_not_proven),
        TEST(all_that_was_flushed),
        TEST(records_that_close_are_mended),
        TEST(a_reset_that_is_told),
        TEST(the_end_itself_is_mended),
        TEST(text_between_records_is_no_part_of_them),
        TEST(text_and_noise_inside),
        TEST(two_damaged_places_are_too_many),
        TEST(a_record_that_turned_to_text),
        TEST(a_reset_in_the_middle),
        TEST(a_reset_whose_block_is_lost),
        TEST(a_beginning_that_comes_again),
        TEST(runs_that_end_are_told_apart),
        TEST(a_late_reader_learns_whose_events_are),
        TEST(a_gap_in_which_a_counter_wraps),
        TEST(a_block_that_comes_again),
        TEST(runs_that_are_alike),
        TEST(a_reset_in_one_of_two_places),
        TEST(a_run_that_is_lost_whole),
        TEST(a_block_without_end),
    };
    int failed;
    profile_init(&profile);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    profile_release(&profile);
    return failed;
}
