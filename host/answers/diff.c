/* SPDX-License-Identifier: MIT */
#include "diff.h"
#include "../port/memory.h"
#include "../port/sort.h"
#include "../port/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clone.h"
#include "source_functions.h"

double diff_error(const struct diff_share *before, const struct diff_share *after)
{
    double error = hypot(before->error, after->error);
    double n = before->samples, m = after->samples, p;

    if (!(n > 0 && m > 0))
        return error;
    p = fmin((before->share * n + after->share * m) / (n + m), 1);
    return fmax(error, sqrt(p * (1 - p) * (1 / n + 1 / m)));
}

double diff_sigmas(const struct diff_share *before, const struct diff_share *after)
{
    double change = after->share - before->share, error = diff_error(before, after);

    if (change == 0)
        return 0;
    return error > 0 ? change / error : copysign(INFINITY, change);
}

double diff_row_sigmas(const struct diff *diff, const struct diff_row *row)
{
    double self = diff_sigmas(&row->before.self, &row->after.self);
    double total = diff->totals ? diff_sigmas(&row->before.total, &row->after.total) : 0;

    return fabs(total) > fabs(self) ? total : self;
}

const char *diff_inlined(const struct diff_row *row)
{
    bool was = row->before.inlined, is = row->after.inlined;

    if (was)
        return is ? "inlined" : "was inlined";
    return !is ? "" : row->before.there ? "now inlined" : "inlined";
}

/* ---- The program's time ---- */

/* The standard error of the program's time, as a part of that time. */
static double program_error(const struct analysis *analysis)
{
    double own = analysis->overhead / analysis->total;

    return sqrt(((1 - own) / 12 + own) / (analysis->program * analysis->hz));
}

bool diff_time(const struct analysis *before, const struct analysis *after,
               struct diff_time *time)
{
    bool samples = before->has_time && after->has_time;
    double was = samples ? before->program
                         : (double)before->timed.program * before->timed.tick_seconds;
    double is = samples ? after->program
                        : (double)after->timed.program * after->timed.tick_seconds;

    *time = (struct diff_time){0};
    if (!(was > 0 && is > 0))
        return false;
    time->change = is / was - 1;
    if (samples)
        time->error = is / was * hypot(program_error(before), program_error(after));
    return true;
}

/* What the error of the time of all dithered samples makes of a share's time. */
static double error_of_all(const struct diff_share *share)
{
    return share->samples > 0 ? share->share / sqrt(12 * share->samples) : 0;
}

struct diff_time diff_longer(const struct diff_share *before,
                             const struct diff_share *after, double was, double is)
{
    double error = hypot(before->error * was, after->error * is);
    double least = diff_error(before, after) * fmin(was, is);
    double all = hypot(error_of_all(before) * was, error_of_all(after) * is);

    return (struct diff_time){after->share * is - before->share * was,
                              hypot(fmax(error, least), all)};
}

/* ---- What each side has ---- */

static double whole(const struct diff *diff, const struct analysis *analysis)
{
    return diff->timed ? (double)analysis->timed.program : analysis->program;
}

/* Whether shares are by source function: then functions of the ELF have none. */
static bool by_source(const struct diff *diff)
{
    return diff->totals && !diff->timed;
}

static struct diff_row row_of(const char *name, const char *plain, const char *file,
                              const struct diff_side *side, bool after)
{
    struct diff_row row = {
        .name = name, .compared = clone_plain_length(name), .plain = plain, .file = file};

    *(after ? &row.after : &row.before) = *side;
    return row;
}

static struct diff_row take(const struct diff *diff, const struct analysis *analysis,
                            const struct function *function, bool after)
{
    const struct image_symbol *symbol = function->symbol;
    double all = whole(diff, analysis);
    struct diff_side side = {
        .there = true,
        .calls = function->calls + function->self_calls,
        .timed_calls = function->timed->calls,
        .seconds = (double)function->timed->total * analysis->timed.tick_seconds,
    };

    if (diff->timed) {
        side.self.share = (double)function->timed->self / all;
        side.total.share = (double)function->timed->total / all;
    } else {
        side.total.hidden = function->hidden / all;
    }
    if (!diff->timed && !by_source(diff)) {
        side.self.share = function->self / all;
        side.total.share = function->total / all;
    }
    return row_of(function->name, symbol != NULL ? symbol->demangled : function->name,
                  symbol != NULL ? symbol->source : NULL, &side, after);
}

