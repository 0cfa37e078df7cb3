/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "../arch/arch.h"
#include "cmd.h"

const char *cmd_build_id(const uint8_t *bytes, size_t size, char text[BUILD_ID_TEXT])
{
    text[0] = '\0';
    for (size_t i = 0; i < size && i < BUILD_ID_MAX; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return size > 0 ? text : "none";
}

static bool check_machine(const struct profile *profile, const struct image *image,
                          const char *path, struct error *error)
{
    const struct arch_port *port = arch_port_named(profile->arch);

    if (port == NULL || arch_port_serves(port, image_machine(image)))
        return true;
    return error_set(error, EXIT_BAD_INPUT,
                     "%s: made by firmware on %s, but %s is for %s"
                     " (--force uses it all the same)",
                     path, profile->arch, image_path(image), image_machine_name(image));
}

/* Whether the ELF has the build ID that the firmware has sent. That sends 20 bytes: of a
 * longer one the first, behind a shorter one what else is there. */
static bool is_same(const struct profile *profile, const uint8_t *bytes, size_t size)
{
    if (size > profile->build_id_bytes)
        size = profile->build_id_bytes;
    return size > 0 && memcmp(bytes, profile->build_id, size) == 0;
}

bool cmd_check_image(const struct profile *profile, const struct image *image,
                     const char *path, struct error *error)
{
    const uint8_t *bytes;
    size_t size = image_build_id(image, &bytes);
    char ours[BUILD_ID_TEXT], theirs[BUILD_ID_TEXT];

    if (profile->build_id_bytes == 0 || is_same(profile, bytes, size))
        return check_machine(profile, image, path, error);
    return error_set(
        error, EXIT_BAD_INPUT,
        "%s: made by firmware with build ID %s, but %s has %s: flash that, or "
        "name the ELF that was flashed (--force uses it all the same)",
        path, cmd_build_id(profile->build_id, profile->build_id_bytes, theirs),
        image_path(image), cmd_build_id(bytes, size, ours));
}
