/* SPDX-License-Identifier: MIT */
/* The table of figures: each value and error, worked out by hand; lists and orders. */
#include "letters.h"

#include "../../host/figures/figures.h"
#include "hook_cost/timed.h"

static struct figure_source source(void)
{
    return (struct figure_source){.profile = &profile, .analysis = &analysis};
}

/* The key of an id such as "self" or "self_error". */
static struct figure_key key_of(const char *id)
{
    struct figure_list list;
    struct error error;
    if (!figures_parse(&list, id, &error))
        fail_msg("%s: %s", id, error.text);
    return list.keys[0];
}

static struct measure measure_in(const struct figure_source *from, const char *id,
                                 int function)
{
    return figure_measure(key_of(id).figure, from, find(function));
}

static struct measure measure(const char *id, int function)
{
    const struct figure_source from = source();
    return measure_in(&from, id, function);
}

static void assert_value(const char *id, int function, double expected)
{
    near(measure(id, function).value, expected);
}

static void assert_exactly(const char *id, int function, double expected)
{
    assert_value(id, function, expected);
    assert_true(isnan(measure(id, function).error));
}

static void assert_unknown(const char *id, int function)
{
    assert_true(isnan(measure(id, function).value));
}

static void timed_record(int caller, int callee, uint64_t count, struct call_times took)
{
    assert_true(profile_call_record(&profile, start_of(caller) + 4, start_of(callee),
                                    count, &took));
}

/* The longest string that names each figure is in an error's text, and each id is there
 * once and is the only way to its figure. */
static void ids_are_found(void **state)
{
    struct figure_list list;
    struct error error;
    const struct figure *last = NULL;
    size_t count = 0;
    (void)state;
    for (const struct figure *figure = figure_rows; figure->id != NULL; figure++) {
        assert_ptr_equal(key_of(figure->id).figure, figure);
        assert_null(strchr(figure->id, ' '));
        assert_true(strlen(figure->help) > 0);
        count += 1u + figure->has_error;
        last = figure;
    }
    assert_true(count < FIGURES_MAX);
    assert_false(figures_parse(&list, "self,age", &error));
    assert_int_equal(error.status, EXIT_USAGE);
    assert_non_null(strstr(error.text, "no figure 'age'; there are samples, self, "));
    assert_non_null(strstr(error.text, last->id));
}

static void timed_figures_are_there(void **state)
{
    (void)state;
    for (const struct figure *figure = figure_rows; figure->id != NULL; figure++) {
        if (figure->timed == NULL)
            continue;
        const struct figure *timed = key_of(figure->timed).figure;
        assert_int_equal(timed->needs, NEEDS_TIMED);
        assert_int_equal(timed->has_error,
                         figure->has_error && figure->unit != UNIT_NUMBER);
    }
}

/* ---- Values ---- */

static void sampled_and_estimated(void **state)
{
    (void)state;
    sample(A, 100);
    sample(B, 60);
    sample(PROFILER, 40);
    call(A, B, 5);
    call(B, B, 2);
    run();
    assert_exactly("samples", B, 60);
    assert_value("self", B, 0.6);
    near(measure("self", B).error, error_of(60, 200) / 100);
    assert_value("self_percent", B, 37.5);
    near(measure("self_percent", B).error, 100 * error_of(60, 160) / 160);
    assert_exactly("children", A, 0.6);
    assert_exactly("total", A, 1.6);
    assert_exactly("total_percent", A, 100);
    assert_exactly("calls", B, 5);
    assert_int_equal(measure("calls", B).whole, 5);
    assert_int_equal(measure("calls", B).recursive, 2);
    assert_exactly("self_calls", B, 2);
    assert_value("self_per_call", B, 0.12);
    near(measure("self_per_call", B).error, error_of(60, 200) / 100 / 5);
    assert_exactly("total_per_call", B, 0.12);
    assert_unknown("self_per_call", A);
    assert_unknown("cycle", B);
    assert_exactly("overhead", B, 0);
    assert_exactly("overhead", PROFILER, 1);
    assert_unknown("timed_self", B);
    assert_unknown("mean", B);
    assert_unknown("p99", B);
    assert_unknown("self_energy", B);
}

static void shares_of_the_profiler(void **state)
{
    struct figure_source from;
    (void)state;
    sample(A, 160);
    sample(PROFILER, 40);
    run();
    assert_unknown("self_percent", PROFILER);
    from = source();
    from.overhead = true;
    near(measure_in(&from, "self_percent", PROFILER).value, 20);
    near(measure_in(&from, "self_percent", PROFILER).error,
         100 * error_of(40, 200) / 200);
    assert_true(isnan(measure_in(&from, "self_percent", A).value));
}

