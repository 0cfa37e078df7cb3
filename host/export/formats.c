/* SPDX-License-Identifier: MIT */
/* The formats; export.c has what they share. */
#include <string.h>

#include "export.h"

const struct export_format export_formats[] = {
    {"gmon", ".out", "GNU gmon.out, for gprof: in the target's word size and byte order",
     .needs_elf = true, .binary = true, .write = export_gmon},
    {"folded", ".folded",
     "\"root;child;leaf count\" lines, for flamegraph.pl: the call paths sampled or,\n"
     "without, estimated from the calls",
     .needs_elf = true, .write = export_folded},
    {"flamegraph", ".svg", "the same as a flame graph that zooms and searches by itself",
     .needs_elf = true, .write_tree = export_flamegraph},
    {"speedscope", ".speedscope.json", "the same for speedscope.app", .needs_elf = true,
     .write_tree = export_speedscope},
    {"pprof", ".pb.gz", "the same for pprof, with lines: profile.proto, compressed",
     .needs_elf = true, .binary = true, .view = TREE_BY_ADDRESS,
     .write_tree = export_pprof},
    {"firefox", ".firefox.json",
     "the same for profiler.firefox.com, a track for each task", .needs_elf = true,
     .write_tree = export_firefox},
    {"dot", ".dot", "the call graph for graphviz", .needs_elf = true, .by_task = true,
     .upwards = true, .write = export_dot},
    {"svg", ".svg", "the call graph as a picture", .needs_elf = true, .by_task = true,
     .upwards = true, .write = export_dot, .finish = export_svg},
    {"callgrind", ".callgrind",
     "timed calls or call paths, for callgrind_annotate and KCachegrind",
     .needs_elf = true, .by_task = true, .timed = true, .write = export_callgrind},
    {"perfetto", ".perfetto.json",
     "the timeline, for ui.perfetto.dev; with -e the marks have their names",
     .timeline = true, .write = export_perfetto},
    {"json", ".json", "everything, for scripts; without -e only what the captures hold",
     .energy = true, .write = export_json},
    {"csv", ".csv", "the table of functions, for spreadsheets", .needs_elf = true,
     .by_task = true, .energy = true, .write = export_csv},
    {.name = NULL},
};

const struct export_format *export_find(const char *name)
{
    for (const struct export_format *format = export_formats; format->name != NULL;
         format++) {
        if (strcmp(format->name, name) == 0)
            return format;
    }
    return NULL;
}
