/* SPDX-License-Identifier: MIT */
/*
 * Tests the firmware's encoder with the PC's decoder: the PC must know exactly what the
 * firmware counted, sent and lost. tests.mk compiles this once for each set of knobs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "faults.h"
#include "mcuprof.h"
#include "mcuprof_port.h"
#include "mcuprof_wire.h"
#include "pc.h"

/* The firmware's build ID, which a linker script would define. */
extern const uint32_t __mcuprof_build_id[];
const uint32_t __mcuprof_build_id[] = {0x03020100, 0xFFFEFD80, 0, 0x7F80FF00, 0x13121110};

/* ---- What went in ---- */

/* The events that were given to the firmware, by key, without those that it counted as
 * lost. */
static struct profile fed;
static uint64_t lost[EVENT_KINDS];
static char text[1 << 16]; /* the console text that must arrive */
static size_t text_bytes;
static bool counting; /* between start, and stop or end */

static uint32_t lost_now(enum event_kind kind)
{
    static const int before[] = {[EVENT_SAMPLE] = 0,
                                 [EVENT_ARC] = MCUPROF_SAMPLES,
                                 [EVENT_BLOCK] = MCUPROF_SAMPLES + MCUPROF_ARCS};

    return before[kind] < MCUPROF_KINDS ? mcuprof_state.total[before[kind]].lost : 0;
}

static void account(enum event_kind kind, uint32_t from, uint32_t to, uint32_t before)
{
    if (lost_now(kind) != before)
        lost[kind]++;
    else
        assert_true(profile_count(&fed, kind, from, to, 1));
}

static void call(uint32_t from, uint32_t to)
{
    uint32_t before = lost_now(EVENT_ARC);

    pc_call(from, to);
    if (MCUPROF_ARCS && counting)
        account(EVENT_ARC, from & ~1u, to & ~1u, before);
}

static void sample(uint32_t pc)
{
    uint32_t before = lost_now(EVENT_SAMPLE);

    if (!MCUPROF_SAMPLES)
        return;
    pc &= ~1u;
    pc_sample(pc);
    if (counting)
        account(EVENT_SAMPLE, 0, pc, before);
}

/* The PC takes the address inside the hook's call as the block's; the hook returns to the
 * end of the call. */
static void block(uint32_t to)
{
    uint32_t before = lost_now(EVENT_BLOCK);

    pc_block(to);
    if (MCUPROF_BLOCKS && counting)
        account(EVENT_BLOCK, 0, (to & ~1u) - 2, before);
}

static void say(const char *what, size_t bytes)
{
    size_t taken = mcuprof_write(what, bytes);

    assert_in_range(taken, 0, bytes);
    assert_in_range(text_bytes + taken, 0, sizeof text);
    for (size_t i = 0; i < taken; i++)
        text[text_bytes++] = (uint8_t)what[i] < 0x80 ? what[i] : '?';
}

#if MCUPROF_ENTRIES
/* Moves a counter in the cache to just below its limit, and adds the events to `fed`. */
static void preset(struct mcuprof_entry *entry, uint32_t below)
{
    enum event_kind kind = !(entry->to & 1)     ? EVENT_SAMPLE
                           : !(entry->from & 1) ? EVENT_BLOCK
                                                : EVENT_ARC;
    uint32_t count = UINT32_MAX - below;

    if (entry->count == 0 || entry->count >= count)
        return;
    assert_true(profile_count(&fed, kind, kind == EVENT_ARC ? entry->from & ~1u : 0,
                              kind == EVENT_BLOCK ? entry->from - 2 : entry->to & ~1u,
                              count - entry->count));
    entry->count = count;
}

static void preset_one(unsigned which, uint32_t below)
{
    preset(&mcuprof_state.entry[which % MCUPROF_ENTRIES], below);
}

static void preset_all(uint32_t below)
{
    for (size_t i = 0; i < MCUPROF_ENTRIES; i++)
        preset(&mcuprof_state.entry[i], below);
}
#else
static void preset_one(unsigned which, uint32_t below)
{
    (void)which;
    (void)below;
}

static void preset_all(uint32_t below)
{
    (void)below;
}
#endif

/* Calls a function that waits for the link, with a link that is always ready. */
static void with_link(void (*function)(void))
{
    size_t ready = pc_link.ready;

    pc_link.ready = SIZE_MAX;
    function();
    pc_link.ready = ready;
}

