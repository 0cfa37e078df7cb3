/* SPDX-License-Identifier: MIT */
/* Every expected figure is worked out by hand. */
#include "letters.h"

/* The functions without callers, together with what they called, have all of the
 * program's time once. */
static void totals_are_preserved(void)
{
    double sum = 0;
    for (size_t i = 0; i < analysis.function_count; i++) {
        const struct function *function = &analysis.functions[i];
        if (function->cycle == NO_CYCLE && function->calls == 0 && !function->overhead)
            sum += function->self + function->children;
    }
    for (size_t i = 0; i < analysis.cycle_count; i++)
        if (analysis.cycles[i].calls == 0)
            sum += analysis.cycles[i].self + analysis.cycles[i].children;
    for (size_t i = 0; i < analysis.arc_count; i++)
        if (analysis.arcs[i].caller == NO_FUNCTION)
            sum += analysis.arcs[i].self + analysis.arcs[i].children;
    near(sum, analysis.program);
}

static void time_is_shared_by_calls(void **state)
{
    (void)state;
    sample(A, 100);
    sample(B, 50);
    sample(C, 40);
    call(A, B, 5);
    call(A, C, 1);
    call(B, C, 3);
    run();
    near(find(A)->self, 1.0);
    near(find(A)->self_error, error_of(100, 190) / 100);
    near(find(C)->self, 0.4);
    near(find(B)->children, 0.3);
    near(find(A)->children, 0.1 + 0.5 + 0.3);
    assert_int_equal(find(C)->calls, 4);
    assert_true(find(A)->spontaneous);
    assert_false(find(B)->spontaneous);
    near(find_arc(B, C)->self, 0.3);
    near(find_arc(A, B)->self, 0.5);
    near(find_arc(A, B)->children, 0.3);
    assert_int_equal(analysis.cycle_count, 0);
    near(analysis.total, 1.9);
    totals_are_preserved();
}

static void recursion_is_counted_apart(void **state)
{
    (void)state;
    sample(B, 60);
    call(A, B, 2);
    call(B, B, 40);
    run();
    assert_int_equal(find(B)->calls, 2);
    assert_int_equal(find(B)->self_calls, 40);
    assert_int_equal(find(B)->cycle, NO_CYCLE);
    near(find(B)->children, 0);
    near(find(A)->children, 0.6);
    near(find_arc(B, B)->self, 0);
    totals_are_preserved();
}

/* A function that only calls itself is not spontaneous: it is its own caller. */
static void own_caller_only(void **state)
{
    (void)state;
    sample(A, 1);
    call(A, A, 3);
    run();
    assert_false(find(A)->spontaneous);
    assert_int_equal(find(A)->calls, 0);
    assert_int_equal(find(A)->self_calls, 3);
    totals_are_preserved();
}

static void mutual_recursion_is_one_cycle(void **state)
{
    (void)state;
    sample(B, 30);
    sample(C, 50);
    sample(D, 20);
    call(A, B, 3); /* three quarters of the calls into the cycle */
    call(E, C, 1);
    call(B, C, 10);
    call(C, B, 6);
    call(B, B, 2);
    call(C, D, 4);
    run();
    assert_int_equal(analysis.cycle_count, 1);
    assert_int_equal(analysis.cycles[0].number, 1);
    assert_int_equal(analysis.cycles[0].member_count, 2);
    assert_int_equal(analysis.cycles[0].calls, 4);
    assert_int_equal(analysis.cycles[0].self_calls, 16);
    near(analysis.cycles[0].self, 0.8);
    near(analysis.cycles[0].children, 0.2);
    assert_int_equal(find(B)->cycle, 1);
    assert_int_equal(find(C)->cycle, 1);
    assert_int_equal(find(D)->cycle, NO_CYCLE);
    assert_int_equal(find(B)->calls, 9);
    assert_int_equal(find(B)->self_calls, 2);
    near(find(B)->children, 0);
    near(find(C)->children, 0.2);
    near(find(A)->children, 0.75);
    near(find(E)->children, 0.25);
    near(find_arc(A, B)->self, 0.6);
    near(find_arc(A, B)->children, 0.15);
    near(find_arc(B, C)->self, 0);
    totals_are_preserved();
}

static void two_cycles_one_below_the_other(void **state)
{
    (void)state;
    sample(B, 10);
    sample(C, 10);
    sample(D, 40);
    sample(E, 40);
    call(A, B, 1);
    call(B, C, 1);
    call(C, B, 1);
    call(C, D, 2);
    call(D, E, 5);
    call(E, D, 5);
    call(A, E, 2);
    run();
    assert_int_equal(analysis.cycle_count, 2);
    assert_int_equal(find(B)->cycle, 1);
    assert_int_equal(find(D)->cycle, 2);
    near(analysis.cycles[1].self, 0.8);
    near(find_arc(C, D)->self, 0.4);
    near(analysis.cycles[0].children, 0.4);
    near(find(A)->children, 1.0);
    totals_are_preserved();
}

