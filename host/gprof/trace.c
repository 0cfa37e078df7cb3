/* SPDX-License-Identifier: MIT */
#include "trace.h"

#include <stdarg.h>

static const struct {
    enum gprof_trace what;
    const char *word;
} words[] = {
    {GPROF_TRACE_ORDER, "order"},     {GPROF_TRACE_CYCLES, "cycles"},
    {GPROF_TRACE_TALLY, "tally"},     {GPROF_TRACE_SORTING, "sorting"},
    {GPROF_TRACE_RECORDS, "records"}, {GPROF_TRACE_SYMBOLS, "symbols"},
    {GPROF_TRACE_STATIC, "static"},   {GPROF_TRACE_LOOKUP, "lookup"},
    {GPROF_TRACE_BLOCKS, "blocks"},   {GPROF_TRACE_PROPAGATION, "propagation"},
    {GPROF_TRACE_SPECS, "specs"},     {GPROF_TRACE_SOURCE, "source"},
};
enum { WORDS = sizeof words / sizeof words[0] };

static const char *word_of(enum gprof_trace what)
{
    for (size_t i = 0; i < WORDS; i++)
        if (words[i].what == what)
            return words[i].word;
    return "";
}

void gprof_trace_begin(const struct gprof *gprof)
{
    bool any = gprof_traces(gprof, GPROF_TRACE_ALL);

    fprintf(gprof->out, "[debug] %s", any ? "traced:" : "nothing is traced; there are:");
    for (size_t i = 0; i < WORDS; i++)
        if (!any || gprof_traces(gprof, words[i].what))
            fprintf(gprof->out, " %d %s", (int)words[i].what, words[i].word);
    fputc('\n', gprof->out);
}

bool gprof_trace(const struct gprof *gprof, enum gprof_trace what)
{
    if (!gprof_traces(gprof, what))
        return false;
    fprintf(gprof->out, "[%d %s] ", (int)what, word_of(what));
    return true;
}

void gprof_trace_line(const struct gprof *gprof, enum gprof_trace what,
                      const char *format, ...)
{
    va_list args;

    if (!gprof_trace(gprof, what))
        return;
    va_start(args, format);
    vfprintf(gprof->out, format, args);
    va_end(args);
    fputc('\n', gprof->out);
}

void gprof_trace_name(const struct gprof *gprof, const struct gprof_symbol *symbol)
{
    if (symbol->name == NULL)
        fprintf(gprof->out, "cycle %u", symbol->cycle);
    else
        gprof_print_name_only(gprof, symbol);
}

void gprof_trace_call(const struct gprof *gprof, const struct gprof_symbol *parent,
                      const struct gprof_symbol *child)
{
    gprof_trace_name(gprof, parent);
    fputs(" calls ", gprof->out);
    gprof_trace_name(gprof, child);
}

void gprof_warn(const struct gprof *gprof, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "%s: ", gprof->options.program);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}
