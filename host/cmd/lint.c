/* SPDX-License-Identifier: MIT */
/* mcuprof lint: finds what is wrong with firmware, from its ELF alone. */
#include "../lint/lint.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "../base/json.h"
#include "../base/plural.h"
#include "terminal.h"

static bool as_json, all;
static struct terminal_options terminal = TERMINAL_OPTIONS;

static const struct option_spec options[] = {
    {'v', "verbose", OPTION_FLAG, NULL, "name all functions of a finding, not only 5",
     &all},
    {0, "all", OPTION_FLAG, NULL, "the same", &all},
    {0, "json", OPTION_FLAG, NULL, "one JSON object instead of text", &as_json},
    TERMINAL_OPTION_ROWS(terminal),
    {0},
};

static const char *const level_names[] = {
    [LINT_NOTE] = "note", [LINT_WARNING] = "warning", [LINT_ERROR] = "error"};

/* ---- Text ---- */

enum { WIDTH = 80, WIDTH_LEAST = 60, INDENT = 2, PLACES = 5 };
enum { NAME_ROOM = 36, FILE_ROOM = 36 }; /* on a terminal */

struct page {
    struct style style;
    size_t width;          /* columns of paragraphs */
    char folder[PATH_MAX]; /* the working directory, with a slash behind it; "":
                            * unknown */
};

/* Prints words, broken into lines of the page's width that begin with INDENT blanks.
 * `column` is the current column; returns the new one. */
static size_t print_words(const struct page *page, const char *text, size_t column)
{
    while (*text != '\0') {
        char word[512];
        size_t bytes = strcspn(text, " ");
        snprintf(word, sizeof word, "%.*s", (int)bytes, text);
        size_t columns = style_columns(&page->style, word, NULL);
        if (column > INDENT && column + 1 + columns > page->width) {
            putchar('\n');
            column = 0;
        }
        printf("%*s", column == 0 ? INDENT : column > INDENT, "");
        column += column == 0 ? INDENT : column > INDENT;
        style_text(&page->style, stdout, word, SIZE_MAX);
        column += columns;
        text += bytes + strspn(text + bytes, " ");
    }
    return column;
}

static void print_paragraph(const struct page *page, const char *lead, const char *text)
{
    size_t column = print_words(page, lead, 0);
    print_words(page, text, column);
    putchar('\n');
}

/* A path relative to the working directory or, where there is no room for it, the file's
 * name. */
static const char *shortened(const struct page *page, const char *path, size_t room)
{
    size_t folder = strlen(page->folder);
    const char *name = strrchr(path, '/');
    if (folder > 0 && strncmp(path, page->folder, folder) == 0)
        path += folder;
    return strlen(path) <= room || name == NULL ? path : name + 1;
}

/* Prints where the place is; returns the new column. */
static size_t print_where(const struct page *page, const struct lint_place *place,
                          size_t column)
{
    char where[PATH_MAX + 16] = "";
    size_t room = page->style.width == 0 ? SIZE_MAX : FILE_ROOM;
    if (place->file != NULL)
        snprintf(where, sizeof where, "  %s:%u", shortened(page, place->file, room),
                 place->line);
    else if (place->address != UINT64_MAX)
        snprintf(where, sizeof where, "  0x%08" PRIx64, place->address);
    style_tint(&page->style, stdout, TINT_DIM);
    column += style_text(&page->style, stdout, where,
                         page->style.width == 0 ? SIZE_MAX : page->width - column);
    style_tint(&page->style, stdout, TINT_PLAIN);
    return column;
}

static void print_place(const struct page *page, const struct lint_place *place)
{
    const char *name = place->function != NULL ? place->function : "?";
    bool narrow = page->style.width != 0;
    printf("%*s", INDENT, "");
    size_t column =
        INDENT + style_text(&page->style, stdout, name, narrow ? NAME_ROOM : SIZE_MAX);
    column = print_where(page, place, column);
    if (place->detail != NULL) {
        size_t columns = style_columns(&page->style, place->detail, NULL);
        bool fits = !narrow || column + 2 + columns <= page->width;
        printf(fits ? "  " : "\n      ");
        style_text(&page->style, stdout, place->detail,
                   narrow ? page->width - 6 : SIZE_MAX);
    }
    putchar('\n');
}

static void print_finding(const struct page *page, const struct lint_finding *found)
{
    static const enum tint tints[] = {
        [LINT_NOTE] = TINT_BOLD, [LINT_WARNING] = TINT_WARM, [LINT_ERROR] = TINT_HOT};
    const struct lint_rule *rule = found->rule;
    size_t shown = all || found->place_count <= PLACES ? found->place_count : PLACES;
    char lead[32], name[64];
    style_tint(&page->style, stdout, tints[rule->level]);
    printf("%s:", level_names[rule->level]);
    style_tint(&page->style, stdout, TINT_PLAIN);
    snprintf(lead, sizeof lead, "%s:", level_names[rule->level]);
    snprintf(name, sizeof name, "[%s]", rule->name);
    size_t column = print_words(page, rule->title, strlen(lead));
    print_words(page, name, column);
    putchar('\n');
    if (found->detail != NULL)
        print_paragraph(page, "", found->detail);
    for (size_t i = 0; i < shown; i++)
        print_place(page, &found->places[i]);
    if (shown < found->place_count)
        printf("%*s... and %zu more, which -v names\n", INDENT, "",
               found->place_count - shown);
    print_paragraph(page, rule->guess ? "Perhaps:" : "", rule->effect);
    print_paragraph(page, "To do:", rule->remedy);
    putchar('\n');
}

