/* SPDX-License-Identifier: MIT */
/* Lists of figures, and rows in the order of some. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../hook_cost/timed.h"
#include "figures.h"

/* ---- What a profile has ---- */

static bool has_singles(const struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->function_count; i++)
        if (analysis_singles(analysis, &analysis->functions[i]) != NULL)
            return true;
    return false;
}

unsigned figures_known(const struct figure_source *source)
{
    const struct analysis *analysis = source->analysis;
    bool timed = analysis->timed.known,
         totals = analysis->measured || analysis->has_calls;

    return (analysis->has_samples ? (unsigned)NEEDS_SAMPLES : 0) |
           (analysis->has_time ? (unsigned)NEEDS_RATE : 0) |
           (analysis->has_calls ? (unsigned)NEEDS_CALLS : 0) |
           (analysis->measured ? NEEDS_PATHS : NEEDS_ESTIMATE) |
           (totals ? (unsigned)NEEDS_TOTALS : 0) |
           (source->joules != NULL ? (unsigned)NEEDS_ENERGY : 0) |
           (timed ? (unsigned)NEEDS_TIMED : 0) |
           (timed && !analysis->timed.raw ? (unsigned)NEEDS_EXTREMES : 0) |
           (timed && has_singles(analysis) ? (unsigned)NEEDS_SINGLES : 0);
}

const char *figure_lacks(const struct figure *figure, unsigned known)
{
    static const struct {
        unsigned needs;
        const char *lacks;
    } reasons[] = {
        {NEEDS_SAMPLES, "no samples"},
        {NEEDS_RATE, "no sampling rate"},
        {NEEDS_CALLS, "no calls were counted or timed"},
        {NEEDS_TOTALS, "no call paths, and no calls"},
        {NEEDS_TIMED, "no timed calls"},
        {NEEDS_EXTREMES, "not with --raw"},
        {NEEDS_SINGLES, "of timed calls only sums came"},
        {NEEDS_ENERGY, "no energy of functions: see --power"},
    };
    unsigned lacks = figure->needs & ~known;

    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if ((lacks & reasons[i].needs) != 0)
            return reasons[i].lacks;
    return NULL;
}

static const struct figure *find(const char *id, size_t length)
{
    for (const struct figure *figure = figure_rows; figure->id != NULL; figure++)
        if (strncmp(figure->id, id, length) == 0 && figure->id[length] == '\0')
            return figure;
    return NULL;
}

/* The figure of timed calls that has its meaning; itself if there is none. */
static const struct figure *of_calls(const struct figure *figure)
{
    return figure->timed != NULL ? find(figure->timed, strlen(figure->timed)) : figure;
}

const struct figure *figure_in(const struct figure *figure, unsigned known)
{
    const struct figure *timed = of_calls(figure);

    return (figure->needs & ~known) != 0 && (timed->needs & ~known) == 0 ? timed : figure;
}

struct figure_list figures_in(const struct figure_list *list, unsigned known)
{
    struct figure_list found = *list;

    for (size_t i = 0; i < found.count; i++)
        if (found.keys[i].figure != NULL)
            found.keys[i].figure = figure_in(found.keys[i].figure, known);
    return found;
}

struct figure_list figures_of_calls(const struct figure_list *list)
{
    struct figure_list found = *list;

    for (size_t i = 0; i < found.count; i++)
        if (found.keys[i].figure != NULL)
            found.keys[i].figure = of_calls(found.keys[i].figure);
    return found;
}

/* ---- Reading lists ---- */

static bool unknown_figure(const char *item, size_t length, bool order,
                           struct error *error)
{
    char ids[FIGURES_TEXT];
    size_t used = 0;

    for (const struct figure *figure = figure_rows;
         figure->id != NULL && used < sizeof ids; figure++)
        used += (size_t)snprintf(ids + used, sizeof ids - used, "%s%s",
                                 used > 0 ? ", " : "", figure->id);
    return error_set(error, EXIT_USAGE, "no figure '%.*s'; there are %s%s", (int)length,
                     item, ids, order ? ", and name" : "");
}

/* Reads "total_error", too. */
static bool parse_figure(struct figure_key *key, const char *item, size_t length,
                         bool order, struct error *error)
{
    static const char suffix[] = "_error";
    size_t behind = sizeof suffix - 1;

    key->figure = find(item, length);
    if (key->figure != NULL)
        return true;
    if (length > behind && strncmp(item + length - behind, suffix, behind) == 0)
        key->figure = find(item, length - behind);
    if (key->figure == NULL)
        return unknown_figure(item, length, order, error);
    key->error = true;
    return key->figure->has_error ||
           error_set(error, EXIT_USAGE, "%s has no error, so there is no %.*s",
                     key->figure->id, (int)length, item);
}

