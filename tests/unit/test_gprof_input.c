/* SPDX-License-Identifier: MIT */
/*
 * Reads profiles into the model of `mcuprof gprof` and writes them as gmon.sum: the
 * files are made here, in all layouts, whole and damaged. The messages are those of GNU
 * gprof 2.40.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gprof/gprof.h"

enum { MAIN, LINE, ALPHA, BETA, END, SYMBOLS };
enum { BASE = 0x1000, RATE = 100 };

static char folder[] = "/tmp/mcuprof-gprof-XXXXXX";
static char *paths[] = {"one", "two"};
static struct gprof gprof;
static struct gprof_symbol symbols[SYMBOLS];
static struct error error;

/* main has 16 bytes, a line of main 16, alpha 8, beta 24; then the end */
static const uint64_t addresses[SYMBOLS] = {BASE, BASE + 16, BASE + 32, BASE + 40,
                                            BASE + 64};

struct file {
    uint8_t bytes[8192];
    size_t size;
    unsigned word_bytes;
    bool big_endian;
};

static const struct file layouts[] = {
    {.word_bytes = 4, .big_endian = false},
    {.word_bytes = 4, .big_endian = true},
    {.word_bytes = 8, .big_endian = false},
    {.word_bytes = 8, .big_endian = true},
};
enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };

static void put(struct file *file, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        file->bytes[file->size++] =
            (uint8_t)(value >> 8 * (file->big_endian ? size - 1 - i : i));
}

static void put_word(struct file *file, uint64_t value)
{
    put(file, value, file->word_bytes);
}

static void put_header(struct file *file, unsigned version)
{
    memcpy(file->bytes + file->size, "gmon", 4);
    file->size += 4;
    put(file, version, 4);
    memset(file->bytes + file->size, 0, 12);
    file->size += 12;
}

/* Bin i has i + 1 samples. */
static void put_histogram(struct file *file, uint64_t low, unsigned bins, unsigned width,
                          const char *dimension)
{
    put(file, 0, 1);
    put_word(file, low);
    put_word(file, low + (uint64_t)bins * width);
    put(file, bins, 4);
    put(file, RATE, 4);
    memset(file->bytes + file->size, 0, 15);
    memcpy(file->bytes + file->size, dimension, strlen(dimension));
    file->size += 15;
    put(file, 's', 1);
    for (unsigned i = 0; i < bins; i++)
        put(file, i + 1, 2);
}

static void put_arc(struct file *file, uint64_t from, uint64_t to, uint32_t count)
{
    put(file, 1, 1);
    put_word(file, from);
    put_word(file, to);
    put(file, count, 4);
}

static void put_bsd(struct file *file, unsigned bins, bool bsd44, unsigned rate)
{
    put_word(file, BASE);
    put_word(file, BASE + 8 * bins);
    put(file, 2 * file->word_bytes + 4 + 2 * bins + (bsd44 ? 20 : 0), 4);
    if (bsd44) {
        put(file, 0x51879, 4);
        put(file, rate, 4);
        put(file, 0, 8);
        put(file, 0, 4);
    }
    for (unsigned i = 0; i < bins; i++)
        put(file, i + 1, 2);
}

