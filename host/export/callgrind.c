/* SPDX-License-Identifier: MIT */
/*
 * Callgrind's profile format, for callgrind_annotate and KCachegrind: timed calls with
 * their self time at the function's line, and each call site with its count and its
 * total at the line of the call. Recursive calls have no cost of their own: the cost of
 * the call from outside contains theirs, and readers of the format add up all costs.
 *
 * Without timed calls, callgrind_paths.c writes sampled call paths.
 *
 * The format has parts for threads, but callgrind_annotate reads only one part, and
 * parts have numbers instead of names. So a task is written as the object of its
 * functions, by which KCachegrind groups them, and as the context of their names
 * (function'task, as Callgrind itself writes it), without which callgrind_annotate would
 * add up the functions of all tasks.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../arch/arch.h"
#include "callgrind.h"

uint64_t callgrind_cost(const struct callgrind *writer, uint64_t count)
{
    double hz = writer->hz;

    return hz > 0 ? (uint64_t)fmin(rint((double)count / hz * 1e9), 0x1p63) : count;
}

/* Writes a name; "???" if there is none, as Valgrind does. */
static void put_text(struct callgrind *writer, const char *key, const char *name)
{
    char *text = export_text(name != NULL ? name : "???", 0);

    writer->failed = writer->failed || text == NULL;
    fprintf(writer->out, "%s%s", key, text != NULL ? text : "");
    free(text);
}

void callgrind_file(struct callgrind *writer, const char *key, const char *file)
{
    put_text(writer, key, file);
    putc('\n', writer->out);
}

void callgrind_name(struct callgrind *writer, const char *key, const char *function)
{
    put_text(writer, key, function);
    if (writer->task != NULL)
        put_text(writer, "'", writer->object);
    putc('\n', writer->out);
}

static bool differs(const char *file, const char *other)
{
    return file != NULL && (other == NULL || strcmp(file, other) != 0);
}

void callgrind_call(struct callgrind *writer, struct image_line at, const char *file,
                    const struct function *callee, uint64_t count, uint64_t cost)
{
    struct image_line to = export_place(writer->image, callee);

    if (differs(at.file, file))
        callgrind_file(writer, "fi=", at.file);
    callgrind_file(writer, "cfi=", to.file);
    callgrind_name(writer, "cfn=", callee->name);
    fprintf(writer->out, "calls=%" PRIu64 " %u\n%u %" PRIu64 "\n", count, to.line,
            at.line, cost);
    if (differs(at.file, file))
        callgrind_file(writer, "fe=", file);
}

static void put_site(struct callgrind *writer, const struct call_site *site,
                     const char *file)
{
    struct image_line at = {0};

    if (site->caller != NO_FUNCTION)
        at = export_call_site(writer->image, site);
    callgrind_call(writer, at, file, &writer->analysis->functions[site->callee],
                   site->count,
                   site->recursive ? 0 : callgrind_cost(writer, site->took.total));
}

static bool is_interrupt(const struct call_site *site)
{
    return arch_exception_return(site->from) && !site->inlined;
}

/* Who made a call: "<interrupt>" and "[unknown]" are no functions. */
static const char *caller_name(const struct callgrind *writer,
                               const struct call_site *site)
{
    return site->caller != NO_FUNCTION
               ? writer->analysis->functions[site->caller].name
               : call_path_above(is_interrupt(site) ? STACK_INTERRUPT : STACK_UNSURE);
}

/* Writes the sites of one caller, which are neighbours because sites are sorted by
 * address. Returns the first site of the next caller. */
static size_t put_sites(struct callgrind *writer, size_t first, const char *file)
{
    const struct analysis *analysis = writer->analysis;
    const struct call_site *sites = analysis->sites;
    const char *caller = caller_name(writer, &sites[first]);
    size_t i = first;

    for (; i < analysis->site_count && sites[i].caller == sites[first].caller &&
           caller_name(writer, &sites[i]) == caller;
         i++)
        put_site(writer, &sites[i], file);
    return i;
}

