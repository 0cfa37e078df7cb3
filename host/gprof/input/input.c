/* SPDX-License-Identifier: MIT */
#include "input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/plural.h"
#include "../calls/arcs.h"
#include "../trace.h"

void input_bins(struct gprof_input *input, struct gprof_histogram *histogram)
{
    const struct gprof *gprof = input->gprof;
    double bytes = 2 * gprof->scale;

    gprof_trace_line(gprof, GPROF_TRACE_RECORDS,
                     "%s: histogram 0x%08" PRIx64 " to 0x%08" PRIx64 ", %" PRIu32
                     " bin%s",
                     input->path, histogram->low, histogram->high, histogram->bin_count,
                     plural(histogram->bin_count));
    for (size_t i = 0; i < histogram->bin_count; i++) {
        unsigned samples = gmon_bin(&input->file);

        histogram->bins[i] += samples;
        if (samples != 0)
            input_trace_samples(gprof, (double)histogram->low + (double)i * bytes,
                                samples);
    }
}

void input_trace_samples(const struct gprof *gprof, double address, uint64_t samples)
{
    if (!gprof_traces(gprof, GPROF_TRACE_RECORDS))
        return;
    gprof_trace_line(gprof, GPROF_TRACE_RECORDS, "0x%08" PRIx64 ": %" PRIu64 " sample%s",
                     address < 0x1p64 ? (uint64_t)address : UINT64_MAX, samples,
                     plural(samples));
}

bool input_bare(struct gprof_input *input, const char *text)
{
    input->gprof->bare_error = true;
    return error_set(input->error, EXIT_NO, "%s: %s", input->path, text);
}

bool input_no_memory(struct gprof_input *input)
{
    return error_set(input->error, EXIT_NO, "%s: %s", input->path, strerror(ENOMEM));
}

/* ---- Calls and blocks ---- */

static bool wanted(const struct gprof *gprof, const struct gprof_symbol *parent,
                   const struct gprof_symbol *child)
{
    if (gprof_list_used(gprof, GPROF_INCLUDE_ARCS))
        return gprof_arc_listed(gprof, GPROF_INCLUDE_ARCS, parent, child);
    return !gprof_list_used(gprof, GPROF_EXCLUDE_ARCS) ||
           !gprof_arc_listed(gprof, GPROF_EXCLUDE_ARCS, parent, child);
}

struct ends {
    struct gprof_symbol *parent, *child; /* both NULL: not to be counted */
};

static struct ends find_ends(const struct gprof_input *input, const struct gmon_arc *call)
{
    struct gprof_symbol *symbols = input->gprof->symbols;
    size_t caller = input_symbol_at(input, call->from);
    size_t callee = input_symbol_at(input, call->to);

    /* the callee may be a line, or a label in a function: the call counts for the
     * function */
    if (callee != 0)
        callee = input_entry(input, callee);
    if (caller == 0 || callee == 0)
        return (struct ends){NULL, NULL};
    return (struct ends){&symbols[caller - 1], &symbols[callee - 1]};
}

static void trace_lookup(const struct gprof_input *input, uint64_t address)
{
    const struct gprof *gprof = input->gprof;
    size_t number = input_symbol_at(input, address);
    const struct gprof_symbol *symbol = number > 0 ? &gprof->symbols[number - 1] : NULL;

    if (!gprof_trace(gprof, GPROF_TRACE_LOOKUP))
        return;
    fprintf(gprof->out, "0x%08" PRIx64 ": ", address);
    if (symbol == NULL) {
        fputs("no symbol\n", gprof->out);
        return;
    }
    gprof_trace_name(gprof, symbol);
    fprintf(gprof->out, " + %" PRIu64 "\n", address - symbol->address);
}

static void trace_calls(const struct gprof_input *input, const struct gmon_arc *calls,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        gprof_trace_line(input->gprof, GPROF_TRACE_RECORDS,
                         "%s: 0x%08" PRIx64 " calls 0x%08" PRIx64 " %" PRIu64 " time%s",
                         input->path, calls[i].from, calls[i].to, calls[i].count,
                         plural(calls[i].count));
        trace_lookup(input, calls[i].from);
        trace_lookup(input, calls[i].to);
    }
}

/* left_out: an option does not want the call. */
static void trace_tally(const struct gprof *gprof, const struct ends *ends,
                        uint64_t count, bool left_out)
{
    if (!gprof_trace(gprof, GPROF_TRACE_TALLY))
        return;
    gprof_trace_call(gprof, ends->parent, ends->child);
    fprintf(gprof->out, " %" PRIu64 " time%s", count, plural(count));
    if (left_out)
        fputs(": left out\n", gprof->out);
    else
        fprintf(gprof->out, ", of %" PRIu64 " so far\n", ends->child->calls);
}

/* First all symbols are looked up, then all calls are counted: neither loop waits for the
 * memory that the other one reads. */
bool input_calls(struct gprof_input *input, const struct gmon_arc *calls, size_t count)
{
    struct gprof *gprof = input->gprof;
    struct ends ends[GPROF_CALLS];

    if (gprof_traces(gprof, GPROF_TRACE_RECORDS | GPROF_TRACE_LOOKUP))
        trace_calls(input, calls, count);
    for (size_t i = 0; i < count; i++) {
        ends[i] = find_ends(input, &calls[i]);
        if (ends[i].parent != NULL)
            gprof_expect_arc(gprof, ends[i].parent, ends[i].child);
    }
    for (size_t i = 0; i < count; i++) {
        if (ends[i].parent == NULL)
            continue;
        if (!wanted(gprof, ends[i].parent, ends[i].child)) {
            trace_tally(gprof, &ends[i], calls[i].count, true);
            continue;
        }
        ends[i].child->calls += calls[i].count;
        trace_tally(gprof, &ends[i], calls[i].count, false);
        if (!gprof_add_arc(gprof, ends[i].parent, ends[i].child, calls[i].count))
            return input_no_memory(input);
    }
    return true;
}

bool input_block(struct gprof_input *input, uint64_t address, uint64_t count)
{
    size_t number = input_symbol_at(input, address), at = 0;
    struct gprof_symbol *symbol;
    struct gprof_blocks *blocks;

    gprof_trace_line(input->gprof, GPROF_TRACE_BLOCKS,
                     "%s: 0x%08" PRIx64 " ran %" PRIu64 " time%s", input->path, address,
                     count, plural(count));
    trace_lookup(input, address);
    if (number == 0)
        return true;
    symbol = &input->gprof->symbols[number - 1];
    if (symbol->blocks == NULL)
        symbol->blocks = calloc(1, sizeof *symbol->blocks);
    blocks = symbol->blocks;
    if (blocks == NULL)
        return input_no_memory(input);
    while (at < blocks->count && blocks->addresses[at] != address)
        at++;
    if (at == GPROF_BLOCKS)
        return true;
    if (at == blocks->count)
        blocks->addresses[blocks->count++] = address;
    blocks->executions[at] += count;
    return true;
}

bool input_wants_blocks(struct gprof_input *input)
{
    if (!input->gprof->options.lines && !input->blocks_warned) {
        gprof_warn(input->gprof,
                   "warning: ignoring basic-block exec counts (use -l or --line)");
        input->blocks_warned = true;
    }
    return input->gprof->options.lines;
}
