/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "report/shorten.h"

static void assert_clean(const char *path, const char *wanted)
{
    char *clean = path_clean(path);
    assert_non_null(clean);
    assert_string_equal(clean, wanted);
    free(clean);
}

static void test_paths_have_no_detours(void **state)
{
    (void)state;
    assert_clean("/home/me/build/v6-m/newlib/../../../newlib/libc/memcpy.c",
                 "/home/me/newlib/libc/memcpy.c");
    assert_clean("./src/./main.c", "src/main.c");
    assert_clean("src//main.c", "src/main.c");
    assert_clean("a/../b.c", "b.c");
    assert_clean("/a/../b.c", "/b.c");
    assert_clean("/../b.c", "/b.c");
    assert_clean("../../b.c", "../../b.c");
    assert_clean("a/../../b.c", "../b.c");
    assert_clean("a/..", ".");
    assert_clean("/a/..", "/");
    assert_clean("", ".");
    assert_clean("a..b/..c", "a..b/..c");
}

/* Checks what is printed in so many columns. The size that is returned must be that of
 * the text. */
static void assert_fit(const char *text, size_t columns, enum cut cut, const char *wanted)
{
    const struct style style = {.utf8 = true}, plain = {.utf8 = false};
    char *printed = NULL;
    size_t size;
    FILE *out = open_memstream(&printed, &size);
    assert_non_null(out);
    size_t used = style_fit(&style, out, text, columns, cut);
    fclose(out);
    assert_string_equal(printed, wanted);
    assert_int_equal(used, style_columns(&style, printed, NULL));
    assert_true(columns == SIZE_MAX || used <= columns);
    free(printed);

    out = open_memstream(&printed, &size); /* without UTF-8 it fits, too */
    assert_non_null(out);
    assert_true(style_fit(&plain, out, text, columns, cut) <= columns);
    fclose(out);
    free(printed);
}

static void test_names_keep_their_end(void **state)
{
    static const char name[] = "int ns::Pair<(anonymous namespace)::Leaf<1>, ns::Add>"
                               "::value(ns::Thing const&, unsigned int) const";
    (void)state;
    assert_fit(name, SIZE_MAX, CUT_NAME, name);
    assert_fit(
        name, 84, CUT_NAME,
        "int ns::Pair<Leaf<1>, ns::Add>::value(ns::Thing const&, unsigned int) const");
    assert_fit(name, 50, CUT_NAME, "int ns::Pair<Leaf<1>, ns::Add>::value(…) const");
    assert_fit(name, 40, CUT_NAME, "int ns::Pair<…>::value(…) const");
    assert_fit(name, 30, CUT_NAME, "ns::Pair<…>::value(…) const");
    assert_fit(name, 26, CUT_NAME, "…Pair<…>::value(…) const");
    assert_fit(name, 20, CUT_NAME, "…value(…) const");
    assert_fit(name, 10, CUT_NAME, "…value(…)…");
}

static void test_operators_are_no_brackets(void **state)
{
    (void)state;
    assert_fit("bool std::operator< <char, std::traits>(std::string, std::string)", 30,
               CUT_NAME, "bool std::operator< <…>(…)");
    assert_fit("std::ostream::operator<<(std::streambuf*)", 30, CUT_NAME,
               "std::ostream::operator<<(…)");
    assert_fit("ns::Thing::operator()(int, int) const", 30, CUT_NAME,
               "ns::Thing::operator()(…) const");
    assert_fit("std::unique_ptr<Very::Long::Name>::operator->() const", 40, CUT_NAME,
               "std::unique_ptr<…>::operator->() const");
    assert_fit("operator new(unsigned int, std::align_val_t)", 20, CUT_NAME,
               "operator new(…)");
}

/* A name comes from the ELF. */
static void test_any_name_fits(void **state)
{
    static const char *const names[] = {
        "a<b<c<d<e<f<g<h",
        ")))))))))))))",
        "((((((((((((",
        "operator<operator<operator<",
        "::::::::::::",
        "             ",
        "(anonymous namespace)::",
        "x(anonymous namespace)::y(abcdefgh",
        "\xff\xfe\x01<\x80\x80\x80\x80>\x80(\x80\x80\x80)"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (size_t columns = 0; columns < 24; columns++) {
            const struct style style = {.utf8 = true};
            char *printed = NULL;
            size_t size;
            FILE *out = open_memstream(&printed, &size);
            assert_true(style_fit(&style, out, names[i], columns, CUT_NAME) <= columns);
            assert_true(style_fit(&style, out, names[i], columns, CUT_PATH) <= columns);
            fclose(out);
            free(printed);
        }
}

static void test_paths_keep_their_end(void **state)
{
    (void)state;
    assert_fit("/home/me/lua/src/lapi.c", 23, CUT_PATH, "/home/me/lua/src/lapi.c");
    assert_fit("/home/me/lua/src/lapi.c", 22, CUT_PATH, "…/me/lua/src/lapi.c");
    assert_fit("/home/me/lua/src/lapi.c", 12, CUT_PATH, "…/src/lapi.c");
    assert_fit("/home/me/lua/src/lapi.c", 8, CUT_PATH, "…/lapi.c");
    assert_fit("/home/me/lua/src/lapi.c", 6, CUT_PATH, "…/lap…");
}

static void assert_words(const char *text, size_t at, const char *wanted)
{
    const struct style style = {.width = 20};
    char *printed = NULL;
    size_t size;
    FILE *out = open_memstream(&printed, &size);
    style_words(&style, out, text, at, 4, CUT_PATH);
    fclose(out);
    assert_string_equal(printed, wanted);
    free(printed);
}

static void test_lines_break_at_words(void **state)
{
    (void)state;
    assert_words("one two three", 0, "one two three");
    assert_words("one two three four five six", 4, "one two three\n    four five six");
    assert_words("of all there are 12 % left", 0, "of all there are\n    12 % left");
    assert_words("a wordthatislongerthanaline b", 4,
                 "a\n    wordthatislongerthanaline\n    b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths_have_no_detours),
        cmocka_unit_test(test_names_keep_their_end),
        cmocka_unit_test(test_operators_are_no_brackets),
        cmocka_unit_test(test_any_name_fits),
        cmocka_unit_test(test_paths_keep_their_end),
        cmocka_unit_test(test_lines_break_at_words),
    };
    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