static void save(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *out = fopen(path, "wb");

    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

/* Makes a model without calls. */
static void begin(const struct file *layout, size_t files)
{
    memset(&gprof, 0, sizeof gprof);
    memset(symbols, 0, sizeof symbols);
    memset(&error, 0, sizeof error);
    for (size_t i = 0; i < SYMBOLS; i++) {
        symbols[i].address = addresses[i];
        symbols[i].end = i + 1 < SYMBOLS ? addresses[i + 1] - 1 : addresses[i];
        symbols[i].is_function = i != LINE;
    }
    gprof.symbols = symbols;
    gprof.symbol_count = SYMBOLS;
    gprof.word_bytes = layout->word_bytes;
    gprof.big_endian = layout->big_endian;
    gprof.options.program = "gprof";
    gprof.options.lines = true;
    gprof.options.profiles = paths;
    gprof.options.profile_count = files;
    gprof.out = stdout;
}

static bool read_file(const struct file *file, size_t size)
{
    save(paths[0], file->bytes, size);
    begin(file, 1);
    return gprof_read_profiles(&gprof, &error);
}

static void expect_error(const struct file *file, const char *text)
{
    assert_false(read_file(file, file->size));
    assert_string_equal(error.text, text);
    assert_int_equal(error.status, EXIT_NO);
    gprof_profiles_release(&gprof);
}

/* Makes two histograms, calls to alpha, of alpha to itself and to a line, and blocks. */
static struct file make_magic(const struct file *layout)
{
    struct file file = *layout;

    put_header(&file, 1);
    put_histogram(&file, BASE, 4, 8, "seconds");
    put_arc(&file, BASE + 20, BASE + 34, 5);
    put_arc(&file, BASE + 20, BASE + 35, UINT32_MAX);
    put_arc(&file, BASE + 34, BASE + 36, 3); /* to itself */
    put_arc(&file, BASE + 40, BASE + 18, 7); /* to a line of main */
    put_arc(&file, BASE - 1, BASE + 36, 9);  /* from nowhere */
    put(&file, 2, 1);
    put(&file, 2, 4);
    put_word(&file, BASE + 2);
    put_word(&file, 11);
    put_word(&file, BASE + 99);
    put_word(&file, 12);
    put_histogram(&file, BASE, 4, 8, "seconds");
    put_histogram(&file, BASE + 32, 2, 8, "seconds");
    return file;
}

/* Returns NULL if there is no such arc. */
static const struct gprof_arc *find_arc(const struct gprof_symbol *parent,
                                        const struct gprof_symbol *child)
{
    uint32_t number = parent->children;

    while (number != 0 && gprof.arcs[number].child != child)
        number = gprof.arcs[number].next_child;
    return number != 0 ? &gprof.arcs[number] : NULL;
}

static void expect_magic(uint64_t times)
{
    const struct gprof_arc *arc = find_arc(&symbols[LINE], &symbols[ALPHA]);
    const struct gprof_arc *newest = &gprof.arcs[symbols[ALPHA].parents];

    assert_non_null(arc);
    assert_int_equal(arc->count, times * (5 + (uint64_t)UINT32_MAX));
    assert_int_equal(symbols[ALPHA].calls, times * (8 + (uint64_t)UINT32_MAX));
    assert_int_equal(symbols[MAIN].calls, 7 * times);
    assert_int_equal(symbols[LINE].calls, 0);
    assert_int_equal(gprof.arc_count, 3); /* with the one to itself */
    assert_ptr_equal(&gprof.arcs[1], arc);
    assert_ptr_equal(gprof.arcs[3].parent, &symbols[BETA]);
    assert_ptr_equal(newest->parent, &symbols[ALPHA]);
    assert_ptr_equal(&gprof.arcs[newest->next_parent], arc);
    assert_int_equal(symbols[MAIN].blocks->count, 1);
    assert_int_equal(symbols[MAIN].blocks->addresses[0], BASE + 2);
    assert_int_equal(symbols[MAIN].blocks->executions[0], 11 * times);
    assert_int_equal(gprof.histogram_count, 2);
    assert_int_equal(gprof.histograms[0].bins[3], 8 * times);
    assert_int_equal(gprof.histograms[1].bins[1], 2 * times);
    assert_string_equal(gprof.dimension, "seconds");
    assert_int_equal(gprof.rate, RATE);
    assert_true(gprof.has_histogram && gprof.has_arcs && gprof.has_blocks);
}

static void test_magic(void **state)
{
    (void)state;
    for (size_t i = 0; i < LAYOUTS; i++) {
        struct file file = make_magic(&layouts[i]);

        assert_true(read_file(&file, file.size));
        expect_magic(1);
        gprof_profiles_release(&gprof);

        save(paths[1], file.bytes, file.size);
        begin(&file, 2);
        assert_true(gprof_read_profiles(&gprof, &error));
        expect_magic(2);
        gprof_profiles_release(&gprof);
    }
}

static void test_sum_reads_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < LAYOUTS; i++) {
        struct file file = make_magic(&layouts[i]);
        uint64_t calls;

        assert_true(read_file(&file, file.size));
        assert_true(gprof_write_sum(&gprof, &error));
        gprof_profiles_release(&gprof);
        assert_int_equal(rename("gmon.sum", paths[0]), 0);
        begin(&file, 1);
        assert_true(gprof_read_profiles(&gprof, &error));
        calls = find_arc(&symbols[LINE], &symbols[ALPHA])->count;
        assert_int_equal(calls, 4); /* 5 + UINT32_MAX, modulo 2^32 */
        assert_int_equal(symbols[MAIN].calls, 7);
        assert_int_equal(symbols[MAIN].blocks->executions[0], 11);
        assert_int_equal(gprof.histograms[0].bins[3], 8);
        assert_int_equal(gprof.histograms[1].bins[1], 2);
        gprof_profiles_release(&gprof);
    }
}

