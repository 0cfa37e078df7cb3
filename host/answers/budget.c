/* SPDX-License-Identifier: MIT */
#include "budget.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/path_walk.h"
#include "../capture/tasks.h"
#include "../hook_cost/timed.h"
#include "diff.h"

/* A sampled figure that is more standard errors beyond its limit breaks the budget. */
enum { ERRORS_AWAY = 2 };

static void say(struct budget_result *result, double figure, double error)
{
    result->known = true;
    result->figure = figure;
    result->error = result->doubt = error;
}

/* Says a share of so many samples, in per cent. */
static void say_share(struct budget_result *result, const struct budget *budget,
                      double share, double samples)
{
    say(result, 100 * share, 100 * analysis_share_error(share, samples));
    result->doubt =
        fmax(result->error, 100 * analysis_share_error(budget->limit / 100, samples));
}

/* Says the same share as a time; the time of all samples has an error, too. */
static void say_time(struct budget_result *result, const struct budget *budget,
                     double share, double samples, double whole)
{
    double all = 1 / sqrt(12 * samples), limit = budget->limit / whole;

    say(result, share * whole,
        whole * hypot(analysis_share_error(share, samples), share * all));
    result->doubt =
        fmax(result->error,
             whole * hypot(analysis_share_error(limit, samples), fmin(limit, 1) * all));
}

/* A sampled total that may be too low by `hidden`, in the figure's unit. That excuses one
 * that is too low, not one that is too high. */
static void say_hidden(struct budget_result *result, const struct budget *budget,
                       double hidden)
{
    result->error = hypot(result->error, hidden);
    if (budget->op != BUDGET_BELOW && budget->op != BUDGET_AT_MOST)
        result->doubt = hypot(result->doubt, hidden);
}

/* ---- Energy ---- */

static const char no_power[] = "the power is not known: --power FILE";

/* Says an energy. At the limit it has the largest current: there the error is largest. */
static void say_energy(struct budget_result *result, const struct budget *budget,
                       const struct budget_facts *facts, struct joules used)
{
    const struct analysis *analysis = facts->analysis;
    double samples = facts->energy->source == ENERGY_SAMPLED ? analysis->samples : 0;
    double all = samples > 0 ? 1 / sqrt(12 * samples) : 0, least, most;

    bool most_asked = budget->op == BUDGET_BELOW || budget->op == BUDGET_AT_MOST;

    say(result, used.joules, hypot(used.error, all * used.joules));
    if (most_asked) /* as say_hidden() */
        result->doubt = sqrt(fmax(pow(result->error, 2) - pow(used.hidden, 2), 0));
    if (!(samples > 0))
        return;
    power_bounds(facts->energy->power, &least, &most);
    double watts = most * facts->energy->power->volts;
    double at_limit = analysis_error(analysis, budget->limit / watts * analysis->hz);
    result->doubt = fmax(result->doubt, watts * at_limit / analysis->hz);
}

static void check_whole_energy(const struct budget *budget,
                               const struct budget_facts *facts,
                               struct budget_result *result)
{
    const struct energy *energy = facts->energy;

    if (energy == NULL)
        result->cause = no_power;
    else if (budget->what == BUDGET_ENERGY)
        say(result, energy->whole.joules, energy->whole.error);
    else if (budget->what == BUDGET_CURRENT)
        say(result, energy->amperes, energy->amperes_error);
    else if (energy->life > 0)
        say(result, energy->life, energy->life_error);
    else
        result->cause = energy->power->battery > 0
                            ? "nothing drew a current"
                            : "the file of --power names no battery";
}

/* ---- Functions ---- */

/* All functions of one name together. */
struct named_sum {
    bool exists;
    double self, total, hidden;
    uint64_t calls;
    struct timed timed;
    struct joules own, all; /* energies */
    /* Where they call each other, the sums of totals have the time of such calls twice,
     * and the total of all is between the largest one and the sum. By call paths,
     * total_of() knows it. */
    bool nested;
    double most;
    uint64_t timed_most;
    struct joules all_most;
};

