/* SPDX-License-Identifier: MIT */
/* The reader of the wire, with streams made by hand. tests/pc/test_wire.c tests what the
 * firmware itself sends. */
#include "stream.h"

/* ---- Whole streams ---- */

static void reads_what_it_says(void **state)
{
    (void)state;
    text("boot\n");
    hello(FIRST);
    build_id(0x13121110);
    text("one ");
    event(MCUPROF_WIRE_ARC, UINT32_MAX, BASE - 2, 0xFFFFFFFE);
    event(MCUPROF_WIRE_SAMPLE, 3, 0, 0x20000000);
    text("two");
    totals(3, 0, UINT32_MAX, 0);
    end();
    text("\nbye\n");
    decode();
    whole(true, 0, false);
    assert_string_equal(console, "boot\none two\nbye\n");
    assert_int_equal(profile.console_bytes, strlen(console));
    assert_true(profile.hz == 100);
    assert_string_equal(profile.arch, "cortex-m");
    assert_int_equal(profile.build_id_bytes, 20);
    for (unsigned i = 0; i < 20; i++)
        assert_int_equal(profile.build_id[i], i);
    assert_int_equal(counter_at(&profile.counters[EVENT_ARC], 0).from, BASE - 2);
    assert_int_equal(counter_at(&profile.counters[EVENT_ARC], 0).to, 0xFFFFFFFE);
    assert_int_equal(counter_at(&profile.counters[EVENT_SAMPLE], 0).to, 0x20000000);
    received(UINT32_MAX, 0);
}

static void reads_the_other_byte_order(void **state)
{
    (void)state;
    build_id(0x13121110); /* it comes before the byte order is known */
    hello_of(1000, MCUPROF_WIRE_FLAG_BIG_ENDIAN, 0);
    decode();
    assert_int_equal(profile.build_id[0], 3);
    assert_int_equal(profile.build_id[3], 0);
    assert_int_equal(profile.build_id[16], 0x13);
}

static void knows_no_build_id_of_zeros(void **state)
{
    (void)state;
    hello(FIRST);
    words(MCUPROF_WIRE_HELLO, MCUPROF_WIRE_VERSION | MCUPROF_WIRE_HELLO_ID,
          (uint32_t[5]){0}, 5);
    decode();
    assert_int_equal(profile.build_id_bytes, 0);
}

static void totals_go_round(void **state)
{
    (void)state;
    hello(FIRST);
    for (unsigned i = 1; i <= 5; i++) {
        arc(UINT32_MAX - 1);
        totals(0, 0, i * (UINT32_MAX - 1), i * 0x40000000);
    }
    end();
    decode();
    received(5ull * (UINT32_MAX - 1), 5ull * 0x40000000);
    whole(true, 0, false);
}

/* ---- What is missing ---- */

static void knows_what_did_not_arrive(void **state)
{
    size_t at;
    (void)state;
    hello(FIRST);
    arc(5);
    totals(0, 0, 5, 2);
    at = stream.used;
    arc(7);
    stream.used = at; /* it was not recorded */
    arc(1);
    check();
    arc(2);
    totals(0, 0, 15, 3);
    end();
    decode();
    received(5 + 2, 3 + 7 + 1); /* 1 more was lost in the same block */
    whole(true, 0, false);
    assert_int_equal(profile.discarded, 2);
}

static void knows_how_late_it_is(void **state)
{
    (void)state;
    hello(FIRST);
    arc(100);
    totals(0, 0, 100, 11);
    stream.used = 0; /* this was not recorded */
    arc(20);         /* nothing proves that this is whole */
    check();
    arc(1);
    check();
    hello(0);
    arc(2);
    totals(0, 0, 123, 11);
    arc(4);
    totals(0, 0, 127, 12);
    end();
    decode();
    received(7, 1);
    assert_int_equal(profile.earlier[EVENT_ARC], 111 + 20);
    assert_int_equal(profile.discarded, 0);
    assert_int_equal(profile.earlier[EVENT_SAMPLE], 0);
    whole(true, 0, false);
}