/* A file may end between two records, and nowhere else. */
static void test_truncated(void **state)
{
    (void)state;
    for (size_t i = 0; i < LAYOUTS; i++) {
        struct file file = make_magic(&layouts[i]);
        size_t whole = 0;

        for (size_t size = 0; size <= file.size; size++) {
            bool done = read_file(&file, size);

            whole += done;
            if (!done)
                assert_int_equal(error.status, EXIT_NO);
            if (size < 20)
                assert_string_equal(error.text, "one: file too short to be a gmon file");
            gprof_profiles_release(&gprof);
        }
        assert_int_equal(whole, 1 + 9); /* the header, and each of the records */
    }
}

static void test_bins_missing(void **state)
{
    struct file file = layouts[0];

    (void)state;
    put_header(&file, 1);
    put_histogram(&file, BASE, 4, 8, "seconds");
    file.size -= 3;
    expect_error(&file, "one: unexpected EOF after reading 2 of 4 samples");
    memset(file.bytes + 20 + 1 + 8, 0xff, 4); /* the count of bins */
    expect_error(&file, "one: unexpected EOF after reading 2 of 4294967295 samples");
}

static void test_histograms_that_disagree(void **state)
{
    static const struct {
        unsigned offset, width;
        const char *dimension, *text;
    } cases[] = {
        {32, 8, "ticks",
         "dimension unit changed between histogram records\n"
         "gprof: from 'seconds'\ngprof: to 'ticks'"},
        {32, 4, "seconds", "different scales in histogram records"},
        {24, 8, "seconds", "overlapping histogram records"},
        {8, 8, "seconds", "overlapping histogram records"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct file file = layouts[2];

        put_header(&file, 1);
        put_histogram(&file, BASE, 4, 8, "seconds");
        put_histogram(&file, BASE + cases[i].offset, 2, cases[i].width,
                      cases[i].dimension);
        expect_error(&file, cases[i].text);
    }
}

/* The histogram that overlaps is found in any order. */
static void test_many_histograms(void **state)
{
    struct file file = layouts[0];
    size_t before;

    (void)state;
    put_header(&file, 1);
    for (unsigned i = 0; i < 101; i++) /* 37 and 101 have no common factor */
        put_histogram(&file, BASE + 16 * (i * 37 % 101), 1, 8, "seconds");
    before = file.size;
    put_histogram(&file, BASE + 16 * 50, 1, 8, "seconds");
    put_histogram(&file, BASE + 16 * 50, 0, 8, "seconds");
    assert_true(read_file(&file, before));
    assert_int_equal(gprof.histogram_count, 101);
    gprof_profiles_release(&gprof);
    for (unsigned i = 0; i < 101; i++) {
        file.size = before;
        put_histogram(&file, BASE + 16 * i + 4, 1, 8, "seconds");
        expect_error(&file, "overlapping histogram records");
        file.size = before;
        put_histogram(&file, BASE + 16 * i + 8, 1, 8, "seconds");
        assert_true(read_file(&file, file.size));
        gprof_profiles_release(&gprof);
    }
}

static void test_wrong_files(void **state)
{
    struct file file = layouts[0];

    (void)state;
    put_header(&file, 2);
    expect_error(&file, "file `one' has unsupported version 2");
    file.size = 0;
    put_header(&file, 1);
    put(&file, 77, 1);
    expect_error(&file, "one: found bad tag 77 (file corrupted?)");
    begin(&file, 1);
    gprof.options.profiles = (char *[]){"missing"};
    assert_false(gprof_read_profiles(&gprof, &error));
    assert_string_equal(error.text, "missing: No such file or directory");
    assert_true(gprof.bare_error);
    gprof_profiles_release(&gprof);
}

static void test_bsd(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * LAYOUTS; i++) {
        struct file file = layouts[i / 2];
        bool bsd44 = i % 2 != 0;

        put_bsd(&file, 4, bsd44, 50);
        put_word(&file, BASE + 20);
        put_word(&file, BASE + 34);
        put_word(&file, UINT32_MAX);
        put_word(&file, BASE + 20); /* part of an arc */
        assert_true(read_file(&file, file.size));
        assert_int_equal(gprof.rate, bsd44 ? 50 : 100);
        assert_int_equal(gprof.histograms[0].bins[3], 4);
        assert_int_equal(symbols[ALPHA].calls, UINT32_MAX);
        assert_int_equal(gprof.arc_count, 1);
        assert_true(gprof.has_histogram && gprof.has_arcs && !gprof.has_blocks);
        gprof_profiles_release(&gprof);
    }
}

