/* SPDX-License-Identifier: MIT */
/* The whole profile for scripts. docs/json.md describes it; what is there stays. */
#include <jansson.h>
#include <stdlib.h>

#include "../profile/sampling.h"
#include "export.h"
#include "json.h"

/* JSON's numbers are integers up to 2^63 - 1 here; what is larger loses its last digits.
 */
static json_t *whole(uint64_t number)
{
    return number <= INT64_MAX ? json_integer((json_int_t)number)
                               : json_real((double)number);
}

static json_t *text(const char *name)
{
    char *clean = name != NULL ? export_text(name, 0) : NULL;
    json_t *value = clean != NULL ? json_string(clean) : NULL;

    free(clean);
    return value != NULL || name != NULL ? value : json_null();
}

static json_t *seconds(const struct analysis *analysis, double time)
{
    return analysis->has_time ? json_real(time) : json_null();
}

/* null where it is not measured. */
static json_t *measured(const struct analysis *analysis, double time)
{
    return analysis->measured ? seconds(analysis, time) : json_null();
}

static json_t *percent(double value)
{
    return value >= 0 ? json_real(value) : json_null();
}

static json_t *build_id(const struct profile *profile)
{
    char digits[2 * BUILD_ID_MAX + 1] = "";

    if (profile->build_id_bytes == 0)
        return json_null();
    for (size_t i = 0; i < profile->build_id_bytes && i < BUILD_ID_MAX; i++)
        snprintf(digits + 2 * i, 3, "%02x", profile->build_id[i]);
    return json_string(digits);
}

static int by_key(const void *left, const void *right)
{
    const struct counter *a = left, *b = right;

    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return (a->task > b->task) - (a->task < b->task);
}

/* A timed call's counter, and its place in profile.times. */
struct numbered {
    struct counter counter; /* first: for by_key */
    size_t index;
};

static json_t *ticks_as_seconds(uint64_t ticks, double hz)
{
    return hz > 0 ? json_real((double)ticks / hz) : json_null();
}

static void add_times(json_t *object, const struct call_times *took, double hz)
{
    json_t *more = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o}", "total_ticks", whole(took->total), "self_ticks",
        whole(took->self), "shortest_ticks", whole(took->shortest), "longest_ticks",
        whole(took->longest), "total_seconds", ticks_as_seconds(took->total, hz),
        "self_seconds", ticks_as_seconds(took->self, hz));

    json_object_update(object, more);
    json_decref(more);
}

static json_t *counter_object(const struct counter *counter, bool arc, bool task)
{
    json_t *object = json_object();

    if (arc)
        json_object_set_new(object, "from", whole(counter->from));
    json_object_set_new(object, arc ? "to" : "address", whole(counter->to));
    json_object_set_new(object, "count", whole(counter->count));
    if (task)
        json_object_set_new(object, "task", whole(counter->task));
    return object;
}