/* One of two records is damaged, and it is not known which. */
static void discards_what_the_check_let_pass(void **state)
{
    (void)state;
    hello(FIRST);
    arc(5);
    check();
    arc(5);
    arc(6);
    stream.hash++;
    totals(0, 0, 16, 0);
    end();
    decode();
    received(5, 11);
    whole(true, 0, false);
    assert_int_equal(profile.discarded, 3);
}

static void finds_the_totals_that_turned_to_text(void **state)
{
    size_t at;
    (void)state;
    hello(FIRST);
    arc(5);
    totals(0, 0, 5, 0);
    at = stream.used;
    totals(0, 0, 5, 1000);
    end();
    stream.bytes[at] &= 0x7F;
    decode();
    received(5, 1000);
    whole(true, 0, false);
    assert_int_equal(profile.repaired, 1);
}

static void shows_more_than_was_sent(void **state)
{
    (void)state;
    hello(FIRST);
    arc(5);
    totals(0, 0, 3, 0);
    end();
    decode();
    whole(false, 0, true); /* there must have been a reset */
}

/* ---- Restarts ---- */

static void adds_up_runs_that_ended(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        power_cycle();
        hello(FIRST);
        arc(5);
        totals(0, 0, 5, 1);
        end();
    }
    decode();
    received(15, 3);
    whole(true, 0, false);
}

static void shows_a_reset(void **state)
{
    size_t at;
    (void)state;
    hello(FIRST);
    arc(5);
    power_cycle();
    at = stream.used;
    hello(FIRST);
    arc(6);
    totals(0, 0, 6, 0);
    end();
    decode();
    received(6, 0);
    whole(false, 0, false);
    assert_int_equal(profile.unproven, 5);
    assert_int_equal(profile.run_count, 2);
    assert_int_equal(profile.resets, 1);
    assert_int_equal(profile.unsent, 8);
    assert_true(profile.runs[0].cut && !profile.runs[1].cut);
    assert_int_equal(profile.runs[1].offset, at);
    assert_true(profile.unaccounted);
}

static void shows_a_reset_whose_hello_is_missing(void **state)
{
    size_t at;
    (void)state;
    hello(FIRST);
    arc(500);
    totals(0, 0, 500, 0);
    power_cycle();
    at = stream.used;
    hello(FIRST);
    stream.used = at;
    arc(6);
    totals(0, 0, 6, 0);
    arc(1);
    totals(0, 0, 7, 2);
    end();
    decode();
    received(501, 6 + 2); /* not 2^32 - 1 or so */
    whole(false, 0, false);
    assert_true(profile.unaccounted);
    assert_int_equal(profile.run_count, 2);
}

static void refuses_two_firmwares(void **state)
{
    (void)state;
    hello(FIRST);
    build_id(1);
    arc(1);
    end();
    power_cycle();
    hello(FIRST); /* the same rate */
    build_id(2);
    arc(1);
    check();
    refused("expected one firmware");

    power_on(state);
    hello(FIRST);
    build_id(1);
    check();
    power_cycle();
    hello_of(5000, KINDS, FIRST);
    build_id(2);
    check();
    refused("expected one firmware");
}

/* A proven claim is believed against any number of others that nothing proves. */
static void believes_what_is_proven(void **state)
{
    (void)state;
    hello(0);
    hello_of(5000, KINDS, 0);
    hello_of(5000, KINDS, 0);
    build_id(3);
    build_id(3);
    decode();
    assert_true(profile.hz == 5);
    assert_int_equal(profile.build_id[16], 3);

    stream.hash++;
    check();
    hello(0);
    arc(1);
    check();
    arc(1);
    totals(0, 0, 2, 0);
    end();
    decode();
    received(2, 0);
    assert_true(profile.hz == 100);
    whole(true, 0, false);
}

/* Makes so many blocks that do not hold and have a hello, and one that holds without a
 * hello. */
static void say_unproven(unsigned times)
{
    stream.used = 0;
    while (times-- > 0) {
        hello_of(5000, KINDS, 0);
        build_id(3);
        stream.hash++;
        check();
    }
    arc(1);
    check();
}

