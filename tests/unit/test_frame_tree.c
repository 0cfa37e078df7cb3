/* SPDX-License-Identifier: MIT */
/* The tree of frames; every expected node is worked out by hand. */
#include "letters.h"

#include "../../host/analysis/frame_tree.h"
#include "../../host/capture/tasks.h"

enum { DEPTH = 8, STOP = -1, HANDLER = TASK_INTERRUPT + 15 };

static struct frame_tree tree;

/* Adds a stack of functions, root first, up to STOP. `at`: where in each it was. */
static void stack_of(enum stack_end how, uint64_t count, unsigned at,
                     const int *functions)
{
    uint64_t addresses[DEPTH];
    size_t depth = 0;
    while (functions[depth] != STOP)
        depth++;
    for (size_t i = 0; i < depth; i++)
        addresses[i] = start_of(functions[depth - 1 - i]) + at;
    assert_true(profile_stack(&profile, addresses, depth, how, count));
}

#define STACK(how, count, at, ...)                                                       \
    stack_of(how, count, at, (const int[]){__VA_ARGS__, STOP})

/* Each node as "text self/total", those below it in brackets. */
static void put_node(FILE *out, size_t node)
{
    const struct tree_node *of = &tree.nodes[node];
    fprintf(out, "%s %llu/%llu", tree_frame(&tree, node)->text,
            (unsigned long long)of->self, (unsigned long long)of->total);
    for (size_t below = node + 1; below < of->end; below = tree.nodes[below].end) {
        assert_int_equal(tree.nodes[below].parent, node);
        assert_int_equal(tree.nodes[below].depth, of->depth + 1);
        fputs(below == node + 1 ? " (" : ", ", out);
        put_node(out, below);
    }
    if (of->end > node + 1)
        fputs(")", out);
}

static void is(enum tree_view view, const char *expected)
{
    struct error error;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_true(frame_tree_build(&tree, view, &profile, &analysis, image, &error));
    assert_int_equal(tree.nodes[0].end, tree.count);
    put_node(out, 0);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
    frame_tree_release(&tree);
}

static void addresses_are_nodes_of_their_own(void **state)
{
    (void)state;
    STACK(STACK_WHOLE, 1, 4, A, B);
    STACK(STACK_WHOLE, 2, 6, A, B);
    STACK(STACK_WHOLE, 4, 6, A, C);
    STACK(STACK_WHOLE, 8, 6, A);
    run();
    is(TREE_BY_FUNCTION, "all 0/15 (a 8/15 (b 3/3, c 4/4))");
    is(TREE_BY_ADDRESS, "all 0/15 (a 0/1 (b 1/1), a 0/6 (b 2/2, c 4/4), a 8/8)");
}

/* A caller is at its call, which is before the return address; a leaf is where it was. */
static void a_frame_has_the_address_at_work(void **state)
{
    struct error error;
    (void)state;
    STACK(STACK_WHOLE, 1, 6, A, B);
    run();
    assert_true(
        frame_tree_build(&tree, TREE_BY_ADDRESS, &profile, &analysis, image, &error));
    assert_int_equal(tree_frame(&tree, 1)->address, start_of(A) + 5);
    assert_int_equal(tree_frame(&tree, 2)->address, start_of(B) + 6);
    assert_int_equal(tree_frame(&tree, 2)->kind, TREE_FUNCTION);
    assert_string_equal(analysis.functions[tree_frame(&tree, 2)->number].name, "b");
    frame_tree_release(&tree);
}

static void ends_stand_above(void **state)
{
    (void)state;
    STACK(STACK_CUT, 1, 6, B);
    STACK(STACK_UNSURE, 2, 6, B);
    STACK(STACK_INTERRUPT, 4, 6, B);
    STACK(STACK_WHOLE, 8, 6, B);
    sample(C, 16); /* without a stack: nobody knows its caller */
    run();
    is(TREE_BY_FUNCTION, "all 0/31 (<interrupt> 0/4 (b 4/4), "
                         "[unknown] 0/19 (b 3/3, c 16/16), b 8/8)");
    is(TREE_BY_ADDRESS, "all 0/31 (<interrupt> 0/4 (b 4/4), [unknown] 0/1 (b 1/1), "
                        "[unknown] 0/18 (b 2/2, c 16/16), b 8/8)");
}

