/* SPDX-License-Identifier: MIT */
/* Demangles names, and keeps what stands around them. */
#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

#include "../../image/demangle.h"
#include "../../port/text.h"
#include "image.h"

enum {
    NOT_AT_ALL = -1, /* style "none" */
    DEMANGLED_MAX =
        1 << 20, /* bytes; a name whose plain text would be longer is left as it is */
};

bool gprof_demangle_style(const char *name, int *style)
{
    static const struct {
        const char *name;
        int style;
    } styles[] = {
        {"none", NOT_AT_ALL}, {"auto", 0},         {"gnu-v3", DMGL_GNU_V3},
        {"java", DMGL_JAVA},  {"gnat", DMGL_GNAT}, {"dlang", DMGL_DLANG},
        {"rust", DMGL_RUST},
    };
    for (size_t i = 0; i < sizeof(styles) / sizeof(*styles); i++) {
        if (strcmp(name, styles[i].name) == 0) {
            *style = styles[i].style;
            return true;
        }
    }
    return false;
}

char *gprof_demangle(const struct gprof *gprof, const char *name)
{
    int style = gprof->options.demangle_style;
    bool underscore = gprof->image != NULL && gprof->image->underscore && name[0] == '_';
    if (style == NOT_AT_ALL)
        return NULL;
    name += underscore;
    size_t before = strspn(name, ".$");
    const char *at = strchr(name + before, '@');
    char *mangled = at == NULL ? strdup(name + before)
                               : strndup(name + before, (size_t)(at - name) - before);
    if (mangled == NULL)
        return NULL;
    struct demangle_budget budget = {DEMANGLED_MAX, SIZE_MAX};
    char *text = demangle(mangled, style, &budget);
    free(mangled);
    /* The underscore that the C compiler puts in front is removed in any case. */
    if (text == NULL)
        return underscore ? strdup(name) : NULL;
    char *whole;
    int length =
        port_asprintf(&whole, "%.*s%s%s", (int)before, name, text, at == NULL ? "" : at);
    free(text);
    return length < 0 ? NULL : whole;
}
