/* SPDX-License-Identifier: MIT */
/* Names in plain text, by libiberty, which is what GNU gprof has. */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"

enum {
    NOT_AT_ALL = -1,         /* style "none" */
    BACK_REFERENCES = 32,    /* so many are demangled without a trial */
    DEMANGLED_MAX = 1 << 20, /* bytes; a name that stands for more is left as it is */
    OPTIONS = DMGL_ANSI | DMGL_PARAMS,
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

struct trial {
    jmp_buf too_long;
    size_t bytes;
};

static void count_bytes(const char *text, size_t length, void *context)
{
    struct trial *trial = context;
    (void)text;
    trial->bytes += length;
    if (trial->bytes > DEMANGLED_MAX)
        longjmp(trial->too_long, 1);
}

/* Back references of C++ ("S1_", "T_") and of Rust ("B1_"). */
static bool many_back_references(const char *name)
{
    size_t count = 0, length = strlen(name);
    for (size_t i = 0; i < length; i++)
        count += name[i] == '_' || name[i] == 'B' || name[i] == 'Q';
    return count > BACK_REFERENCES;
}

/* Each back reference repeats what it refers to, others among it: a name of 200 bytes
 * can stand for gigabytes. Such names are spelt to nobody first. */
static bool bounded(const char *name)
{
    struct trial trial = {.bytes = 0};
    if (!many_back_references(name))
        return true;
    if (setjmp(trial.too_long) != 0)
        return false;
    if (rust_demangle_callback(name, OPTIONS, count_bytes, &trial) == 0)
        cplus_demangle_v3_callback(name, OPTIONS, count_bytes, &trial);
    return true;
}

/* before + text + behind */
static char *join(const char *before, size_t before_bytes, const char *text,
                  const char *behind)
{
    size_t length = strlen(text), end = strlen(behind);
    char *whole = malloc(before_bytes + length + end + 1);
    if (whole == NULL)
        return NULL;
    memcpy(whole, before, before_bytes);
    memcpy(whole + before_bytes, text, length);
    memcpy(whole + before_bytes + length, behind, end + 1);
    return whole;
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
    char *text = bounded(mangled)
                     ? cplus_demangle(mangled, OPTIONS | (style == 0 ? DMGL_AUTO : style))
                     : NULL;
    free(mangled);
    /* The C compiler's underscore goes in any case. */
    if (text == NULL)
        return underscore ? strdup(name) : NULL;
    char *whole = join(name, before, text, at == NULL ? "" : at);
    free(text);
    return whole;
}
