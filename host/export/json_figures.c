/* SPDX-License-Identifier: MIT */
/* Figures of functions as members of JSON objects. */
#include <math.h>
#include <string.h>

#include "export.h"

void export_name_members(struct export_members *members, const char *figures)
{
    struct error error; /* the lists are those of json.c, and right */

    figures_parse(&members->list, figures, &error);
    for (size_t i = 0; i < members->list.count; i++) {
        const struct figure_key *key = &members->list.keys[i];

        figure_field(members->names[i].name, key, "_ticks");
        figure_field(members->names[i].seconds, key, "_seconds");
    }
}

static void put_whole(struct json *json, const char *key, const struct measure *measure)
{
    if (isnan(measure->value))
        json_null(json, key);
    else
        json_whole(json, key, measure->whole);
}

/* The name of a member of the object `timed`. */
static const char *in_timed(const char *name)
{
    static const char timed[] = "timed_";

    return strncmp(name, timed, sizeof timed - 1) == 0 ? name + sizeof timed - 1 : name;
}

/* Writes a time of timed calls in ticks and, if it is no error, in seconds. */
static void put_ticks(struct json *json, const struct export_members *members, size_t at,
                      const struct measure *measure, double tick)
{
    const char *name = in_timed(members->names[at].name);

    if (members->list.keys[at].error) {
        json_real(json, name, measure->error);
        return;
    }
    if (measure->value > (double)measure->whole) /* a mean */
        json_real(json, name, measure->value);
    else
        put_whole(json, name, measure);
    json_real(json, in_timed(members->names[at].seconds),
              tick > 0 ? measure->value / (1 / tick) : NAN);
}

static void put_figure(struct json *json, const struct export_members *members, size_t at,
                       const struct figure_source *source,
                       const struct function *function)
{
    const struct figure_key *key = &members->list.keys[at];
    const struct measure measure = figure_measure(key->figure, source, function);
    double number = key->error ? measure.error : measure.value;
    const char *name = members->names[at].name;

    switch (key->figure->unit) {
    case UNIT_NUMBER:
        put_whole(json, name, &measure);
        break;
    case UNIT_SECONDS:
    case UNIT_SECONDS_A_CALL:
        json_real(json, name, source->analysis->has_time ? number : NAN);
        break;
    case UNIT_TICKS:
    case UNIT_TICKS_A_CALL:
        put_ticks(json, members, at, &measure, source->analysis->timed.tick_seconds);
        break;
    default:
        json_real(json, name, number);
    }
}

void export_figures(struct json *json, const struct export_members *members,
                    const struct figure_source *source, const struct function *function)
{
    for (size_t i = 0; i < members->list.count; i++)
        put_figure(json, members, i, source, function);
}
