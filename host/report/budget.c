/* SPDX-License-Identifier: MIT */
#include "budget.h"

#include <string.h>

#include "../base/utf8.h"
#include "../base/xml.h"
#include "columns.h"
#include "report.h"

enum { FIGURE_MAX = 96 };

/* Writes "12.3 ±0.4 %": digits end where the error begins. */
static void put_number(char text[FIGURE_MAX], const struct style *style, double number,
                       double error, const char *unit)
{
    int digits = report_digits(error);

    if (error > 0)
        snprintf(text, FIGURE_MAX, "%.*f %s%.*f %s", digits, number,
                 style->utf8 ? "±" : "+-", digits, error, unit);
    else
        snprintf(text, FIGURE_MAX, "%.*f %s", digits, number, unit);
}

static void put_seconds(char text[FIGURE_MAX], const struct style *style,
                        const struct budget_result *result)
{
    const struct report report = {.style = *style};
    double seconds = result->figure;

    if (!(result->error > 0))
        report_duration(text, FIGURE_MAX, &report, seconds);
    else if (seconds >= 1)
        put_number(text, style, seconds, result->error, "s");
    else if (seconds >= 1e-3)
        put_number(text, style, 1e3 * seconds, 1e3 * result->error, "ms");
    else
        put_number(text, style, 1e6 * seconds, 1e6 * result->error,
                   style->utf8 ? "µs" : "us");
}

/* Puts a figure, or the reason why it is not known. */
static void put_figure(char text[FIGURE_MAX], const struct style *style,
                       const struct budget *budget, const struct budget_result *result)
{
    const struct report report = {.style = *style};

    if (!result->known)
        snprintf(text, FIGURE_MAX, "%s", result->cause);
    else if (budget->what == BUDGET_LIFE)
        report_life(text, FIGURE_MAX, &report, result->figure, result->error);
    else if (budget->unit == QUANTITY_ENERGY)
        report_joules(text, FIGURE_MAX, &report, result->figure, result->error);
    else if (budget->unit == QUANTITY_CURRENT)
        report_current(text, FIGURE_MAX, &report, result->figure, result->error);
    else if (budget->unit == QUANTITY_NUMBER)
        snprintf(text, FIGURE_MAX, "%.0f", result->figure);
    else if (budget->unit == QUANTITY_PERCENT)
        put_number(text, style, result->figure, result->error, "%");
    else
        put_seconds(text, style, result);
}

static void cell_state(struct cell *cell, const void *view, size_t row)
{
    static const char *const names[] = {
        [BUDGET_KEPT] = "ok", [BUDGET_NEAR] = "near", [BUDGET_BROKEN] = "BROKEN"};
    static const enum tint tints[] = {[BUDGET_KEPT] = TINT_PLAIN,
                                      [BUDGET_NEAR] = TINT_WARM,
                                      [BUDGET_BROKEN] = TINT_HOT};
    const struct budget_view *shown = view;

    cell->string = names[shown->results[row].state];
    cell->tint = tints[shown->results[row].state];
}

static void cell_budget(struct cell *cell, const void *view, size_t row)
{
    const struct budget_view *shown = view;

    cell->string = shown->budgets->items[row].text;
}

static void cell_figure(struct cell *cell, const void *view, size_t row)
{
    const struct budget_view *shown = view;
    const struct budget_result *result = &shown->results[row];
    char text[FIGURE_MAX];

    if (!result->known) {
        cell->string = result->cause;
        return;
    }
    put_figure(text, &shown->style, &shown->budgets->items[row], result);
    snprintf(cell->text, sizeof cell->text, "%.*s", (int)sizeof cell->text - 1, text);
    if (result->missing > 0)
        snprintf(cell->suffix, sizeof cell->suffix, " or more");
}

static const struct column columns[] = {
    {{"", ""}, .left = true, .width = 6, .cell = cell_state},
    {{"", "is"}, .left = true, .cell = cell_figure},
    {{"", "budget"}, .left = true, .cell = cell_budget},
};

