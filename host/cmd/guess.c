/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cmd.h"

void cmd_guess(struct guess *guess, const char *name)
{
    size_t distance = cmd_distance(guess->wanted, name);
    size_t least =
        guess->nearest != NULL ? guess->distance : strlen(guess->wanted) / 2 + 2;
    if (distance >= least)
        return;
    guess->nearest = name;
    guess->distance = distance;
}

static bool in_image(const struct image *image, const char *name)
{
    const struct image_symbol *symbols;
    size_t count = image_symbols(image, &symbols);
    for (size_t i = 0; i < count; i++)
        if (strcmp(symbols[i].name, name) == 0 || strcmp(symbols[i].demangled, name) == 0)
            return true;
    return false;
}

bool cmd_no_function(const struct guess *guess, const struct image *image,
                     struct error *error)
{
    const char *nearest = guess->nearest;
    if (in_image(image, guess->wanted))
        return error_set(error, EXIT_NO, "'%s' has no samples and no calls",
                         guess->wanted);
    return error_set(error, EXIT_USAGE, "no function '%s'%s%s%s", guess->wanted,
                     nearest != NULL ? "; did you mean '" : "",
                     nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
}
