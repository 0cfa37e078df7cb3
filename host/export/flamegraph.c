/* SPDX-License-Identifier: MIT */
/*
 * Makes a flame graph (Brendan Gregg, "The Flame Graph", CACM 59(6), 2016) of the tree of
 * frames: one SVG that needs nothing else. Each frame hangs below its caller, so that the
 * outermost frames are seen first. It is as wide as its share; frames side by side are in
 * the order of their names. A script zooms and searches; without it, as in print, the
 * whole graph is shown.
 */
#include "../analysis/frame_tree.h"
#include "../base/xml.h"
#include "export.h"

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

/* Files of this folder, as text; host.mk makes these arrays. */
extern const char flamegraph_css[], flamegraph_js[];

struct picture {
    FILE *out;
    const char *unit; /* of counts */
    const struct frame_tree *tree;
    uint64_t total, smallest, hidden;
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
    if (picture->tree->samples && part)
        fprintf(picture->out, " \xc2\xb1%.2f", 100 * analysis_share_error(share, total));
    fputs(" %", picture->out);
}

/* Puts a node; `from`: the weight of all that is to the left of it. */
static void put_frame(struct picture *picture, size_t node, uint64_t from)
{
    const char *name = tree_frame(picture->tree, node)->text;
    uint64_t weight = picture->tree->nodes[node].total;
    double scale = (double)(WIDTH - 2 * PAD) / (double)picture->total;
    double x = PAD + (double)from * scale, width = (double)weight * scale;
    size_t depth = picture->tree->nodes[node].depth, y = HEAD + depth * ROW;
    FILE *out = picture->out;

    if (weight < picture->smallest) {
        picture->hidden++;
        return;
    }
    fputs("<g class=\"f\" data-name=\"", out);
    xml_text(out, name, SIZE_MAX);
    fprintf(out, "\" data-x=\"%llu\" data-n=\"%llu\" data-d=\"%zu\"><title>",
            (unsigned long long)from, (unsigned long long)weight, depth);
    xml_text(out, name, SIZE_MAX);
    fputs(": ", out);
    put_figures(picture, weight, depth > 0);
    fprintf(out,
            "</title><rect x=\"%.2f\" y=\"%zu\" width=\"%.2f\" height=\"%d\" fill=\"", x,
            y, width, ROW);
    put_colour(out, name);
    fprintf(out, "\"/><text x=\"%.2f\" y=\"%zu\">", x + 3, y + ROW - 5);
    put_label(out, name, width);
    fputs("</text></g>\n", out);
}

/* Draws the frames: what a node has for itself is to the left of what is below it. */
static void put_frames(struct picture *picture)
{
    uint64_t from = 0;

    for (size_t i = 0; i < picture->tree->count; i++) {
        put_frame(picture, i, from);
        from += picture->tree->nodes[i].self;
    }
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

bool export_flamegraph(FILE *out, const struct frame_tree *tree,
                       const struct analysis *analysis, struct image *image,
                       struct error *error)
{
    (void)analysis;
    (void)image;
    (void)error;
    struct picture picture = {
        .out = out,
        .tree = tree,
        .unit = tree->samples ? "samples" : "ticks",
        .total = tree->nodes[0].total,
        .smallest = tree->nodes[0].total / SMALLEST,
    };
    put_head(&picture, HEAD + (tree->depth + 1) * ROW + FOOT);
    put_frames(&picture);
    put_foot(&picture);
    return true;
}
