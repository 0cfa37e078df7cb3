/* SPDX-License-Identifier: MIT */
/* -A: the source with the counts of its functions and, with -l, basic blocks. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../image/text_folders.h"
#include "../trace.h"
#include "print.h"

enum {
    MARGIN = 16,  /* columns before each line of source */
    COUNTS = 512, /* more bytes than a carried count, the calls and 10 blocks of 20 digits
                     take */
};

/* A line that has code: the first symbol that starts on it, and the calls of all symbols
 * that do. */
struct annotated_line {
    const struct gprof_symbol *first;
    uint64_t calls;
    bool alone; /* no other symbol starts on the line */
};

/* One source file while it is annotated. */
struct annotated_source {
    struct gprof *gprof;
    const struct gprof_file *file;
    const struct annotated_line *lines; /* by number */
    size_t count;
    uint64_t calls;
    const struct text_folders *folders;
    FILE *in, *out;
    size_t left;     /* bytes of `in` that are still read */
    uint64_t *last;  /* -x: the count of the last block so far, also where that was in
                        another file */
    size_t shown;    /* lines with code that the source file has: an older file may have
                        fewer */
    size_t executed; /* how many of these have a count, be it 0 */
};

static bool wanted(const struct gprof *gprof, const struct gprof_symbol *symbol)
{
    if (symbol->file == NULL)
        return false;
    if (gprof_list_used(gprof, GPROF_INCLUDE_ANNOTATED))
        return gprof_listed(gprof, GPROF_INCLUDE_ANNOTATED, symbol);
    return !gprof_listed(gprof, GPROF_EXCLUDE_ANNOTATED, symbol);
}

/* Newest file first, then by line and address. */
static int by_place(const void *left, const void *right, void *context)
{
    const struct gprof_symbol *a = left, *b = right;

    (void)context;
    if (a->file != b->file)
        return a->file->order < b->file->order ? 1 : -1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return (a->address > b->address) - (a->address < b->address);
}

/* ---- Where the source is ---- */

static void open_file(struct annotated_source *source, const char *path, bool *refused)
{
    bool outside = false;

    source->in = text_folders_open(source->folders, path, &source->left, &outside);
    *refused |= outside;
    gprof_trace_line(source->gprof, GPROF_TRACE_SOURCE, "%s looked for as %s: %s",
                     source->file->path, path,
                     source->in != NULL ? "found"
                     : outside          ? "not below a folder that is read"
                                        : "not there");
}

static void open_below(struct annotated_source *source, const char *directory,
                       const char *name, bool *refused)
{
    size_t size = strlen(directory) + strlen(name) + 2;
    char *path = malloc(size);

    if (path == NULL)
        return;
    snprintf(path, size, "%s/%s", directory, name);
    open_file(source, path, refused);
    free(path);
}

static void search(struct annotated_source *source, const char *name, bool *refused)
{
    const struct gprof_options *options = &source->gprof->options;

    for (size_t i = 0; i < options->source_directory_count && source->in == NULL; i++)
        open_below(source, options->source_directories[i], name, refused);
}

static void open_source(struct annotated_source *source)
{
    const struct gprof_file *file = source->file;
    bool refused = false;

    open_file(source, file->path, &refused);
    if (file->path[0] != '/')
        search(source, file->path, &refused);
    search(source, file->base, &refused);
    if (source->in == NULL && refused)
        gprof_warn(source->gprof,
                   "`%s' is no file below the current folder or the program's: "
                   "-I DIR shows source below DIR",
                   file->path);
    else if (source->in == NULL)
        gprof_warn(source->gprof, "could not locate `%s'", file->path);
}

/* ---- What stands before a line ---- */

struct counts {
    char text[COUNTS];
    size_t size;
    uint64_t sum;
    uint64_t last; /* the count that was added to the text last */
    bool any;
};

