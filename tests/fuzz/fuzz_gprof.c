/* SPDX-License-Identifier: MIT */
/* Runs all of `mcuprof gprof` with a hostile ELF or a hostile profile. */
#include "fuzz_gprof.h"

#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gprof/gprof.h"

enum { FUNCTIONS = 12, FUNCTION_BYTES = 32, TEXT = 0x1000, BINS = 256, PATH_BYTES = 32 };

/* The bytes of a file that is made here, in one byte order. */
struct made {
    uint8_t bytes[4096];
    size_t size;
    bool big_endian;
};

static void put(struct made *made, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes && made->size < sizeof made->bytes; i++) {
        size_t shift = 8 * (made->big_endian ? bytes - 1 - i : i);

        made->bytes[made->size++] = shift < 64 ? (uint8_t)(value >> shift) : 0;
    }
}

static int file_of(const uint8_t *bytes, size_t size, char path[PATH_BYTES])
{
    int file = memfd_create("input", MFD_CLOEXEC);

    if (file < 0 || write(file, bytes, size) != (ssize_t)size)
        abort();
    snprintf(path, PATH_BYTES, "/proc/self/fd/%d", file);
    return file;
}

/* Runs gprof and drops what it prints. */
static void run(const char *options, char *image, char *profile)
{
    char words[128], *arguments[24] = {(char[]){"gprof"}, (char[]){"-b"}};
    size_t count = 2;
    FILE *out = stdout, *messages = stderr, *nowhere = fopen("/dev/null", "w");
    int status;

    if (!nowhere)
        abort();
    snprintf(words, sizeof words, "%s", options);
    for (char *rest = words, *word; count < 20 && (word = strsep(&rest, " ")) != NULL;)
        arguments[count++] = word;
    arguments[count++] = image;
    arguments[count++] = profile;
    stdout = stderr = nowhere;
    status = gprof_run((int)count, arguments);
    stdout = out;
    stderr = messages;
    fclose(nowhere);
    if (status != 0 && status != 1) {
        fprintf(stderr, "wrong: status %d\n", status);
        abort();
    }
}

static void run_on(const uint8_t *elf, size_t elf_size, const uint8_t *gmon,
                   size_t gmon_size, const char *options)
{
    char image[PATH_BYTES], profile[PATH_BYTES];
    int elf_file = file_of(elf, elf_size, image);
    int gmon_file = file_of(gmon, gmon_size, profile);

    run(options, image, profile);
    close(elf_file);
    close(gmon_file);
}

/* ---- A hostile ELF ---- */

static void put_histogram(struct made *made, size_t word, uint64_t low)
{
    put(made, 0, 1);
    put(made, low, word);
    put(made, low + 64 * BINS, word);
    put(made, BINS, 4);
    put(made, 100, 4);
    for (size_t i = 0; i < 16; i++)
        put(made, i < 7 ? (uint64_t) "seconds"[i] : i == 15 ? 's' : 0, 1);
    for (size_t i = 0; i < BINS; i++)
        put(made, i % 3, 2);
}

/* Makes a profile in the ELF's word size and byte order, with calls within its code. */
static void fitting_profile(struct made *made, const uint8_t *elf, size_t size)
{
    size_t word = size > 4 && elf[4] == 2 ? 8 : 4;
    uint64_t low = 0;

    made->size = 0;
    made->big_endian = size > 5 && elf[5] == 2;
    /* The entry point is a good guess of where code is. */
    for (size_t i = 0; i < word && size >= 24 + word; i++)
        low |= (uint64_t)elf[24 + (made->big_endian ? word - 1 - i : i)] << 8 * i;
    low &= ~(uint64_t)0xfff;
    for (size_t i = 0; i < 4; i++)
        put(made, (uint64_t) "gmon"[i], 1);
    put(made, 1, 4);
    put(made, 0, 12);
    put_histogram(made, word, low);
    for (uint64_t i = 0; i < 40; i++) {
        put(made, 1, 1);
        put(made, low + 37 * i % 1024, word);
        put(made, low + 91 * i % 1024, word);
        put(made, i, 4);
    }
    put(made, 2, 1);
    put(made, 8, 4);
    for (uint64_t i = 0; i < 8; i++) {
        put(made, low + 24 * i, word);
        put(made, i, word);
    }
}

