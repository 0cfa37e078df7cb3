/* SPDX-License-Identifier: MIT */
/* The index of the call graph: names in three columns, then the cycles. */
#include <stdlib.h>
#include <string.h>

#include "print.h"

enum { COLUMNS = 3, INDEX_WIDTH = 5 };

static int compare_names(const void *left, const void *right, void *context)
{
    (void)context;
    return strcmp(((const struct gprof_symbol *)left)->name,
                  ((const struct gprof_symbol *)right)->name);
}

/* The functions by name and, behind them, the cycles by number. */
static bool select_cells(const struct gprof *gprof, struct gprof_symbol **cells,
                         size_t *count)
{
    size_t n = 0;
    for (size_t i = 0; i < gprof->symbol_count; i++) {
        struct gprof_symbol *symbol = &gprof->symbols[i];
        if (gprof->options.unused || symbol->calls != 0 || symbol->samples != 0)
            cells[n++] = symbol;
    }
    if (!sort_stable((void **)cells, n, compare_names, NULL))
        return false;
    for (size_t i = 1; i <= gprof->cycle_count; i++)
        cells[n++] = &gprof->cycles[i];
    *count = n;
    return true;
}

static size_t put_file(const struct gprof *gprof, const struct gprof_symbol *symbol)
{
    if (gprof->options.lines || !symbol->is_static || symbol->file == NULL)
        return 0;
    const char *name =
        gprof->options.print_path ? symbol->file->path : symbol->file->base;
    return (size_t)fprintf(gprof->out, " (%s)", name);
}

/* Puts a cell that begins at column `start`; *used: how many columns are taken. GNU gprof
 * forgets to count the blanks around the index, so its columns drift to the right, and so
 * do these. */
static void put_cell(const struct gprof *gprof, const struct gprof_symbol *symbol,
                     const char *index, size_t start, size_t *used)
{
    size_t end = start + INDEX_WIDTH, length = strlen(index);
    for (; *used + length < end; ++*used)
        putc_unlocked(' ', gprof->out);
    fprintf(gprof->out, " %s ", index);
    *used += length;
    if (gprof_is_cycle(symbol)) {
        *used += (size_t)fprintf(gprof->out, "<cycle %u>", symbol->cycle);
        return;
    }
    *used += gprof_print_name_only(gprof, symbol);
    *used += put_file(gprof, symbol);
}

static void put_traditional(const struct gprof *gprof, const struct gprof_symbol *symbol,
                            const char *index)
{
    char name[32];
    if (gprof_is_cycle(symbol))
        snprintf(name, sizeof name, "<cycle %u>", symbol->cycle);
    gprof_put_traditional_cell(gprof->out, index,
                               gprof_is_cycle(symbol) ? name : symbol->name);
}

static void put_row(const struct gprof *gprof, struct gprof_symbol **cells, size_t count,
                    size_t row, size_t rows)
{
    int width = gprof->options.index_width < 1 ? 1 : gprof->options.index_width;
    size_t column = (size_t)(width - 1) / COLUMNS;
    size_t start = 0, used = 0;
    for (size_t i = row; i < count; i += rows) {
        const struct gprof_symbol *symbol = cells[i];
        char index[32];
        snprintf(index, sizeof index, symbol->print ? "[%zu]" : "(%zu)", symbol->index);
        if (gprof->options.traditional)
            put_traditional(gprof, symbol, index);
        else
            put_cell(gprof, symbol, index, start, &used);
        start += column;
    }
    putc_unlocked('\n', gprof->out);
}

bool gprof_print_index(struct gprof *gprof, struct error *error)
{
    size_t count;
    struct gprof_symbol **cells =
        calloc(gprof->symbol_count + gprof->cycle_count + 1, sizeof cells[0]);
    if (cells == NULL || !select_cells(gprof, cells, &count)) {
        free(cells);
        return error_set(error, EXIT_NO, "out of memory");
    }
    size_t rows = (count + COLUMNS - 1) / COLUMNS;
    fputs("\f\nIndex by function name\n\n", gprof->out);
    for (size_t row = 0; row < rows; row++)
        put_row(gprof, cells, count, row, rows);
    free(cells);
    return true;
}