/* Two claims are not enough: they may be damaged in the same place. */
static void believes_what_three_say(void **state)
{
    (void)state;
    say_unproven(2);
    refused("expected a hello record");
    say_unproven(3);
    decode();
    assert_true(profile.hz == 5);
    assert_int_equal(profile.build_id[16], 3);
    received(1, 0);
}

/* ---- Other records ---- */

static void counts_hellos_of_others_as_damaged(void **state)
{
    (void)state;
    hello(FIRST);
    begin(MCUPROF_WIRE_HELLO, MCUPROF_WIRE_VERSION + 1);
    text("not for people");
    arc(1);
    begin(MCUPROF_WIRE_HELLO, MCUPROF_WIRE_HELLO_ID | (MCUPROF_WIRE_VERSION + 2));
    text("neither");
    arc(1);
    text("for people");
    totals(0, 0, 2, 0);
    end();
    decode();
    assert_string_equal(console, "for people");
    whole(true, 2, false);
    received(0, 2); /* in the same block */
}

static void counts_blocks(void **state)
{
    (void)state;
    hello(FIRST);
    event(MCUPROF_WIRE_BLOCK, 9, 0, BASE + 4);
    words(MCUPROF_WIRE_TOTALS, BOTH | MCUPROF_WIRE_TOTALS_BLOCKS,
          (uint32_t[]){0, 0, 0, 0, 10, 2, stream.hash}, 7);
    end();
    decode();
    assert_int_equal(profile.received[EVENT_BLOCK], 9);
    assert_int_equal(counter_at(&profile.counters[EVENT_BLOCK], 0).to, BASE + 2);
    assert_int_equal(profile.lost[EVENT_BLOCK], 3);
    whole(true, 0, false);
}

static void refuses_another_version(void **state)
{
    (void)state;
    begin(MCUPROF_WIRE_HELLO, 3 | FIRST);
    text("whatever it may hold");
    arc(1);
    refused("expected version 2 of the wire, found version 3");
}

/* Numbers that cannot be are refused even if the hash is right. */
static void refuses_numbers_that_cannot_be(void **state)
{
    uint32_t sum;
    (void)state;
    hello(FIRST);
    sum = group(group(begin(MCUPROF_WIRE_ARC, 1), 1, 2), 1, 2);
    finish(group(sum, 127, 1)); /* small numbers may use all their bits */
    check();
    sum = group(group(begin(MCUPROF_WIRE_SAMPLE, 15), 1, 4), 16, 1); /* 33 bits */
    finish(group(sum, 1, 5));
    sum = group(group(begin(MCUPROF_WIRE_ARC, 15), 1, 5), 1, 5);
    finish(group(group(sum, 1, 4), 16, 1));
    sum = group(group(begin(MCUPROF_WIRE_ARC, 12), 1, 5), 1, 4);
    finish(group(sum, 16, 1));
    words(MCUPROF_WIRE_HELLO, MCUPROF_WIRE_VERSION,
          (uint32_t[]){1000, 1, 0, config(256, 0) | MCUPROF_WIRE_CONFIG_THROUGH}, 4);
    words(MCUPROF_WIRE_HELLO, MCUPROF_WIRE_VERSION,
          (uint32_t[]){1000, 1, 0, config(32768, 0) + (2u << 18)}, 4);
    words(MCUPROF_WIRE_HELLO, MCUPROF_WIRE_VERSION,
          (uint32_t[]){1000, 0, 0, config(256, 0)}, 4);
    check();
    assert_string_equal(decoded_by("mcuprof"), "mcuprof");
    assert_int_equal(profile.received[EVENT_SAMPLE], 0);
    received(127, 0);
    assert_int_equal(profile.damaged, 6);
    assert_int_equal(profile.records, 2);
}

static void refuses_kinds_that_the_hello_excludes(void **state)
{
    (void)state;
    hello_of(100000, MCUPROF_WIRE_FLAG_ARCS, FIRST);
    arc(1);
    check();
    arc(2);
    event(MCUPROF_WIRE_SAMPLE, 1, 0, BASE + 2);
    check();
    arc(4);
    totals(1, 0, 7, 0);
    end();
    decode();
    received(5, 2);
    assert_int_equal(profile.received[EVENT_SAMPLE], 0);
    assert_int_equal(profile.lost[EVENT_SAMPLE], 1);
    whole(true, 1, false);
}