/* By address, so that equal profiles give equal text. NULL: out of memory. */
static json_t *counters(const struct profile *profile, enum event_kind kind)
{
    const struct counters *counters = &profile->counters[kind];
    struct counter *sorted = calloc(counters->used + 1, sizeof *sorted);
    json_t *list = json_array();

    for (size_t i = 0; sorted != NULL && i < counters->used; i++)
        sorted[i] = counters->items[i];
    if (sorted != NULL)
        qsort(sorted, counters->used, sizeof *sorted, by_key);
    for (size_t i = 0; sorted != NULL && list != NULL && i < counters->used; i++) {
        if (json_array_append_new(list, counter_object(&sorted[i], kind == EVENT_ARC,
                                                       profile->task_count > 0)) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    if (sorted == NULL) {
        json_decref(list);
        list = NULL;
    }
    free(sorted);
    return list;
}

/* As counters(), with what the calls took. */
static json_t *timed_calls(const struct profile *profile)
{
    const struct counters *calls = &profile->counters[EVENT_CALL];
    double hz = profile->time.hz;
    struct numbered *sorted = calloc(calls->used + 1, sizeof *sorted);
    json_t *list = json_array();

    for (size_t i = 0; sorted != NULL && i < calls->used; i++)
        sorted[i] = (struct numbered){calls->items[i], i};
    if (sorted != NULL)
        qsort(sorted, calls->used, sizeof *sorted, by_key);
    for (size_t i = 0; sorted != NULL && i < calls->used; i++) {
        json_t *call = counter_object(&sorted[i].counter, true, profile->task_count > 0);

        add_times(call, &profile->times[sorted[i].index], hz);
        json_array_append_new(list, call);
    }
    free(sorted);
    return list;
}

static json_t *time_base(const struct profile *profile)
{
    const struct time_base *time = &profile->time;

    if (time->hz == 0)
        return json_null();
    return json_pack("{s:f, s:f, s:f, s:o, s:o}", "hz", time->hz, "inside_ticks",
                     time->inside, "outside_ticks", time->outside, "other_ticks",
                     whole(time->other), "run_ticks", whole(time->run));
}

json_t *export_sampling(const struct profile *profile)
{
    char late[SAMPLING_TEXT_MAX];

    if (sampling_seconds(profile) <= 0)
        return json_null();
    return json_pack("{s:o, s:f, s:f, s:f, s:o, s:b}", "samples",
                     whole(profile->sampling.samples), "sample_seconds",
                     sampling_seconds(profile), "percent", 100 * sampling_share(profile),
                     "latest_seconds", sampling_latest(profile), "late_samples",
                     whole(profile->sampling.late), "late", sampling_late(profile, late));
}

static json_t *stack_object(const struct stack *stack, bool task)
{
    static const char *const ends[STACK_ENDS] = {
        [STACK_WHOLE] = "whole",
        [STACK_INTERRUPT] = "interrupt",
        [STACK_CUT] = "cut",
        [STACK_UNSURE] = "unsure",
    };
    json_t *addresses = json_array(), *hit = json_array(), *object;

    for (size_t i = 0; i < stack->depth; i++) {
        bool is_hit = stack_is_hit(stack, i);

        json_array_append_new(addresses, whole(stack->addresses[i] - is_hit));
        if (is_hit)
            json_array_append_new(hit, whole(i));
    }
    object = json_pack("{s:o, s:o, s:s}", "addresses", addresses, "count",
                       whole(stack->count), "end", ends[stack->end]);
    if (task)
        json_object_set_new(object, "task", whole(stack->task));
    if (json_array_size(hit) > 0)
        json_object_set(object, "hit", hit);
    json_decref(hit);
    return object;
}

static int by_stack(const void *left, const void *right)
{
    const struct stack *a = left, *b = right;

    for (size_t i = 0; i < a->depth && i < b->depth; i++)
        if (a->addresses[i] != b->addresses[i])
            return a->addresses[i] < b->addresses[i] ? -1 : 1;
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return (a->task > b->task) - (a->task < b->task);
}

/* NULL: out of memory. */
static json_t *stacks(const struct profile *profile)
{
    const struct stacks *stacks = &profile->stacks;
    struct stack *sorted = calloc(stacks->used + 1, sizeof *sorted);
    json_t *list = sorted != NULL ? json_array() : NULL;

    for (size_t i = 0; list != NULL && i < stacks->used; i++)
        sorted[i] = stacks->items[i];
    if (list != NULL)
        qsort(sorted, stacks->used, sizeof *sorted, by_stack);
    for (size_t i = 0; list != NULL && i < stacks->used; i++)
        json_array_append_new(list, stack_object(&sorted[i], profile->task_count > 0));
    free(sorted);
    return list;
}

static int by_number(const void *left, const void *right)
{
    const struct task *a = left, *b = right;

    return (a->number > b->number) - (a->number < b->number);
}

static json_t *task_object(const struct task *task)
{
    bool interrupt = task->number >= TASK_INTERRUPT && task->number < TASK_UNKNOWN;

    return json_pack("{s:o, s:o, s:b, s:o}", "task", whole(task->number), "name",
                     task->name[0] ? text(task->name) : json_null(), "idle", task->idle,
                     "interrupt",
                     interrupt ? whole(task->number - TASK_INTERRUPT) : json_null());
}

/* NULL: out of memory. */
static json_t *tasks(const struct profile *profile)
{
    struct task *sorted = calloc(profile->task_count + 1, sizeof *sorted);
    json_t *list = sorted != NULL ? json_array() : NULL;

    for (size_t i = 0; list != NULL && i < profile->task_count; i++)
        sorted[i] = profile->tasks[i];
    if (list != NULL)
        qsort(sorted, profile->task_count, sizeof *sorted, by_number);
    for (size_t i = 0; list != NULL && i < profile->task_count; i++)
        json_array_append_new(list, task_object(&sorted[i]));
    free(sorted);
    return list;
}

static json_t *events(const struct profile *profile)
{
    static const char *const names[EVENT_KINDS] = {"samples", "arcs", "blocks", "calls"};
    json_t *object = json_object();

    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        json_t *lost = profile->accounted ? whole(profile->lost[kind]) : json_null();

        json_object_set_new(object, names[kind],
                            json_pack("{s:o, s:o}", "received",
                                      whole(profile->received[kind]), "lost", lost));
    }
    return object;
}

static json_t *profile_object(const struct profile *profile)
{
    return json_pack(
        "{s:i, s:s, s:s, s:o, s:o, s:i, s:b, s:b, s:b, s:o, s:o, s:o, s:o, s:o, "
        "s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
        "version", 1, "format", profile->format, "arch", profile->arch, "build_id",
        build_id(profile), "hz", profile->hz > 0 ? json_real(profile->hz) : json_null(),
        "bin_bytes", (int)profile->bin_bytes, "complete", profile->complete, "accounted",
        profile->accounted, "mismatch", profile->mismatch, "records",
        whole(profile->records), "damaged", whole(profile->damaged), "console_bytes",
        whole(profile->console_bytes), "events", events(profile), "samples",
        counters(profile, EVENT_SAMPLE), "arcs", counters(profile, EVENT_ARC), "blocks",
        counters(profile, EVENT_BLOCK), "calls", timed_calls(profile), "stacks",
        stacks(profile), "time_base", time_base(profile), "sampling",
        export_sampling(profile), "tasks", tasks(profile));
}

/* null: nothing of it was timed. */
static json_t *timed_object(const struct analysis *analysis, const struct timed *timed)
{
    double hz = analysis->timed.tick_seconds > 0 ? 1 / analysis->timed.tick_seconds : 0;
    const struct call_times took = {timed->total, timed->self, timed->shortest,
                                    timed->longest};
    json_t *object;

    if (timed->calls + timed->recursive == 0)
        return json_null();
    object = json_pack("{s:o, s:o}", "calls", whole(timed->calls), "recursive_calls",
                       whole(timed->recursive));
    add_times(object, &took, hz);
    return object;
}

static json_t *timed_run(const struct analysis *analysis)
{
    const struct timed_run *timed = &analysis->timed;

    if (!timed->known)
        return json_null();
    return json_pack("{s:o, s:o, s:o, s:o, s:b}", "run_ticks", whole(timed->run),
                     "self_ticks", whole(timed->self), "profiler_ticks",
                     whole(timed->profiler), "unfinished_ticks", whole(timed->unfinished),
                     "unfinished_is_at_most", timed->at_most);
}

static json_t *function_object(const struct analysis *analysis, struct image *image,
                               const struct function *function)
{
    struct image_line place = export_place(image, function);
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:b, s:b, s:o, s:o, s:o}",
        "name", text(function->name), "symbol",
        text(function->symbol != NULL ? function->symbol->name : NULL), "address",
        whole(function->address), "file", text(place.file), "line",
        place.file != NULL ? json_integer(place.line) : json_null(), "samples",
        function->self_samples, "self_seconds", seconds(analysis, function->self),
        "self_error_seconds", seconds(analysis, function->self_error), "self_percent",
        percent(export_percent(analysis, function, function->self)), "children_seconds",
        seconds(analysis, function->children), "total_seconds",
        seconds(analysis, function->total), "total_percent",
        percent(export_percent(analysis, function, function->total)), "calls",
        whole(function->calls), "self_calls", whole(function->self_calls), "cycle",
        function->cycle != NO_CYCLE ? json_integer(function->cycle) : json_null(),
        "overhead", function->overhead, "spontaneous", function->spontaneous, "timed",
        timed_object(analysis, &function->timed), "total_error_seconds",
        measured(analysis, function->total_error), "root_seconds",
        measured(analysis, function->root));
}

