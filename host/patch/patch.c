/* SPDX-License-Identifier: MIT */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

#include "../arch/arch.h"
#include "mcuprof_sites.h"

const char *const patch_reasons[PATCH_REASONS] = {
    [PATCH_COUNTED] = "counted",
    [PATCH_SHORT] = "a jump of 2 bytes, which does not reach a counter",
    [PATCH_FAR] = "too far from the counters",
    [PATCH_OVERLAP] = "its bytes are also data, or another instruction's",
    [PATCH_FLAGS] = "code relies on flags across the call",
};

static bool check(const struct image *image, const struct image_thunks *thunks,
                  bool has_room, struct error *error)
{
    const char *path = image_path(image);
    if (image_arch(image)->retarget == NULL || image_big_endian(image))
        return error_set(error, EXIT_BAD_INPUT,
                         "%s: calls are counted at their sites on Cortex-M only so far, "
                         "and this is for %s%s",
                         path, image_machine_name(image),
                         image_big_endian(image) ? ", big-endian" : "");
    if (!has_room)
        return error_set(error, EXIT_BAD_INPUT,
                         "%s: no room for counters: compile mcuprof's library for a "
                         "Cortex-M with MCUPROF_SITES=N, for N call sites",
                         path);
    if (thunks->from != 0)
        return error_set(error, EXIT_BAD_INPUT,
                         "%s: is patched already: name the ELF that the linker wrote",
                         path);
    return true;
}

bool patch_make(struct patch *patch, struct image *image, const struct patch_wish *wish,
                struct error *error)
{
    struct image_thunks thunks;
    struct chosen chosen = {.at = NULL};
    bool has_room = image_thunks(image, &thunks);
    *patch = (struct patch){.sites = NULL};
    bool done = check(image, &thunks, has_room, error) &&
                chosen_find(&chosen, image, wish, error) &&
                sites_find(patch, image, &chosen, &thunks, error);
    if (done && !sites_find_pointed(patch, image, &chosen))
        done = error_set(error, EXIT_BAD_INPUT, "%s: out of memory", image_path(image));
    done = done && file_read(patch, image, error) &&
           thunks_write(patch, image, &thunks, error) && file_rename(patch, image, error);
    free(chosen.at);
    if (!done)
        patch_release(patch);
    return done;
}

void patch_release(struct patch *patch)
{
    free(patch->sites);
    free(patch->pointed);
    free(patch->bytes);
    *patch = (struct patch){.sites = NULL};
}
