/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "../base/path.h"
#include "../base/vector.h"
#include "../port/text.h"
#include "annotate.h"

enum {
    INDENT_MAX = 40,
    SMALL_GAP = 2, /* a gap of so few lines is filled */
    DEPTH_MAX = 32,
};

static bool no_memory(struct error *error)
{
    return error_set(error, EXIT_BAD_INPUT, "out of memory");
}

static struct row *add(struct rows *rows, struct row row)
{
    if (!vector_grow(&rows->items, rows->count, &rows->allocated, sizeof *rows->items))
        return NULL;
    rows->items[rows->count] = row;
    return &rows->items[rows->count++];
}

void rows_release(struct rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        free(rows->items[i].note);
    free(rows->items);
    rows->items = NULL;
    rows->count = rows->allocated = 0;
}

/* The text of a line; NULL: the file was not found, or it has no such line. */
static const char *line_text(const struct text *text, unsigned line)
{
    return text == NULL || line == 0 || line > text->line_count ? NULL
                                                                : text->lines[line - 1];
}

static unsigned indent_of(const char *text)
{
    size_t blanks = text == NULL ? 0 : strspn(text, " ");
    return blanks < INDENT_MAX ? (unsigned)blanks : INDENT_MAX;
}

static const struct text *find_text(const struct rows *rows, const char *file)
{
    return file == NULL ? NULL : texts_find(rows->view->texts, file);
}

/* Adds a row for inlined code: "crc_step crc.h:12  c >>= 1;". */
static bool add_inlined(struct rows *rows, const struct image_line *from, unsigned landed,
                        unsigned indent, const struct annotated *here)
{
    const char *text = line_text(find_text(rows, from->file), from->line);
    const char *arrow = rows->report->style.utf8 ? "↳" : "\\_";
    struct row *row = add(rows, (struct row){.kind = ROW_INLINED,
                                             .line = from->line,
                                             .landed = landed,
                                             .indent = indent});
    if (row == NULL)
        return false;
    row->counted = here != NULL;
    if (here != NULL)
        row->here = *here;
    if (port_asprintf(&row->note, "%s %s %s:%u  %s", arrow, from->function,
                      from->file != NULL ? path_tail(from->file, 1) : "?", from->line,
                      text == NULL ? "" : text + strspn(text, " ")) >= 0)
        return true;
    row->note = NULL;
    return false;
}

/* ---- Lines ---- */

/* A function's lines in one file, which are neighbours. */
struct part {
    const struct annotated_line *lines;
    size_t count;
    const struct text *text; /* NULL: it was not found */
    unsigned low, high;      /* lines that may be shown */
    unsigned first;          /* a line that is shown in any case; 0: none */
};

static bool is_told(const struct annotated_line *line)
{
    const struct annotated *here = &line->here;
    bool ran = here->ran != NOT_COUNTED && (line->from.function == NULL || here->ran > 0);
    return here->samples > 0 || here->below > 0 || here->calls > 0 || here->entries > 0 ||
           ran;
}

static bool add_source(struct rows *rows, const struct part *part, unsigned line)
{
    return add(rows, (struct row){.kind = ROW_LINE,
                                  .line = line,
                                  .text = line_text(part->text, line)}) != NULL;
}

static bool is_blank(const struct part *part, unsigned line)
{
    const char *text = line_text(part->text, line);
    return text == NULL || text[strspn(text, " ")] == '\0';
}

/* Adds lines from..to of the source, which have no counts. */
static bool add_sources(struct rows *rows, const struct part *part, unsigned from,
                        unsigned to)
{
    for (unsigned line = from; line <= to && line_text(part->text, line) != NULL; line++)
        if (!add_source(rows, part, line))
            return false;
    return true;
}

/* The same without blank lines at the outer edge: at the end if `behind`, else at the
 * begin. */
static bool add_edge(struct rows *rows, const struct part *part, unsigned from,
                     unsigned to, bool behind)
{
    while (!behind && from <= to && is_blank(part, from))
        from++;
    while (behind && from <= to && is_blank(part, to))
        to--;
    return add_sources(rows, part, from, to);
}

/* Adds what stands between the line that was shown last (0: none) and the next one with
 * counts. */
static bool add_between(struct rows *rows, const struct part *part, unsigned last,
                        unsigned next)
{
    unsigned context = rows->view->context;
    unsigned before = next - part->low > context ? next - context : part->low;
    if (part->text == NULL || line_text(part->text, next) == NULL)
        return true;
    if (last == 0)
        return add_edge(rows, part, before, next - 1, false);
    unsigned after = next - last - 1 > context ? last + context : next - 1;
    if (before <= after + 1 + SMALL_GAP)
        return add_sources(rows, part, last + 1, next - 1);
    return add_edge(rows, part, last + 1, after, true) &&
           add(rows, (struct row){.kind = ROW_GAP}) != NULL &&
           add_edge(rows, part, before, next - 1, false);
}

/* Adds a line's own code, or inlined code that belongs to it; these come one after the
 * other. *shown: the line that was shown last. */
