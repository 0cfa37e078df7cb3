/* SPDX-License-Identifier: MIT */
#include "demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    BACK_REFERENCES = 32, /* a name with more of them is demangled on trial first */
    OPTIONS = DMGL_ANSI | DMGL_PARAMS,
};

struct trial {
    jmp_buf too_long;
    size_t left;
};

static void count_bytes(const char *text, size_t length, void *context)
{
    struct trial *trial = context;
    (void)text;
    if (length > trial->left)
        longjmp(trial->too_long, 1);
    trial->left -= length;
}

/* Whether a name may have many back references: C++ writes them as "S1_" or "T_", Rust as
 * "B1_". Mangled names begin with "_Z", "_GLOBAL_", or with "R" or "ZN" behind any
 * underscores; others, which may be long, are not read. */
static bool many_back_references(const char *name)
{
    size_t count = 0;
    if (strchr("_RZ", *name) == NULL)
        return false;
    for (; *name != '\0' && count <= BACK_REFERENCES; name++)
        count += *name == '_' || *name == 'B' || *name == 'Q';
    return count > BACK_REFERENCES;
}

/* Whether the plain text has at most `most` bytes. A back reference repeats a part of the
 * name, which may have back references itself: so a name of 200 bytes can stand for
 * gigabytes. The text of such a name is first counted, without being kept. */
static bool bounded(const char *name, size_t most)
{
    struct trial trial = {.left = most};
    if (!many_back_references(name))
        return true;
    if (setjmp(trial.too_long) != 0)
        return false;
    if (rust_demangle_callback(name, OPTIONS, count_bytes, &trial) == 0)
        cplus_demangle_v3_callback(name, OPTIONS, count_bytes, &trial);
    return true;
}

char *demangle(const char *name, int style, struct demangle_budget *budget)
{
    size_t most = budget->name < budget->all ? budget->name : budget->all;
    if (most == 0 || !bounded(name, most))
        return NULL;
    char *text = cplus_demangle(name, OPTIONS | (style == 0 ? DMGL_AUTO : style));
    size_t length = text == NULL ? 0 : strlen(text);
    budget->all -= length < budget->all ? length : budget->all;
    if (length <= budget->name)
        return text;
    free(text);
    return NULL;
}
