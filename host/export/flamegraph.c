/* SPDX-License-Identifier: MIT */
/*
 * Makes a flame graph (Brendan Gregg, "The Flame Graph", CACM 59(6), 2016) of folded.c's
 * lines: one SVG that needs nothing else. Each frame hangs below its caller, so that the
 * outermost frames are seen first. It is as wide as its share; frames side by side are in
 * the order of their names. A script zooms and searches; without it, as in print, the
 * whole graph is shown.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/xml.h"
#include "export.h"
#include "folded_lines.h"

enum {
    WIDTH = 1200,     /* width of the picture, in pixels, until the script fits it */
    PAD = 10,         /* margin left and right */
    ROW = 17,         /* height of a frame */
    HEAD = 58,        /* space above the frames */
    FOOT = 10,        /* space below them */
    FIND = 190,       /* width of the search field */
    SMALLEST = 20000, /* a frame is drawn if its share is at least one in so many */
};
#define CHAR_WIDTH 6.62 /* of the 11 pixels' type */

/* A file of this folder, as text. */
#define INCLUDE_FILE(symbol, path)                                                       \
    __asm__(".section .rodata\n" #symbol ": .incbin \"" path                             \
            "\"\n.byte 0\n.previous\n");                                                 \
    extern const char symbol[]
INCLUDE_FILE(flamegraph_css, "host/export/flamegraph.css");
INCLUDE_FILE(flamegraph_js, "host/export/flamegraph.js");

struct picture {
    FILE *out;
    const char *unit; /* of counts */
    uint64_t total, smallest, hidden;
    bool samples; /* counts have the error of samples */
};

/* How many bytes the first `characters` characters of a text have. */
static size_t bytes_of(const char *text, size_t characters)
{
    size_t bytes = 0;

    for (; text[bytes] != '\0'; bytes++) {
        if (((unsigned char)text[bytes] & 0xc0) != 0x80 && characters-- == 0)
            break;
    }
    return bytes;
}

static void put_label(FILE *out, const char *name, double width)
{
    size_t fits = width > 6 ? (size_t)((width - 6) / CHAR_WIDTH) : 0;
    size_t bytes = bytes_of(name, fits);

    if (name[bytes] == '\0') {
        xml_text(out, name, bytes);
    } else if (fits >= 3) {
        xml_text(out, name, bytes_of(name, fits - 1));
        fputs("\xe2\x80\xa6", out);
    }
}

