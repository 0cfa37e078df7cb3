/* SPDX-License-Identifier: MIT */
/* ELFs of several machines, which the compilers for firmware build here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../host/image/image.h"

static const char c_source[] =
    "static inline __attribute__((always_inline)) int square(int x)\n" /* line 1 */
    "{\n"
    "    __asm__ volatile(\"nop\"); return x * x;\n"
    "}\n"
    "__attribute__((noinline)) int outer(int x)\n" /* line 5 */
    "{\n"
    "    return square(x) + 1;\n"
    "}\n"
    "int _start(void) { return outer(3); }\n"
    "int other_name(void) __attribute__((alias(\"_start\")));\n";

static const char cxx_source[] =
    "namespace motor { struct Coil { int turn(int, const char *); }; }\n"
    "int motor::Coil::turn(int a, const char *) { return a + 1; }\n"
    "extern \"C\" int _start() { motor::Coil c; return c.turn(1, 0); }\n";

static const char dropped_source[] =
    "volatile int s;\n"
    "int longer(int n) {\n"
    "    for (int i = 0; i < n; i++) s ^= s << i;\n"
    "    for (int i = 0; i < n; i++) s += s >> i;\n"
    "    return s / 3; }\n"
    "__attribute__((noinline)) int work(int n) {\n" /* line 6, at 0 */
    "    int x = n;\n"
    "    for (int i = 0; i < n; i++) x += s;\n"
    "    return x; }\n"
    "int shorter(int n) { return longer(n) * 7; }\n"
    "int _start(void) { return work(3); }\n"; /* line 11 */

static const char notes[] =
    "SECTIONS { .text 0x8000 : { *(.text*) KEEP(*(.note.gnu.build-id)) } }\n";

static const char rom[] = "SECTIONS { .text 0x8000 : { *(.text*) }"
                          " .note.gnu.build-id : { KEEP(*(.note.gnu.build-id)) } }\n";

static char directory[] = "/tmp/test_image.XXXXXX";

static bool write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    return file != NULL && fputs(text, file) >= 0 && fclose(file) == 0;
}

static int build(void **state)
{
    (void)state;
    if (mkdtemp(directory) == NULL || chdir(directory) != 0 ||
        !write_file("t.c", c_source) || !write_file("t.cpp", cxx_source) ||
        !write_file("dropped.c", dropped_source) || !write_file("rom.ld", rom) ||
        !write_file("notes.ld", notes))
        return -1;
    return system(
        "set -e; arm='arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -nostdlib -O1 -g"
        " -T rom.ld -Wl,--build-id';"
        "$arm t.c -o thumb.elf;"
        "$arm -mbig-endian t.c -o big.elf;"
        "arm-none-eabi-gcc -marm -nostdlib -O1 t.c -o a32.elf;"
        "arm-none-eabi-g++ -mcpu=cortex-m0 -mthumb -nostdlib -g t.cpp -o cxx.elf;"
        "arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -nostdlib -O1 -g -ffunction-sections"
        " -Wl,--gc-sections,-Ttext=0,-e,_start dropped.c -o dropped.elf;"
        "gcc -nostdlib -static -O1 -g -Wl,--build-id=sha1 t.c -o x86.elf;"
        "arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -nostdlib -Wl,--build-id -T notes.ld"
        " t.c -o folded.elf;"
        "arm-none-eabi-strip -o stripped.elf thumb.elf;"
        "arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -c t.c -o object.o;"
        "head -c 40 thumb.elf > header.elf; head -c 600 thumb.elf > cut.elf;"
        "printf 'no ELF at all' > text.elf; : > empty.elf; mkdir directory.elf");
}

static int remove_all(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", directory);
    return system(command);
}

static struct image *open_image(const char *name)
{
    struct image *image = NULL;
    struct error error;
    if (!image_open(&image, name, &error))
        fail_msg("%s", error.text);
    return image;
}

static const struct image_symbol *find(const struct image *image, const char *name)
{
    const struct image_symbol *symbols;
    size_t count = image_symbols(image, &symbols);
    for (size_t i = 0; i < count; i++)
        if (strcmp(symbols[i].name, name) == 0)
            return &symbols[i];
    fail_msg("%s is not in %s", name, image_path(image));
    return NULL;
}