/* Adds a count to the text. With `merge` (-x) it adds none that equals the one before. */
static void add_count(struct counts *counts, uint64_t count, bool merge)
{
    counts->sum += count;
    if (counts->any && merge && count == counts->last)
        return;
    counts->size +=
        (size_t)snprintf(counts->text + counts->size, sizeof counts->text - counts->size,
                         "%s%" PRIu64, counts->any ? "," : "", count);
    counts->any = true;
    counts->last = count;
}

/* Whether a block begins where the line does. */
static bool begins_block(const struct annotated_line *line)
{
    return line->alone && line->first->blocks != NULL &&
           line->first->blocks->addresses[0] == line->first->address;
}

static void print_counts(struct annotated_source *source,
                         const struct annotated_line *line)
{
    const struct gprof_symbol *symbol = line->first;
    const struct gprof_blocks *blocks = symbol->blocks;
    bool merge = source->gprof->options.all_lines;
    struct counts counts = {.size = 0};

    if (symbol->is_function)
        add_count(&counts, line->calls, false);
    else if (merge && !begins_block(line))
        add_count(&counts, *source->last, false);
    for (size_t i = 0; blocks != NULL && i < blocks->count; i++)
        add_count(&counts, blocks->executions[i], merge);
    if (!counts.any) {
        fprintf(source->out, "%*s", MARGIN, "");
        return;
    }
    source->executed++;
    *source->last = counts.last;
    if (counts.sum < source->gprof->options.min_count)
        snprintf(counts.text, sizeof counts.text, "#####");
    /* Where the counts leave no room for it, the -> is cut off. */
    char margin[COUNTS + 8];

    snprintf(margin, sizeof margin, "%12s -> ", counts.text);
    fprintf(source->out, "%.*s", MARGIN, margin);
}

static void print_lines(struct annotated_source *source)
{
    char *text = NULL;
    size_t room = 0, next = 0;
    ssize_t size;

    for (unsigned number = 1;
         source->left > 0 && (size = getline(&text, &room, source->in)) > 0; number++) {
        size = (size_t)size < source->left ? size : (ssize_t)source->left;
        source->left -= (size_t)size;
        while (next < source->count && source->lines[next].first->line < number)
            next++;
        if (next < source->count && source->lines[next].first->line == number) {
            print_counts(source, &source->lines[next]);
            source->shown++;
        } else {
            fprintf(source->out, "%*s", MARGIN, "");
        }
        fwrite(text, 1, (size_t)size, source->out);
    }
    free(text);
}

/* ---- What stands below the file ---- */

static int by_calls(const void *left, const void *right, void *context)
{
    const struct annotated_line *a = left, *b = right;

    (void)context;
    return a->calls > b->calls ? -1 : a->calls < b->calls;
}

static bool print_top_lines(struct annotated_source *source)
{
    int rows = source->gprof->options.table_length;
    const struct annotated_line **lines;

    if (rows <= 0)
        return true;
    lines = malloc((source->count + 1) * sizeof *lines);
    if (lines == NULL)
        return false;
    for (size_t i = 0; i < source->count; i++)
        lines[i] = &source->lines[i];
    if (!sort_stable((void **)lines, source->count, by_calls, NULL)) {
        free(lines);
        return false;
    }
    fprintf(source->out, "\n\nTop %d Lines:\n\n     Line      Count\n\n", rows);
    for (size_t i = 0; i < source->count && i < (size_t)rows && lines[i]->calls > 0; i++)
        fprintf(source->out, "%9u %10" PRIu64 "\n", lines[i]->first->line,
                lines[i]->calls);
    free(lines);
    return true;
}

static void print_summary(const struct annotated_source *source)
{
    double lines = (double)source->shown;
    bool any = source->shown > 0;

    fprintf(source->out,
            "\nExecution Summary:\n\n"
            "%9zu   Executable lines in this file\n"
            "%9zu   Lines executed\n"
            "%9.2f   Percent of the file executed\n"
            "\n%9" PRIu64 "   Total number of line executions\n"
            "%9.2f   Average executions per line\n",
            source->shown, source->executed,
            any ? 100.0 * (double)source->executed / lines : 100.0, source->calls,
            any ? (double)source->calls / lines : 0.0);
}

