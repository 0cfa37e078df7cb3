/* SPDX-License-Identifier: MIT */
/*
 * Basic blocks of code that the compilers for firmware build here: the calls of the hook
 * are those that objdump lists, and no block goes on behind a branch in it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../host/image/image.h"

/* Loops, a switch and calls. On ARM each function is in another state than the one
 * before. The hook is in a section of its own, which may be far away. A section that is
 * not loaded has a mapping symbol $d, with an address that code has, too. */
static const char source[] =
    "#ifdef __arm__\n"
    "__asm__(\".pushsection .info,\\\"\\\"; .thumb; .rept 9; nop; .endr; .word 5; \"\n"
    "        \".popsection\");\n"
    "#endif\n"
    "__attribute__((section(\".hook\"), no_sanitize_coverage))\n"
    "void __sanitizer_cov_trace_pc(void) { __asm__ volatile(\"\"); }\n"
    "volatile int out[9];\n"
    "__attribute__((noinline)) int chosen(int x)\n"
    "{\n"
    "    switch (x) {\n"
    "    case 0: out[1] = 12345678; return x;\n"
    "    case 1: out[2] = x; break;\n"
    "    case 2: out[3] = 87654321; out[4] = x; break;\n"
    "    case 3: out[5] = x; return 3;\n"
    "    case 4: out[6]++; break;\n"
    "    case 5: out[7] = -x; break;\n"
    "    default: out[8] = 11223344;\n"
    "    }\n"
    "    return out[0];\n"
    "}\n"
    "__attribute__((noinline)) int looped(int n)\n"
    "{\n"
    "    int sum = 0;\n"
    "    for (int i = 0; i < n; i++)\n"
    "        if (out[i & 7] > sum)\n"
    "            sum += chosen(i);\n"
    "        else if (i & 1)\n"
    "            sum -= 76543210;\n"
    "    return sum;\n"
    "}\n"
    "__attribute__((noinline)) int third(int n) { return n > 0 ? looped(n) : 2; }\n"
    "int _start(void) { return third(3) + looped(9); }\n";

static const char script[] = "SECTIONS { .text 0 : { *(.text*) *(.rodata*) }"
                             " .bss : { *(.bss*) } .far HOOK : { *(.hook) } }\n";

static const struct made {
    const char *name, *tools, *flags, *hook;
    bool both_states;
} all[] = {
    {"r5.elf", "arm-none-eabi-", "-mcpu=cortex-r5 -mflip-thumb", "0x20000", true},
    {"r5-O2.elf", "arm-none-eabi-", "-O2 -mcpu=cortex-r5 -mflip-thumb", "0x20000", true},
    {"v4t.elf", "arm-none-eabi-", "-mcpu=arm7tdmi -mflip-thumb", "0x20000", true},
    {"v4t-far.elf", "arm-none-eabi-", "-mcpu=arm7tdmi -mflip-thumb", "0x70000000", true},
    {"big.elf", "arm-none-eabi-", "-mcpu=cortex-r5 -mflip-thumb -mbig-endian -Wl,--be8",
     "0x20000", true},
    {"m0.elf", "arm-none-eabi-", "-mcpu=cortex-m0 -mthumb", "0x20000", false},
    {"m4.elf", "arm-none-eabi-", "-O0 -mcpu=cortex-m4 -mthumb", "0x20000", false},
    {"rv32.elf", "riscv64-unknown-elf-", "-march=rv32imac -mabi=ilp32", "0x8800", false},
    {"rv32-far.elf", "riscv64-unknown-elf-", "-march=rv32i -mabi=ilp32 -mcmodel=medany",
     "0x70000000", false},
    {"sparc.elf", "sparc64-linux-gnu-", "-m32 -mcpu=leon3 -fno-pic -no-pie", "0x20000",
     false},
};
enum { MADE = sizeof all / sizeof all[0], CALLS_MAX = 256 };

static char directory[] = "/tmp/test_blocks.XXXXXX";

static bool write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    return file != NULL && fputs(text, file) >= 0 && fclose(file) == 0;
}

static int build(void **state)
{
    (void)state;
    if (mkdtemp(directory) == NULL || chdir(directory) != 0 || !write_file("t.c", source))
        return -1;
    for (size_t i = 0; i < MADE; i++) {
        char command[1024];
        snprintf(command, sizeof command,
                 "echo '%s' | sed s/HOOK/%s/ > t.ld && %sgcc -O1 %s -ffreestanding "
                 "-nostdlib -static -fsanitize-coverage=trace-pc "
                 "-Wl,--build-id=none,--no-warn-rwx-segments "
                 "-T t.ld t.c -o %s %s",
                 script, all[i].hook, all[i].tools, all[i].flags, all[i].name,
                 strncmp(all[i].tools, "arm", 3) == 0 ? "-lgcc" : "");
        if (system(command) != 0)
            return -1;
    }
    return 0;
}

static int remove_all(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", directory);
    return system(command);
}

/* What is at an address, by objdump. */
struct listed {
    uint64_t at;
    bool hook;  /* calls it */
    bool jumps; /* to a place of the code */
};

