/* SPDX-License-Identifier: MIT */
#include "page.h"

#include <string.h>

#include "data.h"

/* Made from web/ by its build.mjs. In it @LIVE@ stands for what the page's policy allows
 * a live page, and @DATA@ for the blocks of data. */
extern const char page_html[];
static const char live_mark[] = "@LIVE@", data_mark[] = "@DATA@";

bool page_is_there(struct error *error)
{
    return strstr(page_html, data_mark) != NULL ||
           error_set(error, EXIT_BAD_INPUT,
                     "this mcuprof was built without its page: build it where npm's "
                     "packages are (scripts/setup --program), or from a release");
}

/* Writes the text up to a mark; returns what follows the mark. */
static const char *put_until(FILE *out, const char *text, const char *mark)
{
    const char *end = strstr(text, mark);

    fwrite(text, 1, (size_t)(end - text), out);
    return end + strlen(mark);
}

void page_begin(FILE *out, bool live)
{
    const char *rest = put_until(out, page_html, live_mark);

    if (live)
        fputs("connect-src 'self'; ", out);
    put_until(out, rest, data_mark);
}

bool page_data(FILE *out, const struct page *page, struct error *error)
{
    static data_writer *const writers[] = {
        data_overview, data_functions, data_gains,   data_tree,
        data_source,   data_timeline,  data_changes,
    };
    bool done = true;

    for (size_t i = 0; done && i < sizeof writers / sizeof writers[0]; i++)
        done = data_pack(out, page, writers[i], error);
    return done;
}

void page_end(FILE *out)
{
    fputs(strstr(page_html, data_mark) + strlen(data_mark), out);
}

bool page_write(FILE *out, const struct page *page, struct error *error)
{
    page_begin(out, page->live);
    if (!page_data(out, page, error))
        return false;
    page_end(out);
    return true;
}
