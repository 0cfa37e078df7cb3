/* SPDX-License-Identifier: MIT */
/* The analysis of sampled call paths; every expected figure is worked out by hand. */
#include "letters.h"

#include "../../host/capture/tasks.h"

enum { DEPTH = 8, STOP = -1 };

/* Adds a stack of functions, root first, up to STOP. */
static void stack_of(enum stack_end how, uint64_t count, const int *functions)
{
    uint64_t addresses[DEPTH];
    size_t depth = 0;
    while (functions[depth] != STOP)
        depth++;
    for (size_t i = 0; i < depth; i++) /* the leaf's address is not a return address */
        addresses[i] = start_of(functions[depth - 1 - i]) + (i == 0 ? 6 : 8);
    assert_true(profile_stack(&profile, addresses, depth, how, count));
}

#define STACK(how, count, ...) stack_of(how, count, (const int[]){__VA_ARGS__, STOP})
#define WHOLE(count, ...)      STACK(STACK_WHOLE, count, __VA_ARGS__)

/* Self times add up to all samples; the times that come into a function add up to its
 * total. */
static void sums_hold(bool recursion)
{
    double self = 0;
    for (size_t i = 0; i < analysis.function_count; i++) {
        const struct function *function = &analysis.functions[i];
        double in = function->root;
        self += function->self;
        for (size_t j = 0; j < function->ins; j++) {
            const struct arc *arc = &analysis.arcs[analysis.ins[function->first_in + j]];
            in += arc->self + arc->children;
        }
        near(function->self + function->children, function->total);
        if (!recursion && !function->overhead)
            near(in, function->total);
    }
    near(self, (double)profile.received[EVENT_SAMPLE] / profile.hz);
    near(analysis.total, self);
}

static void totals_are_measured(void **state)
{
    (void)state;
    WHOLE(40, A, B, C);
    WHOLE(10, A, D, C);
    WHOLE(30, A, B);
    WHOLE(20, A);
    call(A, B, 1); /* if calls shared the time, C's would belong to D */
    call(A, D, 1);
    call(B, C, 1);
    call(D, C, 99);
    run();
    assert_true(analysis.measured);
    near(find(A)->total, 1.0);
    near(find(A)->root, 1.0);
    near(find(A)->self, 0.2);
    near(find(B)->total, 0.7);
    near(find(B)->total_error, error_of(70, 100) / 100);
    near(find(C)->total, 0.5);
    near(find(D)->self, 0);
    near(find(D)->total, 0.1);
    near(find_arc(A, B)->self, 0.3);
    near(find_arc(A, B)->children, 0.4);
    near(find_arc(A, B)->error, error_of(70, 100) / 100);
    near(find_arc(B, C)->self, 0.4);
    near(find_arc(D, C)->self, 0.1);
    assert_int_equal(find_arc(D, C)->count, 99);
    near(analysis.unplaced, 0);
    sums_hold(false);
}

static void calls_need_not_be_counted(void **state)
{
    (void)state;
    WHOLE(3, A, B);
    run();
    assert_false(analysis.has_calls);
    assert_int_equal(find_arc(A, B)->count, 0);
    assert_int_equal(find(B)->calls, 0);
    assert_true(find(A)->spontaneous);
    assert_false(find(B)->spontaneous);
    sums_hold(false);
}

static void recursion_counts_once(void **state)
{
    (void)state;
    WHOLE(5, A, B, B, B);
    WHOLE(2, A, B, B, C);
    run();
    near(find(B)->total, 0.07);
    near(find_arc(A, B)->children, 0.07);
    near(find_arc(A, B)->self, 0);
    near(find_arc(B, B)->self, 0.05);
    near(find_arc(B, B)->children, 0.02);
    near(find_arc(B, C)->self, 0.02);
    sums_hold(true);
}

