/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* The C++ runtime's demangler (Itanium C++ ABI, 3.4); it has no C header. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *size, int *status);

enum {
    MANGLED_MAX = 1024,   /* the runtime gives up on longer ones too */
    BACK_REFERENCES = 32, /* each may repeat all that came before it */
    DEMANGLED_MAX = 4096,
};

static bool back_references_bounded(const char *name)
{
    unsigned count = 0;
    for (; *name != '\0'; name++) {
        if (*name != 'S' && *name != 'T')
            continue;
        const char *end =
            name + 1 + strspn(name + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        count += *end == '_';
    }
    return count <= BACK_REFERENCES;
}

char *image_demangle(const char *name, struct demangle_budget *budget)
{
    if (strncmp(name, "_Z", 2) != 0 || budget->bytes == 0)
        return NULL;
    if (strnlen(name, MANGLED_MAX + 1) > MANGLED_MAX || !back_references_bounded(name))
        return NULL;
    char *text = __cxa_demangle(name, NULL, NULL, NULL);
    size_t length = text == NULL ? 0 : strlen(text);
    budget->bytes -= length < budget->bytes ? length : budget->bytes;
    if (length > DEMANGLED_MAX) {
        free(text);
        return NULL;
    }
    return text;
}
