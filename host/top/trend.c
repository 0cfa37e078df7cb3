/* SPDX-License-Identifier: MIT */
#include "trend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/search.h"
#include "../report/diff.h"

static const double least_change = 0.01;

/* The function at an address; NO_FUNCTION: none. Functions are in ascending order, but
 * the last one may be the one for all code without a symbol. */
static size_t function_at(const struct analysis *analysis, uint64_t address)
{
    const struct function *functions = analysis->functions;
    size_t count = analysis->function_count, low = 0;

    if (count > 0 && functions[count - 1].symbol == NULL && functions[0].symbol != NULL)
        count--;
    SEARCH(low, count, functions[middle].address <= address);
    if (low == 0)
        return NO_FUNCTION;
    if (functions[low - 1].symbol != NULL ? address >= functions[low - 1].symbol->end
                                          : address != functions[low - 1].address)
        return NO_FUNCTION;
    return low - 1;
}

static enum event_kind kind_of(const struct analysis *analysis)
{
    return analysis->has_samples   ? EVENT_SAMPLE
           : analysis->timed.known ? EVENT_CALL
                                   : EVENT_ARC;
}

static double weight_of(enum event_kind kind, const struct history_change *change)
{
    return (double)(kind == EVENT_CALL ? change->self : change->count);
}

/* For each counter, 1 + its function; 0: it was not looked up yet. */
struct lookup {
    const struct analysis *analysis;
    const struct counters *counters;
    uint32_t *functions;
};

static size_t look_up(const struct lookup *lookup, uint32_t item)
{
    uint32_t *function = &lookup->functions[item];

    if (*function == 0)
        *function = 1 + (uint32_t)function_at(lookup->analysis,
                                              counter_at(lookup->counters, item).to);
    return *function - 1;
}

static bool is_tasks_own(const struct counter *counter)
{
    return counter->from == 0 && counter->to == 0;
}

static void add_step(struct trend *trend, const struct lookup *lookup,
                     const struct history_list *changes, size_t second)
{
    const struct analysis *analysis = lookup->analysis;
    enum event_kind kind = kind_of(analysis);

    for (size_t i = 0; i < changes->used; i++) {
        const struct history_change *change = &changes->items[i];
        size_t at = look_up(lookup, change->item);
        double weight = weight_of(kind, change);
        bool known = at < analysis->function_count;
        const struct counter counter = counter_at(lookup->counters, change->item);

        if ((kind == EVENT_CALL && is_tasks_own(&counter)) ||
            (known && analysis->functions[at].overhead))
            continue;
        if (known)
            trend->weights[at][second] += (float)weight;
        trend->whole[second] += weight;
    }
}

bool trend_find(struct trend *trend, const struct live *live,
                const struct analysis *analysis)
{
    enum event_kind kind = kind_of(analysis);
    const struct counters *counters = &live->profile.counters[kind];
    size_t kept = history_kept(&live->history);
    struct lookup lookup = {analysis, counters,
                            calloc(counters->used + 1, sizeof(uint32_t))};

    memset(trend, 0, sizeof *trend);
    trend->sampled = kind == EVENT_SAMPLE;
    trend->weights = calloc(analysis->function_count + 1, sizeof *trend->weights);
    if (lookup.functions == NULL || trend->weights == NULL) {
        free(lookup.functions);
        trend_release(trend);
        return false;
    }
    for (size_t back = 0; back < TREND_SECONDS && back < kept; back++)
        add_step(trend, &lookup, history_changes(&live->history, back, kind),
                 TREND_SECONDS - 1 - back);
    free(lookup.functions);
    return true;
}

void trend_release(struct trend *trend)
{
    free(trend->weights);
    trend->weights = NULL;
}

void trend_shares(const struct trend *trend, size_t function,
                  double shares[TREND_SECONDS])
{
    for (size_t i = 0; i < TREND_SECONDS; i++)
        shares[i] = trend->whole[i] > 0
                        ? (double)trend->weights[function][i] / trend->whole[i]
                        : 0;
}

static struct diff_share share_of(const struct trend *trend, size_t function, size_t from,
                                  size_t to)
{
    struct diff_share share = {0, 0, 0, 0};
    double part = 0, whole = 0;

    for (size_t i = from; i < to; i++) {
        part += (double)trend->weights[function][i];
        whole += trend->whole[i];
    }
    if (whole <= 0)
        return share;
    share.share = part / whole;
    if (trend->sampled) {
        share.samples = whole;
        share.error = analysis_share_error(share.share, whole);
    }
    return share;
}

int trend_turn(const struct trend *trend, size_t function)
{
    size_t middle = TREND_SECONDS - TREND_LATELY;
    struct diff_share before = share_of(trend, function, 0, middle);
    struct diff_share now = share_of(trend, function, middle, TREND_SECONDS);
    double change = now.share - before.share;

    if (trend->whole[0] <= 0 || trend->whole[TREND_SECONDS - 1] <= 0)
        return 0;
    if (trend->sampled ? fabs(diff_sigmas(&before, &now)) < DIFF_SIGMAS
                       : fabs(change) < least_change)
        return 0;
    return (change > 0) - (change < 0);
}
