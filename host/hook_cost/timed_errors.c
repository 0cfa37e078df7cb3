/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "internal.h"
#include "outside.h"

/* `calls` were timed with `pairs` pairs of hooks, or halves of pairs; `code` is the error
 * that the compiler makes, `hooks` that of what the hooks have cost. */
static double error_of(double code, double hooks, double calls, double pairs)
{
    return sqrt(code * code + hooks * hooks + (calls + pairs * pairs) / 6);
}

/* The calls that a function makes. */
static double calls_from(const struct analysis *analysis, const struct function *function)
{
    double calls = 0;
    for (size_t i = 0; i < function->outs; i++) {
        const struct arc *arc = &analysis->arcs[function->first_out + i];
        calls += arc->times != NULL ? (double)timed_all_calls(&arc->times->timed) : 0;
    }
    return calls;
}

/* ---- Errors in totals ---- */

/* So many functions' errors are passed on one by one. */
enum { ONE_BY_ONE_MAX = 128, ONE_BY_ONE_ARCS = 1 << 24 };

/* Of a function's total: what its hooks have cost and what it took to save registers; the
 * square of the error of both, and of the error that the compiler makes. */
struct total {
    double cost, saving, hooks, code;
};

/* A function's error in its own time, which is common to its calls. */
struct own_error {
    double ticks;
    uint32_t function;
};

struct passing {
    struct analysis *analysis;
    const uint32_t *order;
    const struct arc_weights *weights;
    struct own_error *own; /* of all functions, the largest first */
    struct total *totals;
    double *self;               /* what propagate() is given */
    struct passed_times passed; /* and what it makes of that */
};

static int by_ticks(const void *left, const void *right)
{
    const struct own_error *a = left, *b = right;
    ORDER_BY(b->ticks, a->ticks);
    return (a->function > b->function) - (a->function < b->function);
}

/* What was passed on to a function's total. */
static double passed_to(const struct passing *passing, size_t function)
{
    const struct analysis *analysis = passing->analysis;
    const struct function *to = &analysis->functions[function];
    double sum = 0;
    for (size_t i = 0; i < to->ins; i++) {
        const struct arc *arc = &analysis->arcs[analysis->ins[to->first_in + i]];
        if (arc->times != NULL && arc->times->timed.calls > 0)
            sum += timed_along(analysis, &passing->passed, arc);
    }
    return sum;
}

static bool pass(struct passing *passing)
{
    return propagate(passing->analysis, passing->self, passing->order, passing->weights,
                     &passing->passed);
}

static double *square_of(struct total *total, bool hooks)
{
    return hooks ? &total->hooks : &total->code;
}

/* Passes on the error of one function: a part of its calls has that part of it, and all
 * ways to a total add up. */
static bool pass_one(struct passing *passing, const struct own_error *own, bool hooks)
{
    size_t count = passing->analysis->function_count;
    memset(passing->self, 0, count * sizeof *passing->self);
    passing->self[own->function] = own->ticks;
    if (!pass(passing))
        return false;
    for (size_t i = 0; i < count; i++)
        *square_of(&passing->totals[i], hooks) += pow(passed_to(passing, i), 2);
    return true;
}

/* Passes on the errors of the functions from `first` on. Squares alone would give a part
 * of the calls too much, and the sum says that all err the same way: neither is less than
 * the error. */
static bool pass_rest(struct passing *passing, size_t first, bool hooks)
{
    size_t count = passing->analysis->function_count;
    double *squares = calloc(count + 1, sizeof *squares);
    bool done = squares != NULL;
    for (unsigned power = 2; done && power > 0; power--) {
        for (size_t i = 0; i < count; i++)
            passing->self[passing->own[i].function] =
                i < first ? 0 : pow(passing->own[i].ticks, power);
        done = pass(passing);
        for (size_t i = 0; done && power == 2 && i < count; i++)
            squares[i] = passed_to(passing, i);
    }
    for (size_t i = 0; done && i < count; i++)
        *square_of(&passing->totals[i], hooks) +=
            fmin(squares[i], pow(passed_to(passing, i), 2));
    free(squares);
    return done;
}

static bool pass_errors(struct passing *passing, bool hooks)
{
    size_t count = passing->analysis->function_count, first = 0;
    size_t most = ONE_BY_ONE_ARCS / (passing->analysis->arc_count + count + 1);
    qsort(passing->own, count, sizeof *passing->own, by_ticks);
    while (first < count && first < ONE_BY_ONE_MAX && first < most &&
           passing->own[first].ticks > 0)
        if (!pass_one(passing, &passing->own[first++], hooks))
            return false;
    return first == count || passing->own[first].ticks == 0 ||
           pass_rest(passing, first, hooks);
}

/* The error in what the hooks of a function's own calls have cost. */
static double own_hooks_error(const struct function_times *times, double pair)
{
    return hypot(TIMED_HOOKS_ERROR * (double)timed_all_calls(&times->timed) * pair,
                 times->astray);
}

