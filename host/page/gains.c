/* SPDX-License-Identifier: MIT */
/* How much faster the run would be if a function cost less. */
#include <math.h>

#include "../answers/gain.h"
#include "data.h"

/* Puts how many times as fast the run would be, and the error, with as many digits as a
 * report has at most; nulls where that is not known. */
static void put_gain(struct json *json, const struct gain_share *share, double part,
                     bool known)
{
    struct gain gain;
    bool told = known && gain_of(share, part, &gain);

    json_real(json, NULL, told ? round(gain.times * 1e4) / 1e4 : NAN);
    json_real(json, NULL, told ? round(gain.error * 1e5) / 1e5 : NAN);
}

static void put_function(struct json *json, size_t function, const struct gains *gains)
{
    const struct gain_shares *shares = &gains->items[function];

    json_open(json, NULL, '[');
    json_whole(json, NULL, function);
    put_gain(json, &shares->self, 1, true);
    put_gain(json, &shares->self, 0.5, true);
    put_gain(json, &shares->total, 1, gains->totals);
    put_gain(json, &shares->total, 0.5, gains->totals);
    json_close(json, ']');
}

static void put_rows(struct json *json, const struct analysis *analysis,
                     const struct gains *gains)
{
    static const char *const columns[] = {
        "function", "free",           "free_error", "half",           "half_error",
        "free_all", "free_all_error", "half_all",   "half_all_error", NULL};

    data_words(json, "columns", columns);
    json_open(json, "rows", '[');
    for (size_t i = 0; i < analysis->function_count; i++) {
        const struct gain_shares *shares = &gains->items[i];
        double most = gains->totals ? shares->total.part : shares->self.part;

        if (!analysis->functions[i].overhead && most > 0)
            put_function(json, i, gains);
    }
    json_close(json, ']');
}

bool data_gains(FILE *out, const struct page *page, struct error *error)
{
    struct gains gains;
    struct json json;

    if (!page->analysis->has_samples && !page->analysis->timed.known)
        return true;
    if (!gains_find(&gains, page->profile, page->analysis, page->image, error))
        return false;
    data_begin(&json, out, "gains");
    json_real(&json, "idle", 100 * gains.idle);
    json_bool(&json, "totals", gains.totals);
    put_rows(&json, page->analysis, &gains);
    data_end(&json);
    gains_release(&gains);
    return true;
}
