/* SPDX-License-Identifier: MIT */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"

const char *cmd_build_id(const uint8_t *bytes, size_t size, char text[BUILD_ID_TEXT])
{
    text[0] = '\0';
    for (size_t i = 0; i < size && i < BUILD_ID_MAX; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return size > 0 ? text : "none";
}

/* EM_* of the architectures a stream can name; 0: cannot be told. */
static unsigned machine_of(const char *arch)
{
    static const struct {
        const char *arch;
        unsigned machine;
    } known[] = {{"cortex-m", EM_ARM},
                 {"arm", EM_ARM},
                 {"riscv", EM_RISCV},
                 {"sparc", EM_SPARC},
                 {"avr", EM_AVR}};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(arch, known[i].arch) == 0)
            return known[i].machine;
    }
    return 0;
}

static bool check_machine(const struct profile *profile, const struct image *image,
                          const char *path, struct error *error)
{
    unsigned machine = machine_of(profile->arch);

    if (machine == 0 || machine == image_machine(image))
        return true;
    return error_set(error, EXIT_BAD_INPUT,
                     "%s: made by firmware on %s, but %s is for %s"
                     " (--force uses it all the same)",
                     path, profile->arch, image_path(image), image_machine_name(image));
}

bool cmd_check_image(const struct profile *profile, const struct image *image,
                     const char *path, struct error *error)
{
    const uint8_t *bytes;
    size_t size = image_build_id(image, &bytes);
    char ours[BUILD_ID_TEXT], theirs[BUILD_ID_TEXT];

    if (profile->build_id_bytes == 0 ||
        (size == profile->build_id_bytes && memcmp(bytes, profile->build_id, size) == 0))
        return check_machine(profile, image, path, error);
    return error_set(error, EXIT_BAD_INPUT,
                     "%s: made by firmware with build ID %s, but %s has %s"
                     " (--force uses it all the same)",
                     path,
                     cmd_build_id(profile->build_id, profile->build_id_bytes, theirs),
                     image_path(image), cmd_build_id(bytes, size, ours));
}
