/* SPDX-License-Identifier: MIT */
#include "columns.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../port/stream.h"

enum {
    GAP = 2,
    NAME_MIN = 24, /* width that the last column gets before other columns are dropped */
};

/* The columns that are shown, and their widths. */
struct layout {
    const struct column *columns[COLUMNS_MAX];
    size_t widths[COLUMNS_MAX];
    size_t count;
    size_t room; /* room for the last column; SIZE_MAX: as much as it wants */
};

static const char *heading(const struct table *table, const struct column *column,
                           int line)
{
    if (line == 1 && column->title[1] == NULL)
        return (column->needs & NEEDS_POWER) != 0 ? table->energy_unit : table->time_unit;
    return column->title[line];
}

/* ---- What a sheet keeps ---- */

/* A text, and its length in bytes and columns. */
struct span {
    const char *text;
    size_t bytes, columns;
    bool as_is; /* it is printed unchanged if there is room */
};

static void measure(struct span *span, const struct style *style, const char *text)
{
    span->text = text;
    span->as_is = true;
    span->bytes = span->columns = style_plain(text);
    if (text[span->bytes] != '\0') {
        span->bytes = strlen(text);
        span->columns = style_columns(style, text, &span->as_is);
    }
}

/* A cell when it is printed. */
struct shown {
    struct span text, suffix;
    unsigned char indent;
    enum tint tint;
};

/*
 * A row is RULE, or its cells. A cell is its tint with flags for what follows: its
 * indent, its text, its suffix. A text or suffix is its number of bytes, and its bytes
 * with a 0 behind. A long one has PLACE instead of the number of bytes, and a pointer
 * instead of the bytes. WIDE says that the number of columns, which is another, follows
 * that of bytes; it is UNMEASURED if the text is not printed unchanged.
 */
enum { RULE = 0xff, PLACE = 0xff, WIDE = 0x40, UNMEASURED = 0xff };
enum { TINT = 0x0f, HAS_INDENT = 0x10, HAS_TEXT = 0x20, HAS_SUFFIX = 0x40 };

/* Makes room for more bytes; NULL: out of memory. */
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

enum { KEPT_MOST = 2 + 2 * (3 + CELL_TEXT_MAX) }; /* bytes of a cell */

static unsigned char *keep_span(unsigned char *to, const struct span *span)
{
    if (span->bytes >= CELL_TEXT_MAX) {
        *to++ = PLACE;
        memcpy(to, &span->text, sizeof span->text);
        return to + sizeof span->text;
    }
    bool wide = !span->as_is || span->columns != span->bytes;
    *to++ = (unsigned char)(span->bytes | (wide ? WIDE : 0));
    if (wide)
        *to++ = span->as_is ? (unsigned char)span->columns : UNMEASURED;
    memcpy(to, span->text, span->bytes + 1);
    return to + span->bytes + 1;
}

static void keep(struct sheet *sheet, const struct shown *shown)
{
    unsigned char *first = new_bytes(sheet, KEPT_MOST), *to = first;
    if (to == NULL)
        return;
    *to++ = (unsigned char)(shown->tint | (shown->indent > 0 ? HAS_INDENT : 0) |
                            (shown->text.bytes > 0 ? HAS_TEXT : 0) |
                            (shown->suffix.bytes > 0 ? HAS_SUFFIX : 0));
    if (shown->indent > 0)
        *to++ = shown->indent;
    if (shown->text.bytes > 0)
        to = keep_span(to, &shown->text);
    if (shown->suffix.bytes > 0)
        to = keep_span(to, &shown->suffix);
    sheet->used -= (size_t)(first + KEPT_MOST - to);
}

static void keep_rule(struct sheet *sheet)
{
    unsigned char *to = new_bytes(sheet, 1);
    if (to != NULL)
        *to = RULE;
}

/* Reads a text or suffix, if it is there; returns its end. */
static const unsigned char *take_span(struct span *span, const struct style *style,
                                      const unsigned char *at, bool there)
{
    *span = (struct span){.text = "", .as_is = true};
    if (!there)
        return at;
    unsigned char bytes = *at++;
    if (bytes == PLACE) {
        const char *text;
        memcpy(&text, at, sizeof text);
        measure(span, style, text);
        return at + sizeof text;
    }
    bool wide = (bytes & WIDE) != 0;
    span->bytes = bytes & (WIDE - 1);
    span->columns = wide ? *at++ : span->bytes;
    span->text = (const char *)at;
    if (wide && span->columns == UNMEASURED)
        measure(span, style, span->text);
    return at + (bytes & (WIDE - 1)) + 1;
}