static void thumb(void **state)
{
    struct image *image = open_image("thumb.elf");
    const struct image_symbol *outer = find(image, "outer");
    (void)state;
    assert_int_equal(image_machine(image), EM_ARM);
    assert_string_equal(image_machine_name(image), "ARM");
    assert_int_equal(image_word_bytes(image), 4);
    assert_false(image_big_endian(image));
    assert_int_equal(image_code_align(image), 2);
    assert_int_equal(outer->address, 0x8000);
    assert_ptr_equal(image_symbol_at(image, 0x8000), outer);
    assert_ptr_equal(image_symbol_at(image, outer->end - 1), outer);
    assert_ptr_equal(image_symbol_at(image, outer->end), outer + 1);
    assert_null(image_symbol_at(image, 0x7fff));
    image_close(image);
}

/* If two names have one address, the one with fewer underscores is kept. */
static void one_name_an_address(void **state)
{
    struct image *image = open_image("thumb.elf");
    const struct image_symbol *symbols;
    size_t count = image_symbols(image, &symbols);
    (void)state;
    find(image, "other_name");
    for (size_t i = 0; i < count; i++) {
        assert_string_not_equal(symbols[i].name, "_start");
        assert_true(symbols[i].name[0] != '$');
        assert_true(symbols[i].address < symbols[i].end);
        assert_true(i == 0 || symbols[i - 1].end <= symbols[i].address);
    }
    image_close(image);
}

static void code_ranges(void **state)
{
    struct image *image = open_image("thumb.elf");
    const struct image_range *ranges;
    (void)state;
    assert_int_equal(image_code(image, &ranges), 1);
    assert_int_equal(ranges[0].low, 0x8000);
    assert_true(ranges[0].high > 0x8000 && ranges[0].high < 0x8100);
    image_close(image);
}

static void other_machines(void **state)
{
    struct image *big = open_image("big.elf"), *a32 = open_image("a32.elf");
    struct image *x86 = open_image("x86.elf");
    (void)state;
    assert_true(image_big_endian(big));
    assert_int_equal(find(big, "outer")->address, 0x8000);
    assert_int_equal(image_code_align(big), 2);
    assert_int_equal(image_code_align(a32), 4);
    assert_int_equal(image_word_bytes(x86), 8);
    assert_int_equal(image_machine(x86), EM_X86_64);
    assert_int_equal(image_code_align(x86), 1);
    find(x86, "outer");
    image_close(big);
    image_close(a32);
    image_close(x86);
}

static void demangles(void **state)
{
    struct image *image = open_image("cxx.elf");
    const struct image_symbol *turn = find(image, "_ZN5motor4Coil4turnEiPKc");
    struct image_line line[4];
    (void)state;
    assert_string_equal(turn->demangled, "motor::Coil::turn(int, char const*)");
    assert_ptr_equal(find(image, "_start")->demangled, find(image, "_start")->name);
    assert_int_equal(image_lines(image, turn->address, line, 4), 1);
    assert_string_equal(line[0].function, "motor::Coil::turn(int, char const*)");
    assert_int_equal(line[0].line, 2);
    image_close(image);
}

/* In every byte order, an address of outer() belongs to square(), inlined at line 7. */
static void inlined_lines(void **state)
{
    const char *const names[] = {"thumb.elf", "big.elf", "x86.elf"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct image *image = open_image(names[i]);
        const struct image_symbol *outer = find(image, "outer");
        struct image_line lines[8];
        unsigned inlined = 0, own = 0;
        for (uint64_t address = outer->address; address < outer->end; address++) {
            size_t depth = image_lines(image, address, lines, 8);
            if (depth == 0)
                continue;
            assert_non_null(strstr(lines[0].file, "/t.c"));
            assert_int_equal(lines[0].file[0], '/');
            assert_string_equal(lines[depth - 1].function, "outer");
            own += depth == 1;
            if (depth != 2)
                continue;
            inlined++;
            assert_string_equal(lines[0].function, "square");
            assert_int_equal(lines[0].line, 3);
            assert_int_equal(lines[1].line, 7);
            assert_int_equal(image_lines(image, address, lines, 1), 1);
        }
        assert_true(inlined > 0 && own > 0);
        assert_int_equal(image_lines(image, 0x10, lines, 8), 0);
        assert_int_equal(image_lines(image, outer->address, lines, 0), 0);
        image_close(image);
    }
}

/* Lines of functions that the linker dropped begin at address 0, as those of the first
 * function do. */