static bool exists(const struct image *image, const char *wanted)
{
    const struct image_symbol *symbols;
    size_t count = image_symbols(image, &symbols);

    for (size_t i = 0; i < count; i++) {
        if (analysis_is_named(symbols[i].demangled, &symbols[i], wanted))
            return true;
    }
    return false;
}

/* The time of the paths that have one of these functions: functions of one name may be in
 * each other's totals. */
static double total_of(const struct analysis *analysis, const bool *wanted)
{
    double samples = 0;

    for (size_t i = 0; i < analysis->path_count; i++) {
        const struct call_path *path = &analysis->paths[i];
        struct walk walk = walk_of(analysis, path);
        bool found = false;

        while (!found && step(&walk))
            found = wanted[walk.callee] && (!path->overhead || is_leaf(&walk));
        samples += found ? (double)path->samples : 0;
    }
    return samples / analysis->hz;
}

/* Adds what a function calls, directly or through others. false: out of memory. */
static bool reach(const struct analysis *analysis, size_t from, bool *reached)
{
    size_t count = 0, *left = calloc(analysis->function_count + 1, sizeof *left);

    if (left == NULL)
        return false;
    left[count++] = from;
    while (count > 0) {
        const struct function *function = &analysis->functions[left[--count]];

        for (size_t i = 0; i < function->outs; i++) {
            size_t callee = analysis->arcs[function->first_out + i].callee;

            if (!reached[callee])
                left[count++] = callee;
            reached[callee] = true;
        }
    }
    free(left);
    return true;
}

/* Finds whether one of these functions calls another. false: out of memory. */
static bool find_nested(const struct analysis *analysis, const bool *wanted, bool *nested)
{
    size_t count = analysis->function_count;
    bool *reached = calloc(count + 1, sizeof *reached), done = reached != NULL;

    for (size_t i = 0; done && i < count && !*nested; i++) {
        if (!wanted[i])
            continue;
        memset(reached, 0, count * sizeof *reached);
        done = reach(analysis, i, reached);
        for (size_t other = 0; done && other < count; other++)
            *nested = *nested || (wanted[other] && other != i && reached[other]);
    }
    free(reached);
    return done;
}

/* Adds a function's totals to those of the others of its name. */
static void add_totals(struct named_sum *named, const struct function *function)
{
    named->total += function->total;
    named->timed.total += function->timed->total;
    named->most = fmax(named->most, function->total);
    if (function->timed->total > named->timed_most)
        named->timed_most = function->timed->total;
}

/* `wanted`: of false, one for each function; those of that name become true. */
static struct named_sum find(const struct budget_facts *facts, const char *name,
                             bool *wanted)
{
    struct named_sum named = {.timed.shortest = UINT64_MAX};

    for (size_t i = 0; i < facts->analysis->function_count; i++) {
        const struct function *function = &facts->analysis->functions[i];

        if (!analysis_is_named(function->name, function->symbol, name))
            continue;
        named.exists = wanted[i] = true;
        if (facts->energy != NULL && facts->energy->functions.self != NULL) {
            joules_add(&named.own, &facts->energy->functions.self[i],
                       facts->energy->power->tolerance);
            joules_add(&named.all, &facts->energy->functions.total[i],
                       facts->energy->power->tolerance);
            if (facts->energy->functions.total[i].joules > named.all_most.joules)
                named.all_most = facts->energy->functions.total[i];
        }
        add_totals(&named, function);
        named.self += function->self;
        named.hidden += function->hidden;
        named.calls += function->calls + function->self_calls;
        named.timed.calls += function->timed->calls;
        named.timed.self += function->timed->self;
        if (function->timed->calls > 0 &&
            function->timed->shortest < named.timed.shortest)
            named.timed.shortest = function->timed->shortest;
        if (function->timed->longest > named.timed.longest)
            named.timed.longest = function->timed->longest;
    }
    named.exists = named.exists || exists(facts->image, name);
    if (facts->analysis->measured)
        named.total = named.most = total_of(facts->analysis, wanted);
    return named;
}

