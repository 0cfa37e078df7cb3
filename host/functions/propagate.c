/* SPDX-License-Identifier: MIT */
#include "propagate.h"

#include <stdlib.h>

/* What a function or a cycle has to pass on; cycles come behind all functions. The struct
 * is small, because arcs lead to anywhere in memory. */
struct outgoing {
    double self, children;
    /* Weights of the arcs from outside: the times pass along them. */
    double of_self, of_children;
    uint32_t cycle; /* that the function is in */
    bool overhead;  /* it passes nothing on */
};

struct propagation {
    const struct analysis *analysis;
    const double *self;
    struct arc_weights weights;
    struct outgoing *sources;
    struct passed_times *passed;
};

static struct outgoing *cycle_source(const struct propagation *propagation,
                                     unsigned cycle)
{
    return &propagation->sources[propagation->analysis->function_count + cycle - 1];
}

static bool is_inside(const struct propagation *propagation, const struct arc *arc)
{
    const struct outgoing *sources = propagation->sources;
    uint32_t cycle = sources[arc->callee].cycle;
    return cycle != NO_CYCLE && arc->caller != NO_FUNCTION &&
           sources[arc->caller].cycle == cycle;
}

static bool make_sources(struct propagation *propagation)
{
    const struct analysis *analysis = propagation->analysis;
    size_t count = analysis->function_count;
    struct outgoing *sources = calloc(count + analysis->cycle_count + 1, sizeof *sources);
    propagation->sources = sources;
    for (size_t i = 0; i < count && sources != NULL; i++) {
        const struct function *function = &analysis->functions[i];
        sources[i] = (struct outgoing){propagation->self[i], 0, 0, 0, function->cycle,
                                       function->overhead};
    }
    return sources != NULL;
}

/* What a cycle's functions call each other is in the cycle's self time. */
static double self_weight(const struct propagation *propagation, const struct arc *arc)
{
    bool in_cycle = propagation->sources[arc->callee].cycle != NO_CYCLE;
    return in_cycle ? propagation->weights.children(arc) : propagation->weights.self(arc);
}

static void add_weights(const struct propagation *propagation)
{
    const struct analysis *analysis = propagation->analysis;
    for (size_t i = 0; i < analysis->arc_count; i++) {
        const struct arc *arc = &analysis->arcs[i];
        if (arc->caller == arc->callee || is_inside(propagation, arc))
            continue;
        uint32_t cycle = propagation->sources[arc->callee].cycle;
        struct outgoing *source = cycle != NO_CYCLE ? cycle_source(propagation, cycle)
                                                    : &propagation->sources[arc->callee];
        source->of_self += self_weight(propagation, arc);
        source->of_children += propagation->weights.children(arc);
    }
}

static void count_cycle_calls(const struct propagation *propagation)
{
    const struct analysis *analysis = propagation->analysis;
    struct passed_cycle *cycles = propagation->passed->cycles;
    for (size_t i = 0; analysis->cycle_count > 0 && i < analysis->arc_count; i++) {
        const struct arc *arc = &analysis->arcs[i];
        uint32_t cycle = propagation->sources[arc->callee].cycle;
        if (cycle == NO_CYCLE || arc->caller == arc->callee)
            continue;
        if (is_inside(propagation, arc))
            cycles[cycle - 1].self_calls += arc->count;
        else
            cycles[cycle - 1].calls += arc->count;
    }
}

/* What passes along an arc: the callee's time (its cycle's, if it is in one) by the arc's
 * share of the weight of those from outside. Nothing passes within a function or a
 * cycle. */
static struct passed_arc share(const struct propagation *propagation,
                               const struct arc *arc)
{
    const struct outgoing *source = &propagation->sources[arc->callee];
    struct passed_arc passed = {0, 0};
    if (arc->caller == arc->callee || source->overhead || is_inside(propagation, arc))
        return passed;
    if (source->cycle != NO_CYCLE)
        source = cycle_source(propagation, source->cycle);
    if (source->of_self > 0)
        passed.self = source->self * self_weight(propagation, arc) / source->of_self;
    if (source->of_children > 0)
        passed.children =
            source->children * propagation->weights.children(arc) / source->of_children;
    return passed;
}