static bool is_name(const char *item, size_t length)
{
    return length == 4 && strncmp(item, "name", length) == 0;
}

static bool parse_column(struct figure_key *key, const char *item, size_t length,
                         struct error *error)
{
    *key = (struct figure_key){.figure = NULL};
    if (is_name(item, length))
        return error_set(error, EXIT_USAGE, "name is in each row, and no figure");
    return parse_figure(key, item, length, false, error);
}

static bool parse_key(struct figure_key *key, const char *item, size_t length,
                      struct error *error)
{
    bool sign = *item == '+' || *item == '-', name;

    *key = (struct figure_key){.ascending = *item == '+'};
    item += sign;
    length -= sign;
    name = is_name(item, length);
    if (name && !sign)
        key->ascending = true;
    return name || parse_figure(key, item, length, true, error);
}

typedef bool parse_item(struct figure_key *key, const char *item, size_t length,
                        struct error *error);

static bool is_in(const struct figure_list *list, const struct figure_key *key)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->keys[i].figure == key->figure && list->keys[i].error == key->error)
            return true;
    return false;
}

static bool parse(struct figure_list *list, const char *text, parse_item *read,
                  struct error *error)
{
    *list = (struct figure_list){.count = 0};
    for (const char *item = text;; item++) {
        struct figure_key key;
        size_t length = strcspn(item, ",");

        if (length == 0)
            return error_set(error, EXIT_USAGE, "'%s' lacks a figure", text);
        if (!read(&key, item, length, error))
            return false;
        if (is_in(list, &key))
            return error_set(error, EXIT_USAGE, "%.*s is there twice", (int)length, item);
        list->keys[list->count++] = key; /* each once, so there is room */
        item += length;
        if (*item == '\0')
            return true;
    }
}

bool figures_parse(struct figure_list *list, const char *text, struct error *error)
{
    return parse(list, text, parse_column, error);
}

bool figures_parse_order(struct figure_list *list, const char *text, struct error *error)
{
    return parse(list, text, parse_key, error);
}

bool figures_by_name(const struct figure_list *order)
{
    return order->count > 0 && order->keys[0].figure == NULL;
}

size_t figures_lacking(const struct figure_list *list, unsigned known,
                       char text[FIGURES_TEXT])
{
    const char *before = NULL;
    size_t used = 0, lacking = 0;

    text[0] = '\0';
    for (size_t i = 0; i < list->count; i++) {
        const struct figure *figure = list->keys[i].figure;
        const char *lacks = figure != NULL ? figure_lacks(figure, known) : NULL;

        if (lacks == NULL)
            continue;
        lacking++;
        if (before != NULL && used < FIGURES_TEXT)
            used += (size_t)snprintf(text + used, FIGURES_TEXT - used,
                                     lacks == before ? ", " : ": %s; ", before);
        if (used < FIGURES_TEXT)
            used += (size_t)snprintf(text + used, FIGURES_TEXT - used, "%s%s", figure->id,
                                     list->keys[i].error ? "_error" : "");
        before = lacks;
    }
    if (before != NULL && used < FIGURES_TEXT)
        snprintf(text + used, FIGURES_TEXT - used, ": %s", before);
    return lacking;
}

/* ---- Orders ---- */

static double key_of(const struct figure_key *key, const struct figure_source *source,
                     const struct figure_subject *subject)
{
    struct measure measure = figure_of(key->figure, source, subject);
    double value = key->error ? measure.error : measure.value + (double)measure.recursive;

    return isnan(value) ? INFINITY : key->ascending ? value : -value;
}

void figures_keys(double *keys, const struct figure_list *order,
                  const struct figure_source *source,
                  const struct figure_subject *subject)
{
    for (size_t i = 0; i < order->count; i++)
        if (order->keys[i].figure != NULL)
            keys[i] = key_of(&order->keys[i], source, subject);
}

void figure_field(char text[FIGURE_FIELD], const struct figure_key *key,
                  const char *ticks)
{
    const char *const units[] = {
        [UNIT_NUMBER] = "",          [UNIT_SAMPLES] = "",
        [UNIT_SECONDS] = "_seconds", [UNIT_SECONDS_A_CALL] = "_seconds",
        [UNIT_TICKS] = ticks,        [UNIT_TICKS_A_CALL] = ticks,
        [UNIT_PERCENT] = "_percent", [UNIT_JOULES] = "_joules",
    };
    const struct figure *figure = key->figure;

    snprintf(text, FIGURE_FIELD, "%s%s%s",
             figure->stem != NULL ? figure->stem : figure->id, key->error ? "_error" : "",
             units[figure->unit]);
}