static json_t *functions(const struct analysis *analysis, struct image *image)
{
    json_t *list = json_array();

    for (size_t i = 0; i < analysis->function_count; i++) {
        if (json_array_append_new(
                list, function_object(analysis, image, &analysis->functions[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

/* caller and callee are places in `functions`; a caller that is not known is null. */
static json_t *calls(const struct analysis *analysis)
{
    json_t *list = json_array();

    for (size_t i = 0; i < analysis->arc_count; i++) {
        const struct arc *arc = &analysis->arcs[i];
        json_t *caller = arc->caller == NO_FUNCTION ? json_null() : whole(arc->caller);

        json_array_append_new(
            list, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "caller", caller,
                            "callee", whole(arc->callee), "count", whole(arc->count),
                            "self_seconds", seconds(analysis, arc->self),
                            "children_seconds", seconds(analysis, arc->children), "timed",
                            timed_object(analysis, &arc->timed), "error_seconds",
                            measured(analysis, arc->error), "interrupt", arc->interrupt));
    }
    return list;
}

/* How many samples have which end; null without paths. */
static json_t *path_ends(const struct analysis *analysis)
{
    const double *ends = analysis->ends;

    if (!analysis->measured)
        return json_null();
    return json_pack("{s:o, s:o, s:o, s:o}", "whole", whole((uint64_t)ends[STACK_WHOLE]),
                     "interrupt", whole((uint64_t)ends[STACK_INTERRUPT]), "cut",
                     whole((uint64_t)ends[STACK_CUT]), "unsure",
                     whole((uint64_t)ends[STACK_UNSURE]));
}

/* null where there is nothing to place, or all is. */
static json_t *unplaced(const struct analysis *analysis)
{
    return analysis->measured || !analysis->has_calls
               ? json_null()
               : seconds(analysis, analysis->unplaced);
}

static bool add_analysis(json_t *root, const struct analysis *analysis,
                         struct image *image)
{
    json_t *more =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o}",
                  "total_seconds", seconds(analysis, analysis->total), "program_seconds",
                  seconds(analysis, analysis->program), "overhead_seconds",
                  seconds(analysis, analysis->overhead), "unknown_seconds",
                  seconds(analysis, analysis->unknown), "unknown_callers",
                  whole(analysis->unknown_callers), "functions",
                  functions(analysis, image), "function_calls", calls(analysis),
                  "timed_run", timed_run(analysis), "measured", analysis->measured,
                  "paths", path_ends(analysis), "unplaced_seconds", unplaced(analysis));
    bool done = more != NULL && json_object_update(root, more) == 0;

    json_decref(more);
    return done;
}

bool export_json(FILE *out, const struct profile *profile,
                 const struct analysis *analysis, struct image *image,
                 const struct export_options *options, struct error *error)
{
    json_t *root = profile_object(profile);
    bool done = root != NULL;

    (void)options;
    if (done && image != NULL)
        done = add_analysis(root, analysis, image);
    if (!done)
        export_no_memory(error);
    else if (json_dumpf(root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) == 0)
        putc('\n', out);
    json_decref(root);
    return done;
}