static void gather(const struct propagation *propagation, uint32_t at)
{
    const struct analysis *analysis = propagation->analysis;
    const struct function *function = &analysis->functions[at];
    struct outgoing *source = &propagation->sources[at];
    for (size_t i = 0; i < function->outs; i++) {
        size_t arc = function->first_out + i;
        const struct passed_arc passed = share(propagation, &analysis->arcs[arc]);
        propagation->passed->arcs[arc] = passed;
        source->children += passed.self + passed.children;
    }
    propagation->passed->children[at] = source->children;
    if (source->cycle == NO_CYCLE)
        return;
    struct outgoing *cycle = cycle_source(propagation, source->cycle);
    cycle->self += source->overhead ? 0 : source->self;
    cycle->children += source->children;
}

/* Arcs lead to anywhere in memory, so what they lead to is fetched some steps ahead. */
enum { AHEAD = 4 };
static void warm(const struct propagation *propagation, const uint32_t *order, size_t at)
{
    const struct analysis *analysis = propagation->analysis;
    size_t count = analysis->function_count;
    if (at + 2 * AHEAD < count)
        __builtin_prefetch(&analysis->functions[order[at + 2 * AHEAD]].first_out);
    if (at + AHEAD >= count)
        return;
    const struct function *soon = &analysis->functions[order[at + AHEAD]];
    __builtin_prefetch(&analysis->arcs[soon->first_out]);
    const struct function *next = &analysis->functions[order[at + 1]];
    for (size_t i = 0; i < next->outs; i++) {
        const struct arc *arc = &analysis->arcs[next->first_out + i];
        __builtin_prefetch(&propagation->sources[arc->callee]);
    }
}

double arc_calls(const struct arc *arc)
{
    return (double)arc->count;
}

const struct arc_weights by_calls = {arc_calls, arc_calls};

bool passed_times_init(struct passed_times *passed, const struct analysis *graph)
{
    *passed = (struct passed_times){
        .children = calloc(graph->function_count + 1, sizeof *passed->children),
        .arcs = malloc((graph->arc_count + 1) * sizeof *passed->arcs), /* all are set */
        .cycles = calloc(graph->cycle_count + 1, sizeof *passed->cycles),
    };
    return passed->children != NULL && passed->arcs != NULL && passed->cycles != NULL;
}

void passed_times_release(struct passed_times *passed)
{
    free(passed->children);
    free(passed->arcs);
    free(passed->cycles);
}

/* The arcs whose caller is not known come last. */
static void share_rest(const struct propagation *propagation)
{
    const struct analysis *analysis = propagation->analysis;
    for (size_t i = analysis->arc_count;
         i > 0 && analysis->arcs[i - 1].caller == NO_FUNCTION; i--)
        propagation->passed->arcs[i - 1] = share(propagation, &analysis->arcs[i - 1]);
}

bool propagate(const struct analysis *graph, const double *self, const uint32_t *order,
               const struct arc_weights *weights, struct passed_times *passed)
{
    struct propagation propagation = {
        .analysis = graph, .self = self, .weights = *weights, .passed = passed};
    if (!make_sources(&propagation))
        return false;
    for (size_t i = 0; i < graph->cycle_count; i++)
        passed->cycles[i] = (struct passed_cycle){.calls = 0};
    count_cycle_calls(&propagation);
    add_weights(&propagation);
    for (size_t i = 0; i < graph->function_count; i++) {
        warm(&propagation, order, i);
        gather(&propagation, order[i]);
    }
    share_rest(&propagation);
    for (size_t i = 0; i < graph->cycle_count; i++) {
        const struct outgoing *source = cycle_source(&propagation, (unsigned)i + 1);
        passed->cycles[i].self = source->self;
        passed->cycles[i].children = source->children;
    }
    free(propagation.sources);
    return true;
}