/* b and c call each other. */
static void cycles_have_numbers(void **state)
{
    (void)state;
    sample(B, 1);
    call(A, B, 1);
    call(B, C, 1);
    call(C, B, 1);
    run();
    assert_exactly("cycle", B, 1);
    assert_exactly("cycle", C, 1);
    assert_unknown("cycle", A);
}

static void calls_that_were_lost(void **state)
{
    (void)state;
    sample(B, 50);
    call(A, B, 5);
    run();
    assert_int_equal(measure("calls", B).is, MEASURE_IS);
    assert_int_equal(measure("self_per_call", B).is, MEASURE_IS);
    profile.unaccounted = true;
    assert_true(profile_misses_some(&profile));
    assert_int_equal(measure("calls", B).is, MEASURE_AT_LEAST);
    assert_int_equal(measure("self_per_call", B).is, MEASURE_AT_MOST);
}

/* a calls b: 80 samples in the path of both, 20 in the path of a alone; 10 in b's, whose
 * caller is not known. */
static void measured_totals(void **state)
{
    const uint64_t both[] = {start_of(B) + 6, start_of(A) + 8};
    (void)state;
    assert_true(profile_stack(&profile, both, 2, STACK_WHOLE, 80));
    assert_true(profile_stack(&profile, both + 1, 1, STACK_WHOLE, 20));
    assert_true(profile_stack(&profile, both, 1, STACK_UNSURE, 10));
    run();
    assert_value("total", A, 1.0);
    near(measure("total", A).missing, 0.1);
    near(measure("total", A).error, hypot(error_of(100, 110) / 100, 0.1));
    assert_value("total_percent", A, 100.0 / 1.1);
    near(measure("total_percent", A).error,
         100 * hypot(error_of(100, 110) / 110, 10.0 / 110));
    near(measure("total_percent", A).missing, 1000.0 / 110);
    assert_value("self", B, 0.9);
}

static void timed_calls_and_single_ones(void **state)
{
    struct measure mean;
    (void)state;
    profile.time = (struct time_base){.hz = 1000, .inside = 1, .outside = 1, .run = 200};
    timed_record(A, B, 1, (struct call_times){10, 10, 10, 10});
    timed_record(A, B, 1, (struct call_times){30, 30, 30, 30});
    timed_record(A, C, 4, (struct call_times){80, 60, 5, 40});
    run();
    assert_exactly("timed_calls", B, 2);
    assert_exactly("timed_recursive_calls", B, 0);
    assert_value("timed_self", C, 60);
    assert_value("timed_total", C, 80);
    assert_int_equal(measure("timed_total", C).whole, 80);
    near(measure("timed_self", C).error, analysis_timed_errors(&analysis, find(C)).self);
    near(measure("timed_total", C).error,
         analysis_timed_errors(&analysis, find(C)).total);
    assert_true(measure("timed_self", C).error > 0);
    assert_value("timed_self_percent", C, 100.0 * 60 / (double)analysis.timed.program);
    assert_value("timed_total_percent", C, 100.0 * 80 / (double)analysis.timed.program);
    assert_exactly("min", C, 5);
    assert_exactly("max", C, 40);
    assert_exactly("jitter", C, 35);
    assert_int_equal(measure("jitter", C).whole, 35);
    mean = measure("mean", C);
    near(mean.value, 20);
    near(mean.error, measure("timed_total", C).error / 4);
    assert_exactly("p50", B, 10);
    assert_exactly("p90", B, 30);
    assert_exactly("p99", B, 30);
    assert_unknown("p99", C); /* only their sum came */
    assert_unknown("timed_self", A);
    assert_unknown("max", A);
}

static void costs_that_are_put_back(void **state)
{
    (void)state;
    profile.time = (struct time_base){.hz = 1000, .inside = 1, .outside = 1, .run = 200};
    timed_record(A, B, 1, (struct call_times){10, 10, 10, 10});
    run();
    analysis_put_back(&analysis);
    assert_exactly("timed_self", B, 11);
    assert_unknown("min", B);
    assert_unknown("max", B);
    assert_unknown("jitter", B);
    assert_unknown("p50", B);
    assert_exactly("mean", B, 11);
}

/* A cycle or a call site is no function: only timed calls have figures of it. */
static void of_no_function(void **state)
{
    const struct timed timed = {.calls = 2, .self = 30, .total = 50, .longest = 40};
    const struct figure_subject site = {NULL, &timed};
    (void)state;
    sample(A, 1);
    run();
    const struct figure_source from = source();
    near(figure_of(key_of("mean").figure, &from, &site).value, 25);
    near(figure_of(key_of("max").figure, &from, &site).value, 40);
    assert_true(isnan(figure_of(key_of("timed_self").figure, &from, &site).error));
    for (const struct figure *figure = figure_rows; figure->id != NULL; figure++)
        if ((figure->needs & NEEDS_TIMED) == 0)
            assert_true(isnan(figure_of(figure, &from, &site).value));
    assert_true(isnan(figure_of(key_of("p99").figure, &from, &site).value));
}

