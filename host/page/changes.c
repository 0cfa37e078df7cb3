/* SPDX-License-Identifier: MIT */
/* What has changed since another profile. */
#include <math.h>

#include "../report/diff.h"
#include "data.h"

enum { CHANGE_COLUMNS = 9 }; /* the columns that put_change() fills */

/* A comparison, and what its shares are of on both sides, in seconds; 0: that is not
 * known, or not all of the program's time. */
struct changes {
    struct diff diff;
    double before, after;
};

static double program(const struct diff *diff, const struct analysis *analysis)
{
    if (diff->timed)
        return (double)analysis->timed.program * analysis->timed.tick_seconds;
    return analysis->has_time ? analysis->program : 0;
}

/* Puts how much longer it took, in seconds, and the error; nulls where that is not known.
 */
static void put_seconds(struct json *json, const struct changes *changes,
                        const struct diff_share *before, const struct diff_share *after)
{
    bool known = changes->before > 0 && changes->after > 0;
    struct diff_time time = diff_longer(before, after, changes->before, changes->after);

    json_real(json, NULL, known ? time.change : NAN);
    json_real(json, NULL, known ? time.error : NAN);
}

/* Puts a share in per cent and its error; nulls if this side does not have the function.
 */
static void put_share(struct json *json, const struct diff_side *side,
                      const struct diff_share *of)
{
    json_real(json, NULL, side->there ? 100 * of->share : NAN);
    json_real(json, NULL, side->there ? 100 * of->error : NAN);
}

/* Puts the shares of both sides, the change, its error, by how many such errors it
 * differs from zero, and the change in seconds. */
static void put_change(struct json *json, const struct changes *changes,
                       const struct diff_row *row, const struct diff_share *before,
                       const struct diff_share *after)
{
    put_share(json, &row->before, before);
    put_share(json, &row->after, after);
    json_real(json, NULL, 100 * (after->share - before->share));
    json_real(json, NULL, 100 * diff_error(before, after));
    json_real(json, NULL, diff_sigmas(before, after));
    put_seconds(json, changes, before, after);
}

static void put_calls(struct json *json, const struct diff_side *side)
{
    if (side->there)
        json_whole(json, NULL, side->calls);
    else
        json_null(json, NULL);
}

static bool put_row(struct json *json, const struct changes *changes,
                    const struct diff_row *row, struct error *error)
{
    const struct diff *diff = &changes->diff;

    json_open(json, NULL, '[');
    if (!data_name(json, NULL, row->name, error))
        return false;
    put_change(json, changes, row, &row->before.self, &row->after.self);
    if (diff->totals)
        put_change(json, changes, row, &row->before.total, &row->after.total);
    else
        for (int i = 0; i < CHANGE_COLUMNS; i++)
            json_null(json, NULL);
    put_calls(json, &row->before);
    put_calls(json, &row->after);
    json_real(json, NULL, diff_row_sigmas(diff, row));
    json_text(json, NULL, diff_inlined(row));
    json_close(json, ']');
    return true;
}

static bool put_rows(struct json *json, const struct changes *changes,
                     struct error *error)
{
    static const char *const columns[] = {
        "name",
        "self_before",
        "self_before_error",
        "self_after",
        "self_after_error",
        "self_change",
        "self_change_error",
        "self_sigmas",
        "self_seconds",
        "self_seconds_error",
        "total_before",
        "total_before_error",
        "total_after",
        "total_after_error",
        "total_change",
        "total_change_error",
        "total_sigmas",
        "total_seconds",
        "total_seconds_error",
        "calls_before",
        "calls_after",
        "sigmas",
        "inlined",
        NULL,
    };
    bool done = true;

    data_words(json, "columns", columns);
    json_open(json, "rows", '[');
    for (size_t i = 0; done && i < changes->diff.count; i++)
        done = put_row(json, changes, &changes->diff.rows[i], error);
    json_close(json, ']');
    return done;
}

/* Puts how much longer the program took in all, in per cent, and both times. */
static void put_time(struct json *json, const struct page *page,
                     const struct changes *changes)
{
    struct diff_time time;

    if (!(changes->before > 0 && changes->after > 0) ||
        !diff_time(page->before->analysis, page->analysis, &time))
        return;
    json_open(json, "time", '{');
    json_real(json, "change", 100 * time.change);
    json_real(json, "error", 100 * time.error);
    json_real(json, "before", changes->before);
    json_real(json, "after", changes->after);
    json_close(json, '}');
}

static bool put_changes(FILE *out, const struct page *page, const struct changes *changes,
                        struct error *error)
{
    const struct diff *diff = &changes->diff;
    struct json json;

    data_begin(&json, out, "changes");
    bool done = data_name(&json, "before", page->before_captures, error) &&
                data_name(&json, "after", page->captures, error);
    json_whole(&json, "sigmas", DIFF_SIGMAS);
    json_bool(&json, "timed", diff->timed);
    json_bool(&json, "totals", diff->totals);
    json_bool(&json, "calls", diff->calls);
    put_time(&json, page, changes);
    done = done && put_rows(&json, changes, error);
    data_end(&json);
    return done;
}

bool data_changes(FILE *out, const struct page *page, struct error *error)
{
    struct changes changes = {0};

    if (page->before == NULL)
        return true;
    const struct diff_of now = {page->profile, page->analysis};
    bool done = diff_find(&changes.diff, page->before, &now, error);
    if (done && page->ended) {
        changes.before = program(&changes.diff, page->before->analysis);
        changes.after = program(&changes.diff, page->analysis);
    }
    done = done && put_changes(out, page, &changes, error);
    diff_release(&changes.diff);
    return done;
}
