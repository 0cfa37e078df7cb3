/* SPDX-License-Identifier: MIT */
/*
 * Which symbols and arcs the specs of `mcuprof gprof` mean. The expected results are
 * those of GNU gprof 2.40 for a program of the same shape.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "../../host/gprof/gprof.h"

enum { INIT, ALPHA, MAIN, DELTA, BETA, SECOND, FINI, SYMBOLS };
enum { SPECS_MAX = 8 };

static struct gprof gprof;
static struct gprof_file files[] = {
    {"/src/m.c", NULL, 0}, {"/src/b.c", NULL, 1}, {"/src/sub/m.c", NULL, 2}};
static struct gprof_symbol symbols[SYMBOLS];
static struct gprof_spec specs[SPECS_MAX];

static void set_symbol(size_t i, const char *name, uint64_t address,
                       struct gprof_file *file, unsigned line)
{
    symbols[i] = (struct gprof_symbol){.name = name,
                                       .address = address,
                                       .file = file,
                                       .line = line,
                                       .is_function = true,
                                       .is_border = true};
}

/* .text ends at 0x1600; symbols behind it also end there, before their start. */
static int set_up(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++)
        files[i].base = strrchr(files[i].path, '/') + 1;
    set_symbol(INIT, "_init", 0x1000, NULL, 0);
    set_symbol(ALPHA, "alpha", 0x1100, &files[0], 2);
    set_symbol(MAIN, "main", 0x1200, &files[0], 8);
    set_symbol(DELTA, "delta", 0x1300, &files[1], 2);
    set_symbol(BETA, "be.ta", 0x1400, &files[1], 6);
    set_symbol(SECOND, "second", 0x1500, &files[2], 1);
    set_symbol(FINI, "_fini", 0x1700, NULL, 0);
    for (size_t i = 0; i + 1 < SYMBOLS; i++)
        symbols[i].end = symbols[i + 1].address - 1;
    symbols[FINI].end = 0x15ff;
    gprof = (struct gprof){.symbols = symbols,
                           .symbol_count = SYMBOLS,
                           .files = files,
                           .file_count = 3,
                           .options = {.specs = specs}};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    gprof_specs_release(&gprof);
    return 0;
}

static void add_spec(enum gprof_list list, const char *text)
{
    assert_true(gprof.options.spec_count < SPECS_MAX);
    specs[gprof.options.spec_count++] = (struct gprof_spec){list, text};
}

static void read_specs(void)
{
    struct error error;

    gprof_specs_release(&gprof);
    assert_true(gprof_read_specs(&gprof, &error));
}

/* Returns the initials of the listed symbols by address; "iamdbsf" is all of them. */
static const char *listed(enum gprof_list list)
{
    static char text[SYMBOLS + 1];
    size_t size = 0;

    for (size_t i = 0; i < SYMBOLS; i++) {
        if (gprof_listed(&gprof, list, &symbols[i]))
            text[size++] = "iamdbsf"[i];
    }
    text[size] = '\0';
    return text;
}

static void test_texts(void **state)
{
    static const struct {
        const char *spec, *listed;
    } cases[] = {
        {"alpha", "a"},      {"nosuch", ""},     {"alph", ""},      {"be.ta", ""},
        {":be.ta", "b"},     {"b.c", "db"},      {"b.c:", "db"},    {"b.c:0", "db"},
        {"b.c:6", "b"},      {"b.c:be.ta", "b"}, {"b.c:alpha", ""}, {"2", "ad"},
        {"2x", "ad"},        {":2", "ad"},       {"b.c:2-6", "d"},  {"m.c", "s"},
        {"m.c:8", ""},       {"sub/m.c", ""},    {"9.c", ""},       {"alpha:2", ""},
        {"alpha/main", "a"}, {"-1", ""},         {"b.c::", ""},     {".c", ""},
    };

    (void)state;
    gprof.options.spec_count = 1;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        specs[0] = (struct gprof_spec){GPROF_INCLUDE_FLAT, cases[i].spec};
        read_specs();
        assert_string_equal(listed(GPROF_INCLUDE_FLAT), cases[i].listed);
        assert_int_equal(gprof_list_used(&gprof, GPROF_INCLUDE_FLAT),
                         cases[i].listed[0] != '\0');
        assert_false(gprof_list_used(&gprof, GPROF_EXCLUDE_FLAT));
    }
}

