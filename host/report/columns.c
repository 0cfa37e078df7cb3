/* SPDX-License-Identifier: MIT */
#include "columns.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
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

/* ---- What a sheet keeps ---- */

/* Text, and what it takes. */
struct span {
    const char *text;
    size_t bytes, columns;
    bool is_plain; /* ASCII: each byte is a column */
};

static struct span plain_span(const char *text, size_t bytes)
{
    return (struct span){text, bytes, bytes, true};
}

static struct span measure(const struct style *style, const char *text)
{
    size_t plain = style_plain(text);
    return text[plain] == '\0'
               ? plain_span(text, plain)
               : (struct span){text, strlen(text), style_columns(style, text), false};
}

/* A cell as it is printed. */
struct shown {
    struct span text, suffix;
    size_t indent;
    enum tint tint;
};

/* Of a cell; its text or, where that is long, the place of it, and its suffix follow. */
struct kept {
    unsigned char tint, indent;
    unsigned char text_bytes, suffix_bytes; /* with the 0 that ends each */
    bool is_place;
    bool is_plain; /* both are plain ASCII: each byte is a column */
};

/* The tint of what a row has in place of its first cell: it is a line across. */
enum { RULE = 0xff };

/* Room for more; NULL: there is none. */
static unsigned char *new_bytes(struct sheet *sheet, size_t bytes)
{
    if (bytes > sheet->allocated - sheet->used) {
        size_t more = 2 * sheet->allocated + 4096;
        void *moved = realloc(sheet->cells, more);
        if (moved == NULL) {
            sheet->failed = true;
            return NULL;
        }
        sheet->cells = moved;
        sheet->allocated = more;
    }
    sheet->used += bytes;
    return sheet->cells + sheet->used - bytes;
}

static void keep(struct sheet *sheet, const struct shown *shown)
{
    const void *text = shown->text.text;
    size_t text_bytes = shown->text.bytes + 1;
    bool is_place = text_bytes > CELL_TEXT_MAX;
    if (is_place) {
        text = &shown->text.text;
        text_bytes = sizeof shown->text.text;
    }
    const struct kept kept = {
        .tint = (unsigned char)shown->tint,
        .indent = (unsigned char)shown->indent,
        .text_bytes = (unsigned char)text_bytes,
        .suffix_bytes = (unsigned char)(shown->suffix.bytes + 1),
        .is_place = is_place,
        .is_plain = shown->text.is_plain && shown->suffix.is_plain && !is_place,
    };
    unsigned char *to =
        new_bytes(sheet, sizeof kept + kept.text_bytes + kept.suffix_bytes);
    if (to == NULL)
        return;
    memcpy(to, &kept, sizeof kept);
    memcpy(to + sizeof kept, text, kept.text_bytes);
    memcpy(to + sizeof kept + kept.text_bytes, shown->suffix.text, kept.suffix_bytes);
}

static void keep_rule(struct sheet *sheet)
{
    const struct kept kept = {.tint = RULE};
    unsigned char *to = new_bytes(sheet, sizeof kept);
    if (to != NULL)
        memcpy(to, &kept, sizeof kept);
}

/* Takes one off; what follows it is there because as much was kept. */
static struct shown take(const struct style *style, const unsigned char **at)
{
    const struct kept *kept = (const struct kept *)*at;
    const unsigned char *text = *at + sizeof *kept, *suffix = text + kept->text_bytes;
    struct shown shown = {.indent = kept->indent, .tint = (enum tint)kept->tint};
    const char *place = (const char *)text;
    if (kept->is_place)
        memcpy(&place, text, sizeof place);
    *at = suffix + kept->suffix_bytes;
    if (kept->is_plain) {
        shown.text = plain_span(place, kept->text_bytes - 1u);
        shown.suffix = plain_span((const char *)suffix, kept->suffix_bytes - 1u);
    } else {
        shown.text = measure(style, place);
        shown.suffix = measure(style, (const char *)suffix);
    }
    return shown;
}

static size_t columns_of(const struct shown *shown)
{
    return shown->indent + shown->text.columns + shown->suffix.columns;
}

/* ---- Adding rows ---- */

static void widen(struct sheet *sheet, size_t column, size_t columns)
{
    if (columns > sheet->widths[column])
        sheet->widths[column] = columns;
}

void sheet_init(struct sheet *sheet, const struct table *table, const struct style *style)
{
    *sheet = (struct sheet){.table = table, .style = style};
    for (size_t i = 0; i < table->column_count && sheet->column_count < COLUMNS_MAX;
         i++) {
        const struct column *column = &table->columns[i];
        size_t number = sheet->column_count;
        if ((column->needs & ~table->knows) != 0)
            continue;
        sheet->columns[sheet->column_count++] = column;
        sheet->widths[number] = column->width;
        for (int line = 0; line < 2 && !table->no_heading; line++)
            widen(sheet, number, style_columns(style, heading(table, column, line)));
    }
}

static void add_row(struct sheet *sheet, size_t row)
{
    for (size_t i = 0; i < sheet->column_count; i++) {
        struct cell cell = {.string = NULL};
        sheet->columns[i]->cell(&cell, sheet->table->view, row);
        const struct shown shown = {
            .text = measure(sheet->style, cell.string != NULL ? cell.string : cell.text),
            .suffix = measure(sheet->style, cell.suffix),
            .indent = cell.indent,
            .tint = cell.tint,
        };
        widen(sheet, i, columns_of(&shown));
        keep(sheet, &shown);
    }
}