static void start(void)
{
    with_link(mcuprof_start);
    counting = true;
}

static void stop(void)
{
    mcuprof_stop();
    counting = false;
}

static void flush(void)
{
    with_link(mcuprof_flush);
}

static void end(void)
{
    with_link(mcuprof_end);
    counting = false;
}

/* ---- What came out ---- */

struct console {
    char text[sizeof text];
    size_t bytes;
};

static void take_console(void *context, const char *what, size_t bytes)
{
    struct console *console = context;

    assert_in_range(console->bytes + bytes, 0, sizeof console->text);
    memcpy(console->text + console->bytes, what, bytes);
    console->bytes += bytes;
}

/* Decodes what was sent, in pieces of random sizes as they come from a line. */
static void decode(struct profile *profile, struct console *console)
{
    struct decode_options options = {.console = take_console, .context = console};
    struct decoder decoder;
    struct error error = {.text = ""};

    console->bytes = 0;
    profile_init(profile);
    if (!decoder_init(&decoder, &options, profile, "stream", pc_link.bytes, pc_link.used,
                      &error))
        fail_msg("%s", error.text);
    for (size_t at = 0, size; at < pc_link.used; at += size) {
        size = 1 + (size_t)rand() % 300;
        size = size < pc_link.used - at ? size : pc_link.used - at;
        if (!decoder_bytes(&decoder, pc_link.bytes + at, size, &error))
            fail_msg("%s", error.text);
    }
    if (!decoder_finish(&decoder, &error))
        fail_msg("%s", error.text);
    decoder_release(&decoder);
}

static int by_key(const void *one, const void *other)
{
    const struct counter *a = one, *b = other;

    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

static void same_counters(const struct counters *one, const struct counters *other)
{
    assert_int_equal(one->used, other->used);
    struct counter *these = counters_sorted(one, by_key);
    struct counter *those = counters_sorted(other, by_key);
    assert_non_null(these);
    assert_non_null(those);
    for (size_t i = 0; i < one->used; i++) {
        assert_int_equal(these[i].from, those[i].from);
        assert_int_equal(these[i].to, those[i].to);
        assert_int_equal(these[i].count, those[i].count);
    }
    free(these);
    free(those);
}

static void check_build_id(const struct profile *profile)
{
    assert_int_equal(profile->build_id_bytes, 20);
    for (size_t i = 0; i < 20; i++)
        assert_int_equal(profile->build_id[i],
                         __mcuprof_build_id[i / 4] >> i % 4 * 8 & 0xFF);
}

static void check(void)
{
    static struct console console;
    struct profile got;

    decode(&got, &console);
    assert_int_equal(got.damaged, 0);
    assert_false(got.mismatch);
    assert_true(got.accounted);
    assert_true(got.complete);
    check_build_id(&got);
    assert_true(got.hz == (MCUPROF_SAMPLES ? 1000 : 0));
    assert_string_equal(got.arch, "pc");
    assert_int_equal(got.console_bytes, text_bytes);
    assert_int_equal(console.bytes, text_bytes);
    assert_memory_equal(console.text, text, text_bytes);
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        assert_int_equal(got.lost[kind], lost[kind]);
        assert_int_equal(got.earlier[kind], 0);
        assert_int_equal(got.received[kind], fed.received[kind]);
        same_counters(&got.counters[kind], &fed.counters[kind]);
    }
    profile_release(&got);
}

/* ---- Programs to profile ---- */

static int power_on(void **state)
{
    (void)state;
    pc_reset();
    profile_release(&fed);
    memset(lost, 0, sizeof lost);
    text_bytes = 0;
    counting = false;
    return 0;
}

static int power_off(void **state)
{
    (void)state;
    pc_reset();
    profile_release(&fed);
    return 0;
}

static uint32_t anything(void)
{
    return (uint32_t)rand() << 16 ^ (uint32_t)rand();
}

/* Returns an address in one of a few places, at a border where one more group is needed,
 * or anywhere. */
static uint32_t address(unsigned spread)
{
    static const uint32_t borders[] = {0,          2,          0x7FFE,     0x8000,
                                       0x3FFFFE,   0x400000,   0x7FFFFFE,  0x8000000,
                                       0x1FFFFFFE, 0x20000000, 0x7FFFFFFE, 0x80000000,
                                       0xFFFFFFFC, 0xFFFFFFFE};

    switch (rand() % 16) {
    case 0:
        return anything() & ~1u;
    case 1:
        return borders[(size_t)rand() % (sizeof borders / sizeof borders[0])];
    default:
        return 0x1000 + 2 * ((uint32_t)rand() % spread);
    }
}