static void a_cycle_is_nothing_special(void **state)
{
    (void)state;
    WHOLE(4, A, B, C, B, C);
    WHOLE(1, A, B, C, B);
    WHOLE(2, A, C, B, D);
    run();
    assert_int_equal(analysis.cycle_count, 0);
    assert_int_equal(find(B)->cycle, NO_CYCLE);
    near(find(B)->total, 0.07);
    near(find(C)->total, 0.07);
    near(find_arc(B, C)->self, 0.04);
    near(find_arc(B, C)->children, 0.01);
    near(find_arc(C, B)->self, 0.01);
    near(find_arc(C, B)->children, 0.06);
    sums_hold(true);
}

/* The caller of the outermost function of these paths is not known. */
static void cut_and_unsure_paths_have_an_unknown_caller(void **state)
{
    (void)state;
    STACK(STACK_CUT, 6, B, C);
    STACK(STACK_UNSURE, 3, B);
    WHOLE(1, B, C);
    run();
    near(find_arc(NOWHERE, B)->self, 0.03);
    near(find_arc(NOWHERE, B)->children, 0.06);
    near(find(B)->root, 0.01);
    near(analysis.ends[STACK_CUT], 6);
    near(analysis.ends[STACK_UNSURE], 3);
    near(analysis.ends[STACK_WHOLE], 1);
    assert_int_equal(analysis.unknown_callers, 0);
    sums_hold(false);
}

static void interrupts_are_told_from_unknown_callers(void **state)
{
    (void)state;
    STACK(STACK_INTERRUPT, 6, H, C);
    STACK(STACK_CUT, 2, H);
    assert_true(profile_count(&profile, EVENT_ARC, 0xfffffff9, start_of(H) + 4, 9));
    run();
    assert_int_equal(find(H)->ins, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct arc *arc = &analysis.arcs[analysis.ins[find(H)->first_in + i]];
        near(arc->self + arc->children, arc->interrupt ? 0.06 : 0.02);
        assert_int_equal(arc->count, arc->interrupt ? 9 : 0);
    }
    sums_hold(false);
}

/* The firmware follows interrupts: D is a handler that hit B in B's own code. */
static void interrupts_are_called_by_what_they_hit(void **state)
{
    const uint64_t handler[] = {start_of(C) + 6, start_of(D) + 8, 0xFFFFFFF8,
                                start_of(B) + 6, start_of(A) + 8};
    (void)state;
    profile.arch = "cortex-m";
    WHOLE(6, A, B);
    WHOLE(1, A, B, D); /* a call of D is another arc */
    assert_true(profile_stack(&profile, handler, 5, STACK_WHOLE, 3));
    assert_true(profile_follow_interrupts(&profile, true));
    run();
    near(find(B)->total, 0.1);
    near(find(B)->self, 0.06);
    near(find(D)->total, 0.04);
    assert_int_equal(find(B)->outs, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct arc *arc = &analysis.arcs[find(B)->first_out + i];
        assert_ptr_equal(&analysis.functions[arc->callee], find(D));
        near(arc->self + arc->children, arc->interrupt ? 0.03 : 0.01);
    }
    near(find_arc(D, C)->self, 0.03);
    for (size_t i = 0; i < analysis.path_count; i++) {
        const struct call_path *path = &analysis.paths[i];
        if (path->depth == 5) {
            assert_true(frame_is_interrupt(&analysis, path->frames[2]));
            assert_string_equal(analysis.frames[path->frames[2]].name, "<interrupt>");
        }
    }
    near(analysis.ends[STACK_WHOLE], 10);
    sums_hold(false);
}

static void samples_without_a_stack_are_a_leaf(void **state)
{
    (void)state;
    WHOLE(6, A, B);
    sample(B, 4);
    sample(C, 1);
    run();
    near(find(B)->self, 0.1);
    near(find(B)->total, 0.1);
    near(find_arc(A, B)->self, 0.06);
    near(find_arc(NOWHERE, B)->self, 0.04);
    near(find_arc(NOWHERE, C)->self, 0.01);
    near(analysis.ends[STACK_UNSURE], 5);
    sums_hold(false);
}

