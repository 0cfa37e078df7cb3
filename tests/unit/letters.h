/* SPDX-License-Identifier: MIT */
/*
 * Call graphs over a tiny ELF: it has eight functions of 16 bytes from 0x1000, `a` to
 * `h`, then the profiler's own. Each test begins with an empty profile.
 */
#ifndef MCUPROF_TEST_LETTERS_H
#define MCUPROF_TEST_LETTERS_H

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

#include "../../host/analysis/analyse.h"

enum { A, B, C, D, E, F, G, H, PROFILER, FUNCTIONS, NOWHERE = 0x9000 };

static const char assembly[] =
    ".syntax unified\n.cpu cortex-m0\n.thumb\n.text\n"
    ".irp n,a,b,c,d,e,f,g,h,mcuprof_arc\n"
    ".global \\n\n.type \\n,%function\n.thumb_func\n\\n: .space 16\n.endr\n";

static char directory[] = "/tmp/test_analyse.XXXXXX";
static struct image *image;
static struct profile profile;
static struct analysis analysis;

/* The standard error, in samples, of n samples among N: the binomial's or, if it is
 * larger, the one by the moments of the true share, if nothing is known of that share but
 * that n of N samples hit it. */
static inline double error_of(double n, double N)
{
    double mean = (n + 1) / (N + 2), square = mean * (n + 2) / (N + 3);
    return fmax(sqrt(n * (1 - n / N)),
                N * sqrt(square - 2 * mean * n / N + n / N * (n / N)));
}

static inline int build_image(void **state)
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

static inline int remove_image(void **state)
{
    (void)state;
    image_close(image);
    return unlink("t.s") | unlink("t.o") | unlink("t.elf") | rmdir(directory);
}

static inline int begin(void **state)
{
    (void)state;
    profile_init(&profile);
    profile.hz = 100;
    return 0;
}

static inline int end(void **state)
{
    (void)state;
    analysis_release(&analysis);
    profile_release(&profile);
    return 0;
}

static inline uint64_t start_of(int function)
{
    return function == NOWHERE ? NOWHERE : 0x1000 + 16 * (uint64_t)function;
}

static inline void sample(int function, uint64_t count)
{
    assert_true(profile_count(&profile, EVENT_SAMPLE, 0, start_of(function) + 6, count));
}

static inline void call(int caller, int callee, uint64_t count)
{
    assert_true(profile_count(&profile, EVENT_ARC, start_of(caller) + 8,
                              start_of(callee) + 4, count));
}

static inline void run(void)
{
    struct error error;
    assert_true(analyse(&analysis, &profile, image, &error));
}

static inline const struct function *find(int function)
{
    for (size_t i = 0; i < analysis.function_count; i++)
        if (analysis.functions[i].symbol != NULL &&
            analysis.functions[i].address == start_of(function))
            return &analysis.functions[i];
    fail_msg("function %d is not in the analysis", function);
    return NULL;
}

static inline const struct arc *find_arc(int caller, int callee)
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

static inline void near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-9))
        fail_msg("%.12g is not %.12g", value, expected);
}

#define GRAPH_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

#endif