static bool make_room(struct diff *diff, size_t more)
{
    struct diff_row *rows =
        port_reallocarray(diff->rows, diff->count + more + 1, sizeof *rows);

    if (rows != NULL)
        diff->rows = rows;
    return rows != NULL;
}

static bool take_sources(struct diff *diff, const struct diff_of *of, bool after,
                         struct error *error)
{
    double all = of->analysis->program, samples = all * of->analysis->hz;
    struct source_functions sources;

    if (!sources_find(&sources, of->profile, of->analysis, error))
        return false;
    bool done = make_room(diff, sources.count);
    for (size_t i = 0; done && i < sources.count; i++) {
        const struct source_function *source = &sources.items[i];
        if (source->total <= 0) /* it is the profiler's own */
            continue;
        const struct diff_side side = {
            .there = true,
            .self.share = source->self / samples,
            .total = {.share = source->total / samples, .hidden = source->hidden / all},
            .inlined = source->inlined > 0,
        };

        diff->rows[diff->count++] =
            row_of(source->name, source->plain, source->file, &side, after);
    }
    sources_release(&sources);
    return done || error_no_memory(error);
}

static bool take_side(struct diff *diff, const struct diff_of *of, bool after,
                      struct error *error)
{
    const struct analysis *analysis = of->analysis;

    if (!make_room(diff, analysis->function_count))
        return error_no_memory(error);
    for (size_t i = 0; i < analysis->function_count; i++) {
        if (!analysis->functions[i].overhead)
            diff->rows[diff->count++] =
                take(diff, analysis, &analysis->functions[i], after);
    }
    return !by_source(diff) || take_sources(diff, of, after, error);
}

/* ---- One row for each name ---- */

/* If a function and its clone call each other, the larger total contains the other one
 * already. */
static void add_side(struct diff_side *sum, const struct diff_side *more, bool clone)
{
    sum->there |= more->there;
    sum->inlined |= more->inlined;
    sum->self.share += more->self.share;
    sum->total.share = clone ? fmax(sum->total.share, more->total.share)
                             : fmin(sum->total.share + more->total.share, 1);
    sum->total.hidden = clone ? fmax(sum->total.hidden, more->total.hidden)
                              : fmin(sum->total.hidden + more->total.hidden, 1);
    sum->calls += more->calls;
    sum->timed_calls += more->timed_calls;
    sum->seconds += more->seconds;
}

/* Names a sum of functions of one side by what they share. */
static bool name_sum(struct diff *diff, struct diff_row *sum)
{
    char **text = &diff->texts[diff->text_count];

    if (port_asprintf(text, "%s:%s", sum->file, sum->plain) < 0)
        return false;
    diff->text_count++;
    sum->name = *text;
    sum->compared = clone_plain_length(sum->name);
    sum->several = true;
    return true;
}

static bool add_row(struct diff *diff, struct diff_row *sum, const struct diff_row *more,
                    bool clone)
{
    bool twins = (sum->before.there && more->before.there) ||
                 (sum->after.there && more->after.there);

    add_side(&sum->before, &more->before, clone);
    add_side(&sum->after, &more->after, clone);
    if (sum->several)
        return true;
    if (twins && !clone && sum->file != NULL && strcmp(sum->name, more->name) != 0)
        return name_sum(diff, sum);
    if (more->name[more->compared] == '\0')
        sum->name = more->name;
    return true;
}

static int by_name(const void *left, const void *right)
{
    const struct diff_row *a = left, *b = right;

    return strcmp(a->name, b->name);
}

static int by_plain_name(const void *left, const void *right)
{
    const struct diff_row *a = left, *b = right;
    size_t length = a->compared, other = b->compared;
    int order = memcmp(a->name, b->name, length < other ? length : other);

    return order != 0 ? order : (length > other) - (length < other);
}

/* Rows of one side alone by name and file, whatever the names by which people tell them;
 * the others by their names. */
