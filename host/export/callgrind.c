/* SPDX-License-Identifier: MIT */
/*
 * Callgrind's profile format, for callgrind_annotate and KCachegrind: timed calls with
 * their self time at the function's line, and each call site with its count and its
 * total at the line of the call. Recursive calls have no cost of their own there: they
 * are in the cost of the call from outside, and readers of the format add up what they
 * find.
 *
 * The format has parts for threads, but callgrind_annotate reads one part, and numbers
 * are all they have for names. So a task is the object of its functions, as which
 * KCachegrind groups them, and the context of their names (function'task, as Callgrind
 * itself writes it), without which callgrind_annotate would add up functions of several
 * tasks.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"

struct writer {
    FILE *out;
    const struct analysis *analysis;
    struct image *image;
    double hz;                   /* of the time base; 0: unknown */
    const struct task_sum *task; /* NULL: there are none */
    bool failed;                 /* out of memory */
};

static uint64_t cost(const struct writer *writer, uint64_t ticks)
{
    double hz = writer->hz;

    return hz > 0 ? (uint64_t)fmin(rint((double)ticks / hz * 1e9), 0x1p63) : ticks;
}

/* What has no name is "???", as Valgrind calls it. */
static void put_text(struct writer *writer, const char *key, const char *name)
{
    char *text = export_text(name != NULL ? name : "???", 0);

    writer->failed = writer->failed || text == NULL;
    fprintf(writer->out, "%s%s", key, text != NULL ? text : "");
    free(text);
}

static void put_file(struct writer *writer, const char *key, const char *file)
{
    put_text(writer, key, file);
    putc('\n', writer->out);
}

static void put_name(struct writer *writer, const char *key, const char *function)
{
    put_text(writer, key, function);
    if (writer->task != NULL)
        put_text(writer, "'", writer->task->label);
    putc('\n', writer->out);
}

static bool differs(const char *file, const char *other)
{
    return file != NULL && (other == NULL || strcmp(file, other) != 0);
}

/* `file`: that of the function. */
static void put_site(struct writer *writer, const struct call_site *site,
                     const char *file)
{
    const struct function *callee = &writer->analysis->functions[site->callee];
    struct image_line to = export_place(writer->image, callee);
    struct image_line at = {0};

    if (site->caller != NO_FUNCTION)
        at = export_call_site(writer->image, site->from);
    if (differs(at.file, file))
        put_file(writer, "fi=", at.file);
    put_file(writer, "cfi=", to.file);
    put_name(writer, "cfn=", callee->name);
    fprintf(writer->out, "calls=%" PRIu64 " %u\n%u %" PRIu64 "\n", site->count, to.line,
            at.line, site->recursive ? 0 : cost(writer, site->took.total));
    if (differs(at.file, file))
        put_file(writer, "fe=", file);
}

/* The sites are by address, those of one function next to each other; so are those of
 * no function. Returns the first that is another's. */
static size_t put_sites(struct writer *writer, size_t first, const char *file)
{
    const struct analysis *analysis = writer->analysis;
    size_t caller = analysis->sites[first].caller, i = first;

    for (; i < analysis->site_count && analysis->sites[i].caller == caller; i++)
        put_site(writer, &analysis->sites[i], file);
    return i;
}

static void put_function(struct writer *writer, const char *file, const char *name)
{
    putc('\n', writer->out);
    put_file(writer, "fl=", file);
    put_name(writer, "fn=", name);
}

static void put_self(struct writer *writer)
{
    const struct analysis *analysis = writer->analysis;

    for (size_t i = 0; i < analysis->function_count; i++) {
        const struct function *function = &analysis->functions[i];
        struct image_line place = export_place(writer->image, function);

        if (function->timed.calls + function->timed.recursive == 0)
            continue;
        put_function(writer, place.file, function->name);
        fprintf(writer->out, "%u %" PRIu64 "\n", place.line,
                cost(writer, function->timed.self));
    }
    if (analysis->timed.unfinished > 0) {
        put_function(writer, NULL, "[in no finished call]");
        fprintf(writer->out, "0 %" PRIu64 "\n", cost(writer, analysis->timed.unfinished));
    }
}

static void put_calls(struct writer *writer)
{
    const struct analysis *analysis = writer->analysis;

    for (size_t i = 0; i < analysis->site_count;) {
        size_t caller = analysis->sites[i].caller;
        struct image_line place = {0};

        if (caller != NO_FUNCTION)
            place = export_place(writer->image, &analysis->functions[caller]);
        put_function(writer, place.file,
                     caller != NO_FUNCTION ? analysis->functions[caller].name
                                           : "[unknown caller]");
        i = put_sites(writer, i, place.file);
    }
}

static void put_header(struct writer *writer)
{
    fputs("# callgrind format\nversion: 1\ncreator: mcuprof\n", writer->out);
    put_file(writer, "cmd: ", image_path(writer->image));
    fputs("positions: line\n", writer->out);
    fputs(writer->hz > 0 ? "event: ns : Time in ns\nevents: ns\n"
                         : "event: Ticks : Ticks of the time base\nevents: Ticks\n",
          writer->out);
}

bool export_callgrind(FILE *out, const struct profile *profile,
                      const struct analysis *analysis, struct image *image,
                      const struct export_options *options, struct error *error)
{
    struct writer writer = {out,  analysis, image, profile->time.hz, export_task(options),
                            false};

    if (export_is_first(options))
        put_header(&writer);
    if (writer.task != NULL) {
        putc('\n', out);
        put_file(&writer, "ob=", writer.task->label);
    }
    put_self(&writer);
    put_calls(&writer);
    return !writer.failed || export_no_memory(error);
}
