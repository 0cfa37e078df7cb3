/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "hooked.h"
#include "timed.h"

/* `calls` were timed with `pairs` pairs of hooks, or halves of pairs, which have cost
 * `cost`; `code` is the square of the error that the compiler makes, `spared` the error
 * in what it took to save registers. */
static double error_of(double code, double cost, double spared, double calls,
                       double pairs)
{
    double hooks = TIMED_HOOKS_ERROR * cost;
    return sqrt(code + hooks * hooks + spared * spared + (calls + pairs * pairs) / 6);
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

/* The cost of the hooks in a function's total. */
static struct arc_times cost_of_total(const struct analysis *analysis,
                                      const struct function *function)
{
    struct arc_times sum = {.cost = 0};
    for (size_t i = 0; i < function->ins; i++) {
        const struct arc *arc = &analysis->arcs[analysis->ins[function->first_in + i]];
        if (arc->times != NULL && arc->times->timed.calls > 0) {
            sum.cost += arc->times->cost;
            sum.saving += arc->times->saving;
            sum.spread += arc->times->spread;
            sum.code += arc->times->code;
        }
    }
    return sum;
}

/* The error is at most what it would be if all functions erred the same way. */
static double saving_error(double saving, double spread)
{
    return fmin(HOOKED_SAVING_ERROR / HOOKED_SAVING * saving,
                hypot(HOOKED_SAVING_COMMON / HOOKED_SAVING * saving, sqrt(spread)));
}

/* A self time has the inside of each pair of its own calls, and the outside of each pair
 * of the calls it makes. Each is half a pair, so the sum of their squares is halved. */
void timed_find_errors(struct analysis *analysis, const struct time_base *time)
{
    double pair = time->inside + time->outside, all = 0, code = 0;
    if (pair <= 0)
        return;
    for (size_t i = 0; i < analysis->function_count; i++) {
        const struct function *function = &analysis->functions[i];
        struct function_times *times = &analysis->function_times[i];
        double calls = (double)timed_all_calls(&times->timed);
        double made = calls_from(analysis, function);
        struct arc_times all_in = cost_of_total(analysis, function);
        times->errors.self = error_of(times->code, times->cost, sqrt(times->spread),
                                      calls + made, hypot(calls, made) * M_SQRT1_2);
        times->errors.total =
            error_of(all_in.code, all_in.cost, saving_error(all_in.saving, all_in.spread),
                     (double)times->timed.calls, all_in.cost / pair);
        all += calls;
        code += times->code;
    }
    analysis->timed.program_error = error_of(
        code, all * pair,
        saving_error((double)analysis->timed.saving, analysis->timed.spread), all, all);
}

struct timed_errors analysis_timed_errors(const struct analysis *analysis,
                                          const struct function *function)
{
    static const struct timed_errors none;
    if (analysis->function_times == NULL || analysis->timed.raw)
        return none;
    return analysis->function_times[function - analysis->functions].errors;
}
