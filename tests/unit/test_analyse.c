/* SPDX-License-Identifier: MIT */
/*
 * Known graphs over a tiny ELF: eight functions of 16 bytes from 0x1000, `a` to `h`, then
 * the profiler's own. Every expected figure is worked out by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../host/profile/analyse.h"

enum { A, B, C, D, E, F, G, H, PROFILER, FUNCTIONS, NOWHERE = 0x9000 };

static const char assembly[] =
    ".syntax unified\n.cpu cortex-m0\n.thumb\n.text\n"
    ".irp n,a,b,c,d,e,f,g,h,mcuprof_arc\n"
    ".global \\n\n.type \\n,%function\n.thumb_func\n\\n: .space 16\n.endr\n";

static char directory[] = "/tmp/test_analyse.XXXXXX";
static struct image *image;
static struct profile profile;
static struct analysis analysis;

static int build_image(void **state)
{
    char command[512];
    struct error error;
    (void)state;
    if (mkdtemp(directory) == NULL || chdir(directory) != 0)
        return -1;
    FILE *source = fopen("t.s", "w");
    if (source == NULL || fputs(assembly, source) < 0 || fclose(source) != 0)
        return -1;
    snprintf(command, sizeof command,
             "arm-none-eabi-as -o t.o t.s && "
             "arm-none-eabi-ld -Ttext=0x1000 -e 0x1000 -o t.elf t.o");
    if (system(command) != 0)
        return -1;
    if (!image_open(&image, "t.elf", &error)) {
        fprintf(stderr, "%s\n", error.text);
        return -1;
    }
    return 0;
}

static int remove_image(void **state)
{
    (void)state;
    image_close(image);
    return unlink("t.s") | unlink("t.o") | unlink("t.elf") | rmdir(directory);
}

static int begin(void **state)
{
    (void)state;
    profile_init(&profile);
    profile.hz = 100;
    return 0;
}

static int end(void **state)
{
    (void)state;
    analysis_release(&analysis);
    profile_release(&profile);
    return 0;
}

static uint64_t start_of(int function)
{
    return function == NOWHERE ? NOWHERE : 0x1000 + 16 * (uint64_t)function;
}

static void sample(int function, uint64_t count)
{
    assert_true(profile_count(&profile, EVENT_SAMPLE, 0, start_of(function) + 6, count));
}

static void call(int caller, int callee, uint64_t count)
{
    assert_true(profile_count(&profile, EVENT_ARC, start_of(caller) + 8,
                              start_of(callee) + 4, count));
}

static void run(void)
{
    struct error error;
    assert_true(analyse(&analysis, &profile, image, &error));
}

static const struct function *find(int function)
{
    for (size_t i = 0; i < analysis.function_count; i++)
        if (analysis.functions[i].symbol != NULL &&
            analysis.functions[i].address == start_of(function))
            return &analysis.functions[i];
    fail_msg("function %d is not in the analysis", function);
    return NULL;
}

static const struct arc *find_arc(int caller, int callee)
{
    size_t from =
        caller == NOWHERE ? NO_FUNCTION : (size_t)(find(caller) - analysis.functions);
    size_t to = (size_t)(find(callee) - analysis.functions);
    for (size_t i = 0; i < analysis.arc_count; i++)
        if (analysis.arcs[i].caller == from && analysis.arcs[i].callee == to)
            return &analysis.arcs[i];
    fail_msg("no arc from %d to %d", caller, callee);
    return NULL;
}

static void near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-9))
        fail_msg("%.12g is not %.12g", value, expected);
}

/* Whatever has no caller holds, with what it called, all of the program's time once. */
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
    near(find(A)->self_error, 0.1);
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

/* A function that only calls itself is not spontaneous: it has a caller, itself. */
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

/* A cycle nobody calls from outside keeps its time. */
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
    assert_int_equal(find_arc(NOWHERE, B)->count, 7);
    near(find_arc(NOWHERE, B)->self, 0.7);
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
    near(find(B)->self_error, sqrt(6) / 100);
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
    near(find(A)->self_error, 4);
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