static void check_share(const struct budget *budget, const struct analysis *analysis,
                        const struct named_sum *named, struct budget_result *result)
{
    bool total = budget->what == BUDGET_TOTAL;
    bool timed = !analysis->has_samples && analysis->timed.known;
    double tick = analysis->timed.tick_seconds;
    double sum = timed ? (double)named->timed.total : named->total;
    double most = !named->nested ? sum : timed ? (double)named->timed_most : named->most;
    double part = total ? most : timed ? (double)named->timed.self : named->self;
    double whole = timed ? (double)analysis->timed.program : analysis->program;
    double samples = analysis->program * analysis->hz;

    if (!(whole > 0)) {
        result->cause = "there are neither samples nor timed calls";
        return;
    }
    part = fmin(part, whole);
    if (timed && budget->unit == QUANTITY_PERCENT)
        say(result, 100 * part / whole, 0);
    else if (timed && tick > 0)
        say(result, part * tick, 0);
    else if (budget->unit == QUANTITY_PERCENT)
        say_share(result, budget, part / whole, samples);
    else if (analysis->has_time)
        say_time(result, budget, part / whole, samples, whole);
    else
        result->cause =
            timed ? "the clock's rate is not known" : "the rate is not known: --hz";
    if (total && result->known && part > 0)
        result->missing = result->figure * (fmin(sum, whole) / part - 1);
    if (total && !timed && result->known)
        say_hidden(result, budget,
                   fmin(named->hidden, whole) *
                       (budget->unit == QUANTITY_PERCENT ? 100 / whole : 1));
}

static void check_energy(const struct budget *budget, const struct budget_facts *facts,
                         const struct named_sum *named, struct budget_result *result)
{
    bool total = budget->what == BUDGET_TOTAL;
    struct joules used = !total          ? named->own
                         : named->nested ? named->all_most
                                         : named->all;

    if (facts->energy == NULL) {
        result->cause = no_power;
    } else if (facts->energy->functions.self == NULL) {
        result->cause = "there are neither samples nor timed calls";
    } else {
        if (used.joules > facts->energy->whole.joules)
            used = facts->energy->whole;
        say_energy(result, budget, facts, used);
        if (total && named->nested)
            result->missing =
                fmin(named->all.joules, facts->energy->whole.joules) - used.joules;
    }
}

static void check_timed(const struct budget *budget, const struct analysis *analysis,
                        const struct named_sum *named, struct budget_result *result)
{
    double tick = analysis->timed.tick_seconds;
    double ticks = budget->what == BUDGET_MIN ? (double)named->timed.shortest
                   : budget->what == BUDGET_MAX
                       ? (double)named->timed.longest
                       : (double)named->timed.total / (double)named->timed.calls;

    if (named->timed.calls == 0)
        result->cause = "no call of it was timed";
    else if (tick <= 0)
        result->cause = "the clock's rate is not known";
    else
        say(result, ticks * tick, 0);
}

/* Puts the single calls of all functions of that name together; some functions' single
 * calls may be missing. false: out of memory. */
static bool collect_singles(const struct budget_facts *facts, const char *wanted,
                            struct durations *singles)
{
    const struct analysis *analysis = facts->analysis;

    for (size_t i = 0; i < analysis->function_count; i++) {
        const struct function *function = &analysis->functions[i];
        const struct durations *more = analysis_singles(analysis, function);

        if (more != NULL && analysis_is_named(function->name, function->symbol, wanted) &&
            !durations_add_all(singles, more, 0))
            return false;
    }
    return true;
}

/* Checks the time that so many per cent of the calls did not exceed. */
static bool check_part(const struct budget *budget, const struct budget_facts *facts,
                       const struct named_sum *named, struct budget_result *result)
{
    double part = budget->what == BUDGET_P50   ? 0.5
                  : budget->what == BUDGET_P90 ? 0.9
                                               : 0.99;
    struct durations singles = {.bins = NULL};
    bool done = collect_singles(facts, budget->subject, &singles);

    check_timed(budget, facts->analysis, named, result);
    if (result->known && singles.count < named->timed.calls) {
        result->known = false;
        result->cause =
            "the firmware's cache, or merge, added calls up: MCUPROF_ENTRIES=0";
    } else if (result->known) {
        say(result,
            (double)durations_quantile(&singles, part) *
                facts->analysis->timed.tick_seconds,
            0);
    }
    durations_release(&singles);
    return done;
}