static bool is_word(const char *word, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strcmp(word, *words) == 0)
            return true;
    return false;
}

/* Parses "    804c:\tf017 eff0 \tblx\t20030 <__sanitizer_cov_trace_pc>". Where a call of
 * RISC-V has two instructions, the second one names the target. */
static bool parse(const char *line, struct listed *listed)
{
    static const char *const calls[] = {"bl", "blx", "jal", "jalr", "call", NULL};
    static const char *const jumps[] = {
        "b",     "b.n",  "beq.n", "bne.n", "ble.n", "bgt.n", "bge.n", "blt.n", "beq",
        "bne",   "ble",  "bgt",   "bge",   "blt",   "cbz",   "cbnz",  "j",     "beqz",
        "bnez",  "blez", "bgtz",  "bgez",  "bltz",  "ba",    "be",    "bl,a",  "ble,a",
        "bne,a", "be,a", "b,a",   "bhi.n", "bhi",   "bgu",   "bltu",  "bgeu",  NULL};
    char code[32], mnemonic[16];
    unsigned long long at;
    if (sscanf(line, " %llx:\t%31[0-9a-f ]\t%15s", &at, code, mnemonic) != 3)
        return false;
    *listed = (struct listed){.at = at};
    listed->hook =
        strstr(line, "__sanitizer_cov_trace_pc") != NULL && is_word(mnemonic, calls);
    if (listed->hook && strcmp(mnemonic, "jalr") == 0)
        listed->at -= 4;
    listed->jumps = is_word(mnemonic, jumps) && strchr(line, '<') != NULL;
    return true;
}

static size_t list(const struct made *made, struct listed *listed, size_t max)
{
    char command[128], line[512];
    size_t count = 0;
    snprintf(command, sizeof command, "%sobjdump -d -j .text %s", made->tools,
             made->name);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    while (fgets(line, sizeof line, pipe) != NULL && count < max)
        count +=
            parse(line, &listed[count]) && (listed[count].hook || listed[count].jumps);
    assert_int_equal(pclose(pipe), 0);
    return count;
}

static const struct image_block *block_with(const struct image_block *blocks,
                                            size_t count, uint64_t at)
{
    for (size_t i = 0; i < count; i++)
        if (blocks[i].low <= at && at < blocks[i].high)
            return &blocks[i];
    return NULL;
}

/* Returns how many hooks were found in the function. */
static size_t check_function(struct image *image, const struct image_symbol *symbol,
                             const struct listed *listed, size_t listed_count)
{
    struct image_block *blocks;
    size_t count, hooks = 0, expected = 0;
    assert_true(image_blocks(image, symbol->address, symbol->end, &blocks, &count));
    for (size_t i = 0; i < count; i++)
        hooks += blocks[i].hook_bytes != 0;
    for (size_t i = 0; i < listed_count; i++) {
        const struct image_block *block = block_with(blocks, count, listed[i].at);
        if (listed[i].at < symbol->address || listed[i].at >= symbol->end ||
            block == NULL)
            continue;
        if (listed[i].hook) {
            expected++;
            assert_int_equal(block->hook, listed[i].at);
        } else {
            /* SPARC runs one instruction more */
            assert_in_range(block->high - listed[i].at, 1, 8);
        }
    }
    assert_int_equal(hooks, expected);
    free(blocks);
    return hooks;
}

static void check(const struct made *made)
{
    struct listed listed[CALLS_MAX];
    const struct image_symbol *symbols;
    struct image *image;
    struct error error;
    size_t count = list(made, listed, CALLS_MAX), hooks = 0, expected = 0;
    if (!image_open(&image, made->name, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < count; i++)
        expected += listed[i].hook;
    assert_in_range(expected, 15, CALLS_MAX / 2);
    size_t symbol_count = image_symbols(image, &symbols);
    for (size_t i = 0; i < symbol_count; i++)
        hooks += check_function(image, &symbols[i], listed, count);
    if (hooks != expected)
        fail_msg("%s: %zu of %zu calls of the hook", made->name, hooks, expected);
    image_close(image);
}

static void hooks_and_branches(void **state)
{
    (void)state;
    for (size_t i = 0; i < MADE; i++)
        check(&all[i]);
}

/* The images of both states have functions in both, and calls from either. */
static void both_states(void **state)
{
    (void)state;
    for (size_t i = 0; i < MADE; i++) {
        char command[256];
        if (!all[i].both_states)
            continue;
        snprintf(command, sizeof command,
                 "%sobjdump -d %s > listing && grep -Eq '\t[0-9a-f]{8} \tbl' listing && "
                 "grep -Eq '\t[0-9a-f]{4} [0-9a-f]{4} \tbl' listing",
                 all[i].tools, all[i].name);
        if (system(command) != 0)
            fail_msg("%s is of one state", all[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_states),
        cmocka_unit_test(hooks_and_branches),
    };
    return cmocka_run_group_tests_name("blocks", tests, build, remove_all);
}