/* ---- Timed calls ---- */

/* Calls from the n-th place in a function. */
static void timed(int caller, int place, int callee, uint64_t count,
                  struct call_times took)
{
    uint64_t from = start_of(caller) + 2 * (uint64_t)place;
    assert_true(profile_call(&profile, from, start_of(callee), count, &took));
}

static void assert_timed(const struct timed *timed, struct timed expected)
{
    assert_int_equal(timed->calls, expected.calls);
    assert_int_equal(timed->recursive, expected.recursive);
    assert_int_equal(timed->self, expected.self);
    assert_int_equal(timed->total, expected.total);
    assert_int_equal(timed->shortest, expected.shortest);
    assert_int_equal(timed->longest, expected.longest);
    assert_int_equal(timed->children, expected.children);
}

/* Each caller has its own share, whatever the counts say. */
static void each_caller_has_its_own_time(void **state)
{
    (void)state;
    timed(A, 2, B, 1, (struct call_times){100, 10, 100, 100});
    timed(B, 2, D, 3, (struct call_times){90, 90, 20, 40});
    timed(A, 4, C, 1, (struct call_times){1000, 100, 1000, 1000});
    timed(C, 2, D, 3, (struct call_times){300, 300, 50, 200});
    timed(C, 4, D, 1, (struct call_times){600, 600, 600, 600});
    run();
    assert_timed(&find(D)->timed, (struct timed){7, 0, 990, 990, 20, 600, 0});
    assert_timed(&find(C)->timed, (struct timed){1, 0, 100, 1000, 1000, 1000, 900});
    assert_timed(&find_arc(B, D)->timed, (struct timed){3, 0, 90, 90, 20, 40, 0});
    assert_timed(&find_arc(C, D)->timed, (struct timed){4, 0, 900, 900, 50, 600, 0});
    assert_timed(&find(A)->timed, (struct timed){.children = 1100});
    assert_int_equal(find(D)->calls, 7);
    assert_int_equal(find_arc(C, D)->count, 4);
    assert_int_equal(analysis.site_count, 5);
    assert_int_equal(analysis.timed.run, 1100);
    assert_int_equal(analysis.timed.unfinished, 0);
    assert_true(analysis.timed.known);
    assert_true(analysis.timed.tick_seconds == 0);
    assert_false(analysis.has_samples);
}

static void recursive_totals_count_once(void **state)
{
    (void)state;
    timed(A, 2, B, 2, (struct call_times){70, 20, 30, 40});
    timed(B, 2, B, 5, (struct call_times){110, 50, 10, 25});
    run();
    assert_timed(&find(B)->timed, (struct timed){2, 5, 70, 70, 30, 40, 0});
    assert_true(analysis.sites[1].recursive);
    assert_false(analysis.sites[0].recursive);
}

/* A calls B, B and C call each other and D; C is called by nobody else. */
static void cycles_are_entered_once(void **state)
{
    (void)state;
    timed(A, 2, B, 2, (struct call_times){100, 10, 40, 60});
    timed(B, 2, C, 4, (struct call_times){150, 40, 30, 50});
    timed(C, 2, B, 3, (struct call_times){60, 30, 10, 30});
    timed(C, 4, D, 1, (struct call_times){15, 15, 15, 15});
    timed(B, 4, D, 1, (struct call_times){5, 5, 5, 5});
    run();
    assert_timed(&find(B)->timed, (struct timed){2, 3, 40, 100, 40, 60, 5});
    assert_timed(&find(C)->timed, (struct timed){0, 4, 40, 0, 0, 0, 15});
    assert_int_equal(analysis.cycle_count, 1);
    assert_timed(&analysis.cycles[0].timed, (struct timed){2, 7, 80, 100, 40, 60, 20});
    assert_int_equal(analysis.timed.self, 100);
}

