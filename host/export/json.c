/* SPDX-License-Identifier: MIT */
/* The whole profile as JSON for scripts. docs/json.md describes it. Scripts rely on its
 * members, so none may be removed. */
#include "../base/json.h"
#include "../base/compare.h"

#include <stdlib.h>

#include "../capture/sampling.h"
#include "export.h"

/* false: out of memory. */
static bool put_name(struct json *json, const char *key, const char *name)
{
    char *clean = name != NULL ? export_text(name, 0) : NULL;

    json_text(json, key, clean);
    free(clean);
    return clean != NULL || name == NULL;
}

/* Writes the number, or null if it is not known. */
static void put_real(struct json *json, const char *key, bool known, double number)
{
    if (known)
        json_real(json, key, number);
    else
        json_null(json, key);
}

static void put_whole(struct json *json, const char *key, bool known, uint64_t number)
{
    if (known)
        json_whole(json, key, number);
    else
        json_null(json, key);
}

static void put_seconds(struct json *json, const char *key,
                        const struct analysis *analysis, double time)
{
    put_real(json, key, analysis->has_time, time);
}

static void put_measured(struct json *json, const char *key,
                         const struct analysis *analysis, double time)
{
    put_real(json, key, analysis->has_time && analysis->measured, time);
}

void export_firmware(struct json *json, const struct profile *profile)
{
    char digits[2 * BUILD_ID_MAX + 1] = "";

    for (size_t i = 0; i < profile->build_id_bytes && i < BUILD_ID_MAX; i++)
        snprintf(digits + 2 * i, 3, "%02x", profile->build_id[i]);
    json_text(json, "build_id", profile->build_id_bytes > 0 ? digits : NULL);
    put_real(json, "hz", profile->hz > 0, profile->hz);
}

/* ---- Counters ---- */

static int by_key(const void *left, const void *right)
{
    const struct counter *a = left, *b = right;

    ORDER_BY(a->from, b->from);
    ORDER_BY(a->to, b->to);
    return (a->task > b->task) - (a->task < b->task);
}

/* A timed call's counter and its index in profile.times. */
struct numbered {
    struct counter counter; /* must be first, for by_key() */
    size_t index;
};

static void put_times(struct json *json, const struct call_times *took, double hz)
{
    json_whole(json, "total_ticks", took->total);
    json_whole(json, "self_ticks", took->self);
    json_whole(json, "shortest_ticks", took->shortest);
    json_whole(json, "longest_ticks", took->longest);
    put_real(json, "total_seconds", hz > 0, (double)took->total / hz);
    put_real(json, "self_seconds", hz > 0, (double)took->self / hz);
}

/* Opens a counter's object, writes the counter's members, and leaves the object open. */
static void open_counter(struct json *json, const struct counter *counter, bool arc,
                         bool task)
{
    json_open(json, NULL, '{');
    if (arc)
        json_whole(json, "from", counter->from);
    json_whole(json, arc ? "to" : "address", counter->to);
    json_whole(json, "count", counter->count);
    if (task)
        json_whole(json, "task", counter->task);
}

/* Sorts by address, so that equal profiles give equal text. false: out of memory. */
static bool put_counters(struct json *json, const char *key,
                         const struct profile *profile, enum event_kind kind)
{
    const struct counters *counters = &profile->counters[kind];
    struct counter *sorted = counters_sorted(counters, by_key);

    if (sorted == NULL)
        return false;
    json_open(json, key, '[');
    for (size_t i = 0; i < counters->used; i++) {
        open_counter(json, &sorted[i], kind == EVENT_ARC, profile->task_count > 0);
        json_close(json, '}');
    }
    json_close(json, ']');
    free(sorted);
    return true;
}

/* As put_counters(), but for calls with their times. */
static bool put_timed_calls(struct json *json, const struct profile *profile)
{
    const struct counters *calls = &profile->counters[EVENT_CALL];
    struct numbered *sorted = calloc(calls->used + 1, sizeof *sorted);

    if (sorted == NULL)
        return false;
    for (size_t i = 0; i < calls->used; i++)
        sorted[i] = (struct numbered){counter_at(calls, i), i};
    qsort(sorted, calls->used, sizeof *sorted, by_key);
    json_open(json, "calls", '[');
    for (size_t i = 0; i < calls->used; i++) {
        open_counter(json, &sorted[i].counter, true, profile->task_count > 0);
        put_times(json, &profile->times[sorted[i].index], profile->time.hz);
        json_close(json, '}');
    }
    json_close(json, ']');
    free(sorted);
    return true;
}