static void speak(void)
{
    char what[40];
    size_t bytes = (size_t)rand() % sizeof what;

    for (size_t i = 0; i < bytes; i++)
        what[i] = (char)(rand() % 4 ? ' ' + rand() % 95 : rand());
    say(what, bytes);
}

static void control(void)
{
    switch (rand() % 8) {
    case 0:
        stop();
        break;
    case 1:
    case 2:
    case 3:
        start();
        break;
    case 4:
        end();
        break;
    default:
        flush();
    }
}

/* Runs one step of a program whose calls and samples stay in `spread` places for a while.
 */
static void step(unsigned spread)
{
    unsigned what = (unsigned)rand() % 256;

    if (MCUPROF_BLOCKS && what % 3 == 0 && what < 240)
        block(address(spread));
    else if (what < 120)
        call(address(spread), address(spread));
    else if (what < 240)
        sample(address(spread));
    else if (what < 250)
        speak();
    else if (what < 253)
        preset_one((unsigned)rand(), (unsigned)rand() % 4);
    else
        control();
}

/* Runs `steps` steps; the link takes `bytes` bytes every `every` steps, and sometimes
 * none for long. */
static void run(unsigned steps, unsigned every, unsigned bytes)
{
    unsigned spread = 1;

    start();
    for (unsigned i = 0; i < steps; i++) {
        if (i % 512 == 0)
            spread = 1u << rand() % 10;
        step(spread);
        if (!MCUPROF_WAIT && i % every == 0 && i / 1024 % 4 != 3) {
            pc_link.ready = bytes;
            pc_link_drain();
        }
        if (!MCUPROF_WAIT)
            pc_link.ready = 0;
    }
    start();
    end();
}

static void exact_whatever_happens(void **state)
{
    uint64_t all = 0, lost_in_all = 0;

    for (unsigned seed = 1; seed <= 24; seed++) {
        power_on(state);
        srand(seed);
        run(6000, 1 + seed % 5, seed % 3 ? 4 * seed : 1000);
        check();
        for (int kind = 0; kind < EVENT_KINDS; kind++) {
            all += fed.received[kind];
            if (!MCUPROF_WAIT || kind != EVENT_SAMPLE) /* sampling never waits */
                lost_in_all += lost[kind];
        }
    }
    printf("%llu events received, %llu lost\n", (unsigned long long)all,
           (unsigned long long)lost_in_all);
    assert_true(MCUPROF_WAIT ? lost_in_all == 0 : lost_in_all > 1000);
}

/* Tests all 32 bits of addresses and each length of a count. */
static void every_size_of_number(void **state)
{
    (void)state;
    start();
    for (unsigned bit = 1; bit < 32; bit++) {
        uint32_t value = 1u << bit;

        call(value, 0x100);
        call(0x100, value);
        call(~value, value - 2);
        sample(value);
        sample(value - 2);
        block(value);
        block(value - 2);
        pc_link_drain();
    }
    for (unsigned bit = 1; bit < 32; bit++) {
        flush();
        call(2 * bit, 0x200);
        sample(0x300);
        block(0x300);
        preset_all(UINT32_MAX - (1u << bit) + bit % 2);
        pc_link_drain();
    }
    end();
    check();
}

static void counts_past_their_limit(void **state)
{
    (void)state;
    start();
    for (unsigned round = 0; round < 5; round++) {
        call(0x1000, 0x2000);
        sample(0x3000);
        block(0x3000);
        preset_all(2);
        for (unsigned i = 0; i < 10; i++) {
            call(0x1000, 0x2000);
            sample(0x3000);
            block(0x3000);
            pc_link_drain();
        }
    }
    end();
    check();
    if (MCUPROF_ENTRIES > 1)
        assert_true(fed.received[MCUPROF_BLOCKS ? EVENT_BLOCK
                                 : MCUPROF_ARCS ? EVENT_ARC
                                                : EVENT_SAMPLE] > UINT32_MAX);
}