static int by_file(const void *left, const void *right)
{
    const struct diff_row *a = left, *b = right;
    bool both = a->before.there && a->after.there;
    int order = both - (b->before.there && b->after.there);

    if (order == 0 && !both)
        order = strcmp(a->plain, b->plain);
    if (order == 0 && !both)
        order = strcmp(a->file != NULL ? a->file : "", b->file != NULL ? b->file : "");
    return order != 0 || (!both && a->file != NULL) ? order : strcmp(a->name, b->name);
}

/* A clone's name is compared without its suffix, unless both sides have it. */
static void cut_names(struct diff *diff)
{
    for (size_t i = 0; i < diff->count; i++) {
        struct diff_row *row = &diff->rows[i];

        if (row->before.there && row->after.there)
            row->compared = strlen(row->name);
    }
}

/* false: out of memory. */
static bool join(struct diff *diff, int (*order)(const void *, const void *), bool clones)
{
    size_t kept = 0;
    bool done = true;

    if (diff->count > 0)
        qsort(diff->rows, diff->count, sizeof *diff->rows, order);
    for (size_t i = 0; i < diff->count; i++) {
        if (kept > 0 && order(&diff->rows[kept - 1], &diff->rows[i]) == 0)
            done = add_row(diff, &diff->rows[kept - 1], &diff->rows[i], clones) && done;
        else
            diff->rows[kept++] = diff->rows[i];
    }
    diff->count = kept;
    return done;
}

/* Makes one row of each function. */
static bool join_all(struct diff *diff)
{
    bool done = join(diff, by_name, false);

    diff->texts = calloc(diff->count + 1, sizeof *diff->texts);
    if (diff->texts == NULL || !done || !join(diff, by_file, false) ||
        !join(diff, by_name, false)) /* a sum may have another row's name */
        return false;
    cut_names(diff);
    return join(diff, by_plain_name, true);
}

/* ---- Errors, order ---- */

static void find_error(struct diff_share *share, double samples)
{
    share->samples = samples;
    share->error = hypot(analysis_share_error(share->share, samples), share->hidden);
}

static void find_errors(struct diff *diff, const struct analysis *before,
                        const struct analysis *after)
{
    double was = before->program * before->hz, is = after->program * after->hz;

    for (size_t i = 0; i < diff->count; i++) {
        struct diff_row *row = &diff->rows[i];

        find_error(&row->before.self, was);
        find_error(&row->before.total, was);
        find_error(&row->after.self, is);
        find_error(&row->after.total, is);
    }
}

static double change(const struct diff_row *row)
{
    return fabs(row->after.self.share - row->before.self.share);
}

static int by_change(const void *left, const void *right, void *context)
{
    const struct diff_row *a = left, *b = right;
    double first = fabs(diff_row_sigmas(context, a)),
           second = fabs(diff_row_sigmas(context, b));

    if (first != second)
        return first < second ? 1 : -1;
    if (change(a) != change(b))
        return change(a) < change(b) ? 1 : -1;
    return strcmp(a->name, b->name);
}

bool diff_find(struct diff *diff, const struct diff_of *before,
               const struct diff_of *after, struct error *error)
{
    const struct analysis *was = before->analysis, *is = after->analysis;
    bool samples = was->program > 0 && is->program > 0;

    *diff = (struct diff){
        .timed = !samples && was->timed.program > 0 && is->timed.program > 0,
        .calls = was->has_calls && is->has_calls,
    };
    diff->totals = diff->timed || (was->measured && is->measured);
    if (!samples && !diff->timed)
        return error_set(error, EXIT_BAD_INPUT,
                         "nothing to compare: there must be samples in both profiles, or "
                         "timed calls in both");
    if (!take_side(diff, before, false, error) || !take_side(diff, after, true, error))
        return false;
    if (!join_all(diff))
        return error_no_memory(error);
    if (!diff->timed)
        find_errors(diff, was, is);
    port_qsort_r(diff->rows, diff->count, sizeof *diff->rows, by_change, diff);
    return true;
}

void diff_release(struct diff *diff)
{
    for (size_t i = 0; i < diff->text_count; i++)
        free(diff->texts[i]);
    free(diff->texts);
    free(diff->rows);
}