void export_time_base(struct json *json, const struct profile *profile)
{
    const struct time_base *time = &profile->time;

    if (time->hz == 0) {
        json_null(json, "time_base");
        return;
    }
    json_open(json, "time_base", '{');
    json_real(json, "hz", time->hz);
    json_real(json, "inside_ticks", time->inside);
    json_real(json, "outside_ticks", time->outside);
    json_whole(json, "other_ticks", time->other);
    json_whole(json, "run_ticks", time->run);
    json_close(json, '}');
}

void export_sampling(struct json *json, const struct profile *profile)
{
    char text[SAMPLING_TEXT_MAX];

    if (sampling_seconds(profile) <= 0) {
        json_null(json, "sampling");
        return;
    }
    json_open(json, "sampling", '{');
    json_whole(json, "samples", profile->sampling.samples);
    json_real(json, "sample_seconds", sampling_seconds(profile));
    json_real(json, "percent", 100 * sampling_share(profile));
    json_real(json, "latest_seconds", sampling_latest(profile));
    json_whole(json, "late_samples", profile->sampling.late);
    json_bool(json, "late", sampling_late(profile, text));
    json_bool(json, "taken_off", sampling_taken_off(profile));
    json_close(json, '}');
}

/* ---- Stacks and tasks ---- */

/* Writes the levels at which an interrupt hit the code. */
static void put_hit(struct json *json, const struct stack *stack)
{
    json_open(json, "hit", '[');
    for (size_t i = 0; i < stack->depth; i++) {
        if (stack_is_hit(stack, i))
            json_whole(json, NULL, i);
    }
    json_close(json, ']');
}

static void put_stack(struct json *json, const struct stack *stack, bool task)
{
    static const char *const ends[STACK_ENDS] = {
        [STACK_WHOLE] = "whole",
        [STACK_INTERRUPT] = "interrupt",
        [STACK_CUT] = "cut",
        [STACK_UNSURE] = "unsure",
    };

    json_open(json, NULL, '{');
    json_open(json, "addresses", '[');
    for (size_t i = 0; i < stack->depth; i++)
        json_whole(json, NULL, stack->addresses[i] - stack_is_hit(stack, i));
    json_close(json, ']');
    json_whole(json, "count", stack->count);
    json_text(json, "end", ends[stack->end]);
    if (task)
        json_whole(json, "task", stack->task);
    if (stack->hit != 0)
        put_hit(json, stack);
    json_close(json, '}');
}

static int by_stack(const void *left, const void *right)
{
    const struct stack *a = left, *b = right;

    for (size_t i = 0; i < a->depth && i < b->depth; i++)
        ORDER_BY(a->addresses[i], b->addresses[i]);
    ORDER_BY(a->depth, b->depth);
    ORDER_BY(a->end, b->end);
    return (a->task > b->task) - (a->task < b->task);
}

/* false: out of memory. */
static bool put_stacks(struct json *json, const struct profile *profile)
{
    const struct stacks *stacks = &profile->stacks;
    struct stack *sorted = calloc(stacks->used + 1, sizeof *sorted);

    if (sorted == NULL)
        return false;
    for (size_t i = 0; i < stacks->used; i++)
        sorted[i] = stacks->items[i];
    qsort(sorted, stacks->used, sizeof *sorted, by_stack);
    json_open(json, "stacks", '[');
    for (size_t i = 0; i < stacks->used; i++)
        put_stack(json, &sorted[i], profile->task_count > 0);
    json_close(json, ']');
    free(sorted);
    return true;
}

static int by_number(const void *left, const void *right)
{
    const struct task *a = left, *b = right;

    return (a->number > b->number) - (a->number < b->number);
}

static bool put_task(struct json *json, const struct profile *profile,
                     const struct task *task)
{
    const char *handler = task_handler(profile, task->number);
    bool interrupt = task->number >= TASK_INTERRUPT && task->number < TASK_UNKNOWN;

    json_open(json, NULL, '{');
    json_whole(json, "task", task->number);
    bool done = put_name(json, "name", task->name[0] != '\0' ? task->name : NULL);
    json_bool(json, "idle", task->idle);
    put_whole(json, "interrupt", interrupt, task->number - TASK_INTERRUPT);
    if (handler != NULL)
        done = done && put_name(json, "handler", handler);
    json_close(json, '}');
    return done;
}

