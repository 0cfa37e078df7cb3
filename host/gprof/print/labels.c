/* SPDX-License-Identifier: MIT */
/* There may be a million arcs between a hundred thousand functions. So each name is made
 * (demangled, with its file, cycle and index) once, and copied for each arc. */
#include <stdlib.h>

#include "../../port/stream.h"
#include "print.h"

bool gprof_labels_init(struct graph_labels *labels, struct gprof *gprof)
{
    *labels = (struct graph_labels){.gprof = gprof};
    labels->labels = calloc(gprof->symbol_count + 1, sizeof *labels->labels);
    labels->stream = port_open_memstream(&labels->text, &labels->text_bytes);
    return labels->labels != NULL && labels->stream != NULL;
}

void gprof_labels_release(struct graph_labels *labels)
{
    if (labels->stream != NULL)
        fclose(labels->stream);
    free(labels->text);
    free(labels->labels);
}

static bool make(struct graph_labels *labels, const struct gprof_symbol *symbol,
                 struct graph_label *label)
{
    FILE *out = labels->gprof->out;
    label->begin = labels->text_bytes;
    labels->gprof->out = labels->stream;
    gprof_print_name(labels->gprof, symbol);
    labels->gprof->out = out;
    if (putc('\n', labels->stream) == EOF || fflush(labels->stream) != 0)
        return false;
    label->length = labels->text_bytes - label->begin;
    return true;
}

bool gprof_put_labelled(struct graph_labels *labels, char *begin, char *end,
                        const struct gprof_symbol *symbol)
{
    FILE *out = labels->gprof->out;
    struct graph_label *label = &labels->labels[symbol - labels->gprof->symbols];
    if (label->length == 0 && !make(labels, symbol, label))
        return false;
    const char *text = labels->text + label->begin;
    if (label->length <= GPROF_FIELD_BYTES) {
        memcpy(end, text, label->length);
        gprof_put_line(out, begin, end + label->length);
    } else {
        gprof_put_line(out, begin, end);
        gprof_put_line(out, text, text + label->length);
    }
    return true;
}
