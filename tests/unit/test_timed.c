/* SPDX-License-Identifier: MIT */
/* Timed calls summed over known graphs; every expected figure is worked out by hand. */
#include "hook_cost/timed.h"
#include "letters.h"

/* Adds calls from the n-th place in a function. */
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
    assert_timed(find(D)->timed, (struct timed){7, 0, 990, 990, 20, 600, 0});
    assert_timed(find(C)->timed, (struct timed){1, 0, 100, 1000, 1000, 1000, 900});
    assert_timed(&find_arc(B, D)->times->timed, (struct timed){3, 0, 90, 90, 20, 40, 0});
    assert_timed(&find_arc(C, D)->times->timed,
                 (struct timed){4, 0, 900, 900, 50, 600, 0});
    assert_timed(find(A)->timed, (struct timed){.children = 1100});
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
    assert_timed(find(B)->timed, (struct timed){2, 5, 70, 70, 30, 40, 0});
    assert_true(analysis.sites[1].recursive);
    assert_false(analysis.sites[0].recursive);
}

/* A calls B; B and C call each other and D; nothing else calls C. */
static void cycles_are_entered_once(void **state)
{
    (void)state;
    timed(A, 2, B, 2, (struct call_times){100, 10, 40, 60});
    timed(B, 2, C, 4, (struct call_times){150, 40, 30, 50});
    timed(C, 2, B, 3, (struct call_times){60, 30, 10, 30});
    timed(C, 4, D, 1, (struct call_times){15, 15, 15, 15});
    timed(B, 4, D, 1, (struct call_times){5, 5, 5, 5});
    run();
    assert_timed(find(B)->timed, (struct timed){2, 3, 40, 100, 40, 60, 5});
    assert_timed(find(C)->timed, (struct timed){0, 4, 40, 0, 0, 0, 15});
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

/* The parts never exceed the run, even if the figures are impossible. */
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
    assert_timed(find(C)->timed, (struct timed){8, 0, 80 + 24, 80 + 24, 0, 0, 0});
    assert_timed(find(B)->timed,
                 (struct timed){2, 0, 40 + 6 + 42, 100 + 6 + 42 + 18, 0, 0, 60 + 18});
    assert_timed(&find_arc(A, C)->times->timed, (struct timed){2, 0, 26, 26, 0, 0, 0});
    assert_int_equal(analysis.timed.profiler, 10 * 10 + 50 - (24 + 6 + 42));
    assert_int_equal(analysis.timed.run, 1000);
    near(find(C)->self, 0);
    analysis_put_back(&analysis);
    assert_int_equal(find(C)->timed->self, 80 + 24);
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
    assert_int_equal(find(B)->timed->self, 100);
}

/* A site of several tasks is one site; the time that a task ran is not a call. */
static void tasks_add_up(void **state)
{
    (void)state;
    profile.time = (struct time_base){1e6, 1, 1, 0, 1000};
    timed(A, 2, B, 2, (struct call_times){100, 100, 40, 60});
    profile.task = 1;
    timed(A, 2, B, 1, (struct call_times){20, 20, 20, 20});
    assert_true(
        profile_call(&profile, 0, 0, 5, &(struct call_times){500, 380, 100, 100}));
    run();
    assert_int_equal(analysis.site_count, 1);
    assert_int_equal(analysis.function_count, 2);
    assert_timed(find(B)->timed, (struct timed){3, 0, 120, 120, 20, 60, 0});
    assert_int_equal(analysis.timed.profiler, 3 * 2);
    assert_int_equal(analysis.timed.unfinished, 1000 - 120 - 6);
}

/* A record of one, two or three calls tells the time of each; a record of more does
 * not. */