void callgrind_function(struct callgrind *writer, const char *file, const char *name)
{
    putc('\n', writer->out);
    callgrind_file(writer, "fl=", file);
    callgrind_name(writer, "fn=", name);
}

static void put_self(struct callgrind *writer)
{
    const struct analysis *analysis = writer->analysis;

    for (size_t i = 0; i < analysis->function_count; i++) {
        const struct function *function = &analysis->functions[i];
        struct image_line place = export_place(writer->image, function);

        if (function->timed->calls + function->timed->recursive == 0)
            continue;
        callgrind_function(writer, place.file, function->name);
        fprintf(writer->out, "%u %" PRIu64 "\n", place.line,
                callgrind_cost(writer, function->timed->self));
    }
    if (analysis->timed.unfinished > 0) {
        callgrind_function(writer, NULL, TIMED_UNFINISHED);
        fprintf(writer->out, "0 %" PRIu64 "\n",
                callgrind_cost(writer, analysis->timed.unfinished));
    }
}

static void put_calls(struct callgrind *writer)
{
    const struct analysis *analysis = writer->analysis;

    for (size_t i = 0; i < analysis->site_count;) {
        size_t caller = analysis->sites[i].caller;
        struct image_line place = {0};

        if (caller != NO_FUNCTION)
            place = export_place(writer->image, &analysis->functions[caller]);
        callgrind_function(writer, place.file, caller_name(writer, &analysis->sites[i]));
        i = put_sites(writer, i, place.file);
    }
}

static void put_header(struct callgrind *writer, bool timed)
{
    fputs("# callgrind format\nversion: 1\ncreator: mcuprof\n", writer->out);
    callgrind_file(writer, "cmd: ", image_path(writer->image));
    fputs("positions: line\n", writer->out);
    if (writer->hz > 0)
        fprintf(writer->out, "event: ns : Time in ns%s\nevents: ns\n",
                timed ? "" : ", sampled");
    else if (timed)
        fputs("event: Ticks : Ticks of the time base\nevents: Ticks\n", writer->out);
    else
        fputs("event: Samples : Samples\nevents: Samples\n", writer->out);
}

/* Whether any part has timed calls. */
static bool is_timed(const struct analysis *analysis, const struct export_part *part)
{
    bool timed = part == NULL ? analysis->timed.known : part->tasks->time > 0;

    for (size_t i = 0; part != NULL && i < part->tasks->count; i++)
        timed = timed || part->tasks->items[i].self > 0;
    return timed;
}

/* Names the task's object. Readers put the name in brackets themselves. */
static void name_object(struct callgrind *writer, const struct task_sums *tasks)
{
    const char *label = writer->task->label;
    size_t length = strlen(label);

    snprintf(writer->object, sizeof writer->object, "%s", label);
    if (length < 2 || label[0] != '[' || label[length - 1] != ']')
        return;
    snprintf(writer->object, sizeof writer->object, "%.*s", (int)length - 2, label + 1);
    if (task_sums_find(tasks, writer->object) != NULL) /* another task has that name */
        snprintf(writer->object, sizeof writer->object, "%s", label);
}

bool export_callgrind(FILE *out, const struct profile *profile,
                      const struct analysis *analysis, struct image *image,
                      const struct export_options *options, struct error *error)
{
    bool timed = is_timed(analysis, options->part);
    struct callgrind writer = {.out = out,
                               .profile = profile,
                               .analysis = analysis,
                               .image = image,
                               .task = export_task(options)};

    writer.hz = timed ? profile->time.hz : analysis->has_time ? analysis->hz : 0;
    if (export_is_first(options))
        put_header(&writer, timed);
    if (writer.task != NULL) {
        putc('\n', out);
        name_object(&writer, options->part->tasks);
        callgrind_file(&writer, "ob=", writer.object);
    }
    if (timed) {
        put_self(&writer);
        put_calls(&writer);
    } else {
        callgrind_paths(&writer);
    }
    return !writer.failed || error_no_memory(error);
}