static bool pass_all(struct passing *passing, double pair)
{
    struct analysis *analysis = passing->analysis;
    for (unsigned hooks = 0; hooks < 2; hooks++) {
        passing->weights = hooks ? &timed_by_hooks : &timed_by_time;
        for (size_t i = 0; i < analysis->function_count; i++) {
            const struct function_times *times = &analysis->function_times[i];
            passing->own[i] = (struct own_error){
                hooks ? own_hooks_error(times, pair) : times->differing, (uint32_t)i};
        }
        if (!pass_errors(passing, hooks))
            return false;
    }
    return true;
}

static void find_costs_of_totals(const struct passing *passing)
{
    const struct analysis *analysis = passing->analysis;
    for (size_t i = 0; i < analysis->function_count; i++) {
        const struct function *function = &analysis->functions[i];
        struct total *total = &passing->totals[i];
        for (size_t j = 0; j < function->ins; j++) {
            const struct arc *arc =
                &analysis->arcs[analysis->ins[function->first_in + j]];
            if (arc->times == NULL || arc->times->timed.calls == 0)
                continue;
            total->cost += arc->times->cost;
            total->saving += arc->times->saving;
        }
    }
}

static double error_of_total(const struct total *total, double calls, double pair)
{
    double common = HOOK_SAVING_COMMON / HOOK_SAVING * total->saving +
                    TIMED_HOOKS_COMMON * total->cost;
    return error_of(sqrt(total->code), hypot(common, sqrt(total->hooks)), calls,
                    total->cost / pair);
}

/* A self time has the inside of each pair of its own calls, and the outside of each pair
 * of the calls it makes. Each is half a pair, so the sum of their squares is halved. */
static void find_errors(const struct passing *passing, double pair)
{
    struct analysis *analysis = passing->analysis;
    struct total run = {.saving = (double)analysis->timed.saving};
    double all = 0;
    for (size_t i = 0; i < analysis->function_count; i++) {
        struct function_times *times = &analysis->function_times[i];
        double calls = (double)timed_all_calls(&times->timed);
        double made = calls_from(analysis, &analysis->functions[i]);
        times->errors.self = error_of(
            times->differing, hypot(TIMED_HOOKS_ERROR * times->cost, times->astray),
            calls + made, hypot(calls, made) * M_SQRT1_2);
        times->errors.total =
            error_of_total(&passing->totals[i], (double)times->timed.calls, pair);
        all += calls;
        run.code += pow(times->differing, 2);
        run.hooks += pow(own_hooks_error(times, pair), 2);
    }
    run.cost = all * pair;
    analysis->timed.program_error = error_of_total(&run, all, pair);
}

bool timed_find_errors(struct analysis *analysis, const struct time_base *time,
                       const uint32_t *order)
{
    double pair = time->inside + time->outside;
    size_t functions = analysis->function_count;
    struct passing passing = {.analysis = analysis, .order = order};
    if (pair <= 0)
        return true;
    passing.own = calloc(functions + 1, sizeof *passing.own);
    passing.totals = calloc(functions + 1, sizeof *passing.totals);
    passing.self = calloc(functions + 1, sizeof *passing.self);
    bool done = passed_times_init(&passing.passed, analysis) && passing.own != NULL &&
                passing.totals != NULL && passing.self != NULL;
    if (done) {
        find_costs_of_totals(&passing);
        done = pass_all(&passing, pair);
        find_errors(&passing, pair);
    }
    free(passing.own);
    free(passing.totals);
    free(passing.self);
    passed_times_release(&passing.passed);
    return done;
}

/* ---- What the compiler makes ---- */

void timed_find_ratios(struct analysis *analysis, struct shipped_code *codes,
                       double instruction)
{
    for (size_t i = 0; i < analysis->function_count; i++) {
        struct function_times *times = &analysis->function_times[i];
        double ticks = (double)timed_all_calls(&times->timed) * instruction;
        if (codes[i].loops > 0 && codes[i].ratio > 0 && ticks > 0)
            codes[i].ratio = shipped_ratio(&codes[i], (double)times->timed.self / ticks,
                                           &times->turns);
    }
}

/* How much of a function's calls' self time is its own code at most: code without loops
 * executes each instruction once. */
static double own_code(const struct timed *timed, const struct shipped_code *code,
                       double instruction)
{
    double most = (double)timed_all_calls(timed) * code->counts * instruction;
    return most > 0 && code->loops == 0 && most < (double)timed->self
               ? most
               : (double)timed->self;
}

double timed_code_error(const struct function_times *times,
                        const struct shipped_code *code, double instruction)
{
    double own = own_code(&times->timed, code, instruction);
    if (code->counts == 0 || (code->loops > 0 && code->ratio == 0))
        return TIMED_LOOPS_ERROR * own;
    if (code->ratio == 0)
        return TIMED_CODE_ERROR * own;
    double part = code->moved ? TIMED_INLINED_ERROR : TIMED_SHIPPED_ERROR;
    return hypot(hypot(part * own, TIMED_DIFFERS_ERROR * times->differs),
                 times->turns * own);
}

struct timed_errors analysis_timed_errors(const struct analysis *analysis,
                                          const struct function *function)
{
    static const struct timed_errors none;
    if (analysis->function_times == NULL || analysis->timed.raw)
        return none;
    return analysis->function_times[function - analysis->functions].errors;
}