static void keeps_events_for_a_hello(void **state)
{
    (void)state;
    check();
    for (unsigned i = 0; i < 65536; i++) {
        event(MCUPROF_WIRE_SAMPLE, 1, 0, BASE + 2 * i);
        if (i % 64 == 63)
            check();
    }
    hello(0);
    check();
    decode();
    assert_int_equal(profile.received[EVENT_SAMPLE], 65536);
    stream.used = 0;
    check();
    for (unsigned i = 0; i < 65600; i++) {
        event(MCUPROF_WIRE_SAMPLE, 1, 0, BASE + 2 * i);
        if (i % 64 == 63)
            check();
    }
    refused("expected a hello record");
}

/* ---- Recognition ---- */

/* One record of the wire among other data does not make it a stream of the wire. */
static void leaves_gmon_alone(void **state)
{
    static const uint8_t header[20] = {'g', 'm', 'o', 'n', 1};
    static const uint8_t one_arc[] = {1, 0, 0, 1, 0, 0, 0, 2, 0, 9, 0, 0, 0};
    (void)state;
    memcpy(stream.bytes, header, sizeof header);
    memcpy(stream.bytes + sizeof header, one_arc, sizeof one_arc);
    stream.used = sizeof header + sizeof one_arc;
    for (unsigned i = 0; i < 4; i++)
        hello(FIRST);
    assert_non_null(strstr(decoded_by(NULL), "expected a histogram whose high"));
    stream.used = sizeof header + sizeof one_arc;
    assert_string_equal(decoded_by(NULL), "gmon");
}

static void leaves_packets_alone(void **state)
{
    uint8_t found[32];
    size_t size;
    (void)state;
    hello(0);
    size = stream.used;
    memcpy(found, stream.bytes, size);
    stream.used = 0;
    for (unsigned i = 0; i < 500; i++) {
        const uint8_t packet[] = {'P', 0, (uint8_t)(i % 7 + 4),
                                  (uint8_t)(0x80 + i % 128)};

        memcpy(stream.bytes + stream.used, packet, sizeof packet);
        stream.used += sizeof packet;
    }
    /* the addresses of arcs, in place of packets of the same length */
    memcpy(stream.bytes + 400, "A\0\0\0\0\0", 7);
    memcpy(stream.bytes + 404, found, size);
    assert_string_not_equal(decoded_by(NULL), "mcuprof");
}

static void leaves_noise_alone(void **state)
{
    unsigned taken = 0;
    (void)state;
    for (unsigned seed = 0; seed < 300; seed++) {
        srand(seed);
        stream.used = 1u << seed % 16;
        for (size_t i = 0; i < stream.used; i++)
            stream.bytes[i] = (uint8_t)(rand() >> 7);
        taken += decode_mcuprof.recognise(stream.bytes, stream.used) != 0;
    }
    assert_int_equal(taken, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_what_it_says),
        TEST(reads_the_other_byte_order),
        TEST(knows_no_build_id_of_zeros),
        TEST(totals_go_round),
        TEST(knows_what_did_not_arrive),
        TEST(knows_how_late_it_is),
        TEST(discards_what_the_check_let_pass),
        TEST(finds_the_totals_that_turned_to_text),
        TEST(shows_more_than_was_sent),
        TEST(adds_up_runs_that_ended),
        TEST(shows_a_reset),
        TEST(shows_a_reset_whose_hello_is_missing),
        TEST(refuses_two_firmwares),
        TEST(believes_what_is_proven),
        TEST(believes_what_three_say),
        TEST(counts_hellos_of_others_as_damaged),
        TEST(counts_blocks),
        TEST(refuses_another_version),
        TEST(refuses_numbers_that_cannot_be),
        TEST(refuses_kinds_that_the_hello_excludes),
        TEST(keeps_events_for_a_hello),
        TEST(leaves_gmon_alone),
        TEST(leaves_packets_alone),
        TEST(leaves_noise_alone),
    };
    int failed;
    profile_init(&profile);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    profile_release(&profile);
    return failed;
}
