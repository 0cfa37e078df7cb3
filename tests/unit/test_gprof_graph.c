/* SPDX-License-Identifier: MIT */
/*
 * The call graph of `mcuprof gprof`, of symbols and arcs made here: numbering, cycles
 * and the order of their members, shares of time, the choice of entries, and the three
 * tables as text. Every expected figure is worked out by hand; the text is what GNU
 * gprof 2.40 prints for the same profile.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../host/gprof/calls/arcs.h"
#include "../../host/gprof/print/print.h"

enum { MAIN, ALPHA, BETA, GAMMA, DELTA, SYMBOLS };

static struct gprof gprof;
static struct gprof_symbol symbols[SYMBOLS];
static bool listed[GPROF_LISTS][SYMBOLS];

/* Replaces specs.c: a test puts the lists into `listed`. */
bool gprof_listed(const struct gprof *model, enum gprof_list list,
                  const struct gprof_symbol *symbol)
{
    return listed[list][symbol - model->symbols];
}

bool gprof_list_used(const struct gprof *model, enum gprof_list list)
{
    bool used = false;
    (void)model;
    for (size_t i = 0; i < SYMBOLS; i++)
        used |= listed[list][i];
    return used;
}

static int set_up(void **state)
{
    static const char *const names[SYMBOLS] = {"main", "alpha", "_beta", "gamma",
                                               "delta"};
    (void)state;
    memset(&gprof, 0, sizeof gprof);
    memset(symbols, 0, sizeof symbols);
    memset(listed, 0, sizeof listed);
    for (size_t i = 0; i < SYMBOLS; i++) {
        symbols[i].address = 0x1000 + 16 * i;
        symbols[i].name = names[i];
        symbols[i].is_function = true;
    }
    gprof.symbols = symbols;
    gprof.symbol_count = SYMBOLS;
    gprof.options.brief = true;
    gprof.options.output = GPROF_GRAPH;
    gprof.options.index_width = 80;
    gprof.rate = 100;
    gprof.scale = 2;
    gprof.abbreviation = 's';
    memcpy(gprof.dimension, "seconds", sizeof "seconds");
    gprof.first_output = true;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    gprof_arcs_release(&gprof);
    free(gprof.entries);
    free(gprof.cycles);
    return 0;
}

static void call(size_t parent, size_t child, uint64_t count)
{
    assert_true(gprof_add_arc(&gprof, &symbols[parent], &symbols[child], count));
    symbols[child].calls += count;
}

static void sample(size_t symbol, double samples)
{
    symbols[symbol].samples += samples;
    gprof.total += samples;
}

static void build(void)
{
    struct error error;
    assert_true(gprof_build_graph(&gprof, &error));
}

static void assert_printed(bool (*print)(struct gprof *, struct error *),
                           const char *expected)
{
    char *text = NULL;
    size_t length = 0;
    struct error error;
    gprof.out = open_memstream(&text, &length);
    assert_non_null(gprof.out);
    assert_true(print(&gprof, &error));
    assert_int_equal(fclose(gprof.out), 0);
    assert_string_equal(text, expected);
    free(text);
}

/* main -> alpha <-> gamma -> delta, and _beta calls itself. */
static void make_cycle(void)
{
    call(MAIN, ALPHA, 2);
    call(ALPHA, GAMMA, 5);
    call(GAMMA, ALPHA, 4);
    call(GAMMA, DELTA, 10);
    call(MAIN, BETA, 1);
    call(BETA, BETA, 7);
    sample(MAIN, 10);
    sample(ALPHA, 20);
    sample(BETA, 30);
    sample(GAMMA, 15);
    sample(DELTA, 25);
}

static void test_calls_to_itself_are_apart(void **state)
{
    (void)state;
    make_cycle();
    build();
    assert_int_equal(symbols[BETA].calls, 1);
    assert_int_equal(symbols[BETA].self_calls, 7);
    assert_int_equal(symbols[BETA].cycle, 0);
}

static void test_callees_have_lower_numbers(void **state)
{
    (void)state;
    make_cycle();
    build();
    assert_int_equal(symbols[BETA].top_order, 1); /* the newest arc first */
    assert_int_equal(symbols[DELTA].top_order, 2);
    assert_int_equal(symbols[ALPHA].top_order, 3);
    assert_int_equal(symbols[GAMMA].top_order, 3);
    assert_int_equal(symbols[MAIN].top_order, 4);
}

