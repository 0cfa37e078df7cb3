/* SPDX-License-Identifier: MIT */
#include "clone.h"

#include <string.h>

size_t clone_plain_length(const char *name)
{
    static const char *const suffixes[] = {".constprop.", ".isra.",     ".part.",
                                           ".cold",       ".lto_priv.", " [clone "};
    size_t length = strlen(name);

    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        const char *found = strstr(name, suffixes[i]);

        if (found != NULL && found > name && (size_t)(found - name) < length)
            length = (size_t)(found - name);
    }
    return length;
}