static size_t count_state(const struct budget_view *view, enum budget_state state)
{
    size_t count = 0;

    for (size_t i = 0; i < view->budgets->count; i++)
        count += view->results[i].state == state;
    return count;
}

size_t report_broken(const struct budget_view *view)
{
    return count_state(view, BUDGET_BROKEN);
}

/* Prints what the broken budgets mean, each meaning once. */
static void print_why(const struct budget_view *view, FILE *out)
{
    const struct budget *budgets = view->budgets->items;

    for (size_t i = 0; i < view->budgets->count; i++) {
        bool said = budgets[i].why == NULL || view->results[i].state != BUDGET_BROKEN;

        for (size_t j = 0; !said && j < i; j++)
            said = budgets[j].why != NULL && view->results[j].state == BUDGET_BROKEN &&
                   strcmp(budgets[j].why, budgets[i].why) == 0;
        if (!said)
            fprintf(out, "%s: %s\n", budgets[i].text, budgets[i].why);
    }
}

bool report_budgets(const struct budget_view *view, FILE *out, struct error *error)
{
    const struct table table = {
        .columns = columns,
        .column_count = sizeof columns / sizeof columns[0],
        .view = view,
        .rows = view->budgets->count,
    };

    if (!table_print(&table, &view->style, out, error))
        return false;
    fprintf(out, "\n%zu kept", count_state(view, BUDGET_KEPT));
    if (count_state(view, BUDGET_NEAR) > 0)
        fprintf(out,
                ", %zu near (by less than 2 standard errors, or more may be missing)",
                count_state(view, BUDGET_NEAR));
    fprintf(out, ", %zu broken\n", report_broken(view));
    print_why(view, out);
    return true;
}

/* ---- For machines ---- */

void report_budgets_junit(const struct budget_view *view, FILE *out)
{
    char text[FIGURE_MAX];

    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuites>\n<testsuite name=\"mcuprof\" tests=\"%zu\" failures=\"%zu\">\n",
            view->budgets->count, report_broken(view));
    for (size_t i = 0; i < view->budgets->count; i++) {
        const struct budget *budget = &view->budgets->items[i];

        put_figure(text, &view->style, budget, &view->results[i]);
        fputs("<testcase classname=\"mcuprof\" name=\"", out);
        xml_text(out, budget->text, SIZE_MAX);
        fputs("\"><", out);
        fputs(view->results[i].state == BUDGET_BROKEN ? "failure message=\""
                                                      : "system-out>",
              out);
        xml_text(out, text, SIZE_MAX);
        fputs(view->results[i].state == BUDGET_BROKEN ? "\"/>" : "</system-out>", out);
        fputs("</testcase>\n", out);
    }
    fputs("</testsuite>\n</testsuites>\n", out);
}

/* Puts a text with '%' and ends of lines escaped, as GitHub asks; in a property, such as
 * `file`, ':' and ',' are escaped, too.
 */
static void put_command(FILE *out, const char *text, const char *escaped)
{
    char shown[UTF8_SHOWN];

    while (*text != '\0') {
        char first = *text;

        text += utf8_show(text, shown);
        if (strchr(escaped, first) != NULL)
            fprintf(out, "%%%02X", (unsigned)first);
        else
            fputs(shown, out);
    }
}

void report_budgets_github(const struct budget_view *view, FILE *out)
{
    char text[FIGURE_MAX];

    for (size_t i = 0; i < view->budgets->count; i++) {
        const struct budget *budget = &view->budgets->items[i];

        if (view->results[i].state != BUDGET_BROKEN)
            continue;
        put_figure(text, &view->style, budget, &view->results[i]);
        fputs("::error file=", out);
        put_command(out, view->path, "%\r\n:,");
        fprintf(out, ",line=%u::", budget->line);
        put_command(out, budget->text, "%\r\n");
        fputs(view->results[i].known ? ": it is " : ": ", out);
        put_command(out, text, "%\r\n");
        fputc('\n', out);
    }
}
