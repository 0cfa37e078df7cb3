/* SPDX-License-Identifier: MIT */
/* Energy as JSON. docs/json.md describes it. A figure that is not known is null. */
#include <math.h>
#include <stdlib.h>

#include "export.h"

static double known(double figure)
{
    return figure > 0 ? figure : NAN;
}

static void put_joules(struct json *json, const char *key, const char *error_key,
                       const struct joules *energy)
{
    json_real(json, key, energy->joules);
    json_real(json, error_key, known(energy->error));
}

/* false: out of memory. */
static bool put_name(struct json *json, const char *key, const char *name)
{
    char *clean = export_text(name, 0);

    json_text(json, key, clean);
    free(clean);
    return clean != NULL;
}

static bool put_task(struct json *json, const struct energy_task *task)
{
    json_open(json, NULL, '{');
    json_whole(json, "task", task->number);
    bool done = put_name(json, "name", task->label);
    json_bool(json, "idle", task->idle);
    json_real(json, "amperes", task->amperes);
    json_real(json, "seconds", task->seconds);
    put_joules(json, "joules", "error_joules", &task->used);
    json_close(json, '}');
    return done;
}

static bool put_tasks(struct json *json, const struct energy *energy)
{
    bool done = true;

    json_open(json, "tasks", '[');
    for (size_t i = 0; done && i < energy->task_count; i++)
        done = put_task(json, &energy->tasks[i]);
    json_close(json, ']');
    return done;
}

static bool put_functions(struct json *json, const struct energy_functions *energy,
                          const struct analysis *analysis)
{
    bool done = true;

    json_open(json, "functions", '[');
    for (size_t i = 0; done && energy->self != NULL && i < analysis->function_count;
         i++) {
        json_open(json, NULL, '{');
        done = put_name(json, "name", analysis->functions[i].name);
        put_joules(json, "self_joules", "self_error_joules", &energy->self[i]);
        put_joules(json, "total_joules", "total_error_joules", &energy->total[i]);
        json_close(json, '}');
    }
    json_close(json, ']');
    return done;
}

static bool put_path(struct json *json, const struct energy *energy,
                     const struct profile *profile, const struct analysis *analysis,
                     const struct call_path *path)
{
    const struct joules joules =
        energy_of_samples(energy, profile, analysis, (double)path->samples, path->task);
    bool done = true;

    json_open(json, NULL, '{');
    json_whole(json, "task", path->task);
    json_open(json, "functions", '[');
    for (size_t i = 0; done && i < path->depth; i++)
        done = put_name(json, NULL, frame_name(analysis, path->frames[i]));
    json_close(json, ']');
    json_whole(json, "samples", path->samples);
    put_joules(json, "joules", "error_joules", &joules);
    json_close(json, '}');
    return done;
}

static bool put_paths(struct json *json, const struct energy *energy,
                      const struct profile *profile, const struct analysis *analysis)
{
    bool done = true;

    json_open(json, "paths", '[');
    for (size_t i = 0; done && i < analysis->path_count; i++) {
        if (!analysis->paths[i].overhead)
            done = put_path(json, energy, profile, analysis, &analysis->paths[i]);
    }
    json_close(json, ']');
    return done;
}

bool export_energy(struct json *json, const struct energy *energy,
                   const struct profile *profile, const struct analysis *analysis)
{
    const struct power *power = energy->power;

    json_open(json, "energy", '{');
    json_real(json, "volts", power->volts);
    json_real(json, "running_amperes", power->running);
    json_real(json, "idle_amperes", power->idle);
    json_real(json, "tolerance_percent", 100 * power->tolerance);
    json_real(json, "seconds", energy->seconds);
    put_joules(json, "joules", "error_joules", &energy->whole);
    json_real(json, "mean_amperes", energy->amperes);
    json_real(json, "mean_error_amperes", known(energy->amperes_error));
    json_real(json, "profiler_seconds", energy->profiler);
    json_real(json, "profiler_joules", energy->waited.joules);
    json_real(json, "battery_mah", known(power->battery / 3.6));
    json_real(json, "life_seconds", known(energy->life));
    json_real(json, "life_error_seconds", known(energy->life_error));
    bool done = put_tasks(json, energy) &&
                put_functions(json, &energy->functions, analysis) &&
                put_paths(json, energy, profile, analysis);
    json_close(json, '}');
    return done;
}
