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

/* Puts the path that ends in a node; `path` has room for it. */
static void put_path(struct json *json, const struct energy *energy,
                     const struct profile *profile, const struct analysis *analysis,
                     const struct frame_tree *tree, size_t leaf, uint32_t *path)
{
    size_t task = frame_tree_above(tree, leaf, TREE_TASK);
    uint32_t number = task != 0 ? tree_frame(tree, task)->number : TASK_NONE;
    double samples = (double)tree->nodes[leaf].self;
    const struct joules joules =
        energy_of_samples(energy, profile, analysis, samples, number);
    size_t depth = frame_tree_path(tree, leaf, path), i = 0;

    json_open(json, NULL, '{');
    json_whole(json, "task", number);
    json_open(json, "functions", '[');
    while (!tree_is_code(tree_frame(tree, path[i])))
        i++; /* the task, and what stands above the outermost function */
    for (; i < depth; i++)
        json_text(json, NULL, tree_frame(tree, path[i])->name);
    json_close(json, ']');
    json_whole(json, "samples", tree->nodes[leaf].self);
    put_joules(json, "joules", "error_joules", &joules);
    json_close(json, '}');
}

static bool put_paths(struct json *json, const struct energy *energy,
                      const struct profile *profile, const struct analysis *analysis)
{
    struct frame_tree tree;
    struct error error;

    json_open(json, "paths", '[');
    if (analysis->measured) {
        if (!frame_tree_build(&tree, TREE_BY_FUNCTION, profile, analysis, NULL, &error))
            return false;
        uint32_t *path = calloc(tree.depth + 1, sizeof *path);
        bool done = path != NULL;
        for (size_t i = 1; done && i < tree.count; i++) {
            if (tree_frame(&tree, i)->kind == TREE_PROFILER)
                i = tree.nodes[i].end - 1;
            else if (tree.nodes[i].self > 0)
                put_path(json, energy, profile, analysis, &tree, i, path);
        }
        free(path);
        frame_tree_release(&tree);
        if (!done)
            return false;
    }
    json_close(json, ']');
    return true;
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
