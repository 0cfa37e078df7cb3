/* SPDX-License-Identifier: MIT */
#include "image.h"

bool gprof_find_line(struct gprof *gprof, struct gprof_label *label)
{
    (void)gprof;
    (void)label;
    return true;
}

bool gprof_add_line_labels(struct gprof *gprof, const struct gprof_labels *functions,
                           struct gprof_labels *lines)
{
    (void)gprof;
    (void)functions;
    (void)lines;
    return true;
}

void gprof_lines_release(struct gprof_lines *lines)
{
    (void)lines;
}