/* false: out of memory. */
static bool put_tasks(struct json *json, const struct profile *profile)
{
    struct task *sorted = calloc(profile->task_count + 1, sizeof *sorted);
    bool done = sorted != NULL;

    for (size_t i = 0; done && i < profile->task_count; i++)
        sorted[i] = profile->tasks[i];
    if (done)
        qsort(sorted, profile->task_count, sizeof *sorted, by_number);
    json_open(json, "tasks", '[');
    for (size_t i = 0; done && i < profile->task_count; i++)
        done = put_task(json, profile, &sorted[i]);
    json_close(json, ']');
    free(sorted);
    return done;
}

/* ---- The profile ---- */

static void put_events(struct json *json, const struct profile *profile)
{
    static const char *const names[EVENT_KINDS] = {"samples", "arcs", "blocks", "calls"};
    uint64_t switches = profile_switches(profile);

    json_open(json, "events", '{');
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        json_open(json, names[kind], '{');
        json_whole(json, "received",
                   profile->received[kind] - (kind == EVENT_CALL ? switches : 0));
        put_whole(json, "lost", profile->accounted && !profile->one_task,
                  profile->lost[kind]);
        if (profile->one_task) {
            json_whole(json, "run_received", profile->run_received[kind]);
            put_whole(json, "run_lost", profile->accounted, profile->lost[kind]);
        }
        json_close(json, '}');
    }
    json_close(json, '}');
    json_whole(json, "task_switches", switches);
}

static bool put_profile(struct json *json, const struct profile *profile,
                        const struct image *image)
{
    json_whole(json, "version", 1);
    json_text(json, "format", profile->format);
    json_text(json, "arch", profile->arch);
    export_firmware(json, profile);
    json_whole(json, "bin_bytes", profile->bin_bytes);
    json_bool(json, "complete", profile->complete);
    json_bool(json, "accounted", profile->accounted);
    json_bool(json, "unaccounted", profile->unaccounted);
    json_bool(json, "mismatch", profile->mismatch);
    json_whole(json, "records", profile->records);
    json_whole(json, "damaged", profile->damaged);
    json_whole(json, "console_bytes", profile->console_bytes);
    put_events(json, profile);
    if (!put_counters(json, "samples", profile, EVENT_SAMPLE) ||
        !put_counters(json, "arcs", profile, EVENT_ARC) ||
        !put_counters(json, "blocks", profile, EVENT_BLOCK) ||
        !put_timed_calls(json, profile) || !put_stacks(json, profile))
        return false;
    export_time_base(json, profile);
    export_sampling(json, profile);
    return export_timeline(json, profile, image) && put_tasks(json, profile);
}

/* ---- The analysis ---- */

static double ticks_hz(const struct analysis *analysis)
{
    return analysis->timed.tick_seconds > 0 ? 1 / analysis->timed.tick_seconds : 0;
}

/* Writes the times of a function or call and leaves their object open; writes null if
 * none of its calls was timed. */
static bool open_timed(struct json *json, const struct analysis *analysis,
                       const struct timed *timed)
{
    if (timed == NULL || timed->calls + timed->recursive == 0) {
        json_null(json, "timed");
        return false;
    }
    const struct call_times took = {timed->total, timed->self, timed->shortest,
                                    timed->longest};
    json_open(json, "timed", '{');
    json_whole(json, "calls", timed->calls);
    json_whole(json, "recursive_calls", timed->recursive);
    put_times(json, &took, ticks_hz(analysis));
    return true;
}

static void put_timed_run(struct json *json, const struct analysis *analysis)
{
    const struct timed_run *timed = &analysis->timed;

    if (!timed->known) {
        json_null(json, "timed_run");
        return;
    }
    json_open(json, "timed_run", '{');
    json_whole(json, "run_ticks", timed->run);
    json_whole(json, "self_ticks", timed->self);
    json_whole(json, "profiler_ticks", timed->profiler);
    json_whole(json, "saving_ticks", timed->saving);
    json_real(json, "differs_ticks", (double)timed->differs);
    json_whole(json, "compared_functions", timed->compared);
    json_whole(json, "unfinished_ticks", timed->unfinished);
    json_bool(json, "unfinished_is_at_most", timed->at_most);
    put_real(json, "program_error_ticks", timed->program_error > 0, timed->program_error);
    json_close(json, '}');
}

static bool put_place(struct json *json, struct image *image,
                      const struct function *function)
{
    const char *symbol = function->symbol != NULL ? function->symbol->name : NULL;
    struct image_line place = export_place(image, function);

    if (!put_name(json, "name", function->name) || !put_name(json, "symbol", symbol))
        return false;
    json_whole(json, "address", function->address);
    if (!put_name(json, "file", place.file))
        return false;
    put_whole(json, "line", place.file != NULL, place.line);
    return true;
}

