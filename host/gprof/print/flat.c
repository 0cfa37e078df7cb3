/* SPDX-License-Identifier: MIT */
/* The flat profile: one row for each symbol that has calls or samples. */
#include <stdlib.h>
#include <string.h>

#include "print.h"

static const struct flat_layout plain = {6, 2, 9};

/* The time of a call is shown in a unit in which the largest time has digits in front of
 * the point. */
struct unit {
    char prefix;
    double scale;
};

static const struct unit units[] = {
    {'T', 1e-12}, {'G', 1e-9}, {'M', 1e-6}, {'K', 1e-3}, {' ', 1},    {'m', 1e3},
    {'u', 1e6},   {'n', 1e9},  {'p', 1e12}, {'f', 1e15}, {'a', 1e18},
};

enum { UNITS = sizeof units / sizeof units[0], MILLI = 5 };

static double total_of_call(const struct gprof_symbol *symbol)
{
    return (symbol->samples + symbol->descendants) / (double)symbol->calls;
}

static const struct unit *choose_unit(const struct gprof *gprof)
{
    double largest = 0;
    for (size_t i = 0; i < gprof->symbol_count; i++) {
        const struct gprof_symbol *symbol = &gprof->symbols[i];
        if (symbol->calls != 0 && total_of_call(symbol) > largest)
            largest = total_of_call(symbol);
    }
    largest = gprof_seconds(gprof, largest);
    if (!(largest > 0))
        return &units[0];
    for (size_t i = 0; i < UNITS; i++) {
        double value = units[i].scale * largest;
        if (value >= 1 && value < 1000)
            return &units[i];
    }
    return largest > 1 ? &units[0] : &units[UNITS - 1];
}

/* ---- Rows ---- */

struct flat_table {
    struct gprof *gprof;
    const struct flat_layout *layout;
    const struct unit *unit;
    double total;      /* samples that are 100 % */
    double cumulative; /* samples of the rows so far */
};

/* Puts the calls of a symbol and the times of one call, or blanks. */
static char *put_calls(char *at, const struct flat_table *table,
                       const struct gprof_symbol *symbol)
{
    const struct gprof *gprof = table->gprof;
    double scale = table->unit->scale, calls = (double)symbol->calls;
    double all = symbol->samples + symbol->descendants;
    if (symbol->calls == 0)
        return gprof_put_text(at, "                             ");
    at = gprof_put_text(at, " ");
    at = gprof_put_count(at, symbol->calls, 8);
    at = gprof_put_text(at, " ");
    at = gprof_put_fixed(at, gprof_seconds(gprof, scale * symbol->samples) / calls, 8, 2);
    at = gprof_put_text(at, " ");
    at = gprof_put_fixed(at, gprof_seconds(gprof, scale * all) / calls, 8, 2);
    return gprof_put_text(at, "  ");
}

static void put_row(struct flat_table *table, const struct gprof_symbol *symbol)
{
    const struct gprof *gprof = table->gprof;
    const struct flat_layout *layout = table->layout;
    char line[GPROF_LINE_BYTES], *at = line;
    double share = table->total > 0 ? 100 * symbol->samples / table->total : 0;
    table->cumulative += symbol->samples;
    at = gprof_put_fixed(at, share, layout->percent_width, layout->percent_decimals);
    at = gprof_put_text(at, " ");
    at = gprof_put_fixed(at, gprof_seconds(gprof, table->cumulative),
                         layout->cumulative_width, 2);
    at = gprof_put_text(at, " ");
    at = gprof_put_fixed(at, gprof_seconds(gprof, symbol->samples), 8, 2);
    at = put_calls(at, table, symbol);
    gprof_put_line(gprof->out, line, at);
    if (gprof->options.traditional)
        gprof_print_name(gprof, symbol);
    else
        gprof_print_name_only(gprof, symbol);
    putc_unlocked('\n', gprof->out);
}

/* By time, then calls, most first, then by name. */
static int compare_rows(const void *left_item, const void *right_item, void *context)
{
    const struct gprof_symbol *left = left_item, *right = right_item;
    (void)context;
    if (left->samples != right->samples)
        return left->samples > right->samples ? -1 : 1;
    if (left->calls != right->calls)
        return left->calls > right->calls ? -1 : 1;
    return strcmp(left->name, right->name);
}

/* Puts the symbols that have a row into rows and returns how many. */
static size_t select_rows(const struct gprof *gprof, struct gprof_symbol **rows)
{
    bool including = gprof_list_used(gprof, GPROF_INCLUDE_FLAT);
    bool excluding = gprof_list_used(gprof, GPROF_EXCLUDE_FLAT);
    size_t count = 0;
    for (size_t i = 0; i < gprof->symbol_count; i++) {
        struct gprof_symbol *symbol = &gprof->symbols[i];
        if (!gprof->options.unused && symbol->calls == 0 && symbol->samples == 0)
            continue;
        if (including ? gprof_listed(gprof, GPROF_INCLUDE_FLAT, symbol)
                      : !excluding || !gprof_listed(gprof, GPROF_EXCLUDE_FLAT, symbol))
            rows[count++] = symbol;
    }
    return count;
}

static bool put_rows(struct flat_table *table, struct error *error)
{
    struct gprof *gprof = table->gprof;
    struct gprof_symbol **rows = calloc(gprof->symbol_count + 1, sizeof rows[0]);
    if (rows == NULL)
        return error_set(error, EXIT_NO, "out of memory");
    size_t count = select_rows(gprof, rows);
    bool done = sort_stable((void **)rows, count, compare_rows, NULL);
    for (size_t i = 0; done && i < count; i++)
        put_row(table, rows[i]);
    free(rows);
    return done || error_set(error, EXIT_NO, "out of memory");
}

/* ---- Headings ---- */

void gprof_put_flat_columns(const struct gprof *gprof, const char *unit)
{
    fprintf(gprof->out, "%5.5s %10.10s %8.8s %8.8s %8.8s %8.8s  %-8.8s\n", "%  ",
            "cumulative", "self  ", "", "self  ", "total ", "");
    fprintf(gprof->out, "%5.5s %9.9s  %8.8s %8.8s %8.8s %8.8s  %-8.8s\n", "time",
            gprof->dimension, gprof->dimension, "calls", unit, unit, "name");
}

static void put_heading(const struct gprof *gprof)
{
    double sample = gprof_seconds(gprof, 1);
    fprintf(gprof->out, "Flat profile:\n\nEach sample counts as %g %s.\n", sample,
            gprof->dimension);
    if (!(gprof->total > 0))
        fputs(" no time accumulated\n\n", gprof->out);
}

bool gprof_print_flat(struct gprof *gprof, struct error *error)
{
    bool traditional = gprof->options.traditional;
    struct flat_table table = {gprof, traditional ? &gprof_traditional_flat : &plain,
                               traditional ? &units[MILLI] : choose_unit(gprof),
                               gprof->total, 0};
    char unit[] = "?s/call";
    unit[0] = table.unit->prefix;
    unit[1] = gprof->abbreviation;
    gprof_put_section_break(gprof);
    if (traditional)
        gprof_put_traditional_flat_heading(gprof);
    else
        put_heading(gprof);
    gprof_put_flat_columns(gprof, unit);
    if (!put_rows(&table, error))
        return false;
    if (!gprof->options.brief && !traditional)
        fputs(gprof_flat_text, gprof->out);
    return true;
}
