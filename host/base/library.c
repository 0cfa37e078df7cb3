/* SPDX-License-Identifier: MIT */
#include "library.h"

#include <dlfcn.h>
#include <string.h>

bool library_load(const char *file, const char *const *names, void *pointers,
                  struct error *error)
{
    void *library = dlopen(file, RTLD_NOW);

    for (size_t i = 0; library != NULL && names[i] != NULL; i++) {
        void *address = dlsym(library, names[i]);

        if (address == NULL)
            library = NULL;
        else
            memcpy((char *)pointers + i * sizeof address, &address, sizeof address);
    }
    return library != NULL ||
           error_set(error, EXIT_BAD_INPUT, "cannot load a library: %s", dlerror());
}