static void starts_and_ends_many_times(void **state)
{
    (void)state;
    stop(); /* not started yet */
    flush();
    call(0x10, 0x20);
    sample(0x30);
    block(0x30);
    for (int kind = 0; kind < EVENT_KINDS; kind++)
        assert_int_equal(fed.received[kind], 0);
    for (unsigned round = 0; round < 20; round++) {
        start();
        start();
        call(0x10, 0x20);
        sample(0x30 + 2 * round);
        block(0x30 + 2 * round);
        say("round\n", 6);
        if (round % 3 == 0)
            end();
        if (round % 3 == 1)
            stop();
        stop();
        call(0x10, 0x20); /* not counted */
        sample(0x30);
        block(0x30);
    }
    end();
    end();
    check();
}

static void only_text(void **state)
{
    (void)state;
    for (int byte = 0; byte < 256; byte++) {
        char c = (char)byte;

        say(&c, 1);
        pc_link_drain();
    }
    start();
    pc_link_drain();
    for (int byte = 0; byte < 256; byte++) {
        char c = (char)byte;

        say(&c, 1);
        call(0x10, 0x20 + 2u * (unsigned)byte);
        pc_link_drain();
    }
    end();
    check();
    assert_int_equal(text_bytes, 512);
}

/* ---- The order of records ---- */

static unsigned kind_of(uint8_t start)
{
    return start >> 4 & 7;
}

/* A reader who joins late soon learns what he must know: a hello comes every 256 records,
 * totals at least every 192. */
static void says_again_who_it_is(void **state)
{
    unsigned records = 0, hello = 0, build_id = 0, totals = 0;

    (void)state;
    start();
    for (uint32_t i = 0; i < 2000; i++) {
        call(2 * i, 4 * i);
        sample(6 * i);
        block(8 * i);
        pc_link_drain();
    }
    assert_int_equal(pc_link.bytes[0],
                     MCUPROF_WIRE_START(MCUPROF_WIRE_HELLO,
                                        MCUPROF_WIRE_HELLO_FIRST | MCUPROF_WIRE_VERSION));
    for (size_t at = 0; at < pc_link.used; at++) {
        uint8_t byte = pc_link.bytes[at];

        if (byte < 0x80)
            continue;
        records++;
        if (kind_of(byte) == MCUPROF_WIRE_HELLO && byte & MCUPROF_WIRE_HELLO_ID)
            build_id = records;
        else if (kind_of(byte) == MCUPROF_WIRE_HELLO)
            hello = records;
        else if (kind_of(byte) == MCUPROF_WIRE_TOTALS)
            totals = records;
        /* the hello of power-on is sent only once */
        assert_true(at == 0 || kind_of(byte) != MCUPROF_WIRE_HELLO ||
                    (byte & MCUPROF_WIRE_HELLO_FIRST) == 0);
        assert_in_range(records - hello, 0, 256);
        assert_in_range(records - build_id, 0, 256);
        assert_in_range(records - totals, 0, 192);
    }
    assert_true(records > 1000);
    end();
    check();
}

/* ---- Damage ---- */

static void no_fault_is_silent(void **state)
{
    struct fault_tally tally;

    (void)state;
    srand(7);
    start();
    for (unsigned i = 0; i < 60; i++) {
        call(address(40), address(40));
        sample(address(40));
        block(address(40));
        if (i % 20 == 0)
            say("one or two\n", 11);
        if (MCUPROF_WAIT || i % 8 != 0)
            pc_link_drain();
    }
    end();
    check();
    faults_inject(pc_link.bytes, pc_link.used, &tally);
    assert_int_equal(faults_bad(&tally), 0);
    assert_true(tally.same > tally.injected / 2);
    faults_inject_random("random", pc_link.bytes, pc_link.used, 1000, 1, &tally);
    assert_int_equal(faults_bad(&tally), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(exact_whatever_happens, power_on, power_off),
        cmocka_unit_test_setup_teardown(every_size_of_number, power_on, power_off),
        cmocka_unit_test_setup_teardown(counts_past_their_limit, power_on, power_off),
        cmocka_unit_test_setup_teardown(starts_and_ends_many_times, power_on, power_off),
        cmocka_unit_test_setup_teardown(only_text, power_on, power_off),
        cmocka_unit_test_setup_teardown(says_again_who_it_is, power_on, power_off),
        cmocka_unit_test_setup_teardown(no_fault_is_silent, power_on, power_off),
    };

    profile_init(&fed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