static void dropped_functions(void **state)
{
    struct image *image = open_image("dropped.elf");
    const struct image_symbol *work = find(image, "work"), *start = find(image, "_start");
    struct image_line line;
    (void)state;
    assert_int_equal(work->address, 0);
    for (uint64_t at = 0; at < start->end; at += 2) {
        assert_int_equal(image_lines(image, at, &line, 1), 1);
        assert_string_equal(line.function, at < work->end ? "work" : "_start");
        assert_in_range(line.line, at < work->end ? 6 : 11, at < work->end ? 9 : 11);
    }
    image_close(image);
}

static void no_debug_information(void **state)
{
    struct image *image = open_image("a32.elf");
    struct image_line lines[2];
    (void)state;
    assert_int_equal(image_lines(image, find(image, "outer")->address, lines, 2), 0);
    image_close(image);
}

static void build_ids(void **state)
{
    const char *const with[] = {"thumb.elf", "big.elf", "x86.elf", "folded.elf"};
    const uint8_t *bytes;
    (void)state;
    for (size_t i = 0; i < sizeof with / sizeof with[0]; i++) {
        char command[128], expected[64] = "", found[64] = "";
        struct image *image = open_image(with[i]);
        size_t size = image_build_id(image, &bytes);
        assert_int_equal(size, 20);
        for (size_t j = 0; j < size; j++)
            snprintf(found + 2 * j, 3, "%02x", bytes[j]);
        image_close(image);
        if (strcmp(with[i], "folded.elf") == 0)
            continue; /* readelf does not find this build ID */
        snprintf(command, sizeof command, "readelf -n %s | sed -n 's/.*Build ID: //p'",
                 with[i]);
        FILE *pipe = popen(command, "r");
        assert_non_null(pipe);
        assert_non_null(fgets(expected, sizeof expected, pipe));
        pclose(pipe);
        assert_memory_equal(found, expected, 40);
    }
    struct image *image = open_image("a32.elf");
    assert_int_equal(image_build_id(image, &bytes), 0);
    assert_null(bytes);
    image_close(image);
}

static void refuses(const char *name, const char *why)
{
    struct image *image = NULL;
    struct error error = {0};
    if (image_open(&image, name, &error))
        fail_msg("%s was accepted", name);
    assert_int_equal(error.status, EXIT_BAD_INPUT);
    assert_memory_equal(error.text, name, strlen(name));
    if (strstr(error.text, why) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, why);
    assert_null(strchr(error.text, '\n'));
}

static void refuses_what_is_no_elf(void **state)
{
    (void)state;
    refuses("missing.elf", "No such file");
    refuses("directory.elf", "directory");
    refuses("/dev/null", "not a regular file");
    refuses("text.elf", "not an ELF file");
    refuses("empty.elf", "not an ELF file");
    refuses("header.elf", "truncated");
    refuses("cut.elf", "truncated");
    refuses("object.o", "object file");
    refuses("stripped.elf", "no function symbols; was it stripped?");
}

/* Changes every byte of an ELF, one after the other: it is refused or read, and never
 * crashes. */
static void damaged(void **state)
{
    static uint8_t bytes[65536];
    (void)state;
    FILE *file = fopen("thumb.elf", "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(size > 1000 && size < sizeof bytes);
    size_t step = size / 1500 + 1, opened = 0;
    for (size_t i = 0; i < size; i += i < 64 ? 1 : step) {
        struct image *image;
        struct error error;
        struct image_line lines[4];
        bytes[i] ^= 0xff;
        file = fopen("damaged.elf", "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(bytes, 1, size, file), size);
        fclose(file);
        bytes[i] ^= 0xff;
        if (!image_open(&image, "damaged.elf", &error))
            continue;
        opened++;
        for (uint64_t address = 0x8000; address < 0x8040; address++)
            image_lines(image, address, lines, 4);
        image_close(image);
    }
    assert_true(opened > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thumb),
        cmocka_unit_test(one_name_an_address),
        cmocka_unit_test(code_ranges),
        cmocka_unit_test(other_machines),
        cmocka_unit_test(demangles),
        cmocka_unit_test(inlined_lines),
        cmocka_unit_test(dropped_functions),
        cmocka_unit_test(no_debug_information),
        cmocka_unit_test(build_ids),
        cmocka_unit_test(refuses_what_is_no_elf),
        cmocka_unit_test(damaged),
    };
    return cmocka_run_group_tests_name("image", tests, build, remove_all);
}