static void test_a_cycle_has_its_calls(void **state)
{
    (void)state;
    make_cycle();
    build();
    assert_int_equal(gprof.cycle_count, 1);
    assert_int_equal(gprof.cycles[1].calls, 2);
    assert_int_equal(gprof.cycles[1].self_calls, 9);
    assert_ptr_equal(gprof.cycles[1].cycle_next, &symbols[ALPHA]);
    assert_ptr_equal(symbols[ALPHA].cycle_next, &symbols[GAMMA]);
    assert_null(symbols[GAMMA].cycle_next);
}

/* main calls alpha -> _beta -> gamma -> alpha, and delta -> _beta closes later: the
 * members that joined gamma follow gamma. */
static void test_members_are_in_order_of_joining(void **state)
{
    (void)state;
    call(MAIN, ALPHA, 1);
    call(ALPHA, BETA, 1);
    call(BETA, DELTA, 1);
    call(BETA, GAMMA, 1); /* newer: visited before delta */
    call(DELTA, ALPHA, 1);
    call(GAMMA, BETA, 1); /* joins gamma to _beta, before _beta joins alpha */
    build();
    assert_int_equal(gprof.cycle_count, 1);
    assert_ptr_equal(gprof.cycles[1].cycle_next, &symbols[ALPHA]);
    assert_ptr_equal(symbols[ALPHA].cycle_next, &symbols[BETA]);
    assert_ptr_equal(symbols[BETA].cycle_next, &symbols[GAMMA]);
    assert_ptr_equal(symbols[GAMMA].cycle_next, &symbols[DELTA]);
}

static void test_time_goes_to_callers(void **state)
{
    (void)state;
    make_cycle();
    build();
    assert_true(gprof.cycles[1].self == 35 && gprof.cycles[1].child == 25);
    assert_true(symbols[GAMMA].child == 25 && symbols[ALPHA].child == 0);
    assert_true(symbols[MAIN].self == 10 && symbols[MAIN].child == 90);
    assert_true(gprof.graph_total == 100 && gprof.total == 100);
}

static void test_calls_of_the_code_carry_no_time(void **state)
{
    (void)state;
    call(MAIN, ALPHA, 0);
    sample(ALPHA, 5);
    build();
    assert_true(symbols[MAIN].child == 0);
    assert_true(symbols[ALPHA].fraction == 1);
}

static void test_included_time_is_that_of_callees_too(void **state)
{
    (void)state;
    make_cycle();
    listed[GPROF_INCLUDE_TIME][BETA] = true;
    build();
    assert_true(gprof.graph_total == 30);
    assert_true(symbols[MAIN].child == 0 && symbols[MAIN].descendants == 0);
    assert_true(symbols[DELTA].fraction == 0);
}

static void test_excluded_functions_have_no_entry(void **state)
{
    (void)state;
    make_cycle();
    listed[GPROF_EXCLUDE_GRAPH][BETA] = true;
    build();
    assert_false(symbols[BETA].print);
    assert_true(symbols[MAIN].print && symbols[GAMMA].print);
    assert_true(symbols[MAIN].child == 90);
}

static void test_graph_as_text(void **state)
{
    (void)state;
    make_cycle();
    build();
    assert_printed(
        gprof_print_graph,
        "\t\t\tCall graph\n\n\n"
        "granularity: each sample hit covers 4 byte(s) for 1.00% of 1.00 seconds\n\n"
        "index % time    self  children    called     name\n"
        "                                                 <spontaneous>\n"
        "[1]    100.0    0.10    0.90                 main [1]\n"
        "                0.35    0.25       2/2           alpha <cycle 1> [6]\n"
        "                0.30    0.00       1/1           _beta [4]\n"
        "-----------------------------------------------\n"
        "[2]     60.0    0.35    0.25       2+9       <cycle 1 as a whole> [2]\n"
        "                0.15    0.25       5             gamma <cycle 1> [3]\n"
        "                0.20    0.00       6             alpha <cycle 1> [6]\n"
        "-----------------------------------------------\n"
        "                                   5             alpha <cycle 1> [6]\n"
        "[3]     40.0    0.15    0.25       5         gamma <cycle 1> [3]\n"
        "                0.25    0.00      10/10          delta [5]\n"
        "                                   4             alpha <cycle 1> [6]\n"
        "-----------------------------------------------\n"
        "                                   7             _beta [4]\n"
        "                0.30    0.00       1/1           main [1]\n"
        "[4]     30.0    0.30    0.00       1+7       _beta [4]\n"
        "                                   7             _beta [4]\n"
        "-----------------------------------------------\n"
        "                0.25    0.00      10/10          gamma <cycle 1> [3]\n"
        "[5]     25.0    0.25    0.00      10         delta [5]\n"
        "-----------------------------------------------\n"
        "                                   4             gamma <cycle 1> [3]\n"
        "                0.35    0.25       2/2           main [1]\n"
        "[6]     20.0    0.20    0.00       6         alpha <cycle 1> [6]\n"
        "                                   5             gamma <cycle 1> [3]\n"
        "-----------------------------------------------\n");
}