static void energies(void **state)
{
    struct joules self[FUNCTIONS] = {{0}}, total[FUNCTIONS] = {{0}};
    const struct energy_functions functions = {self, total};
    struct figure_source from;
    (void)state;
    sample(A, 3);
    sample(B, 4);
    run();
    self[1] = (struct joules){2, 0.5, 0};
    total[1] = (struct joules){7, 0, 0};
    from = source();
    from.joules = &functions;
    assert_ptr_equal(find(B), &analysis.functions[1]);
    near(measure_in(&from, "self_energy", B).value, 2);
    near(measure_in(&from, "self_energy", B).error, 0.5);
    near(measure_in(&from, "total_energy", B).value, 7);
    assert_true(isnan(measure_in(&from, "total_energy", B).error));
    assert_null(figure_lacks(key_of("self_energy").figure, figures_known(&from)));
}

/* ---- What a profile has ---- */

static const char *lacks(const char *id)
{
    const struct figure_source from = source();
    return figure_lacks(key_of(id).figure, figures_known(&from));
}

static void says_what_is_not_there(void **state)
{
    struct figure_list list;
    struct error error;
    char text[FIGURES_TEXT];
    (void)state;
    sample(A, 10);
    run();
    const struct figure_source from = source();
    assert_null(lacks("self"));
    assert_string_equal(lacks("total"), "no call paths, and no calls");
    assert_string_equal(lacks("calls"), "no calls were counted or timed");
    assert_string_equal(lacks("p99"), "no timed calls");
    assert_string_equal(lacks("self_energy"), "no energy of functions: see --power");
    assert_true(figures_parse(&list, "self,p99,timed_self_error,calls", &error));
    assert_int_equal(figures_lacking(&list, figures_known(&from), text), 3);
    assert_string_equal(text, "p99, timed_self_error: no timed calls; "
                              "calls: no calls were counted or timed");
    assert_true(figures_parse(&list, "self", &error));
    assert_int_equal(figures_lacking(&list, figures_known(&from), text), 0);
    assert_string_equal(text, "");
}

/* Of a profile with nothing but timed calls, "self" is their self time. */
static void figures_of_timed_calls_stand_in(void **state)
{
    struct figure_list list, found;
    struct error error;
    (void)state;
    timed_record(A, B, 4, (struct call_times){10, 10, 1, 4});
    run();
    const struct figure_source from = source();
    unsigned known = figures_known(&from);
    assert_true(figures_parse(&list, "self,total_percent,calls,samples", &error));
    found = figures_in(&list, known);
    assert_string_equal(found.keys[0].figure->id, "timed_self");
    assert_string_equal(found.keys[1].figure->id, "timed_total_percent");
    assert_string_equal(found.keys[2].figure->id, "calls");
    assert_string_equal(found.keys[3].figure->id, "samples");
    assert_string_equal(lacks("p99"), "of timed calls only sums came");
    assert_string_equal(figures_of_calls(&list).keys[2].figure->id, "timed_calls");
    found = figures_in(&list, known | NEEDS_SAMPLES | NEEDS_TOTALS);
    assert_string_equal(found.keys[0].figure->id, "self");
}

/* ---- Lists and orders ---- */

static void assert_refused(const char *text, bool order, const char *why)
{
    struct figure_list list;
    struct error error;
    assert_false(order ? figures_parse_order(&list, text, &error)
                       : figures_parse(&list, text, &error));
    assert_int_equal(error.status, EXIT_USAGE);
    if (strstr(error.text, why) == NULL)
        fail_msg("'%s': %s", text, error.text);
}

static void wrong_lists_are_refused(void **state)
{
    (void)state;
    assert_refused("", false, "'' lacks a figure");
    assert_refused("self,", false, "'self,' lacks a figure");
    assert_refused(",self", false, "lacks a figure");
    assert_refused("self,,total", false, "lacks a figure");
    assert_refused("self,calls,self", false, "self is there twice");
    assert_refused("SELF", false, "no figure 'SELF'");
    assert_refused("sel", false, "no figure 'sel'");
    assert_refused("selfs", false, "no figure 'selfs'");
    assert_refused(" self", false, "no figure ' self'");
    assert_refused("name", false, "name is in each row");
    assert_refused("+self", false, "no figure '+self'");
    assert_refused("_error", false, "no figure '_error'");
    assert_refused("calls_error", false, "calls has no error");
    assert_refused("age", true, ", and name");
    assert_refused("+", true, "no figure ''");
    assert_refused("self,+self", true, "twice");
    assert_refused("name,-name", true, "twice");
    assert_refused("--self", true, "no figure '-self'");
}