/* ---- A file ---- */

/* -y: FILE-ann in the current directory. */
static FILE *open_output(struct annotated_source *source)
{
    size_t size = strlen(source->file->base) + sizeof "-ann";
    char *path = malloc(size);
    FILE *out;

    if (path == NULL)
        return NULL;
    snprintf(path, size, "%s-ann", source->file->base);
    out = fopen(path, "wb");
    if (out == NULL)
        perror(path);
    free(path);
    return out;
}

/* *first: no file was printed so far. */
static bool annotate_open(struct annotated_source *source, bool *first)
{
    bool separate = source->gprof->options.separate_files, done;

    source->out = separate ? open_output(source) : source->gprof->out;
    if (source->out == NULL)
        return true;
    if (!separate) {
        if (!*first)
            fputc('\n', source->out);
        *first = false;
        gprof_put_section_break(source->gprof);
        fprintf(source->out, "*** File %s:\n", source->file->path);
    }
    print_lines(source);
    done = print_top_lines(source);
    print_summary(source);
    if (separate && fclose(source->out) != 0)
        perror(source->file->base);
    return done;
}

static bool annotate(struct annotated_source *source, bool *first)
{
    bool done;

    if (source->calls == 0 && !source->gprof->options.unused)
        return true;
    open_source(source);
    if (source->in == NULL)
        return true;
    done = annotate_open(source, first);
    fclose(source->in);
    return done;
}

/* ---- All files ---- */

/* Collects the lines of one file, from symbols[*at] on; `lines` has room for them. */
static void collect_lines(struct annotated_source *source, struct gprof_symbol **symbols,
                          size_t count, size_t *at, struct annotated_line *lines)
{
    source->file = symbols[*at]->file;
    source->lines = lines;
    for (; *at < count && symbols[*at]->file == source->file; ++*at) {
        const struct gprof_symbol *symbol = symbols[*at];
        struct annotated_line *line =
            source->count > 0 ? &lines[source->count - 1] : NULL;

        if (line == NULL || line->first->line != symbol->line) {
            line = &lines[source->count++];
            *line = (struct annotated_line){.first = symbol, .alone = true};
        } else {
            line->alone = false;
        }
        line->calls += symbol->calls;
        source->calls += symbol->calls;
    }
}

static bool annotate_all(struct gprof *gprof, const struct text_folders *folders,
                         struct gprof_symbol **symbols, size_t count)
{
    struct annotated_line *lines = malloc((count + 1) * sizeof *lines);
    bool first = true, done = lines != NULL;
    uint64_t last = 0;

    for (size_t at = 0; done && at < count;) {
        struct annotated_source source = {
            .gprof = gprof, .folders = folders, .last = &last};

        collect_lines(&source, symbols, count, &at, lines);
        done = annotate(&source, &first);
    }
    free(lines);
    return done;
}

static bool add_folders(struct text_folders *folders, const struct gprof_options *options)
{
    for (size_t i = 0; i < options->source_directory_count; i++)
        text_folders_give(folders, options->source_directories[i]);
    text_folders_own(folders, options->image);
    return !folders->no_memory;
}

bool gprof_print_annotated(struct gprof *gprof, struct error *error)
{
    struct gprof_symbol **symbols = malloc((gprof->symbol_count + 1) * sizeof *symbols);
    size_t count = 0;
    struct text_folders folders = {0};
    bool done = symbols != NULL && add_folders(&folders, &gprof->options);

    for (size_t i = 0; done && i < gprof->symbol_count; i++) {
        if (wanted(gprof, &gprof->symbols[i]))
            symbols[count++] = &gprof->symbols[i];
    }
    done = done && sort_stable((void **)symbols, count, by_place, NULL) &&
           annotate_all(gprof, &folders, symbols, count);
    text_folders_release(&folders);
    free(symbols);
    return done || error_set(error, EXIT_NO, "out of memory");
}
