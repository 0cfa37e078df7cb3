/* SPDX-License-Identifier: MIT */
/* Reads a file of budgets. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/settings.h"
#include "../base/vector.h"
#include "budget.h"

static const struct {
    const char *name;
    enum budget_op op;
} ops[] = {{"<", BUDGET_BELOW},
           {"<=", BUDGET_AT_MOST},
           {"=", BUDGET_EQUAL},
           {">=", BUDGET_AT_LEAST},
           {">", BUDGET_ABOVE}};

enum {
    COUNTS = 1 << QUANTITY_NUMBER,
    SHARES = 1 << QUANTITY_PERCENT,
    TIMES = 1 << QUANTITY_TIME,
    ENERGIES = 1 << QUANTITY_ENERGY,
    CURRENTS = 1 << QUANTITY_CURRENT
};

/* The word before the operator; which units suit it. */
static const struct {
    const char *name;
    enum budget_what what;
    unsigned units;
} figures[] = {{"self", BUDGET_SELF, SHARES | TIMES | ENERGIES},
               {"total", BUDGET_TOTAL, SHARES | TIMES | ENERGIES},
               {"calls", BUDGET_CALLS, COUNTS},
               {"mean", BUDGET_MEAN, TIMES},
               {"min", BUDGET_MIN, TIMES},
               {"p50", BUDGET_P50, TIMES},
               {"p90", BUDGET_P90, TIMES},
               {"p99", BUDGET_P99, TIMES},
               {"max", BUDGET_MAX, TIMES}};

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* Cuts the last word off; NULL: there is none. */
static char *last_word(char *text)
{
    char *at = text + strlen(text);

    if (at == text)
        return NULL;
    while (at > text && !isspace((unsigned char)at[-1]))
        at--;
    if (at > text) {
        at[-1] = '\0';
        quantity_trim(text);
    }
    return at;
}

/* The operator, which stands alone or before the value; what follows it is the value. */
static bool take_op(struct budget *budget, char *text)
{
    char *at = text + strcspn(text, "<>=");
    size_t length = strspn(at, "<>=");

    /* names of C++ have such characters, too: the operator is the last */
    for (char *next = at + length; (next += strcspn(next, "<>="), *next != '\0');
         next += length) {
        at = next;
        length = strspn(at, "<>=");
    }
    for (size_t i = 0; i < COUNT_OF(ops); i++) {
        if (strlen(ops[i].name) == length && strncmp(at, ops[i].name, length) == 0) {
            budget->op = ops[i].op;
            if (!quantity_read(at + length, &budget->limit, &budget->unit))
                return false;
            *at = '\0';
            return true;
        }
    }
    return false;
}

static bool starts(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* Index of the figure so named; COUNT_OF(figures): there is none. */
static size_t figure_of(const char *word)
{
    size_t i = 0;

    while (i < COUNT_OF(figures) && strcmp(word, figures[i].name) != 0)
        i++;
    return i;
}

/* "FUNCTION self" */
static unsigned take_function(struct budget *budget, char *text)
{
    char *word = last_word(text);
    size_t figure = word != NULL && word > text ? figure_of(word) : COUNT_OF(figures);

    if (figure == COUNT_OF(figures))
        return 0;
    budget->what = figures[figure].what;
    return figures[figure].units;
}

/* Cuts a word off the end; false: it is not there, or nothing else is. */
static bool cut_word(char *text, const char *word)
{
    size_t length = strlen(text), cut = strlen(word);

    if (length <= cut || strcmp(text + length - cut, word) != 0)
        return false;
    text[length - cut] = '\0';
    return true;
}

/* "NAME", "NAME max", "NAME energy" */
static unsigned take_task(struct budget *budget, char *name)
{
    if (cut_word(name, " max")) {
        budget->what = BUDGET_TASK_MAX;
        return TIMES;
    }
    if (cut_word(name, " energy")) {
        budget->what = BUDGET_TASK_ENERGY;
        return ENERGIES;
    }
    budget->what = BUDGET_TASK;
    return SHARES;
}

/* What is of the whole run, and so has no name. */
static const struct {
    const char *name;
    enum budget_what what;
    unsigned units;
} wholes[] = {{"profiler", BUDGET_PROFILER, SHARES},
              {"lost", BUDGET_LOST, COUNTS},
              {"energy", BUDGET_ENERGY, ENERGIES},
              {"current", BUDGET_CURRENT, CURRENTS},
              {"life", BUDGET_LIFE, TIMES}};

/* Index of the figure so named; COUNT_OF(wholes): there is none. */
static size_t whole_of(const char *text)
{
    size_t i = 0;

    while (i < COUNT_OF(wholes) && strcmp(text, wholes[i].name) != 0)
        i++;
    return i;
}

/* Takes what stands before the operator. Returns the units that suit it; 0: it says
 * nothing that has a budget. */
static unsigned take_subject(struct budget *budget, char *text)
{
    static const char task[] = "task ", regression[] = "regression against ";
    char *name = text + strlen(text);
    size_t whole = whole_of(text);
    unsigned fit = SHARES;

    if (whole < COUNT_OF(wholes)) {
        budget->what = wholes[whole].what;
        fit = wholes[whole].units;
    } else if (starts(text, regression)) {
        name = text + strlen(regression);
        budget->what = BUDGET_REGRESSION;
    } else if (starts(text, task) &&
               figure_of(text + strlen(task)) == COUNT_OF(figures)) {
        /* "task self" means the function `task` */
        name = quantity_trim(text + strlen(task));
        fit = take_task(budget, name);
    } else {
        name = text;
        fit = take_function(budget, text);
    }
    budget->subject = strdup(quantity_trim(name));
    return budget->subject == NULL ? 0 : fit;
}

/* Cuts off what follows " # ", and keeps it. */
static bool take_why(struct budget *budget, char *text)
{
    char *mark = strstr(text, " # ");

    if (mark == NULL)
        return true;
    *mark = '\0';
    quantity_trim(text);
    budget->why = strdup(quantity_trim(mark + 3));
    return budget->why != NULL;
}

static bool read_budget(struct budget *budget, char *text)
{
    unsigned fit;

    if (!take_why(budget, text))
        return false;
    budget->text = strdup(text);
    if (budget->text == NULL || !take_op(budget, text))
        return false;
    fit = take_subject(budget, quantity_trim(text));
    return (fit & 1u << budget->unit) != 0;
}

static bool take_line(void *context, unsigned number, char *text, struct error *error)
{
    struct budgets *budgets = context;

    if (!vector_grow(&budgets->items, budgets->count, &budgets->room,
                     sizeof *budgets->items))
        return error_no_memory(error);
    struct budget *budget = &budgets->items[budgets->count++];
    *budget = (struct budget){.line = number};
    errno = 0;
    if (read_budget(budget, text))
        return true;
    return errno == ENOMEM
               ? error_no_memory(error)
               : error_set(error, EXIT_BAD_INPUT,
                           "not a budget: '%s'; expected e.g. 'main self < 5%%'",
                           budget->text);
}

bool budgets_read(struct budgets *budgets, const char *path, struct error *error)
{
    *budgets = (struct budgets){0};
    return settings_read(path, take_line, budgets, error) &&
           (budgets->count > 0 ||
            error_set(error, EXIT_BAD_INPUT, "%s: there is no budget in it", path));
}

void budgets_release(struct budgets *budgets)
{
    for (size_t i = 0; i < budgets->count; i++) {
        free(budgets->items[i].text);
        free(budgets->items[i].subject);
        free(budgets->items[i].why);
    }
    free(budgets->items);
}