static void a_run_is_accounted_for(void **state)
{
    (void)state;
    profile.time = (struct time_base){1e6, 3, 7, 50, 1000};
    timed(A, 2, B, 4, (struct call_times){100, 100, 25, 25});
    timed(NOWHERE, 2, C, 1, (struct call_times){60, 60, 60, 60});
    run();
    assert_int_equal(analysis.timed.profiler, 5 * 10 + 50);
    assert_int_equal(analysis.timed.unfinished, 1000 - 160 - 100);
    assert_int_equal(analysis.timed.program, 900);
    near(analysis.timed.tick_seconds, 1e-6);
    assert_false(analysis.timed.at_most);
    analysis_release(&analysis);
    profile.lost[EVENT_CALL] = 2;
    run();
    assert_int_equal(analysis.timed.profiler, 7 * 10 + 50);
    assert_true(analysis.timed.at_most);
}

/* Also where its figures cannot be: the parts never exceed the run. */
static void a_run_shorter_than_its_calls(void **state)
{
    (void)state;
    profile.time = (struct time_base){1e6, 3000, 7000, 50, 120};
    timed(A, 2, B, 4, (struct call_times){100, 100, 25, 25});
    run();
    assert_int_equal(analysis.timed.profiler, 20);
    assert_int_equal(analysis.timed.unfinished, 0);
    profile.time.run = 10;
    analysis_release(&analysis);
    run();
    assert_int_equal(analysis.timed.run, 100);
    assert_int_equal(analysis.timed.program, 100);
}

static void costs_are_put_back(void **state)
{
    (void)state;
    profile.time = (struct time_base){1e6, 3, 7, 50, 1000};
    timed(A, 2, B, 2, (struct call_times){100, 40, 50, 50});
    timed(B, 2, C, 6, (struct call_times){60, 60, 10, 10});
    timed(A, 4, C, 2, (struct call_times){20, 20, 10, 10});
    run();
    analysis_put_back(&analysis);
    /* C: 8 calls; B: 2 calls, makes 6; A makes 4 and is not over */
    assert_timed(&find(C)->timed, (struct timed){8, 0, 80 + 24, 80 + 24, 0, 0, 0});
    assert_timed(&find(B)->timed,
                 (struct timed){2, 0, 40 + 6 + 42, 100 + 6 + 42 + 18, 0, 0, 60 + 18});
    assert_timed(&find_arc(A, C)->timed, (struct timed){2, 0, 26, 26, 0, 0, 0});
    assert_int_equal(analysis.timed.profiler, 10 * 10 + 50 - (24 + 6 + 42));
    assert_int_equal(analysis.timed.run, 1000);
    near(find(C)->self, 0);
    analysis_put_back(&analysis);
    assert_int_equal(find(C)->timed.self, 80 + 24);
}

static void samples_and_timed_calls_side_by_side(void **state)
{
    (void)state;
    sample(B, 50);
    profile.time = (struct time_base){1e6, 3, 7, 0, 1000};
    timed(A, 2, B, 2, (struct call_times){100, 100, 50, 50});
    run();
    near(find(B)->self, 0.5);
    near(find_arc(A, B)->self, 0.5);
    near(find(A)->children, 0.5);
    assert_int_equal(find(B)->timed.self, 100);
}

#define GRAPH_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

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
        GRAPH_TEST(nonsense_rates_give_no_infinity),
        GRAPH_TEST(empty_profile),
        GRAPH_TEST(without_an_image),
        GRAPH_TEST(deep_graphs),
        GRAPH_TEST(each_caller_has_its_own_time),
        GRAPH_TEST(recursive_totals_count_once),
        GRAPH_TEST(cycles_are_entered_once),
        GRAPH_TEST(a_run_is_accounted_for),
        GRAPH_TEST(a_run_shorter_than_its_calls),
        GRAPH_TEST(costs_are_put_back),
        GRAPH_TEST(samples_and_timed_calls_side_by_side),
    };
    return cmocka_run_group_tests_name("analyse", tests, build_image, remove_image);
}
