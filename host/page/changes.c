/* SPDX-License-Identifier: MIT */
/* What has changed since another profile. */
#include <math.h>

#include "../report/diff.h"
#include "data.h"

enum { CHANGE_COLUMNS = 7 }; /* the columns that put_change() fills */

/* Puts a share in per cent and its error; nulls if this side does not have the function.
 */
static void put_share(struct json *json, const struct diff_side *side,
                      const struct diff_share *of)
{
    json_real(json, NULL, side->there ? 100 * of->share : NAN);
    json_real(json, NULL, side->there ? 100 * of->error : NAN);
}

/* Puts the shares of both sides, the change, its error, and by how many such errors it
 * differs from zero. */
static void put_change(struct json *json, const struct diff_row *row,
                       const struct diff_share *before, const struct diff_share *after)
{
    put_share(json, &row->before, before);
    put_share(json, &row->after, after);
    json_real(json, NULL, 100 * (after->share - before->share));
    json_real(json, NULL, 100 * diff_error(before, after));
    json_real(json, NULL, diff_sigmas(before, after));
}

static void put_calls(struct json *json, const struct diff_side *side)
{
    if (side->there)
        json_whole(json, NULL, side->calls);
    else
        json_null(json, NULL);
}

static bool put_row(struct json *json, const struct diff *diff,
                    const struct diff_row *row, struct error *error)
{
    json_open(json, NULL, '[');
    if (!data_name(json, NULL, row->name, error))
        return false;
    put_change(json, row, &row->before.self, &row->after.self);
    if (diff->totals)
        put_change(json, row, &row->before.total, &row->after.total);
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

static bool put_rows(struct json *json, const struct diff *diff, struct error *error)
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
        "total_before",
        "total_before_error",
        "total_after",
        "total_after_error",
        "total_change",
        "total_change_error",
        "total_sigmas",
        "calls_before",
        "calls_after",
        "sigmas",
        "inlined",
        NULL,
    };
    bool done = true;

    data_words(json, "columns", columns);
    json_open(json, "rows", '[');
    for (size_t i = 0; done && i < diff->count; i++)
        done = put_row(json, diff, &diff->rows[i], error);
    json_close(json, ']');
    return done;
}

bool data_changes(FILE *out, const struct page *page, struct error *error)
{
    struct diff diff;
    struct json json;

    if (page->before == NULL)
        return true;
    const struct diff_of now = {page->profile, page->analysis};
    if (!diff_find(&diff, page->before, &now, error)) {
        diff_release(&diff);
        return false;
    }
    data_begin(&json, out, "changes");
    bool done = data_name(&json, "before", page->before_captures, error) &&
                data_name(&json, "after", page->captures, error);
    json_whole(&json, "sigmas", DIFF_SIGMAS);
    json_bool(&json, "timed", diff.timed);
    json_bool(&json, "totals", diff.totals);
    json_bool(&json, "calls", diff.calls);
    done = done && put_rows(&json, &diff, error);
    data_end(&json);
    diff_release(&diff);
    return done;
}