static void print_summary(const struct lint *lint)
{
    const struct lint_summary *summary = &lint->summary;
    size_t errors = lint_found(lint, LINT_ERROR);
    size_t warnings = lint_found(lint, LINT_WARNING), notes = lint_found(lint, LINT_NOTE);
    printf("%zu function%s: %zu count calls, %zu time calls, %zu count blocks\n",
           summary->functions, plural(summary->functions), summary->count_calls,
           summary->time_calls, summary->count_blocks);
    if (summary->sites > 0)
        printf("Calls are counted at %zu call site%s.\n", summary->sites,
               plural(summary->sites));
    if (summary->samples && summary->followable > 0) {
        printf("Samples bring whole call paths from %zu of %zu functions",
               summary->followed, summary->followable);
        if (summary->in_ram > 0)
            printf(", %zu of them in RAM", summary->in_ram);
        puts(".");
    } else
        puts(summary->samples ? "Samples bring no call paths." : "No samples are taken.");
    printf("%zu error%s, %zu warning%s, %zu note%s\n", errors, plural(errors), warnings,
           plural(warnings), notes, plural(notes));
}

static void print_text(const struct lint *lint, struct page *page)
{
    size_t bytes;
    if (getcwd(page->folder, sizeof page->folder - 1) == NULL)
        page->folder[0] = '\0';
    bytes = strlen(page->folder);
    if (bytes > 0 && page->folder[bytes - 1] != '/')
        memcpy(page->folder + bytes, "/", 2);
    page->width = WIDTH;
    if (page->style.width != 0 && page->style.width < WIDTH)
        page->width = page->style.width > WIDTH_LEAST ? page->style.width : WIDTH_LEAST;
    pager_start(&terminal);
    for (size_t i = 0; i < lint->count; i++)
        print_finding(page, &lint->findings[i]);
    print_summary(lint);
    pager_finish();
}

/* ---- JSON ---- */

static void put_place(struct json *json, const struct lint_place *place)
{
    json_open(json, NULL, '{');
    json_text(json, "function", place->function);
    if (place->address == UINT64_MAX)
        json_null(json, "address");
    else
        json_whole(json, "address", place->address);
    json_text(json, "file", place->file);
    json_whole(json, "line", place->line);
    json_text(json, "detail", place->detail);
    json_close(json, '}');
}

static void put_finding(struct json *json, const struct lint_finding *found)
{
    const struct lint_rule *rule = found->rule;
    json_open(json, NULL, '{');
    json_text(json, "rule", rule->name);
    json_text(json, "level", level_names[rule->level]);
    json_bool(json, "guess", rule->guess);
    json_text(json, "title", rule->title);
    json_text(json, "detail", found->detail);
    json_text(json, "effect", rule->effect);
    json_text(json, "remedy", rule->remedy);
    json_open(json, "places", '[');
    for (size_t i = 0; i < found->place_count; i++)
        put_place(json, &found->places[i]);
    json_close(json, ']');
    json_close(json, '}');
}

static void print_json(const struct lint *lint, const char *path)
{
    const struct lint_summary *summary = &lint->summary;
    struct json json = {.out = stdout, .indent = 2};
    json_open(&json, NULL, '{');
    json_text(&json, "elf", path);
    json_whole(&json, "errors", lint_found(lint, LINT_ERROR));
    json_whole(&json, "warnings", lint_found(lint, LINT_WARNING));
    json_whole(&json, "notes", lint_found(lint, LINT_NOTE));
    json_open(&json, "functions", '{');
    json_whole(&json, "all", summary->functions);
    json_whole(&json, "count_calls", summary->count_calls);
    json_whole(&json, "time_calls", summary->time_calls);
    json_whole(&json, "count_blocks", summary->count_blocks);
    json_whole(&json, "followable", summary->followable);
    json_whole(&json, "followed", summary->followed);
    json_whole(&json, "in_ram", summary->in_ram);
    json_close(&json, '}');
    json_whole(&json, "sites", summary->sites);
    json_bool(&json, "samples", summary->samples);
    json_open(&json, "findings", '[');
    for (size_t i = 0; i < lint->count; i++)
        put_finding(&json, &lint->findings[i]);
    json_close(&json, ']');
    json_close(&json, '}');
    putchar('\n');
}

/* ---- The command ---- */

static bool lint_file(const char *path, struct page *page, struct error *error)
{
    struct image *image = NULL;
    struct lint lint = {.findings = NULL};
    bool done = image_open(&image, path, error) && lint_elf(&lint, image, error);
    if (done && as_json)
        print_json(&lint, path);
    else if (done)
        print_text(&lint, page);
    if (done && lint_found(&lint, LINT_ERROR) > 0)
        done = error_set(error, EXIT_NO, "%s: %zu error%s", path,
                         lint_found(&lint, LINT_ERROR),
                         plural(lint_found(&lint, LINT_ERROR)));
    lint_release(&lint);
    image_close(image);
    return done;
}

static int run(int argc, char **argv)
{
    struct page page = {.folder = ""};
    struct error error;
    if (argc != 1)
        return cmd_usage(&cmd_lint, argc == 0 ? "no ELF given" : "one ELF at a time");
    int status = terminal_style(&cmd_lint, &terminal, &page.style);
    if (status != EXIT_DONE)
        return status;
    return lint_file(argv[0], &page, &error) ? EXIT_DONE : cmd_fail(&cmd_lint, &error);
}

const struct cmd cmd_lint = {
    .name = "lint",
    .summary = "check how firmware was built, by its ELF",
    .synopsis = "[OPTION...] ELF",
    .details =
        "Errors, warnings and notes: what happens because of each, and what to do.\n"
        "Exit status 1 if there are errors.",
    .options = options,
    .run = run,
};
