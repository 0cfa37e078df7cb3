/* SPDX-License-Identifier: MIT */
#include "columns.h"

#include <stdint.h>
#include <string.h>

enum {
    COLUMNS_MAX = 16,
    GAP = 2,
    NAME_MIN = 24, /* what the last column wants before others are dropped */
};

/* The columns that are shown, and how wide. */
struct layout {
    const struct column *columns[COLUMNS_MAX];
    size_t widths[COLUMNS_MAX];
    size_t count;
    size_t room; /* for the last column; SIZE_MAX: all it wants */
};

static const char *heading(const struct table *table, const struct column *column,
                           int line)
{
    if (line == 1 && column->title[1] == NULL)
        return table->time_unit;
    return column->title[line];
}

static const char *cell_text(const struct cell *cell)
{
    return cell->string != NULL ? cell->string : cell->text;
}

static size_t cell_columns(const struct cell *cell, const struct style *style)
{
    return cell->indent + style_columns(style, cell_text(cell)) +
           style_columns(style, cell->suffix);
}

static size_t widest(const struct table *table, const struct style *style,
                     const struct column *column)
{
    size_t width = column->width;
    for (int line = 0; line < 2 && !table->no_heading; line++) {
        size_t columns = style_columns(style, heading(table, column, line));
        width = columns > width ? columns : width;
    }
    for (size_t row = 0; row < table->rows; row++) {
        struct cell cell = {.string = NULL};
        if (table->is_rule != NULL && table->is_rule(table->view, row))
            continue;
        column->cell(&cell, table->view, row);
        size_t columns = cell_columns(&cell, style);
        width = columns > width ? columns : width;
    }
    return width;
}

static size_t gap_before(const struct layout *layout, size_t column)
{
    return column == 0 || layout->columns[column]->joined ? 0 : GAP;
}

/* Columns taken by all but the last one, the gap before that included. */
static size_t taken(const struct layout *layout)
{
    size_t sum = 0;
    for (size_t i = 0; i < layout->count; i++)
        sum += gap_before(layout, i) + (i + 1 < layout->count ? layout->widths[i] : 0);
    return sum;
}

static bool drop_one(struct layout *layout)
{
    size_t worst = 0;
    for (size_t i = 0; i < layout->count; i++)
        if (layout->columns[i]->drop > layout->columns[worst]->drop)
            worst = i;
    if (layout->count == 0 || layout->columns[worst]->drop == 0)
        return false;
    layout->count--;
    for (size_t i = worst; i < layout->count; i++) {
        layout->columns[i] = layout->columns[i + 1];
        layout->widths[i] = layout->widths[i + 1];
    }
    return true;
}

static void fit(struct layout *layout, const struct style *style)
{
    layout->room = SIZE_MAX;
    if (style->width == 0 || layout->count == 0)
        return;
    size_t wanted = layout->widths[layout->count - 1];
    wanted = wanted < NAME_MIN ? wanted : NAME_MIN;
    while (taken(layout) + wanted > style->width && drop_one(layout))
        ;
    size_t used = taken(layout);
    layout->room = used + 8 < style->width ? style->width - used : 8;
}

static void lay_out(struct layout *layout, const struct table *table,
                    const struct style *style)
{
    layout->count = 0;
    for (size_t i = 0; i < table->column_count && layout->count < COLUMNS_MAX; i++) {
        const struct column *column = &table->columns[i];
        if ((column->needs & ~table->knows) != 0)
            continue;
        layout->columns[layout->count] = column;
        layout->widths[layout->count++] = widest(table, style, column);
    }
    fit(layout, style);
}

static void spaces(FILE *out, size_t count)
{
    fprintf(out, "%*s", (int)count, "");
}

/* Blanks that no text follows are kept back, so that lines do not end in them. */
struct line {
    const struct layout *layout;
    const struct style *style;
    FILE *out;
    size_t pending;
};

/* What indent and suffix leave of the room. */
static size_t room_for_text(const struct cell *cell, const struct style *style,
                            size_t room)
{
    size_t rest = cell->indent + style_columns(style, cell->suffix);
    return room > rest + 4 ? room - rest : 4;
}

static void print_cell(struct line *line, size_t at, const struct cell *cell)
{
    const struct layout *layout = line->layout;
    const struct column *column = layout->columns[at];
    bool last = at + 1 == layout->count;
    const char *text = cell_text(cell);
    size_t room = last ? layout->room : SIZE_MAX;
    size_t wide = cell_columns(cell, line->style);
    if (room != SIZE_MAX)
        room = room_for_text(cell, line->style, room);
    size_t padding = last || layout->widths[at] < wide ? 0 : layout->widths[at] - wide;
    line->pending += gap_before(layout, at);
    if (text[0] == '\0') {
        line->pending += wide + padding;
        return;
    }
    spaces(line->out, line->pending + cell->indent + (column->left ? 0 : padding));
    line->pending = column->left ? padding : 0;
    if (cell->tint != TINT_PLAIN)
        style_tint(line->style, line->out, cell->tint);
    style_text(line->style, line->out, text, room);
    style_text(line->style, line->out, cell->suffix, SIZE_MAX);
    if (cell->tint != TINT_PLAIN)
        style_tint(line->style, line->out, TINT_PLAIN);
}

static bool heading_is_empty(const struct table *table, const struct layout *layout,
                             int line)
{
    for (size_t i = 0; i < layout->count; i++)
        if (heading(table, layout->columns[i], line)[0] != '\0')
            return false;
    return true;
}

static void print_heading(const struct table *table, struct line *line)
{
    for (int i = 0; i < 2; i++) {
        if (heading_is_empty(table, line->layout, i))
            continue;
        line->pending = 0;
        for (size_t column = 0; column < line->layout->count; column++) {
            struct cell cell = {.tint = TINT_DIM};
            cell.string = heading(table, line->layout->columns[column], i);
            print_cell(line, column, &cell);
        }
        fputc('\n', line->out);
    }
}

static size_t rule_columns(const struct layout *layout, const struct style *style)
{
    size_t last = layout->count == 0 ? 0 : layout->widths[layout->count - 1];
    last = last < NAME_MIN ? last : NAME_MIN;
    size_t columns = taken(layout) + last;
    return style->width != 0 && columns > style->width ? style->width : columns;
}

void table_print(const struct table *table, const struct style *style, FILE *out)
{
    struct layout layout;
    struct line line = {&layout, style, out, 0};
    lay_out(&layout, table, style);
    if (!table->no_heading)
        print_heading(table, &line);
    for (size_t row = 0; row < table->rows; row++) {
        if (table->is_rule != NULL && table->is_rule(table->view, row)) {
            style_rule(style, out, rule_columns(&layout, style));
            continue;
        }
        line.pending = 0;
        for (size_t column = 0; column < layout.count; column++) {
            struct cell cell = {.string = NULL};
            layout.columns[column]->cell(&cell, table->view, row);
            print_cell(&line, column, &cell);
        }
        fputc('\n', out);
    }
}
