/* SPDX-License-Identifier: MIT */
#include "data.h"

#include <stdlib.h>

#include "../export/export.h"

struct report data_report(const struct page *page)
{
    return (struct report){
        .analysis = page->analysis,
        .profile = page->profile,
        .image = page->image,
        .energy = page->energy,
        .style = {.utf8 = true},
    };
}

bool data_is_timed(const struct analysis *analysis)
{
    return !analysis->has_samples && analysis->timed.known;
}

void data_index(struct json *json, const char *key, size_t index)
{
    if (index == SIZE_MAX || index == NO_FUNCTION)
        json_null(json, key);
    else
        json_whole(json, key, index);
}

bool data_name(struct json *json, const char *key, const char *name, struct error *error)
{
    char *text = name != NULL ? export_text(name, NAME_BYTES) : NULL;

    json_text(json, key, text);
    free(text);
    return name == NULL || text != NULL || error_no_memory(error);
}

void data_words(struct json *json, const char *key, const char *const *words)
{
    json_open(json, key, '[');
    for (; *words != NULL; words++)
        json_text(json, NULL, *words);
    json_close(json, ']');
}

void data_begin(struct json *json, FILE *out, const char *name)
{
    *json = (struct json){.out = out, .in_html = true};
    fprintf(out, "<script id=\"%s\" type=\"" DATA_TYPE "\">", name);
    json_open(json, NULL, '{');
}

void data_end(struct json *json)
{
    json_close(json, '}');
    fputs("</script>\n", json->out);
}