static void recursion_is_kept(void **state)
{
    (void)state;
    STACK(STACK_WHOLE, 1, 6, A, B, B, B);
    STACK(STACK_WHOLE, 2, 6, A, B, A);
    run();
    is(TREE_BY_FUNCTION, "all 0/3 (a 0/3 (b 0/3 (a 2/2, b 0/1 (b 1/1))))");
}

/* The program's functions that the profiler interrupted are not above its own. */
static void the_profilers_own_stand_apart(void **state)
{
    (void)state;
    STACK(STACK_WHOLE, 1, 6, A, B, PROFILER);
    STACK(STACK_WHOLE, 2, 6, A, PROFILER, B);
    run();
    is(TREE_BY_FUNCTION, "all 0/3 ([profiler] 0/1 (mcuprof_arc 1/1), "
                         "a 0/2 (mcuprof_arc 0/2 (b 2/2)))");
}

/* An interrupt's task says already that it is one. */
static void tasks_are_below_the_root(void **state)
{
    (void)state;
    profile.arch = "cortex-m";
    assert_true(profile_task(&profile, 1, "two", false));
    assert_true(profile_task(&profile, 2, "one", false));
    profile.task = 1;
    STACK(STACK_WHOLE, 1, 6, A, B);
    STACK(STACK_INTERRUPT, 2, 6, A);
    profile.task = 2;
    STACK(STACK_WHOLE, 4, 6, A);
    profile.task = HANDLER;
    STACK(STACK_INTERRUPT, 8, 6, B);
    run();
    is(TREE_BY_FUNCTION, "all 0/15 ([SysTick] 0/8 (b 8/8), one 0/4 (a 4/4), "
                         "two 0/3 (<interrupt> 0/2 (a 2/2), a 0/1 (b 1/1)))");
}

/* Each task's part is estimated by its own calls. */
static void without_paths_they_are_estimated(void **state)
{
    (void)state;
    assert_true(profile_task(&profile, 1, "one", false));
    assert_true(profile_task(&profile, 2, "two", false));
    profile.task = 1;
    sample(C, 9);
    call(A, C, 2);
    call(B, C, 1);
    profile.task = 2;
    sample(C, 4);
    call(B, C, 7);
    run();
    is(TREE_BY_FUNCTION, "all 0/13 (one 0/9 (a 0/6 (c 6/6), b 0/3 (c 3/3)), "
                         "two 0/4 (b 0/4 (c 4/4)))");
}

static void nothing_is_a_root(void **state)
{
    (void)state;
    call(A, B, 1);
    run();
    is(TREE_BY_FUNCTION, "all 0/0");
}

static void goes_up_and_down(void **state)
{
    struct error error;
    uint32_t path[DEPTH];
    (void)state;
    STACK(STACK_CUT, 1, 6, A, B, C);
    run();
    assert_true(
        frame_tree_build(&tree, TREE_BY_FUNCTION, &profile, &analysis, image, &error));
    assert_int_equal(tree.depth, 4);
    assert_int_equal(frame_tree_path(&tree, 3, path), 3);
    assert_int_equal(path[0], 1);
    assert_int_equal(path[2], 3);
    assert_int_equal(frame_tree_above(&tree, 4, TREE_FUNCTION), 4);
    assert_int_equal(frame_tree_above(&tree, 4, TREE_UNSURE), 1);
    assert_int_equal(frame_tree_above(&tree, 4, TREE_TASK), 0);
    frame_tree_release(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GRAPH_TEST(addresses_are_nodes_of_their_own),
        GRAPH_TEST(a_frame_has_the_address_at_work),
        GRAPH_TEST(ends_stand_above),
        GRAPH_TEST(recursion_is_kept),
        GRAPH_TEST(the_profilers_own_stand_apart),
        GRAPH_TEST(tasks_are_below_the_root),
        GRAPH_TEST(without_paths_they_are_estimated),
        GRAPH_TEST(nothing_is_a_root),
        GRAPH_TEST(goes_up_and_down),
    };

    return cmocka_run_group_tests(tests, build_image, remove_image);
}
