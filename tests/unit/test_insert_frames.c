/* SPDX-License-Identifier: MIT */
/* Frames that the firmware's walk goes past, by the unwind table in an ELF. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../host/analysis/insert_frames.h"

/* A table of one row, one frame, one page. PASSED says how many frames it goes past. */
static const char source[] = ".globl _start\n_start: bx lr\n"
                             ".section .mcuprof_unwind,\"a\"\n"
                             ".word MAGIC, 0\n.hword 1, 1, 1, PASSED\n"
                             ".word 0\n.hword 0, 0\n.word 0\n"
                             ".hword 0, 1, 0, 0\n.word 0x104, 0x208, 0x304, 0x408\n";

enum { CALL = 0x100, BEHIND = 0x104, BACK = 0x208, CALL2 = 0x300, BEHIND2 = 0x304 };
enum { BACK2 = 0x408, OTHER = 0x500, RETURN = 0x502, EXCEPTION = 0x7fffffff };

static char directory[] = "/tmp/test_insert_frames.XXXXXX";
static struct profile profile;

static int build(void **state)
{
    (void)state;
    FILE *file =
        mkdtemp(directory) != NULL && chdir(directory) == 0 ? fopen("t.s", "w") : NULL;
    if (file == NULL || fputs(source, file) < 0 || fclose(file) != 0)
        return -1;
    return system(
        "link() { sed \"s/MAGIC/$2/; s/PASSED/$3/\" t.s > $1.s;"
        " arm-none-eabi-gcc -nostdlib $4 $1.s -o $1.elf; }; set -e;"
        "link two 0x35575550 2 -mlittle-endian; link big 0x35575550 2 -mbig-endian;"
        "link none 0x35575550 0; link empty 0 2; link many 0x35575550 3;"
        "arm-none-eabi-objcopy -R .mcuprof_unwind two.elf without.elf");
}

static int remove_all(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", directory);
    return system(command);
}

static void add(size_t depth, const uint64_t *addresses, enum stack_end end, uint64_t n)
{
    uint64_t copy[8];
    for (size_t i = 0; i < depth; i++)
        copy[i] = addresses[i] == EXCEPTION ? 0xFFFFFFF9 : addresses[i];
    assert_true(profile_stack(&profile, copy, depth, end, n));
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
#define ADD(n, ...) add(LIST(__VA_ARGS__), STACK_WHOLE, n)
#define COUNT(...)  count_of(LIST(__VA_ARGS__))

static void insert(const char *name)
{
    struct image *image = NULL;
    struct error error;
    if (!image_open(&image, name, &error))
        fail_msg("%s", error.text);
    assert_true(insert_skipped_frames(&profile, image));
    image_close(image);
}

static void fill(void)
{
    profile_init(&profile);
    profile.arch = "cortex-m";
    ADD(1, OTHER, BEHIND, RETURN);
    ADD(2, OTHER, BEHIND, BACK, RETURN); /* the return address is there already */
    ADD(4, CALL, RETURN);
    ADD(8, BEHIND, RETURN); /* the call has returned */
    ADD(16, OTHER, BEHIND2, BEHIND);
    ADD(32, OTHER, EXCEPTION, BEHIND, RETURN); /* an interrupt hit behind the call */
    ADD(64, OTHER, EXCEPTION, CALL2, RETURN);
    ADD(128, OTHER, RETURN);
    ADD(256, CALL2);
}

static void check_two(const char *name)
{
    fill();
    insert(name);
    assert_int_equal(COUNT(OTHER, BEHIND, BACK, RETURN), 1 + 2);
    assert_int_equal(COUNT(CALL, BACK, RETURN), 4);
    assert_int_equal(COUNT(BEHIND, RETURN), 8);
    assert_int_equal(COUNT(OTHER, BEHIND2, BACK2, BEHIND, BACK), 16);
    assert_int_equal(COUNT(OTHER, 0xFFFFFFF9, BEHIND, RETURN), 32);
    assert_int_equal(COUNT(OTHER, 0xFFFFFFF9, CALL2, BACK2, RETURN), 64);
    assert_int_equal(COUNT(OTHER, RETURN), 128);
    assert_int_equal(COUNT(CALL2, BACK2), 256);
    assert_int_equal(profile.stacks.used, 8);
    assert_int_equal(profile.received[EVENT_SAMPLE], 511);
    profile_release(&profile);
}

static void frames_are_inserted(void **state)
{
    (void)state;
    check_two("two.elf");
    check_two("big.elf");
}

static void nothing_changes_without_a_list(void **state)
{
    static const char *const names[] = {"none.elf", "empty.elf", "many.elf",
                                        "without.elf"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        fill();
        insert(names[i]);
        assert_int_equal(profile.stacks.used, 9);
        assert_int_equal(COUNT(OTHER, BEHIND, RETURN), 1);
        profile_release(&profile);
    }
}

/* What is known of a stack's end, and of its task, stays. */
static void ends_stay(void **state)
{
    (void)state;
    profile_init(&profile);
    add(LIST(OTHER, BEHIND), STACK_CUT, 3);
    profile.task = 7;
    add(LIST(OTHER, BEHIND), STACK_UNSURE, 4);
    insert("two.elf");
    assert_int_equal(profile.stacks.used, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct stack *stack = &profile.stacks.items[i];
        assert_int_equal(stack->depth, 3);
        assert_int_equal(stack->addresses[2], BACK);
        assert_int_equal(stack->end, i == 0 ? STACK_CUT : STACK_UNSURE);
        assert_int_equal(stack->task, i == 0 ? TASK_NONE : 7);
        assert_int_equal(stack->count, 3 + i);
    }
    profile_release(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_inserted),
        cmocka_unit_test(nothing_changes_without_a_list),
        cmocka_unit_test(ends_stay),
    };
    return cmocka_run_group_tests(tests, build, remove_all);
}