static void test_flat_profile_as_text(void **state)
{
    (void)state;
    make_cycle();
    build();
    assert_printed(gprof_print_flat,
                   "Flat profile:\n\n"
                   "Each sample counts as 0.01 seconds.\n"
                   "  %   cumulative   self              self     total           \n"
                   " time   seconds   seconds    calls  ms/call  ms/call  name    \n"
                   " 30.00      0.30     0.30        1   300.00   300.00  _beta\n"
                   " 25.00      0.55     0.25       10    25.00    25.00  delta\n"
                   " 20.00      0.75     0.20        6    33.33    33.33  alpha\n"
                   " 15.00      0.90     0.15        5    30.00    80.00  gamma\n"
                   " 10.00      1.00     0.10                             main\n");
}

static void test_index_as_text(void **state)
{
    (void)state;
    make_cycle();
    listed[GPROF_EXCLUDE_GRAPH][BETA] = true;
    gprof.options.index_width = 50;
    build();
    assert_printed(gprof_print_index,
                   "\f\nIndex by function name\n\n"
                   "   (4) _beta         [5] delta         [1] main\n"
                   "   [6] alpha         [3] gamma         [2] <cycle 1>\n");
}

static void test_unknown_rate_is_no_infinity(void **state)
{
    (void)state;
    sample(MAIN, 3);
    gprof.rate = 0;
    build();
    assert_printed(gprof_print_flat,
                   "Flat profile:\n\n"
                   "Each sample counts as 0 seconds.\n"
                   "  %   cumulative   self              self     total           \n"
                   " time   seconds   seconds    calls  Ts/call  Ts/call  name    \n"
                   "100.00      0.00     0.00                             main\n");
}

static void assert_fixed(double value, int width, int decimals)
{
    char expected[400], text[GPROF_FIELD_BYTES];
    size_t length = (size_t)(gprof_put_fixed(text, value, width, decimals) - text);
    int expected_length =
        snprintf(expected, sizeof expected, "%*.*f", width, decimals, value);
    assert_int_equal(length, expected_length);
    assert_memory_equal(text, expected, length);
}

static void test_numbers_are_those_of_printf(void **state)
{
    (void)state;
    static const double values[] = {0,     -0.0,  0.005,    0.015, 0.045, 1.005,   2.675,
                                    0.125, 0.375, 999.995,  0.05,  0.25,  99.95,   1e8,
                                    1e9,   1e22,  123456.7, 1e300, -1.5,  9.999999};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        assert_fixed(values[i], 7, 2);
        assert_fixed(values[i], 5, 1);
    }
    for (unsigned i = 0; i < 20000; i++) {
        assert_fixed(i / 200.0, 7, 2);
        assert_fixed(i / 20.0, 5, 1);
        assert_fixed(i / 7.0, 7, 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_calls_to_itself_are_apart, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_callees_have_lower_numbers, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_a_cycle_has_its_calls, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_members_are_in_order_of_joining, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_time_goes_to_callers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_calls_of_the_code_carry_no_time, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_included_time_is_that_of_callees_too, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_excluded_functions_have_no_entry, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_graph_as_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_flat_profile_as_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_index_as_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unknown_rate_is_no_infinity, set_up,
                                        tear_down),
        cmocka_unit_test(test_numbers_are_those_of_printf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
