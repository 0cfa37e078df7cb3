/* SPDX-License-Identifier: MIT */
/* The command line of `mcuprof gprof`: options, their defaults, and @FILE. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../host/gprof/options/options.h"

enum { ARGUMENTS_MAX = 32 };

static struct gprof_options options;
static struct error error;
static char path[] = "/tmp/test_gprof_options.XXXXXX";

/* Parses "gprof" and these words; *done: a text was printed instead. */
static bool parse(const char *const *words, bool *done)
{
    static char program[] = "gprof";
    char *argv[ARGUMENTS_MAX] = {program};
    int argc = 1, status = -1;

    gprof_options_release(&options);
    for (; words[argc - 1] != NULL; argc++)
        argv[argc] = (char *)(uintptr_t)words[argc - 1];
    argv[argc] = NULL;
    return gprof_parse(&options, argc, argv, done, &status, &error);
}

#define PARSE(...) parse_words((const char *const[]){__VA_ARGS__, NULL})

static void parse_words(const char *const *words)
{
    bool done;

    assert_true(parse(words, &done));
    assert_false(done);
}

static void write_file(const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static int set_up(void **state)
{
    int file = mkstemp(path);

    (void)state;
    unsetenv("GPROF_PATH");
    unsetenv("POSIXLY_CORRECT");
    return file < 0 ? -1 : close(file);
}

static int tear_down(void **state)
{
    (void)state;
    gprof_options_release(&options);
    return unlink(path);
}

/* Returns the specs of a list, joined by blanks. */
static const char *specs_of(enum gprof_list list)
{
    static char text[256];

    text[0] = '\0';
    for (size_t i = 0; i < options.spec_count; i++) {
        size_t size = strlen(text);

        if (options.specs[i].list == list)
            snprintf(text + size, sizeof text - size, "%s%s", size > 0 ? " " : "",
                     options.specs[i].text);
    }
    return text;
}

#define HIDDEN "_gprof_mcount mcount _mcount __mcount __mcount_internal __mcleanup"

static void test_defaults(void **state)
{
    (void)state;
    PARSE("-b");
    assert_true(options.brief);
    assert_string_equal(options.image, "a.out");
    assert_int_equal(options.profile_count, 1);
    assert_string_equal(options.profiles[0], "gmon.out");
    assert_int_equal(options.output, 0);
    assert_int_equal(options.user_output, 0);
    assert_true(options.demangle);
    assert_int_equal(options.index_width, 80);
    assert_int_equal(options.table_length, 10);
    assert_int_equal(options.min_count, 1);
    assert_string_equal(specs_of(GPROF_EXCLUDE_FLAT), HIDDEN);
    assert_string_equal(specs_of(GPROF_EXCLUDE_GRAPH), HIDDEN);
    assert_string_equal(specs_of(GPROF_EXCLUDE_TIME), HIDDEN);
    assert_string_equal(specs_of(GPROF_EXCLUDE_ARCS), "");
}

static void test_outputs(void **state)
{
    (void)state;
    PARSE("-p", "-qmain", "-P", "-Ca.c", "image", "one", "two");
    assert_int_equal(options.output, GPROF_GRAPH | GPROF_COUNTS);
    assert_int_equal(options.user_output, GPROF_FLAT | GPROF_GRAPH | GPROF_COUNTS);
    assert_string_equal(specs_of(GPROF_INCLUDE_GRAPH), "main");
    assert_string_equal(specs_of(GPROF_INCLUDE_COUNTS), "a.c");
    assert_string_equal(options.image, "image");
    assert_int_equal(options.profile_count, 2);
    assert_string_equal(options.profiles[1], "two");
    PARSE("-qmain/alpha", "-Q", "--no-graph=x/y", "-p/x");
    assert_int_equal(options.output, GPROF_GRAPH | GPROF_FLAT);
    assert_string_equal(specs_of(GPROF_INCLUDE_ARCS), "main/alpha");
    assert_string_equal(specs_of(GPROF_EXCLUDE_ARCS), "x/y");
    assert_string_equal(specs_of(GPROF_INCLUDE_FLAT), "/x");
}

static void test_lists(void **state)
{
    (void)state;
    PARSE("-ea", "-E", "b", "-fc", "-Fd", "-ng", "-N", "h", "-ki/j", "--time", "t");
    assert_string_equal(specs_of(GPROF_EXCLUDE_GRAPH), "a b " HIDDEN);
    assert_string_equal(specs_of(GPROF_EXCLUDE_TIME), "b h " HIDDEN);
    assert_string_equal(specs_of(GPROF_INCLUDE_GRAPH), "c d");
    assert_string_equal(specs_of(GPROF_INCLUDE_TIME), "d g t");
    assert_string_equal(specs_of(GPROF_EXCLUDE_ARCS), "i/j");
    assert_int_equal(options.output, 0);
}

/* An optional value must be attached; letters bundle; numbers are as atoi reads them. */
static void test_values(void **state)
{
    (void)state;
    PARSE("-blz", "-p", "alpha", "-w0", "-t", "-3", "-m", "-1", "--fl=beta");
    assert_true(options.brief && options.lines && options.unused);
    assert_string_equal(options.image, "alpha");
    assert_string_equal(specs_of(GPROF_INCLUDE_FLAT), "beta");
    assert_int_equal(options.index_width, 1);
    assert_int_equal(options.table_length, -3);
    assert_true(options.min_count == UINT64_MAX);
    PARSE("-m", "4294967297x", "-O4", "-s", "--no-demangle");
    assert_int_equal(options.min_count, 1);
    assert_int_equal(options.format, GPROF_44BSD);
    assert_int_equal(options.output, GPROF_SUM);
    assert_true(options.lines);
    assert_false(options.demangle);
}

static void test_directories(void **state)
{
    (void)state;
    setenv("GPROF_PATH", "z", 1);
    PARSE("-I", "a::b", "-Ic");
    unsetenv("GPROF_PATH");
    assert_int_equal(options.source_directory_count, 5);
    assert_string_equal(options.source_directories[0], "a");
    assert_string_equal(options.source_directories[1], "");
    assert_string_equal(options.source_directories[2], "b");
    assert_string_equal(options.source_directories[3], "c");
    assert_string_equal(options.source_directories[4], "z");
}

static void test_posixly_correct(void **state)
{
    (void)state;
    setenv("POSIXLY_CORRECT", "1", 1);
    PARSE("image", "-b");
    unsetenv("POSIXLY_CORRECT");
    assert_false(options.brief);
    assert_string_equal(options.profiles[0], "-b");
    PARSE("image", "-b", "--", "-p");
    assert_true(options.brief);
    assert_string_equal(options.profiles[0], "-p");
}

static void test_errors(void **state)
{
    bool done;

    (void)state;
    assert_false(parse((const char *const[]){"-r", "-Rmap", NULL}, &done));
    assert_string_equal(error.text, "Only one of --function-ordering and "
                                    "--file-ordering may be specified.");
    assert_int_equal(error.status, EXIT_NO);
    assert_false(parse((const char *const[]){"--demangle=x", NULL}, &done));
    assert_string_equal(error.text, "unknown demangling style `x'");
    assert_false(parse((const char *const[]){"--ordering-format=x", NULL}, &done));
    assert_string_equal(error.text, "--ordering-format: 'x' is none of names, ld, lld");
}

static const char *at_file(void)
{
    static char argument[sizeof path + 1];

    snprintf(argument, sizeof argument, "@%s", path);
    return argument;
}

static void test_file(void **state)
{
    (void)state;
    write_file(" -b\t-p'be ta'\n \"im'age\" on\\ e '' \"t\"w'o' tail\\");
    PARSE("-z", at_file(), "last");
    assert_true(options.brief && options.unused);
    assert_string_equal(specs_of(GPROF_INCLUDE_FLAT), "be ta");
    assert_string_equal(options.image, "im'age");
    assert_int_equal(options.profile_count, 5);
    assert_string_equal(options.profiles[0], "on e");
    assert_string_equal(options.profiles[1], "");
    assert_string_equal(options.profiles[2], "two");
    assert_string_equal(options.profiles[3], "tail");
    assert_string_equal(options.profiles[4], "last");
}

/* @FILE of an empty file adds nothing; @FILE of a missing file stays as it is. */
static void test_no_file(void **state)
{
    (void)state;
    write_file(" \n");
    PARSE(at_file(), "-b", "@/nowhere/at/all");
    assert_true(options.brief);
    assert_string_equal(options.image, "@/nowhere/at/all");
    assert_string_equal(options.profiles[0], "gmon.out");
}

static void test_file_errors(void **state)
{
    bool done;

    (void)state;
    write_file(at_file());
    assert_false(parse((const char *const[]){at_file(), NULL}, &done));
    assert_string_equal(error.text, "error: too many @-files encountered");
    assert_false(parse((const char *const[]){"@/", NULL}, &done));
    assert_string_equal(error.text, "error: @-file refers to a directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),    cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_lists),       cmocka_unit_test(test_values),
        cmocka_unit_test(test_directories), cmocka_unit_test(test_posixly_correct),
        cmocka_unit_test(test_errors),      cmocka_unit_test(test_file),
        cmocka_unit_test(test_no_file),     cmocka_unit_test(test_file_errors),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
