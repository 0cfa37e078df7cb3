/* SPDX-License-Identifier: MIT */
#include "propagate.h"

static struct cycle *cycle_of(struct analysis *analysis, const struct function *function)
{
    return function->cycle == NO_CYCLE ? NULL : &analysis->cycles[function->cycle - 1];
}

static void count_cycle_calls(struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->arc_count; i++) {
        const struct arc *arc = &analysis->arcs[i];
        struct cycle *cycle = cycle_of(analysis, &analysis->functions[arc->callee]);
        if (cycle == NULL || arc->caller == arc->callee)
            continue;
        bool inside = arc->caller != NO_FUNCTION &&
                      analysis->functions[arc->caller].cycle == cycle->number;
        if (inside)
            cycle->self_calls += arc->count;
        else
            cycle->calls += arc->count;
    }
}

/* What passes along an arc: the callee's time (its cycle's, if it is in one) by the arc's
 * share of the calls from outside. Nothing passes within a function or a cycle. */
static void share(struct analysis *analysis, struct arc *arc)
{
    const struct function *callee = &analysis->functions[arc->callee];
    const struct cycle *cycle = cycle_of(analysis, callee);
    bool known = arc->caller != NO_FUNCTION;
    if (arc->caller == arc->callee || callee->overhead ||
        (known && cycle != NULL &&
         analysis->functions[arc->caller].cycle == callee->cycle))
        return;
    uint64_t calls = cycle != NULL ? cycle->calls : callee->calls;
    if (calls == 0)
        return;
    double count = (double)arc->count;
    arc->self = (cycle != NULL ? cycle->self : callee->self) * count / (double)calls;
    arc->children =
        (cycle != NULL ? cycle->children : callee->children) * count / (double)calls;
}

static void gather(struct analysis *analysis, struct function *function)
{
    for (size_t i = 0; i < function->outs; i++) {
        struct arc *arc = &analysis->arcs[function->first_out + i];
        share(analysis, arc);
        function->children += arc->self + arc->children;
    }
    struct cycle *cycle = cycle_of(analysis, function);
    if (cycle == NULL)
        return;
    cycle->self += function->overhead ? 0 : function->self;
    cycle->children += function->children;
}

void propagate(struct analysis *analysis, const size_t *order)
{
    count_cycle_calls(analysis);
    for (size_t i = 0; i < analysis->function_count; i++)
        gather(analysis, &analysis->functions[order[i]]);
    for (size_t i = 0; i < analysis->arc_count; i++)
        if (analysis->arcs[i].caller == NO_FUNCTION)
            share(analysis, &analysis->arcs[i]);
}