/* Reads a cell that keep() wrote, so its bytes are complete. */
static const unsigned char *take(struct shown *shown, const struct style *style,
                                 const unsigned char *at)
{
    unsigned char flags = *at++;
    shown->tint = (enum tint)(flags & TINT);
    shown->indent = (flags & HAS_INDENT) != 0 ? *at++ : 0;
    at = take_span(&shown->text, style, at, (flags & HAS_TEXT) != 0);
    return take_span(&shown->suffix, style, at, (flags & HAS_SUFFIX) != 0);
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
            widen(sheet, number,
                  style_columns(style, heading(table, column, line), NULL));
    }
}

/* Clears a cell. Its arrays of text are large and seldom used to the end, so they are not
 * cleared. */
static void cell_clear(struct cell *cell)
{
    cell->text[0] = cell->suffix[0] = '\0';
    cell->string = NULL;
    cell->indent = 0;
    cell->tint = TINT_PLAIN;
}

static void fill(struct cell *cell, const struct sheet *sheet,
                 const struct column *column, size_t row)
{
    cell_clear(cell);
    if (column->cell != NULL)
        column->cell(cell, sheet->table->view, row);
    else
        sheet->table->figure(cell, column, sheet->table->view, row);
}

static void add_row(struct sheet *sheet, size_t row)
{
    for (size_t i = 0; i < sheet->column_count; i++) {
        struct cell cell;
        fill(&cell, sheet, sheet->columns[i], row);
        struct shown shown;
        measure(&shown.text, sheet->style, cell.string != NULL ? cell.string : cell.text);
        measure(&shown.suffix, sheet->style, cell.suffix);
        shown.indent = cell.indent;
        shown.tint = cell.tint;
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

/* Columns that all but the last one take, with the gap before the last one. */
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
    if (layout->count <= 1 || layout->columns[worst]->drop == 0)
        return false;
    layout->count--;
    for (size_t i = worst; i < layout->count; i++) {
        layout->columns[i] = layout->columns[i + 1];
        layout->widths[i] = layout->widths[i + 1];
    }
    return true;
}

/* How much narrower a column can become; the last column gets what is left. */
static size_t spare(const struct layout *layout, size_t column)
{
    size_t least = layout->columns[column]->least;
    bool may = least > 0 && column + 1 < layout->count;
    return may && layout->widths[column] > least ? layout->widths[column] - least : 0;
}

/* Takes `excess` off the widths, first off the column that can spare most. */
static void narrow(struct layout *layout, size_t excess)
{
    for (size_t most = 0; excess > 0; most = 0) {
        for (size_t i = 0; i < layout->count; i++)
            if (spare(layout, i) > spare(layout, most))
                most = i;
        size_t off = spare(layout, most) < excess ? spare(layout, most) : excess;
        if (off == 0)
            return;
        layout->widths[most] -= off;
        excess -= off;
    }
}

/* How much all columns side by side exceed the room. */
static size_t excess(const struct layout *layout, size_t room)
{
    size_t last = layout->widths[layout->count - 1];
    size_t wanted = taken(layout) + (last < NAME_MIN ? last : NAME_MIN);
    return wanted > room ? wanted - room : 0;
}

static size_t spare_in_all(const struct layout *layout)
{
    size_t sum = 0;
    for (size_t i = 0; i < layout->count; i++)
        sum += spare(layout, i);
    return sum;
}

static void fit(struct layout *layout, const struct style *style)
{
    layout->room = SIZE_MAX;
    if (style->width == 0 || layout->count == 0)
        return;
    while (excess(layout, style->width) > spare_in_all(layout) && drop_one(layout))
        ;
    narrow(layout, excess(layout, style->width));
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

/* Blanks are held back until text follows, so that no line ends with blanks. Text goes to
 * `out` when there is enough of it. */
struct text_line {
    const struct layout *layout;
    const struct style *style;
    FILE *out;
    size_t pending;
    size_t used;
    char text[4096];
};

static void flush(struct text_line *line)
{
    port_fwrite_unlocked(line->text, 1, line->used, line->out);
    line->used = 0;
}

/* Makes room for so many bytes, which the caller fills in; NULL: the buffer is smaller
 * than that. */
static char *new_text(struct text_line *line, size_t bytes)
{
    if (bytes > sizeof line->text - line->used)
        flush(line);
    if (bytes > sizeof line->text)
        return NULL;
    line->used += bytes;
    return line->text + line->used - bytes;
}

static void put_blanks(struct text_line *line, size_t count)
{
    while (count > 0) {
        size_t some = count < sizeof line->text ? count : sizeof line->text;
        memset(new_text(line, some), ' ', some);
        count -= some;
    }
}

static void put_newline(struct text_line *line)
{
    *new_text(line, 1) = '\n';
}

static void put_tint(struct text_line *line, enum tint tint)
{
    if (!line->style->colour)
        return;
    flush(line);
    style_tint(line->style, line->out, tint);
}

/* The room that a cell's indent and suffix leave for its text. */
static size_t room_for_text(const struct shown *cell, size_t room)
{
    size_t rest = cell->indent + cell->suffix.columns;
    return room > rest + 4 ? room - rest : 4;
}

/* Returns the number of columns printed. */
static size_t print_span(struct text_line *line, const struct span *span, size_t room,
                         enum cut cut)
{
    char *to = span->as_is && span->columns <= room ? new_text(line, span->bytes) : NULL;
    if (to != NULL) {
        memcpy(to, span->text, span->bytes);
        return span->columns;
    }
    flush(line);
    return style_fit(line->style, line->out, span->text, room, cut);
}

/* The room for a cell; SIZE_MAX: as much as it needs. */
static size_t room_of(const struct layout *layout, size_t at)
{
    return at + 1 == layout->count           ? layout->room
           : layout->columns[at]->least == 0 ? SIZE_MAX
                                             : layout->widths[at];
}

static void print_cell(struct text_line *line, size_t at, const struct shown *cell)
{
    const struct layout *layout = line->layout;
    const struct column *column = layout->columns[at];
    bool last = at + 1 == layout->count;
    size_t room = room_of(layout, at), wide = columns_of(cell);
    if (room != SIZE_MAX)
        room = room_for_text(cell, room);
    size_t width = last ? 0 : layout->widths[at];
    size_t before = column->left || width < wide ? 0 : width - wide;
    line->pending += gap_before(layout, at);
    if (cell->text.bytes == 0) {
        line->pending += width > wide ? width : wide;
        return;
    }
    put_blanks(line, line->pending + cell->indent + before);
    if (cell->tint != TINT_PLAIN)
        put_tint(line, cell->tint);
    wide = cell->indent + print_span(line, &cell->text, room, column->cut);
    wide += print_span(line, &cell->suffix, SIZE_MAX, CUT_END);
    if (cell->tint != TINT_PLAIN)
        put_tint(line, TINT_PLAIN);
    line->pending = column->left && width > wide ? width - wide : 0;
}

static bool heading_is_empty(const struct table *table, const struct layout *layout,
                             int line)
{
    for (size_t i = 0; i < layout->count; i++)
        if (heading(table, layout->columns[i], line)[0] != '\0')
            return false;
    return true;
}

/* Whether the column's group has its name above the column before. */
static bool named_before(const struct layout *layout, size_t column, int line)
{
    const struct column *const *columns = layout->columns;
    return line == 0 && columns[column]->group && column > 0 &&
           strcmp(columns[column - 1]->title[0], columns[column]->title[0]) == 0;
}

static void print_heading(const struct table *table, struct text_line *line)
{
    for (int i = 0; i < 2; i++) {
        if (heading_is_empty(table, line->layout, i))
            continue;
        line->pending = 0;
        for (size_t column = 0; column < line->layout->count; column++) {
            const char *text = named_before(line->layout, column, i)
                                   ? ""
                                   : heading(table, line->layout->columns[column], i);
            struct shown title = {.tint = TINT_DIM};
            measure(&title.text, line->style, text);
            measure(&title.suffix, line->style, "");
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

static void print_row(const struct sheet *sheet, struct text_line *line,
                      const unsigned char **at)
{
    size_t column = 0;
    line->pending = 0;
    for (size_t i = 0; i < sheet->column_count; i++) {
        struct shown shown;
        *at = take(&shown, sheet->style, *at);
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
    struct text_line line = {.layout = &layout, .style = sheet->style, .out = out};
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
        at++;
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