/* A cycle that nobody calls from outside keeps its time. */
static void cycle_without_an_entrance(void **state)
{
    (void)state;
    sample(A, 3);
    sample(B, 4);
    call(A, B, 1);
    call(B, A, 1);
    run();
    assert_int_equal(analysis.cycles[0].calls, 0);
    near(analysis.cycles[0].self, 0.07);
    totals_are_preserved();
}

static void unknown_callers_take_their_share(void **state)
{
    (void)state;
    sample(B, 100);
    call(A, B, 3);
    assert_true(profile_count(&profile, EVENT_ARC, 0xfffffff9, start_of(B) + 4, 1));
    assert_true(profile_count(&profile, EVENT_ARC, 0, start_of(B) + 4, 1));
    call(NOWHERE, B, 5);
    run();
    assert_int_equal(analysis.unknown_callers, 7);
    assert_int_equal(find(B)->calls, 10);
    assert_false(find(B)->spontaneous);
    const struct arc *by_others = find_arc(NOWHERE, B), *by_interrupt = by_others + 1;
    assert_false(by_others->interrupt);
    assert_int_equal(by_others->count, 6);
    near(by_others->self, 0.6);
    assert_true(by_interrupt->interrupt);
    assert_int_equal(by_interrupt->count, 1);
    near(by_interrupt->self, 0.1);
    near(find(A)->children, 0.3);
    totals_are_preserved();
}

static void only_unknown_callers(void **state)
{
    (void)state;
    call(NOWHERE, B, 5);
    run();
    assert_true(find(B)->spontaneous);
    assert_int_equal(find(B)->ins, 1);
    assert_int_equal(analysis.function_count, 1);
}

/* After a call that never returns the return address is the next function's first byte.
 */
static void caller_ends_with_a_call(void **state)
{
    (void)state;
    assert_true(profile_count(&profile, EVENT_ARC, start_of(B), start_of(C) + 4, 1));
    run();
    assert_int_equal(find_arc(A, C)->count, 1);
}

static void overhead_is_not_the_programs(void **state)
{
    (void)state;
    sample(A, 30);
    sample(PROFILER, 10);
    call(A, PROFILER, 5);
    run();
    assert_true(find(PROFILER)->overhead);
    assert_false(find(A)->overhead);
    near(analysis.total, 0.4);
    near(analysis.overhead, 0.1);
    near(analysis.program, 0.3);
    near(find(A)->children, 0);
    near(find_arc(A, PROFILER)->self, 0);
    totals_are_preserved();
}

static void samples_in_no_function(void **state)
{
    (void)state;
    sample(A, 1);
    sample(NOWHERE, 3);
    run();
    const struct function *last = &analysis.functions[analysis.function_count - 1];
    assert_null(last->symbol);
    assert_string_equal(last->name, "[unknown]");
    near(last->self, 0.03);
    near(analysis.unknown, 0.03);
    near(analysis.program, 0.04);
}

/* The boundary between a and b cuts the bin of 12 bytes from 0x100c: 4 are a's, 8 are
 * b's. */
static void bins_are_shared_by_overlap(void **state)
{
    (void)state;
    profile.bin_bytes = 12;
    assert_true(profile_count(&profile, EVENT_SAMPLE, 0, 0x100c, 9));
    run();
    near(find(A)->self_samples, 3);
    near(find(B)->self_samples, 6);
    assert_int_equal(find(B)->samples, 6);
    near(find(B)->self_error, error_of(6, 9) / 100);
    near(analysis.unknown, 0);
}

static void bins_beyond_all_functions(void **state)
{
    (void)state;
    profile.bin_bytes = 8;
    assert_true(profile_count(&profile, EVENT_SAMPLE, 0, start_of(FUNCTIONS) - 2, 4));
    run();
    near(find(PROFILER)->self_samples, 1);
    near(analysis.unknown, 0.03);
}

static void no_rate_gives_samples(void **state)
{
    (void)state;
    profile.hz = 0;
    sample(A, 16);
    run();
    assert_true(analysis.has_samples);
    assert_false(analysis.has_time);
    near(analysis.hz, 1);
    near(find(A)->self, 16);
    near(find(A)->self_error, error_of(16, 16)); /* not 0, though all samples hit A */
}

/* How likely n of N samples are where so many are to be expected. */
static double chance(double expected, double n, double N)
{
    return exp(lgamma(N + 1) - lgamma(n + 1) - lgamma(N - n + 1) + n * log(expected / N) +
               (N - n) * log(1 - expected / N));
}

/* Twice the error contains the truth, however few samples there are; where there are
 * none, the truth is at most three. The mean distance from the truth is a small part of
 * the error. */
static void errors_of_few_samples(void **state)
{
    (void)state;
    for (double N = 100; N <= 10000; N *= 10) {
        for (double expected = 1; expected <= N / 2; expected *= 1.1) {
            double within = 0, bias = 0;
            for (double n = 0; n <= N; n++) {
                double error = n > 0 ? N * analysis_share_error(n / N, N) : 1.5;
                double apart = (n - expected) / error;
                within += fabs(apart) <= 2 ? chance(expected, n, N) : 0;
                bias += apart * chance(expected, n, N);
            }
            assert_true(within > 0.93);
            assert_true(fabs(bias) < 0.15);
        }
    }
}