static bool add_line(struct rows *rows, const struct part *part,
                     const struct annotated_line *line, unsigned *shown)
{
    bool own = line->from.function == NULL;
    bool has_row = own || line_text(part->text, line->line) != NULL;
    bool first = line->line != *shown || line->line == 0;
    if (first) {
        if (line->line != 0 && !add_between(rows, part, *shown, line->line))
            return false;
        if (has_row && !add_source(rows, part, line->line))
            return false;
        *shown = line->line;
    }
    if (!own)
        return add_inlined(rows, &line->from, first && !has_row ? line->line : 0,
                           indent_of(line_text(part->text, line->line)) + 2, &line->here);
    struct row *row = &rows->items[rows->count - 1];
    row->here = line->here;
    row->counted = true;
    return true;
}

static bool add_part(struct rows *rows, const struct part *part)
{
    unsigned shown = 0;
    for (size_t i = 0; i < part->count; i++)
        if ((is_told(&part->lines[i]) || part->lines[i].line == part->first) &&
            !add_line(rows, part, &part->lines[i], &shown))
            return false;
    if (shown == 0 || part->text == NULL)
        return true;
    unsigned context = rows->view->context;
    return add_edge(rows, part, shown + 1,
                    part->high - shown > context ? shown + context : part->high, true);
}

static bool same_file(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Takes the function's lines that are in the same file as the first one; returns where
 * they end. */
static size_t take_part(const struct rows *rows, struct part *part,
                        const struct annotated_function *function, size_t first)
{
    size_t end = first;
    *part = (struct part){.lines = &function->lines[first], .low = 1};
    while (end < function->line_count &&
           same_file(function->lines[end].file, part->lines->file))
        end++;
    part->count = end - first;
    part->text = find_text(rows, part->lines->file);
    part->first = function->symbol != NULL && first == 0 ? function->line : 0;
    /* lines before the function's first line are not its own; where inlined code's
     * function begins is not known */
    if (function->symbol != NULL && first == 0)
        part->low = function->line < part->lines->line || part->lines->line == 0
                        ? function->line
                        : part->lines->line;
    if (part->low == 0)
        part->low = 1;
    part->high = function->lines[end - 1].line;
    return end;
}

bool rows_of_lines(struct rows *rows, const struct annotated_function *function,
                   struct error *error)
{
    for (size_t at = 0; at < function->line_count;) {
        struct part part;
        bool other = at > 0;
        size_t before = rows->count;
        at = take_part(rows, &part, function, at);
        if (other && add(rows, (struct row){.kind = ROW_FILE,
                                            .text = part.lines->file == NULL
                                                        ? "of no known file"
                                                        : part.lines->file}) == NULL)
            return no_memory(error);
        if (!add_part(rows, &part))
            return no_memory(error);
        if (other && rows->count == before + 1)
            rows->count--; /* this file has no lines with counts */
    }
    return true;
}

/* ---- Instructions ---- */

static bool same_line(const struct image_line *a, const struct image_line *b)
{
    return a->line == b->line && a->copy == b->copy && same_file(a->file, b->file);
}

/* Adds the line that the next instructions belong to and, if they are inlined, where. */
static bool add_heading(struct rows *rows, const struct image_line *chain, size_t depth)
{
    const struct image_line *own = &chain[depth - 1];
    const struct text *text = find_text(rows, own->file);
    const char *source = line_text(text, own->line);
    if (depth > 1)
        return add_inlined(rows, &chain[0], 0, indent_of(source) + 2, NULL);
    return add(rows, (struct row){.kind = ROW_LINE, .line = own->line, .text = source}) !=
           NULL;
}

/* Whether it is data, such as ".word 0x20000000", and not an instruction. */
static bool is_data(const struct instruction *code, const struct annotated *here)
{
    return code->text[0] == '.' && here->samples <= 0;
}

static bool add_code(struct rows *rows, const struct instruction *code, size_t count,
                     const struct annotated *here)
{
    struct image_line chain[DEPTH_MAX], last = {.file = NULL};
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        size_t depth =
            image_lines(rows->report->image, code[i].address, chain, DEPTH_MAX);
        if (depth > 0 && (!any || !same_line(&chain[0], &last))) {
            if (!add_heading(rows, chain, depth))
                return false;
            last = chain[0];
            any = true;
        }
        if (add(rows, (struct row){.kind = ROW_CODE,
                                   .address = code[i].address,
                                   .text = code[i].text,
                                   .here = here[i],
                                   .counted = !is_data(&code[i], &here[i])}) == NULL)
            return false;
    }
    return true;
}

bool rows_of_code(struct rows *rows, const struct annotated_function *function,
                  struct error *error)
{
    const struct instruction *code;
    size_t count = disassembly_between(rows->view->code, function->symbol->address,
                                       function->symbol->end, &code);
    struct annotated *here = calloc(count + 1, sizeof *here);
    uint64_t *at = calloc(count + 1, sizeof *at);
    bool done = here != NULL && at != NULL;
    for (size_t i = 0; done && i < count; i++)
        at[i] = code[i].address;
    done = done || no_memory(error);
    done = done && annotate_code(rows->view->annotation, rows->report->image, function,
                                 at, count, here, error);
    if (done && !add_code(rows, code, count, here))
        done = no_memory(error);
    free(here);
    free(at);
    return done;
}
