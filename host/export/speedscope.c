/* SPDX-License-Identifier: MIT */
/* Writes folded.c's lines in speedscope's file format, version 0.0.1, as a profile of
 * samples. */
#include "export.h"
#include "folded_lines.h"

static void put_names(struct json *json, const struct folded_names *names)
{
    json_open(json, "shared", '{');
    json_open(json, "frames", '[');
    for (size_t i = 0; i < names->count; i++) {
        json_open(json, NULL, '{');
        json_text(json, "name", names->items[i]);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

static void put_stacks(struct json *json, const struct folded_lines *lines,
                       const struct folded_names *names)
{
    json_open(json, "samples", '[');
    for (size_t i = 0; i < lines->count; i++) {
        json_open(json, NULL, '[');
        for (size_t j = 0; j < lines->items[i].depth; j++)
            json_whole(json, NULL, folded_name_number(names, lines->items[i].frames[j]));
        json_close(json, ']');
    }
    json_close(json, ']');
}

/* Weights are seconds if the rate is known, else counts. */
static void put_profile(struct json *json, const struct folded_lines *lines,
                        const struct folded_names *names, double hz)
{
    json_open(json, NULL, '{');
    json_text(json, "type", "sampled");
    json_text(json, "name", "mcuprof");
    json_text(json, "unit", hz > 0 ? "seconds" : "none");
    json_whole(json, "startValue", 0);
    json_real(json, "endValue", (double)lines->total / (hz > 0 ? hz : 1));
    put_stacks(json, lines, names);
    json_open(json, "weights", '[');
    for (size_t i = 0; i < lines->count; i++)
        json_real(json, NULL, (double)lines->items[i].count / (hz > 0 ? hz : 1));
    json_close(json, ']');
    json_close(json, '}');
}

bool export_speedscope(FILE *out, const char *text, const struct profile *profile,
                       struct image *image, struct error *error)
{
    double hz = folded_hz(profile);
    struct json json = {.out = out};
    struct folded_names names;
    struct folded_lines lines;
    bool done = folded_lines_read(&lines, &names, text, error);

    (void)image;
    if (done) {
        json_open(&json, NULL, '{');
        json_text(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
        json_text(&json, "exporter", "mcuprof");
        put_names(&json, &names);
        json_open(&json, "profiles", '[');
        put_profile(&json, &lines, &names, hz);
        json_close(&json, ']');
        json_close(&json, '}');
        fputc('\n', out);
    }
    folded_lines_release(&lines, &names);
    return done;
}