void sheet_add(struct sheet *sheet)
{
    const struct table *table = sheet->table;
    for (size_t row = 0; row < table->rows && !sheet->failed; row++) {
        if (table->is_rule != NULL && table->is_rule(table->view, row))
            keep_rule(sheet);
        else
            add_row(sheet, row);
    }
}

/* ---- Printing them ---- */

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

static void lay_out(struct layout *layout, const struct sheet *sheet)
{
    *layout = (struct layout){.count = sheet->column_count};
    memcpy(layout->columns, sheet->columns, sizeof layout->columns);
    memcpy(layout->widths, sheet->widths, sizeof layout->widths);
    fit(layout, sheet->style);
}

/* Blanks that no text follows are kept back, so that lines do not end in them. What is
 * put goes to `out` when there is enough of it. */
struct line {
    const struct layout *layout;
    const struct style *style;
    FILE *out;
    size_t pending;
    size_t used;
    char text[4096];
};

static void flush(struct line *line)
{
    fwrite_unlocked(line->text, 1, line->used, line->out);
    line->used = 0;
}

/* Room for so many bytes, which are put by that; NULL: more than there ever is. */
static char *new_text(struct line *line, size_t bytes)
{
    if (bytes > sizeof line->text - line->used)
        flush(line);
    if (bytes > sizeof line->text)
        return NULL;
    line->used += bytes;
    return line->text + line->used - bytes;
}

static void put_blanks(struct line *line, size_t count)
{
    while (count > 0) {
        size_t some = count < sizeof line->text ? count : sizeof line->text;
        memset(new_text(line, some), ' ', some);
        count -= some;
    }
}

static void put_newline(struct line *line)
{
    *new_text(line, 1) = '\n';
}

static void put_tint(struct line *line, enum tint tint)
{
    if (!line->style->colour)
        return;
    flush(line);
    style_tint(line->style, line->out, tint);
}

/* What indent and suffix leave of the room. */
static size_t room_for_text(const struct shown *cell, size_t room)
{
    size_t rest = cell->indent + cell->suffix.columns;
    return room > rest + 4 ? room - rest : 4;
}

static void print_span(struct line *line, const struct span *span, size_t room)
{
    char *to = span->is_plain && span->bytes <= room ? new_text(line, span->bytes) : NULL;
    if (to != NULL) {
        memcpy(to, span->text, span->bytes);
        return;
    }
    flush(line);
    style_text(line->style, line->out, span->text, room);
}

static void print_cell(struct line *line, size_t at, const struct shown *cell)
{
    const struct layout *layout = line->layout;
    const struct column *column = layout->columns[at];
    bool last = at + 1 == layout->count;
    size_t room = last ? layout->room : SIZE_MAX, wide = columns_of(cell);
    if (room != SIZE_MAX)
        room = room_for_text(cell, room);
    size_t padding = last || layout->widths[at] < wide ? 0 : layout->widths[at] - wide;
    line->pending += gap_before(layout, at);
    if (cell->text.bytes == 0) {
        line->pending += wide + padding;
        return;
    }
    put_blanks(line, line->pending + cell->indent + (column->left ? 0 : padding));
    line->pending = column->left ? padding : 0;
    if (cell->tint != TINT_PLAIN)
        put_tint(line, cell->tint);
    print_span(line, &cell->text, room);
    print_span(line, &cell->suffix, SIZE_MAX);
    if (cell->tint != TINT_PLAIN)
        put_tint(line, TINT_PLAIN);
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
            const char *text = heading(table, line->layout->columns[column], i);
            const struct shown title = {
                .text = measure(line->style, text),
                .suffix = plain_span("", 0),
                .tint = TINT_DIM,
            };
            print_cell(line, column, &title);
        }
        put_newline(line);
    }
}

static size_t rule_columns(const struct layout *layout, const struct style *style)
{
    size_t last = layout->count == 0 ? 0 : layout->widths[layout->count - 1];
    last = last < NAME_MIN ? last : NAME_MIN;
    size_t columns = taken(layout) + last;
    return style->width != 0 && columns > style->width ? style->width : columns;
}

static void print_row(const struct sheet *sheet, struct line *line,
                      const unsigned char **at)
{
    size_t column = 0;
    line->pending = 0;
    for (size_t i = 0; i < sheet->column_count; i++) {
        const struct shown shown = take(sheet->style, at);
        if (column < line->layout->count &&
            line->layout->columns[column] == sheet->columns[i])
            print_cell(line, column++, &shown);
    }
    put_newline(line);
}

bool sheet_print(struct sheet *sheet, FILE *out, struct error *error)
{
    const unsigned char *at = sheet->cells, *end = at + sheet->used;
    struct layout layout;
    struct line line = {.layout = &layout, .style = sheet->style, .out = out};
    if (!sheet->failed) {
        lay_out(&layout, sheet);
        if (!sheet->table->no_heading)
            print_heading(sheet->table, &line);
    }
    while (!sheet->failed && at < end) {
        if (*at != RULE) {
            print_row(sheet, &line, &at);
            continue;
        }
        flush(&line);
        style_rule(sheet->style, out, rule_columns(&layout, sheet->style));
        at += sizeof(struct kept);
    }
    flush(&line);
    free(sheet->cells);
    return !sheet->failed || error_set(error, EXIT_BAD_INPUT, "out of memory");
}

bool table_print(const struct table *table, const struct style *style, FILE *out,
                 struct error *error)
{
    struct sheet sheet;
    sheet_init(&sheet, table, style);
    sheet_add(&sheet);
    return sheet_print(&sheet, out, error);
}