static void single_calls_are_told_by_sums(void **state)
{
    static const struct {
        uint64_t count;
        struct call_times took;
        uint64_t known;
    } records[] = {
        {1, {50, 1, 50, 50}, 1},     {2, {70, 2, 30, 40}, 3},
        {3, {600, 3, 100, 300}, 6},  {4, {40, 4, 10, 10}, 6},
        {2, {99, 0, 30, 40}, 6},     {3, {5, 0, 0, 10}, 6}, /* of damaged bytes */
        {3, {1000, 0, 100, 300}, 6},
    };
    (void)state;
    for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
        assert_true(profile_call_record(&profile, start_of(A) + 2, start_of(B),
                                        records[i].count, &records[i].took));
        assert_int_equal(profile.singles[0].count, records[i].known);
    }
    assert_int_equal(durations_quantile(&profile.singles[0], 0.01), 30);
    assert_int_equal(durations_quantile(&profile.singles[0], 0.5), 50);
    assert_in_range(durations_quantile(&profile.singles[0], 5 / 6.0), 200, 203);
    assert_int_equal(durations_quantile(&profile.singles[0], 1), 300);
}

static void single(int caller, int callee, uint64_t ticks)
{
    const struct call_times took = {ticks, ticks, ticks, ticks};
    assert_true(
        profile_call_record(&profile, start_of(caller) + 2, start_of(callee), 1, &took));
}

/* A function has the single calls of all its call sites and tasks, without its calls of
 * itself. It has none if one of them is not known, or after the profiler's cost was put
 * back. */
static void single_calls_of_functions(void **state)
{
    (void)state;
    profile.time = (struct time_base){1e6, 1, 1, 0, 10000};
    for (uint64_t i = 1; i <= 50; i++)
        single(A, B, i);
    profile.task = 1;
    for (uint64_t i = 51; i <= 100; i++)
        single(C, B, i);
    single(B, B, 5000);
    single(A, D, 7);
    timed(C, 4, D, 1, (struct call_times){7, 7, 7, 7});
    run();
    const struct durations *singles = analysis_singles(&analysis, find(B));
    assert_int_equal(singles->count, 100);
    assert_int_equal(durations_quantile(singles, 0.5), 50);
    assert_int_equal(durations_quantile(singles, 0.99), 99);
    assert_int_equal(singles->longest, 100);
    assert_null(analysis_singles(&analysis, find(A)));
    assert_null(analysis_singles(&analysis, find(D)));
    analysis_put_back(&analysis);
    assert_null(analysis_singles(&analysis, find(B)));
}

/* Times that are made longer keep to their bins' lower ends, but no part of them is below
 * the shortest. */
static void longer_times_stay_between_their_ends(void **state)
{
    struct durations calls = {.bins = NULL}, longer = {.bins = NULL};
    (void)state;
    for (int i = 0; i < 5; i++)
        assert_true(durations_add(&calls, 8189));
    assert_true(durations_add_all(&longer, &calls, 6));
    assert_int_equal(durations_quantile(&longer, 0.5), 8195);
    assert_int_equal(durations_quantile(&longer, 0.99), 8195);
    assert_true(durations_add(&longer, 100));
    assert_int_equal(longer.shortest, 100);
    assert_int_equal(durations_quantile(&longer, 0), 100);
    assert_true(durations_add_all(&calls, &longer, 0));
    assert_int_equal(calls.shortest, 100);
    assert_int_equal(calls.longest, 8195);
    durations_release(&longer);
    durations_release(&calls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GRAPH_TEST(each_caller_has_its_own_time),
        GRAPH_TEST(recursive_totals_count_once),
        GRAPH_TEST(cycles_are_entered_once),
        GRAPH_TEST(a_run_is_accounted_for),
        GRAPH_TEST(a_run_shorter_than_its_calls),
        GRAPH_TEST(costs_are_put_back),
        GRAPH_TEST(samples_and_timed_calls_side_by_side),
        GRAPH_TEST(tasks_add_up),
        GRAPH_TEST(single_calls_are_told_by_sums),
        GRAPH_TEST(single_calls_of_functions),
        cmocka_unit_test(longer_times_stay_between_their_ends),
    };
    return cmocka_run_group_tests_name("timed", tests, build_image, remove_image);
}
