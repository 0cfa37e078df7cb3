/* SPDX-License-Identifier: MIT */
/* Functions that left by a tail call, put into the paths by the jumps of the code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../host/analysis/tails.h"

/* Each function is 16 bytes, each call and jump 4 bytes. one jumps to two, two to leaf;
 * twice jumps to leaf and to two; both has two jumps to leaf; open may go where r3 says;
 * enters jumps to others, which jumps to common, or goes on into common. */
static const char source[] =
    ".syntax unified\n.thumb\n"
    ".macro function name\n.balign 16\n.global \\name\n.type \\name, %function\n"
    ".thumb_func\n\\name:\n.endm\n"
    "function _start\nbl one\nbl twice\nbl both\n"
    "function calls\nbl open\nbl leaf\nbl falls\nbl enters\n"
    "function one\nb.w two\n"
    "function two\nnop.w\nb.w leaf\n"
    "function twice\nbeq.w leaf\nb.w two\n"
    "function both\nbeq.w leaf\nb.w leaf\n"
    "function open\nbeq.w leaf\nbx r3\n"
    "function leaf\nbl back\nbx lr\n"
    "function falls\nnop.w\nnop.w\nnop.w\nnop.w\n"
    "function back\nbx lr\n"
    "function enters\nbeq.w others\nnop.w\nnop.w\nmovs r0, #1\nmovs r1, #1\n"
    "function common\nbx lr\n"
    "function others\nb.w common\n";

enum { START = 0x8000, CALLS = 0x8010, ONE = 0x8020, TWO = 0x8030, LEAF = 0x8070 };
enum { BACK = 0x8090, COMMON = 0x80b0, EXCEPTION = 0x7fffffff };

static char directory[] = "/tmp/test_tails.XXXXXX";
static struct profile profile;

static int build(void **state)
{
    (void)state;
    FILE *file =
        mkdtemp(directory) != NULL && chdir(directory) == 0 ? fopen("t.s", "w") : NULL;
    if (file == NULL || fputs(source, file) < 0 || fclose(file) != 0)
        return -1;
    return system("arm-none-eabi-gcc -mcpu=cortex-m3 -nostdlib -Wl,-Ttext=0x8000 "
                  "-Wl,--no-warn-rwx-segments t.s -o t.elf");
}

static int remove_all(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", directory);
    return system(command);
}

static void add(size_t depth, const uint64_t *addresses, uint64_t n)
{
    uint64_t copy[8];
    for (size_t i = 0; i < depth; i++)
        copy[i] = addresses[i] == EXCEPTION ? 0xFFFFFFF9 : addresses[i];
    assert_true(profile_stack(&profile, copy, depth, STACK_WHOLE, n));
}

/* Returns how often this stack was seen. */
static uint64_t count_of(size_t depth, const uint64_t *addresses)
{
    for (size_t i = 0; i < profile.stacks.used; i++)
        if (profile.stacks.items[i].depth == depth &&
            memcmp(profile.stacks.items[i].addresses, addresses,
                   depth * sizeof *addresses) == 0)
            return profile.stacks.items[i].count;
    return 0;
}

#define LIST(...)                                                                        \
    sizeof((uint64_t[]){__VA_ARGS__}) / 8, (uint64_t[])                                  \
    {                                                                                    \
        __VA_ARGS__                                                                      \
    }
#define ADD(n, ...) add(LIST(__VA_ARGS__), n)
#define COUNT(...)  count_of(LIST(__VA_ARGS__))

/* What is before a call's return address: START + 4 the call of one, + 8 of twice, + 12
 * of both; CALLS + 4 of open, + 8 of leaf, + 12 of falls. */
static void find(bool shown)
{
    struct image *image = NULL;
    struct error error;
    profile_init(&profile);
    profile.arch = "cortex-m";
    ADD(1, LEAF, START + 4);                     /* one, two, leaf */
    ADD(2, BACK, LEAF + 4, START + 4);           /* likewise, and what leaf calls */
    ADD(4, TWO + 4, START + 4);                  /* one, two */
    ADD(8, LEAF, START + 8);                     /* twice: one way of two */
    ADD(16, LEAF, START + 12);                   /* both: one jump of two */
    ADD(32, LEAF, CALLS + 4);                    /* open: perhaps by r3 */
    ADD(64, LEAF, CALLS + 8);                    /* it is called */
    ADD(128, BACK, CALLS + 12);                  /* falls has no jump */
    ADD(256, LEAF, 0xFFFFFFF9, TWO, START + 4);  /* a handler, and what it hit */
    ADD(512, LEAF, TWO + 8, ONE + 4, START + 4); /* they are there */
    ADD(1024, LEAF);
    ADD(2048, LEAF, START + 2);    /* behind no call */
    ADD(4096, COMMON, CALLS + 16); /* enters: a jump, or without one */
    if (!image_open(&image, "t.elf", &error))
        fail_msg("%s", error.text);
    assert_true(tails_find(&profile, image, shown));
    assert_false(image_no_memory(image));
    image_close(image);
}

static void test_one_way(void **state)
{
    (void)state;
    find(true);
    assert_int_equal(COUNT(LEAF, TWO + 8, ONE + 4, START + 4), 1 + 512);
    assert_int_equal(COUNT(BACK, LEAF + 4, TWO + 8, ONE + 4, START + 4), 2);
    assert_int_equal(COUNT(TWO + 4, ONE + 4, START + 4), 4);
    assert_int_equal(COUNT(LEAF, START + 8), 8);
    assert_int_equal(COUNT(LEAF, START + 12), 16);
    assert_int_equal(COUNT(LEAF, CALLS + 4), 32);
    assert_int_equal(COUNT(LEAF, CALLS + 8), 64);
    assert_int_equal(COUNT(BACK, CALLS + 12), 128);
    assert_int_equal(COUNT(LEAF, 0xFFFFFFF9, TWO, ONE + 4, START + 4), 256);
    assert_int_equal(COUNT(LEAF), 1024);
    assert_int_equal(COUNT(LEAF, START + 2), 2048);
    assert_int_equal(COUNT(COMMON, CALLS + 16), 4096);
    assert_int_equal(profile.tail_samples, 8 + 16 + 32 + 4096);
    assert_int_equal(profile.received[EVENT_SAMPLE], 8191);
    profile_release(&profile);
}

static void test_counted_alone(void **state)
{
    (void)state;
    find(false);
    assert_int_equal(COUNT(LEAF, START + 4), 1);
    assert_int_equal(COUNT(BACK, LEAF + 4, START + 4), 2);
    assert_int_equal(profile.tail_samples, 1 + 2 + 4 + 8 + 16 + 32 + 256 + 4096);
    profile_release(&profile);
}

static void test_text(void **state)
{
    char text[TAILS_TEXT_MAX];
    (void)state;
    profile_init(&profile);
    profile.received[EVENT_SAMPLE] = 1000;
    profile.tail_samples = 19;
    assert_false(tails_text(&profile, text));
    profile.tail_samples = 20;
    assert_true(tails_text(&profile, text));
    assert_non_null(strstr(text, "from the paths of 2 % of the samples"));
    assert_non_null(strstr(text, ": --tail-calls puts in"));
    profile.tail_calls = true;
    assert_true(tails_text(&profile, text));
    assert_non_null(strstr(text, ", where the code has more than one way"));
    profile_release(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_way),
        cmocka_unit_test(test_counted_alone),
        cmocka_unit_test(test_text),
    };
    return cmocka_run_group_tests(tests, build, remove_all);
}