/* An empty text means a range up to the end of .text or to the next symbol that is named.
 * If two specs mean the first symbol, the later one stays. */
static void test_everything(void **state)
{
    (void)state;
    add_spec(GPROF_INCLUDE_FLAT, "/x");
    read_specs();
    assert_string_equal(listed(GPROF_INCLUDE_FLAT), "iamdbs");
    add_spec(GPROF_INCLUDE_FLAT, "main");
    read_specs();
    assert_string_equal(listed(GPROF_INCLUDE_FLAT), "iam");
    add_spec(GPROF_INCLUDE_FLAT, "_init");
    read_specs();
    assert_string_equal(listed(GPROF_INCLUDE_FLAT), "im");
    add_spec(GPROF_INCLUDE_FLAT, "0");
    read_specs();
    assert_string_equal(listed(GPROF_INCLUDE_FLAT), "iam");
}

/* With -l all lines of a function are in its range, but no later function's. */
static void test_lines(void **state)
{
    (void)state;
    gprof.options.lines = true;
    symbols[MAIN].is_function = symbols[MAIN].is_border = false;
    symbols[MAIN].is_line = true;
    symbols[MAIN].name = "alpha";
    add_spec(GPROF_INCLUDE_FLAT, "2");
    read_specs();
    assert_string_equal(listed(GPROF_INCLUDE_FLAT), "amd");
}

static bool arc(size_t parent, size_t child)
{
    return gprof_arc_listed(&gprof, GPROF_EXCLUDE_ARCS, &symbols[parent],
                            &symbols[child]);
}

static void test_arcs(void **state)
{
    (void)state;
    read_specs();
    assert_false(arc(MAIN, ALPHA));
    add_spec(GPROF_EXCLUDE_ARCS, "main/alpha");
    add_spec(GPROF_EXCLUDE_ARCS, "/delta");
    add_spec(GPROF_EXCLUDE_ARCS, "b.c:be.ta/");
    read_specs();
    assert_true(arc(MAIN, ALPHA));
    assert_false(arc(ALPHA, MAIN));
    assert_true(arc(MAIN, DELTA));
    assert_true(arc(SECOND, DELTA));
    assert_false(arc(FINI, DELTA));
    assert_true(arc(BETA, SECOND));
    assert_false(arc(BETA, FINI));
    assert_false(arc(ALPHA, SECOND));
    assert_false(gprof_list_used(&gprof, GPROF_INCLUDE_ARCS));
}

/* If several specs have the same caller, the last one counts, even if it matches no
 * call. */
static void test_same_caller(void **state)
{
    (void)state;
    add_spec(GPROF_EXCLUDE_ARCS, "main/alpha");
    add_spec(GPROF_EXCLUDE_ARCS, "main/b.c");
    read_specs();
    assert_false(arc(MAIN, ALPHA));
    assert_true(arc(MAIN, DELTA));
    assert_true(arc(MAIN, BETA));
    add_spec(GPROF_EXCLUDE_ARCS, "main");
    read_specs();
    assert_false(arc(MAIN, DELTA));
    assert_true(gprof_list_used(&gprof, GPROF_EXCLUDE_ARCS));
}

static void test_stranger(void **state)
{
    struct gprof_symbol cycle = {.name = NULL};

    (void)state;
    add_spec(GPROF_INCLUDE_GRAPH, "/");
    read_specs();
    assert_false(gprof_listed(&gprof, GPROF_INCLUDE_GRAPH, &cycle));
    assert_true(gprof_listed(&gprof, GPROF_INCLUDE_GRAPH, &symbols[MAIN]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_texts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_everything, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_arcs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_same_caller, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_stranger, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
