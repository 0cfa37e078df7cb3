/* SPDX-License-Identifier: MIT */
/* -d: order, cycles and propagation, and the order of an entry's lines. */
#include <inttypes.h>

#include "../../base/plural.h"
#include "../trace.h"
#include "graph.h"

void gprof_trace_order(const struct gprof *gprof, struct gprof_symbol *const *order)
{
    if (!gprof_traces(gprof, GPROF_TRACE_ORDER))
        return;
    for (size_t i = 0; i < gprof->symbol_count; i++) {
        gprof_trace(gprof, GPROF_TRACE_ORDER);
        fprintf(gprof->out, "%d ", order[i]->top_order);
        gprof_trace_name(gprof, order[i]);
        fputc('\n', gprof->out);
    }
}

void gprof_trace_cycles(const struct gprof *gprof)
{
    if (!gprof_traces(gprof, GPROF_TRACE_CYCLES))
        return;
    for (size_t i = 1; i <= gprof->cycle_count; i++) {
        const struct gprof_symbol *cycle = &gprof->cycles[i];
        const char *before = ": ";

        gprof_trace(gprof, GPROF_TRACE_CYCLES);
        gprof_trace_name(gprof, cycle);
        for (const struct gprof_symbol *member = cycle->cycle_next; member != NULL;
             member = member->cycle_next) {
            fputs(before, gprof->out);
            gprof_trace_name(gprof, member);
            before = ", ";
        }
        fprintf(gprof->out,
                "; called %" PRIu64 " time%s from outside, %" PRIu64 " within\n",
                cycle->calls, plural(cycle->calls), cycle->self_calls);
    }
    if (gprof->cycle_count == 0)
        gprof_trace_line(gprof, GPROF_TRACE_CYCLES, "none");
}

static void trace_share(const struct gprof *gprof, const struct gprof_arc *arc)
{
    struct gprof_share share = gprof_share_of(arc);
    double fraction = arc->parent->fraction;

    if (share.self + share.children == 0)
        return;
    gprof_trace(gprof, GPROF_TRACE_PROPAGATION);
    gprof_trace_call(gprof, arc->parent, arc->child);
    fprintf(gprof->out,
            " %" PRIu64 " of %" PRIu64 " times: %.2f samples, %.2f of its callees\n",
            arc->count, arc->child->cycle_head->calls, share.self * fraction,
            share.children * fraction);
}

static void trace_symbol(const struct gprof *gprof, const struct gprof_symbol *symbol)
{
    for (uint32_t i = symbol->children; i != 0; i = gprof->arcs[i].next_child)
        trace_share(gprof, &gprof->arcs[i]);
    gprof_trace(gprof, GPROF_TRACE_PROPAGATION);
    gprof_trace_name(gprof, symbol);
    fprintf(gprof->out,
            ": %.2f samples, %.2f %% count: %.2f, and %.2f of its callees%s\n",
            symbol->samples, 100 * symbol->fraction, symbol->self, symbol->child,
            symbol->print ? "" : "; no entry");
}

void gprof_trace_propagation(const struct gprof *gprof, struct gprof_symbol *const *order)
{
    if (!gprof_traces(gprof, GPROF_TRACE_PROPAGATION))
        return;
    for (size_t i = 0; i < gprof->symbol_count; i++)
        trace_symbol(gprof, order[i]);
    for (size_t i = 1; i <= gprof->cycle_count; i++)
        trace_symbol(gprof, &gprof->cycles[i]);
}

void gprof_trace_rows(const struct gprof *gprof, const struct graph_rows *rows,
                      const struct gprof_symbol *symbol, const char *what)
{
    if (!gprof_traces(gprof, GPROF_TRACE_SORTING))
        return;
    for (size_t i = 0; i < rows->count; i++) {
        const struct graph_row *row = rows->sorted[i];

        gprof_trace(gprof, GPROF_TRACE_SORTING);
        fprintf(gprof->out, "%s %zu of ", what, i + 1);
        gprof_trace_name(gprof, symbol);
        fputs(": ", gprof->out);
        gprof_trace_name(gprof, row->other);
        if (row->itself || row->inside)
            fputs(row->itself ? ", itself" : ", in its cycle", gprof->out);
        fprintf(gprof->out, ", %.2f + %.2f samples, %" PRIu64 " call%s\n", row->self,
                row->children, row->count, plural(row->count));
    }
}
