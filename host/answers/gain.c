/* SPDX-License-Identifier: MIT */
#include "gain.h"

#include <math.h>
#include <stdlib.h>

#include "../base/search.h"
#include "../capture/tasks.h"
#include "../hook_cost/timed.h"

static struct gain_share sampled(const struct analysis *analysis, double time,
                                 double hidden)
{
    double share = fmin(time / analysis->program, 1);
    if (!(analysis->program > 0) || time <= 0)
        return (struct gain_share){0, 0};
    return (struct gain_share){
        share, hypot(analysis_share_error(share, analysis->program * analysis->hz),
                     hidden / analysis->program)};
}

static struct gain_share timed(double whole, uint64_t ticks)
{
    return (struct gain_share){whole > 0 ? fmin((double)ticks / whole, 1) : 0, 0};
}

static struct gain_shares shares_of(const struct gains *gains,
                                    const struct analysis *analysis,
                                    const struct function *function)
{
    const struct timed *calls = function->timed;
    if (analysis->has_samples)
        return (struct gain_shares){sampled(analysis, function->self, 0),
                                    sampled(analysis, function->total, function->hidden)};
    return (struct gain_shares){timed(gains->whole, calls->self),
                                timed(gains->whole, calls->self + calls->children)};
}

/* Fills in the shares of all functions; those of `run` are by address, too. */
static void fill(struct gains *gains, const struct analysis *analysis,
                 const struct analysis *run)
{
    for (size_t i = 0; i < analysis->function_count; i++) {
        uint64_t address = analysis->functions[i].address;
        size_t at = 0;
        SEARCH(at, run->function_count, run->functions[middle].address < address);
        if (at < run->function_count && run->functions[at].address == address)
            gains->items[i] = shares_of(gains, run, &run->functions[at]);
    }
}

/* Fills in the shares of the run without its idle tasks. */
static bool fill_busy(struct gains *gains, const struct profile *profile,
                      const struct analysis *analysis, struct image *image,
                      struct error *error)
{
    struct profile part;
    struct analysis busy;
    if (!profile_busy(&part, profile))
        return error_no_memory(error);
    bool done = analyse(&busy, &part, image, error);
    if (done) {
        if (analysis->timed.raw)
            analysis_put_back(&busy);
        if (analysis->has_samples)
            gains->whole = busy.program;
        fill(gains, analysis, &busy);
        analysis_release(&busy);
    }
    profile_release(&part);
    return done;
}

static bool any_idle(const struct profile *profile)
{
    for (size_t i = 0; i < profile->task_count; i++)
        if (profile->tasks[i].idle)
            return true;
    return false;
}

/* The ticks of idle tasks. false: out of memory. */
static bool find_idle_ticks(const struct profile *profile, double *ticks)
{
    struct task_sums sums;
    if (!task_sums_init(&sums, profile))
        return false;
    for (size_t i = 0; i < sums.count; i++)
        *ticks += sums.items[i].idle ? (double)sums.items[i].time.total : 0;
    task_sums_release(&sums);
    return true;
}

bool gains_find(struct gains *gains, const struct profile *profile,
                const struct analysis *analysis, struct image *image, struct error *error)
{
    double all =
        analysis->has_samples ? analysis->program : (double)analysis->timed.program;
    bool done = true;
    double idle = 0;
    *gains = (struct gains){
        .items = calloc(analysis->function_count + 1, sizeof *gains->items),
        .totals = analysis->measured || !analysis->has_samples,
        .whole = all,
    };
    if (gains->items == NULL || !find_idle_ticks(profile, &idle)) {
        free(gains->items);
        return error_no_memory(error);
    }
    if (!analysis->has_samples)
        gains->whole = fmax(all - idle, 0);
    if (any_idle(profile) && !profile->one_task)
        done = fill_busy(gains, profile, analysis, image, error);
    else
        fill(gains, analysis, analysis);
    gains->idle = all > 0 ? 1 - gains->whole / all : 0;
    if (!done)
        gains_release(gains);
    return done;
}

void gains_release(struct gains *gains)
{
    free(gains->items);
    *gains = (struct gains){.items = NULL};
}

bool gain_of(const struct gain_share *share, double part, struct gain *gain)
{
    double left = 1 - part * share->part;
    if (share->part <= 0 || left <= 2 * part * share->error || left < 1e-6)
        return false;
    *gain = (struct gain){1 / left, part * share->error / (left * left)};
    return true;
}