void fuzz_gprof_elf(const uint8_t *bytes, size_t size)
{
    static const char *const options[] = {
        "-l -c", "-p -q -z -c", "-l -A -x -C", "-d -l -r", "-C -z -L -l -c -T",
    };
    static struct made profile;
    /* the fuzzer can change this unused byte of the header in one step */
    size_t choice = size + (size > EI_NIDENT ? bytes[EI_NIDENT - 1] : 0);

    fitting_profile(&profile, bytes, size);
    run_on(bytes, size, profile.bytes, profile.size,
           options[choice % (sizeof options / sizeof *options)]);
}

/* ---- A hostile profile ---- */

/* Writes ELF header and section headers; words have 4 or 8 bytes. */
static void put_header(struct made *made, size_t word, uint64_t sections_at)
{
    put(made, made->big_endian ? 0x7f454c46 : 0x464c457f, 4);
    put(made, word / 4, 1);
    put(made, made->big_endian ? 2 : 1, 1);
    put(made, 1, 1);
    put(made, 0, 8);
    put(made, 0, 1);
    put(made, 2, 2);
    put(made, word == 8 ? 43 : 40, 2);
    put(made, 1, 4);
    put(made, TEXT, word);
    put(made, 0, word);
    put(made, sections_at, word);
    put(made, 0, 4);
    put(made, word == 8 ? 64 : 52, 2);
    put(made, 0, 4);
    put(made, word == 8 ? 64 : 40, 2);
    put(made, 4, 2);
    put(made, 3, 2);
}

struct section {
    uint32_t name, type;
    uint64_t flags, address, at, size, link, entry;
};

static void put_section(struct made *made, size_t word, const struct section *section)
{
    put(made, section->name, 4);
    put(made, section->type, 4);
    put(made, section->flags, word);
    put(made, section->address, word);
    put(made, section->at, word);
    put(made, section->size, word);
    put(made, section->link, 4);
    put(made, 1, 4);
    put(made, 1, word);
    put(made, section->entry, word);
}

/* Writes a symbol's info, other and section, which are before the value in 64-bit ELFs
 * and behind it in 32-bit ones. */
static void put_kind(struct made *made, bool is_function)
{
    put(made, is_function ? 0x12 : 0, 1);
    put(made, 0, 1);
    put(made, is_function, 2);
}

static void put_symbol(struct made *made, size_t word, size_t number)
{
    bool is_function = number > 0;

    put(made, is_function ? 21 + 2 * number : 0, 4);
    if (word == 8)
        put_kind(made, is_function);
    put(made, is_function ? TEXT + FUNCTION_BYTES * (number - 1) : 0, word);
    put(made, is_function ? FUNCTION_BYTES : 0, word);
    if (word == 4)
        put_kind(made, is_function);
}

/* Makes an ELF of a few functions; one section holds all names. */
static void small_elf(struct made *made, size_t word, bool big_endian)
{
    static const char names[] =
        "\0.text\0.symtab\0.strtab\0a\0b\0c\0d\0e\0f\0g\0h\0i\0j\0k\0l";
    uint64_t header = word == 8 ? 64 : 52, symbol = word == 8 ? 24 : 16;
    uint64_t text = FUNCTIONS * FUNCTION_BYTES, symbols = (FUNCTIONS + 1) * symbol;
    struct section sections[] = {
        {0},
        {1, 1, 6, TEXT, header, text, 0, 0},
        {7, 2, 0, 0, header + text, symbols, 3, symbol},
        {15, 3, 0, 0, header + text + symbols, sizeof names, 0, 0},
    };

    made->size = 0;
    made->big_endian = big_endian;
    put_header(made, word, header + text + symbols + sizeof names);
    for (size_t i = 0; i < text; i++)
        put(made, i * 41, 1);
    for (size_t i = 0; i <= FUNCTIONS; i++)
        put_symbol(made, word, i);
    for (size_t i = 0; i < sizeof names; i++)
        put(made, (uint64_t)names[i], 1);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        put_section(made, word, &sections[i]);
}

void fuzz_gprof_gmon(const uint8_t *bytes, size_t size)
{
    static const char *const options[] = {
        "-p -q", "-T -z", "-i -C -r", "-z -q -c", "-d -k a/b -E c -f d", "-l -C -A",
    };
    static struct made elf;

    if (size == 0)
        return;
    small_elf(&elf, bytes[0] & 1 ? 8 : 4, bytes[0] & 2);
    run_on(elf.bytes, elf.size, bytes + 1, size - 1,
           options[(bytes[0] >> 2) % (sizeof options / sizeof *options)]);
}
