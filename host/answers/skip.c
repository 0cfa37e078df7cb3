/* SPDX-License-Identifier: MIT */
#include "skip.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t pairs_of(const struct function *function)
{
    return function->timed->calls + function->timed->recursive;
}

/* The most called first, then by address, so that the order is always the same. */
static int by_pairs(const void *a, const void *b)
{
    const struct function *left = *(const struct function *const *)a,
                          *right = *(const struct function *const *)b;
    uint64_t of_left = pairs_of(left), of_right = pairs_of(right);
    if (of_left != of_right)
        return of_left < of_right ? 1 : -1;
    return (left->address > right->address) - (left->address < right->address);
}

const char *skip_name(const struct function *function, size_t *bytes)
{
    static const char hidden[] = "(anonymous namespace)::";
    *bytes = 0;
    if (function->symbol == NULL)
        return function->name;
    const char *name = function->symbol->demangled, *end;
    if (strstr(name, "operator") != NULL)
        return name;
    for (const char *at; (at = strstr(name, hidden)) != NULL;)
        name = at + strlen(hidden);
    end = name + strcspn(name, "(<.[,");
    for (const char *at = name; at < end; at++)
        if (*at == ' ')
            name = at + 1;
    if (*end != '<' || strstr(end, ">::") == NULL) /* else it would name a whole class */
        *bytes = (size_t)(end - name);
    return name;
}

/* Keeps the first functions, as many as it takes; `pairs` of hooks were called in all. */
static void choose(struct skip *skip, const struct timed_run *run, size_t candidates,
                   uint64_t pairs)
{
    double all = (double)run->run, profiler = skip->share * all;
    double program = all - profiler, pair = profiler / fmax((double)pairs, 1);
    while (skip->count < candidates && profiler >= SKIP_TO * fmax(profiler + program, 1))
        profiler -= pair * (double)pairs_of(skip->functions[skip->count++]);
}

bool skip_find(struct skip *skip, const struct analysis *analysis)
{
    const struct timed_run *run = &analysis->timed;
    size_t candidates = 0, bytes;
    uint64_t pairs = 0;
    *skip = (struct skip){NULL, 0, 0};
    if (run->known && run->run > 0)
        skip->share = (double)(run->profiler + run->put_back) / (double)run->run;
    if (skip->share < SKIP_FROM)
        return true;
    skip->functions = calloc(analysis->function_count + 1, sizeof *skip->functions);
    if (skip->functions == NULL)
        return false;
    for (size_t i = 0; i < analysis->function_count; i++) {
        const struct function *function = &analysis->functions[i];
        pairs += pairs_of(function);
        skip_name(function, &bytes);
        if (pairs_of(function) > 0 && bytes > 0)
            skip->functions[candidates++] = function;
    }
    qsort(skip->functions, candidates, sizeof *skip->functions, by_pairs);
    choose(skip, run, candidates, pairs);
    return true;
}

void skip_release(struct skip *skip)
{
    free(skip->functions);
}