static void frames_in_no_function_stay_unknown(void **state)
{
    (void)state;
    WHOLE(2, A, NOWHERE, C);
    run();
    const struct function *unknown = &analysis.functions[analysis.function_count - 1];
    assert_null(unknown->symbol);
    near(unknown->total, 0.02);
    near(unknown->self, 0);
    near(find(A)->total, 0.02);
    sums_hold(false);
}

static void the_profilers_own_passes_no_time(void **state)
{
    (void)state;
    WHOLE(8, A, B);
    WHOLE(2, A, B, PROFILER);
    run();
    near(analysis.program, 0.08);
    near(find(A)->total, 0.08);
    near(find(B)->children, 0);
    near(find(PROFILER)->total, 0.02);
    assert_int_equal(find(PROFILER)->ins, 0);
    sums_hold(false);
}

/* Behind a call that never returns the next function begins. */
static void the_call_is_before_its_return_address(void **state)
{
    const uint64_t addresses[] = {start_of(C) + 2, start_of(B)};
    (void)state;
    assert_true(profile_stack(&profile, addresses, 2, STACK_WHOLE, 1));
    run();
    near(find(A)->total, 0.01);
    near(find_arc(A, C)->self, 0.01);
}

/* Each stack's leaf counts once as a sample of its task. */
static void tasks_have_their_own(void **state)
{
    struct task_sums tasks;
    struct profile parts[2];
    (void)state;
    profile.task = 1;
    WHOLE(6, A, B);
    sample(B, 1);
    profile.task = 2;
    WHOLE(3, C, B);
    assert_true(task_sums_init(&tasks, &profile));
    assert_int_equal(tasks.count, 2);
    assert_int_equal(tasks.items[0].samples, 7);
    assert_true(profile_split(parts, &profile, &tasks));
    assert_int_equal(parts[0].received[EVENT_SAMPLE], 7);
    assert_int_equal(parts[0].stacks.used, 1);
    assert_int_equal(parts[0].stacks.items[0].count, 6);
    assert_int_equal(parts[1].received[EVENT_SAMPLE], 3);
    profile_release(&profile);
    profile_release(&parts[1]);
    task_sums_release(&tasks);
    profile = parts[0];
    run();
    near(find(A)->total, 0.06);
    near(find(B)->total, 0.07);
    sums_hold(false);
}

static void nothing_was_sampled(void **state)
{
    (void)state;
    STACK(STACK_WHOLE, 0, A, B);
    run();
    assert_true(analysis.measured);
    assert_false(analysis.has_samples);
    near(find(A)->total, 0);
    near(find(A)->total_error, 0);
}

static void without_paths_some_time_has_no_place(void **state)
{
    (void)state;
    sample(A, 30);
    sample(B, 50);
    sample(C, 20);
    call(A, B, 1);
    run();
    assert_false(analysis.measured);
    near(analysis.unplaced, 0.5);
    near(find(A)->total, 0.8);
    near(find(A)->total_error, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GRAPH_TEST(totals_are_measured),
        GRAPH_TEST(calls_need_not_be_counted),
        GRAPH_TEST(recursion_counts_once),
        GRAPH_TEST(a_cycle_is_nothing_special),
        GRAPH_TEST(cut_and_unsure_paths_have_an_unknown_caller),
        GRAPH_TEST(interrupts_are_told_from_unknown_callers),
        GRAPH_TEST(interrupts_are_called_by_what_they_hit),
        GRAPH_TEST(samples_without_a_stack_are_a_leaf),
        GRAPH_TEST(frames_in_no_function_stay_unknown),
        GRAPH_TEST(the_profilers_own_passes_no_time),
        GRAPH_TEST(the_call_is_before_its_return_address),
        GRAPH_TEST(tasks_have_their_own),
        GRAPH_TEST(nothing_was_sampled),
        GRAPH_TEST(without_paths_some_time_has_no_place),
    };
    return cmocka_run_group_tests(tests, build_image, remove_image);
}