static void nonsense_rates_give_no_infinity(void **state)
{
    const double rates[] = {INFINITY, NAN, -1, 1e-320, 1e300};
    (void)state;
    sample(A, UINT64_MAX);
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        profile.hz = rates[i];
        run();
        assert_false(analysis.has_time);
        assert_true(isfinite(find(A)->self) && isfinite(find(A)->self_error));
        analysis_release(&analysis);
    }
}

static void empty_profile(void **state)
{
    (void)state;
    run();
    assert_int_equal(analysis.function_count, 0);
    assert_false(analysis.has_samples);
    assert_false(analysis.has_time);
    near(analysis.total, 0);
}

static void without_an_image(void **state)
{
    struct error error;
    (void)state;
    sample(A, 5);
    assert_true(profile_count(&profile, EVENT_ARC, 0x1008, 0x2000, 2));
    assert_true(profile_count(&profile, EVENT_ARC, 0xfffffff1, 0x2000, 1));
    assert_true(analyse(&analysis, &profile, NULL, &error));
    assert_int_equal(analysis.function_count, 3);
    assert_string_equal(analysis.functions[0].name, "0x00001006");
    assert_string_equal(analysis.functions[1].name, "0x00001008");
    assert_string_equal(analysis.functions[2].name, "0x00002000");
    assert_int_equal(analysis.functions[2].calls, 3);
    assert_int_equal(analysis.unknown_callers, 1);
    near(analysis.unknown, 0);
}

/* A chain and a ring far deeper than a stack of calls could be. */
static void deep_graphs(void **state)
{
    enum { DEPTH = 200000 };
    struct error error;
    (void)state;
    for (uint64_t i = 0; i < DEPTH; i++)
        assert_true(profile_count(&profile, EVENT_ARC, 4 * i + 4, 4 * i + 8, 1));
    assert_true(profile_count(&profile, EVENT_SAMPLE, 0, 4 * DEPTH + 4, 100));
    assert_true(analyse(&analysis, &profile, NULL, &error));
    assert_int_equal(analysis.function_count, DEPTH + 1);
    near(analysis.functions[0].children, 1.0);
    analysis_release(&analysis);
    assert_true(profile_count(&profile, EVENT_ARC, 4 * DEPTH + 4, 4, 1));
    assert_true(analyse(&analysis, &profile, NULL, &error));
    assert_int_equal(analysis.cycle_count, 1);
    assert_int_equal(analysis.cycles[0].member_count, DEPTH + 1);
}

static void sums_are_those_of_the_functions(void **state)
{
    struct analysis sums;
    struct error error;
    (void)state;
    sample(A, 100);
    sample(C, 40);
    sample(PROFILER, 30);
    sample(NOWHERE, 20);
    call(A, B, 5);
    call(B, B, 7);
    call(B, C, 1);
    run();
    assert_true(analyse_sums(&sums, &profile, image, &error));
    assert_int_equal(sums.function_count, 0);
    assert_int_equal(analysis_sum_count(&sums), analysis.function_count);
    for (size_t i = 0; i < analysis.function_count; i++) {
        struct function_sum one = analysis_sum(&sums, i);
        struct function_sum same = analysis_sum(&analysis, i);
        assert_ptr_equal(one.symbol, analysis.functions[i].symbol);
        assert_ptr_equal(same.symbol, one.symbol);
        near(one.samples, same.samples);
        assert_int_equal(one.calls, same.calls);
    }
    assert_int_equal(analysis_sum(&sums, 1).calls, 12);
    near(sums.total, 1.9);
    near(sums.overhead, 0.3);
    near(sums.unknown, 0.2);
    near(sums.program, 1.6);
    near(sums.samples, 190);
    assert_true(sums.has_time && sums.has_calls);
    analysis_release(&sums);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GRAPH_TEST(time_is_shared_by_calls),
        GRAPH_TEST(recursion_is_counted_apart),
        GRAPH_TEST(own_caller_only),
        GRAPH_TEST(mutual_recursion_is_one_cycle),
        GRAPH_TEST(two_cycles_one_below_the_other),
        GRAPH_TEST(cycle_without_an_entrance),
        GRAPH_TEST(unknown_callers_take_their_share),
        GRAPH_TEST(only_unknown_callers),
        GRAPH_TEST(caller_ends_with_a_call),
        GRAPH_TEST(overhead_is_not_the_programs),
        GRAPH_TEST(samples_in_no_function),
        GRAPH_TEST(bins_are_shared_by_overlap),
        GRAPH_TEST(bins_beyond_all_functions),
        GRAPH_TEST(no_rate_gives_samples),
        GRAPH_TEST(errors_of_few_samples),
        GRAPH_TEST(nonsense_rates_give_no_infinity),
        GRAPH_TEST(empty_profile),
        GRAPH_TEST(without_an_image),
        GRAPH_TEST(deep_graphs),
        GRAPH_TEST(sums_are_those_of_the_functions),
    };
    return cmocka_run_group_tests_name("analyse", tests, build_image, remove_image);
}