/* The name gives a function a warm colour; a frame that is no function is grey. */
static void put_colour(FILE *out, const char *name)
{
    uint32_t hash = 2166136261u; /* FNV-1a */

    if (name[0] == '[' || name[0] == '<') {
        fputs("#b8c0c8", out);
        return;
    }
    for (const char *c = name; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    fprintf(out, "hsl(%u %u%% %u%%)", 12 + hash % 42, 72 + hash / 64 % 18,
            60 + hash / 4096 % 12);
}

/* Puts a count, its share and, for a part of all samples, the share's standard error. */
static void put_figures(const struct picture *picture, uint64_t count, bool part)
{
    double total = (double)picture->total, share = (double)count / total;

    fprintf(picture->out, "%llu %s, %.2f", (unsigned long long)count, picture->unit,
            100 * share);
    if (picture->samples && part)
        fprintf(picture->out, " \xc2\xb1%.2f", 100 * analysis_share_error(share, total));
    fputs(" %", picture->out);
}

static void put_frame(struct picture *picture, const char *name, size_t depth,
                      uint64_t from, uint64_t to)
{
    double scale = (double)(WIDTH - 2 * PAD) / (double)picture->total;
    double x = PAD + (double)from * scale, width = (double)(to - from) * scale;
    size_t y = HEAD + depth * ROW;
    FILE *out = picture->out;

    if (to - from < picture->smallest) {
        picture->hidden++;
        return;
    }
    fputs("<g class=\"f\" data-name=\"", out);
    xml_text(out, name, SIZE_MAX);
    fprintf(out, "\" data-x=\"%llu\" data-n=\"%llu\" data-d=\"%zu\"><title>",
            (unsigned long long)from, (unsigned long long)(to - from), depth);
    xml_text(out, name, SIZE_MAX);
    fputs(": ", out);
    put_figures(picture, to - from, depth > 0);
    fprintf(out,
            "</title><rect x=\"%.2f\" y=\"%zu\" width=\"%.2f\" height=\"%d\" fill=\"", x,
            y, width, ROW);
    put_colour(out, name);
    fprintf(out, "\"/><text x=\"%.2f\" y=\"%zu\">", x + 3, y + ROW - 5);
    put_label(out, name, width);
    fputs("</text></g>\n", out);
}

/* Draws the frames. A frame spans the lines in a row that have it, and is drawn after the
 * last of them. */
static bool put_frames(struct picture *picture, const struct folded_lines *lines)
{
    uint64_t *from = calloc(lines->depth_max + 1, sizeof *from), at = 0;

    if (from == NULL)
        return false;
    for (size_t i = 0; i < lines->count; i++) {
        const struct folded_line *line = &lines->items[i];
        size_t kept =
            i + 1 < lines->count ? folded_shared(line, &lines->items[i + 1]) : 0;

        at += line->count;
        for (size_t depth = line->depth; depth > kept; depth--)
            put_frame(picture, line->frames[depth - 1], depth, from[depth - 1], at);
        for (size_t depth = kept; i + 1 < lines->count && depth < lines->depth_max;
             depth++)
            from[depth] = at;
    }
    put_frame(picture, "all", 0, 0, at);
    free(from);
    return true;
}

static void put_head(const struct picture *picture, size_t height)
{
    fprintf(picture->out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%zu\" "
            "viewBox=\"0 0 %d %zu\">\n<style>\n%s</style>\n"
            "<text x=\"%d\" y=\"26\"><tspan class=\"title\">Flame graph</tspan>"
            "<tspan class=\"note\" dx=\"12\">%llu %s</tspan>"
            "<tspan class=\"button hidden\" id=\"reset\" dx=\"12\">show all</tspan>"
            "</text>\n"
            "<text class=\"note\" id=\"details\" x=\"%d\" y=\"46\"> </text>\n"
            "<text class=\"note\" id=\"matched\" x=\"%d\" y=\"46\" "
            "text-anchor=\"end\"> </text>\n"
            "<foreignObject id=\"find\" x=\"%d\" y=\"6\" width=\"%d\" height=\"28\">"
            "<input xmlns=\"http://www.w3.org/1999/xhtml\" id=\"words\" type=\"search\" "
            "placeholder=\"search (/)\" aria-label=\"search\"/></foreignObject>\n"
            "<g id=\"frames\" data-total=\"%llu\">\n",
            WIDTH, height, WIDTH, height, flamegraph_css, PAD,
            (unsigned long long)picture->total, picture->unit, PAD, WIDTH - PAD,
            WIDTH - PAD - FIND, FIND, (unsigned long long)picture->total);
}

static void put_foot(const struct picture *picture)
{
    FILE *out = picture->out;

    fputs("</g>\n", out);
    if (picture->hidden > 0)
        fprintf(out,
                "<desc>%llu frames have less than 1 in %d of all: not drawn</desc>\n",
                (unsigned long long)picture->hidden, SMALLEST);
    fprintf(out, "<script><![CDATA[\n%s]]></script>\n</svg>\n", flamegraph_js);
}

bool export_flamegraph(FILE *out, const char *text, const struct profile *profile,
                       struct image *image, struct error *error)
{
    bool samples = profile->received[EVENT_SAMPLE] > 0;
    struct picture picture = {
        .out = out, .unit = samples ? "samples" : "ticks", .samples = samples};
    struct folded_lines lines;
    struct folded_names names;
    bool done = folded_lines_read(&lines, &names, text, error);
    size_t height;

    (void)image;
    picture.total = lines.total;
    picture.smallest = picture.total / SMALLEST;
    height = HEAD + (lines.depth_max + 1) * ROW + FOOT;
    if (done) {
        put_head(&picture, height);
        done = put_frames(&picture, &lines) || export_no_memory(error);
        put_foot(&picture);
    }
    folded_lines_release(&lines, &names);
    return done;
}