static void say_calls(const struct profile *profile, uint64_t calls,
                      struct budget_result *result)
{
    say(result, (double)calls, 0);
    result->missing =
        profile_misses_some(profile)
            ? INFINITY
            : (double)profile->lost[EVENT_ARC] + (double)profile->lost[EVENT_CALL];
}

/* false: out of memory. */
static bool check_function(const struct budget *budget, const struct budget_facts *facts,
                           struct budget_result *result)
{
    bool *wanted = calloc(facts->analysis->function_count + 1, sizeof *wanted);
    if (wanted == NULL)
        return false;
    struct named_sum named = find(facts, budget->subject, wanted);
    bool done = find_nested(facts->analysis, wanted, &named.nested);
    free(wanted);
    if (!done)
        return false;
    if (!named.exists)
        result->cause = "the ELF has no function of that name";
    else if (budget->unit == QUANTITY_ENERGY)
        check_energy(budget, facts, &named, result);
    else if (budget->what <= BUDGET_TOTAL)
        check_share(budget, facts->analysis, &named, result);
    else if (budget->what >= BUDGET_P50 && budget->what <= BUDGET_P99)
        return check_part(budget, facts, &named, result);
    else if (budget->what != BUDGET_CALLS)
        check_timed(budget, facts->analysis, &named, result);
    else if (facts->analysis->has_calls)
        say_calls(facts->profile, named.calls, result);
    else
        result->cause = "calls were not counted";
    return true;
}

/* ---- Tasks ---- */

static void check_task_sum(const struct budget *budget, const struct budget_facts *facts,
                           const struct task_sums *tasks, const struct task_sum *task,
                           struct budget_result *result)
{
    double tick = facts->analysis->timed.tick_seconds;

    if (budget->what == BUDGET_TASK_MAX) {
        if (task->time.longest > 0 && tick > 0)
            say(result, (double)task->time.longest * tick, 0);
        else
            result->cause = "its runs were not timed";
    } else if (tasks->samples > 0) {
        say_share(result, budget, (double)task->samples / (double)tasks->samples,
                  (double)tasks->samples);
    } else if (tasks->time > 0) {
        say(result, 100 * (double)task->time.total / (double)tasks->time, 0);
    } else {
        result->cause = "there are neither samples nor times of it";
    }
}

/* Whether the firmware named a task so, or the label is that of a task without a name. */
static bool task_exists(const struct profile *profile, const char *label)
{
    char named[TASK_LABEL_MAX];

    for (size_t i = 0; i < profile->task_count; i++) {
        task_label(named, profile, profile->tasks[i].number);
        if (strcmp(named, label) == 0)
            return true;
    }
    return label[0] == '[' && label[strlen(label) - 1] == ']';
}

/* The energy of all tasks that are called so. */
static void check_task_energy(const struct budget *budget,
                              const struct budget_facts *facts,
                              struct budget_result *result)
{
    const struct energy *energy = facts->energy;
    struct joules sum = {0};
    bool any = false;

    for (size_t i = 0; energy != NULL && i < energy->task_count; i++) {
        if (task_is_called(facts->profile, energy->tasks[i].number, budget->subject)) {
            joules_add(&sum, &energy->tasks[i].used, energy->power->tolerance);
            any = true;
        }
    }
    if (energy == NULL)
        result->cause = no_power;
    else if (any || task_exists(facts->profile, budget->subject))
        say_energy(result, budget, facts, sum);
    else
        result->cause = "the capture has no task of that name";
}

static bool check_task(const struct budget *budget, const struct budget_facts *facts,
                       struct budget_result *result)
{
    struct task_sums tasks;