/* Members of a function, and those of its object `timed` behind open_timed()'s. */
static const char function_figures[] = "samples,self,self_error,self_percent,children,"
                                       "total,total_percent,calls,self_calls,cycle";
static const char timed_figures[] = "p50,p90,p99,timed_self_error,timed_total_error";

/* false: out of memory. */
static bool put_function(struct json *json, const struct figure_source *source,
                         struct image *image, const struct export_members *usual,
                         const struct export_members *timed,
                         const struct function *function)
{
    const struct analysis *analysis = source->analysis;

    json_open(json, NULL, '{');
    if (!put_place(json, image, function))
        return false;
    export_figures(json, usual, source, function);
    json_bool(json, "overhead", function->overhead);
    json_bool(json, "spontaneous", function->spontaneous);
    if (open_timed(json, analysis, function->timed)) {
        export_figures(json, timed, source, function);
        json_close(json, '}');
    }
    put_measured(json, "total_error_seconds", analysis, function->total_error);
    put_measured(json, "root_seconds", analysis, function->root);
    json_close(json, '}');
    return true;
}

static bool put_functions(struct json *json, const struct profile *profile,
                          const struct analysis *analysis, struct image *image)
{
    const struct figure_source source = {.profile = profile, .analysis = analysis};
    struct export_members usual, timed;

    export_name_members(&usual, function_figures);
    export_name_members(&timed, timed_figures);
    json_open(json, "functions", '[');
    for (size_t i = 0; i < analysis->function_count; i++)
        if (!put_function(json, &source, image, &usual, &timed, &analysis->functions[i]))
            return false;
    json_close(json, ']');
    return true;
}

/* caller and callee are indices in `functions`; an unknown caller is null. */
static void put_calls(struct json *json, const struct analysis *analysis)
{
    json_open(json, "function_calls", '[');
    for (size_t i = 0; i < analysis->arc_count; i++) {
        const struct arc *arc = &analysis->arcs[i];

        json_open(json, NULL, '{');
        put_whole(json, "caller", arc->caller != NO_FUNCTION, arc->caller);
        json_whole(json, "callee", arc->callee);
        json_whole(json, "count", arc->count);
        put_seconds(json, "self_seconds", analysis, arc->self);
        put_seconds(json, "children_seconds", analysis, arc->children);
        if (open_timed(json, analysis, arc->times != NULL ? &arc->times->timed : NULL))
            json_close(json, '}');
        put_measured(json, "error_seconds", analysis, arc->error);
        json_bool(json, "interrupt", arc->interrupt);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* Writes the number of samples by how their paths end; null without paths. */
static void put_path_ends(struct json *json, const struct analysis *analysis)
{
    const double *ends = analysis->ends;

    if (!analysis->measured) {
        json_null(json, "paths");
        return;
    }
    json_open(json, "paths", '{');
    json_whole(json, "whole", (uint64_t)ends[STACK_WHOLE]);
    json_whole(json, "interrupt", (uint64_t)ends[STACK_INTERRUPT]);
    json_whole(json, "cut", (uint64_t)ends[STACK_CUT]);
    json_whole(json, "unsure", (uint64_t)ends[STACK_UNSURE]);
    json_close(json, '}');
}

static bool put_analysis(struct json *json, const struct profile *profile,
                         const struct analysis *analysis, struct image *image)
{
    bool estimated = !analysis->measured && analysis->has_calls;

    put_seconds(json, "total_seconds", analysis, analysis->total);
    put_seconds(json, "program_seconds", analysis, analysis->program);
    put_seconds(json, "overhead_seconds", analysis, analysis->overhead);
    put_seconds(json, "unknown_seconds", analysis, analysis->unknown);
    json_whole(json, "unknown_callers", analysis->unknown_callers);
    if (!put_functions(json, profile, analysis, image))
        return false;
    put_calls(json, analysis);
    put_timed_run(json, analysis);
    json_bool(json, "measured", analysis->measured);
    put_path_ends(json, analysis);
    put_real(json, "unplaced_seconds", analysis->has_time && estimated,
             analysis->unplaced);
    return true;
}

bool export_json(FILE *out, const struct profile *profile,
                 const struct analysis *analysis, struct image *image,
                 const struct export_options *options, struct error *error)
{
    struct json json = {.out = out, .indent = 1};
    bool done;

    json_open(&json, NULL, '{');
    done = put_profile(&json, profile, image) &&
           (image == NULL || put_analysis(&json, profile, analysis, image)) &&
           (options->energy == NULL ||
            export_energy(&json, options->energy, profile, analysis));
    json_close(&json, '}');
    putc('\n', out);
    return done || error_no_memory(error);
}