static void test_bsd_that_disagree(void **state)
{
    static const struct {
        unsigned bins;
        bool bsd44;
        const char *text;
    } cases[] = {
        {4, true, "two: profiling rate incompatible with first gmon file"},
        {5, false, "two: incompatible with first gmon file"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct file first = layouts[0], second = layouts[0];

        put_bsd(&first, 4, false, 0);
        put_bsd(&second, cases[i].bins, cases[i].bsd44, 50);
        save(paths[0], first.bytes, first.size);
        save(paths[1], second.bytes, second.size);
        begin(&first, 2);
        assert_false(gprof_read_profiles(&gprof, &error));
        assert_string_equal(error.text, cases[i].text);
        assert_true(gprof.bare_error);
        gprof_profiles_release(&gprof);
    }
}

/* Bins of 6 bytes cover functions of 16, 16, 8 and 24 bytes. Samples behind the start of
 * the last symbol are only in the total. */
static void test_samples(void **state)
{
    static const double expected[SYMBOLS] = {
        1 + 2 + 3 * 2. / 3,              /* 0..6, 6..12, 4 of 12..18 */
        3 * 1. / 3 + 4 + 5 + 6 * 1. / 3, /* 2, 18..24, 24..30, 2 of 30..36 */
        6 * 2. / 3 + 7 * 2. / 3,         /* 4, 4 of 36..42 */
        7 * 1. / 3 + 8 + 9 + 10 + 11 * 2. / 3,
        0,
    };
    struct file file = layouts[0];

    (void)state;
    put_header(&file, 1);
    put_histogram(&file, BASE, 12, 6, "seconds");
    assert_true(read_file(&file, file.size));
    assert_true(gprof_assign_samples(&gprof, &error));
    assert_true(gprof.total == 12 * 13 / 2);
    for (size_t i = 0; i < SYMBOLS; i++)
        assert_true(symbols[i].samples - expected[i] < 1e-9 &&
                    expected[i] - symbols[i].samples < 1e-9);
    gprof_profiles_release(&gprof);
}

/* GNU gprof cannot read a log of addresses; we make histograms of it. */
static void test_capture(void **state)
{
    static const char log[] = "1000\n1001\n1020\n1020\n9000\n1020\n";

    (void)state;
    save(paths[0], (const uint8_t *)log, sizeof log - 1);
    begin(&layouts[0], 1);
    assert_true(gprof_read_profiles(&gprof, &error));
    assert_int_equal(gprof.histogram_count, 2); /* one around 0x1000 and one at 0x9000 */
    assert_int_equal(gprof.histograms[0].bin_count, 17);
    assert_int_equal(gprof.rate, 1);
    assert_true(gprof.has_histogram && !gprof.has_arcs);
    assert_true(gprof_assign_samples(&gprof, &error));
    assert_true(gprof.total == 6);
    assert_true(symbols[MAIN].samples == 2);
    assert_true(symbols[ALPHA].samples == 3);
    gprof_profiles_release(&gprof);
}

static void test_many_arcs(void **state)
{
    enum { MANY = 20000 };
    struct gprof_symbol *many = calloc(MANY + 1, sizeof *many);
    size_t listed = 0;

    (void)state;
    begin(&layouts[0], 0);
    for (size_t i = 1; i <= MANY; i++) {
        assert_true(gprof_add_arc(&gprof, &many[0], &many[i], 1));
        assert_true(gprof_add_arc(&gprof, &many[i], &many[0], 2));
    }
    assert_true(gprof_add_arc(&gprof, &many[0], &many[7], 40));
    assert_int_equal(find_arc(&many[0], &many[7])->count, 41);
    assert_int_equal(find_arc(&many[7], &many[0])->count, 2);
    assert_null(find_arc(&many[7], &many[8]));
    assert_int_equal(gprof.arc_count, 2 * MANY);
    for (uint32_t at = many[0].children; at != 0; at = gprof.arcs[at].next_child)
        assert_ptr_equal(gprof.arcs[at].child, &many[MANY - listed++]); /* newest first */
    assert_int_equal(listed, MANY);
    gprof_profiles_release(&gprof);
    free(many);
}

static int enter_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL || chdir(folder) != 0;
}

static int leave_folder(void **state)
{
    (void)state;
    unlink(paths[0]);
    unlink(paths[1]);
    unlink("gmon.sum");
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_magic),
        cmocka_unit_test(test_sum_reads_back),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_bins_missing),
        cmocka_unit_test(test_histograms_that_disagree),
        cmocka_unit_test(test_many_histograms),
        cmocka_unit_test(test_wrong_files),
        cmocka_unit_test(test_bsd),
        cmocka_unit_test(test_bsd_that_disagree),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_capture),
        cmocka_unit_test(test_many_arcs),
    };

    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
