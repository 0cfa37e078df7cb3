/* SPDX-License-Identifier: MIT */
/* graphviz draws the call graph of dot.c as a picture. */
#include <graphviz/gvc.h>
#include <loaded.h>
#include <stdlib.h>
#include <string.h>

#include "../base/library.h"
#include "export.h"

/* Names from libgvc, and from libcgraph, which is loaded with it. */
#define TAKEN(NAME)                                                                      \
    NAME(gvContext)                                                                      \
    NAME(gvFreeContext)                                                                  \
    NAME(gvLayout)                                                                       \
    NAME(gvFreeLayout)                                                                   \
    NAME(gvRenderData)                                                                   \
    NAME(gvFreeRenderData)                                                               \
    NAME(agmemread)                                                                      \
    NAME(agclose)                                                                        \
    NAME(agseterrf)
LIBRARY(graphviz, TAKEN);

static char graphviz_says[160]; /* graphviz's error callback gets no context */

static int keep_message(char *message)
{
    if (graphviz_says[0] == '\0')
        snprintf(graphviz_says, sizeof graphviz_says, "%.*s", (int)strcspn(message, "\n"),
                 message);
    return 0;
}

static bool render(FILE *out, const char *dot, struct error *error)
{
    GVC_t *context = graphviz.gvContext();
    Agraph_t *graph = context != NULL ? graphviz.agmemread(dot) : NULL;
    char *picture = NULL;
    unsigned size = 0;
    bool done = graph != NULL && graphviz.gvLayout(context, graph, "dot") == 0;

    if (done) {
        done = graphviz.gvRenderData(context, graph, "svg", &picture, &size) == 0 &&
               picture != NULL;
        graphviz.gvFreeLayout(context, graph);
    }
    if (done)
        fwrite(picture, 1, size, out);
    else
        error_set(error, EXIT_BAD_INPUT, "graphviz cannot draw the call graph%s%s",
                  graphviz_says[0] != '\0' ? ": " : "", graphviz_says);
    graphviz.gvFreeRenderData(picture);
    if (graph != NULL)
        graphviz.agclose(graph);
    if (context != NULL)
        graphviz.gvFreeContext(context);
    return done;
}

bool export_svg(FILE *out, const char *dot, const struct profile *profile,
                struct image *image, struct error *error)
{
    (void)profile;
    (void)image;
    if (!library_load(LOADED_gvc, graphviz_names, &graphviz, error))
        return false;
    graphviz_says[0] = '\0';
    graphviz.agseterrf(keep_message);
    return render(out, dot, error);
}