static int compare(const char *text, const double *left, const char *left_name,
                   const double *right, const char *right_name)
{
    struct figure_list order;
    struct error error;
    assert_true(figures_parse_order(&order, text, &error));
    return figures_compare(&order, left, left_name, right, right_name);
}

static void rows_are_ordered(void **state)
{
    const double one[] = {1, 5}, two[] = {2, 5}, less[] = {1, 4}, last[] = {INFINITY, 0};
    (void)state;
    assert_true(compare("self", two, "a", one, "b") > 0);
    assert_true(compare("self", one, "b", two, "a") < 0);
    assert_true(compare("self,calls", one, "a", less, "a") > 0);
    assert_int_equal(compare("self", one, "a", less, "b"), 0);
    assert_true(compare("self,name", one, "a", less, "b") < 0);
    assert_true(compare("self,-name", one, "a", less, "b") > 0);
    assert_true(compare("name,self", two, "a", one, "b") < 0);
    assert_true(compare("-name,self", two, "a", one, "b") > 0);
    assert_true(compare("self", last, "a", one, "a") > 0);
    assert_int_equal(compare("self", last, "a", last, "b"), 0);
}

static void keys_are_values(void **state)
{
    struct figure_list order;
    struct error error;
    double keys[4];
    (void)state;
    sample(B, 60);
    call(A, B, 5);
    call(B, B, 2);
    run();
    const struct figure_source from = source();
    const struct figure_subject subject = {find(B), find(B)->timed};
    assert_true(figures_parse_order(&order, "calls,+self_error,p99,+mean", &error));
    figures_keys(keys, &order, &from, &subject);
    near(keys[0], -7);
    near(keys[1], find(B)->self_error);
    assert_true(keys[2] == INFINITY);
    assert_true(keys[3] == INFINITY);
    assert_false(figures_by_name(&order));
    assert_true(figures_parse_order(&order, "name,self", &error));
    assert_true(figures_by_name(&order));
}

static void assert_field(const char *id, const char *ticks, const char *expected)
{
    const struct figure_key key = key_of(id);
    char text[FIGURE_FIELD];
    figure_field(text, &key, ticks);
    assert_string_equal(text, expected);
}

/* Scripts rely on these names, and no two figures share one. */
static void fields_have_names(void **state)
{
    (void)state;
    assert_field("self", "_ticks", "self_seconds");
    assert_field("self_error", "_ticks", "self_error_seconds");
    assert_field("self_percent", "_ticks", "self_percent");
    assert_field("calls", "_ticks", "calls");
    assert_field("timed_total", "_ticks", "timed_total_ticks");
    assert_field("timed_total_error", "_seconds", "timed_total_error_seconds");
    assert_field("p99", "_seconds", "timed_p99_seconds");
    assert_field("total_per_call_error", "_ticks", "total_per_call_error_seconds");
    assert_field("self_energy_error", "_ticks", "self_error_joules");
    for (const struct figure *one = figure_rows; one->id != NULL; one++)
        for (const struct figure *other = figure_rows; other < one; other++) {
            char text[FIGURE_FIELD], same[FIGURE_FIELD];
            figure_field(text, &(struct figure_key){.figure = one}, "_ticks");
            figure_field(same, &(struct figure_key){.figure = other}, "_ticks");
            assert_string_not_equal(text, same);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_found),
        cmocka_unit_test(timed_figures_are_there),
        GRAPH_TEST(sampled_and_estimated),
        GRAPH_TEST(shares_of_the_profiler),
        GRAPH_TEST(cycles_have_numbers),
        GRAPH_TEST(calls_that_were_lost),
        GRAPH_TEST(measured_totals),
        GRAPH_TEST(timed_calls_and_single_ones),
        GRAPH_TEST(costs_that_are_put_back),
        GRAPH_TEST(of_no_function),
        GRAPH_TEST(energies),
        GRAPH_TEST(says_what_is_not_there),
        GRAPH_TEST(figures_of_timed_calls_stand_in),
        cmocka_unit_test(wrong_lists_are_refused),
        cmocka_unit_test(rows_are_ordered),
        GRAPH_TEST(keys_are_values),
        cmocka_unit_test(fields_have_names),
    };
    return cmocka_run_group_tests(tests, build_image, remove_image);
}