    if (!task_sums_init(&tasks, facts->profile))
        return false;
    bool any = task_sums_keep(&tasks, facts->profile, budget->subject);
    if (facts->profile->one_task && budget->what == BUDGET_TASK) {
        result->cause = "of one task alone (--task) no share is known";
    } else if (any) {
        struct task_sum task = task_sums_joined(&tasks);
        check_task_sum(budget, facts, &tasks, &task, result);
    } else if (!task_exists(facts->profile, budget->subject)) {
        result->cause = "the capture has no task of that name";
    } else if (tasks.samples > 0 && budget->what == BUDGET_TASK) {
        say_share(result, budget, 0, (double)tasks.samples);
    } else {
        result->cause = "nothing was counted of it";
    }
    task_sums_release(&tasks);
    return true;
}

/* ---- The whole ---- */

static void check_profiler(const struct budget *budget, const struct analysis *analysis,
                           struct budget_result *result)
{
    if (analysis->total > 0)
        say_share(result, budget, analysis->overhead / analysis->total,
                  analysis->total * analysis->hz);
    else if (analysis->timed.run > 0)
        say(result, 100 * (double)analysis->timed.profiler / (double)analysis->timed.run,
            0);
    else
        result->cause = "there are neither samples nor timed calls";
}

static void check_lost(const struct budget_facts *facts, struct budget_result *result)
{
    if (!facts->lost_unknown)
        say(result, (double)events_sum(facts->profile->lost), 0);
    else
        result->cause = "records were damaged, or the end is missing: nobody knows";
}

static void check_regression(const struct analysis *before, const struct analysis *after,
                             struct budget_result *result)
{
    struct diff_time time;

    if (!diff_time(before, after, &time))
        result->cause = "the program's time is not known in both";
    else
        say(result, 100 * time.change, 100 * time.error);
}

/* How far a figure is on the wrong side of its limit; 0 and below: it is not. */
static double beyond(const struct budget *budget, double figure)
{
    double over = figure - budget->limit;

    switch (budget->op) {
    case BUDGET_BELOW:
        return over == 0 ? 1e-300 : over;
    case BUDGET_AT_MOST:
        return over;
    case BUDGET_EQUAL:
        return fabs(over);
    case BUDGET_AT_LEAST:
        return -over;
    default:
        return over == 0 ? 1e-300 : -over;
    }
}

/* Whether calls that are missing would make a kept budget a broken one, or a broken one
 * kept. */
static bool is_open(const struct budget *budget, const struct budget_result *result)
{
    bool kept = beyond(budget, result->figure) <= 0;

    if (!(result->missing > 0))
        return false;
    if (budget->op == BUDGET_EQUAL && !kept)
        return result->figure < budget->limit &&
               budget->limit <= result->figure + result->missing;
    return kept != (beyond(budget, result->figure + result->missing) <= 0);
}

bool budget_check(const struct budget *budget, const struct budget_facts *facts,
                  struct budget_result *result)
{
    double over;
    bool done = true;

    *result = (struct budget_result){.state = BUDGET_BROKEN};
    if (budget->what <= BUDGET_MAX)
        done = check_function(budget, facts, result);
    else if (budget->what == BUDGET_TASK_ENERGY)
        check_task_energy(budget, facts, result);
    else if (budget->what <= BUDGET_TASK_MAX)
        done = check_task(budget, facts, result);
    else if (budget->what <= BUDGET_LIFE)
        check_whole_energy(budget, facts, result);
    else if (budget->what == BUDGET_PROFILER)
        check_profiler(budget, facts->analysis, result);
    else if (budget->what == BUDGET_LOST)
        check_lost(facts, result);
    else
        check_regression(facts->baseline, facts->analysis, result);
    if (!result->known)
        return done;
    over = beyond(budget, result->figure);
    result->state = over <= 0                             ? BUDGET_KEPT
                    : over <= ERRORS_AWAY * result->doubt ? BUDGET_NEAR
                                                          : BUDGET_BROKEN;
    if (is_open(budget, result))
        result->state = BUDGET_NEAR;
    return done;
}
