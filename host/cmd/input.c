/* SPDX-License-Identifier: MIT */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "../profile/tasks.h"
#include "cmd.h"

/* What a gmon.out and a log of addresses do not say of themselves, the ELF does. */
static void ask_image(const struct image *image, struct decode_options *options)
{
    if (image == NULL)
        return;
    options->word_bytes = image_word_bytes(image);
    options->big_endian = image_big_endian(image);
    options->thumb = image_machine(image) == EM_ARM;
}

static void warn_forced(const struct profile *profile, const struct image *image,
                        const char *path)
{
    const uint8_t *bytes;
    size_t size = image_build_id(image, &bytes);
    char ours[BUILD_ID_TEXT], theirs[BUILD_ID_TEXT];
    struct error warning;

    error_set(
        &warning, EXIT_DONE,
        "warning: %s is of %s firmware with build ID %s, %s is for %s and has %s; names "
        "may be wrong",
        path, profile->arch,
        cmd_build_id(profile->build_id, profile->build_id_bytes, theirs),
        image_path(image), image_machine_name(image), cmd_build_id(bytes, size, ours));
    cmd_fail(NULL, &warning);
}

static bool check_image(const struct input_options *options,
                        const struct profile *profile, const struct image *image,
                        const char *path, struct error *error)
{
    if (image == NULL || cmd_check_image(profile, image, path, error))
        return true;
    if (!options->force)
        return false;
    warn_forced(profile, image, path);
    return true;
}

static bool read_files(const struct input_options *options, int files, char **paths,
                       struct profile *profile, struct image *image, struct error *error)
{
    struct decode_options decode = options->decode;
    bool checked = false;

    ask_image(image, &decode);
    for (int i = 0; i < files; i++) {
        if (!decode_file(paths[i], &decode, profile, error))
            return false;
        if (checked || (profile->build_id_bytes == 0 && *profile->arch == '\0'))
            continue;
        /* all further inputs have the same build ID or none */
        checked = profile->build_id_bytes != 0;
        if (!check_image(options, profile, image, paths[i], error))
            return false;
    }
    return true;
}

/* Says which tasks there are. */
static bool no_task(const struct profile *profile, const char *wanted,
                    struct error *error)
{
    struct task_sums sums;
    char names[256] = "";
    size_t used = 0;
    if (!task_sums_init(&sums, profile))
        return error_set(error, EXIT_BAD_INPUT, "out of memory");
    for (size_t i = 0; i < sums.count && used < sizeof names - TASK_LABEL_MAX - 6; i++)
        if (!task_sums_repeat(&sums, i))
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                     i > 0 ? ", " : "", sums.items[i].label);
    task_sums_release(&sums);
    return error_set(error, EXIT_BAD_INPUT, "--task %s: nothing was counted of it; of %s",
                     wanted, names[0] != '\0' ? names : "no task");
}

static bool keep_task(const struct input_options *options, struct profile *profile,
                      struct error *error)
{
    struct profile part;
    if (options->task == NULL)
        return true;
    if (!profile_has_task(profile, options->task))
        return no_task(profile, options->task, error);
    if (!profile_of_task(&part, profile, options->task))
        return error_set(error, EXIT_BAD_INPUT, "out of memory");
    profile_release(profile);
    *profile = part;
    return true;
}

bool input_read(const struct input_options *options, int files, char **paths,
                struct profile *profile, struct image **image, struct error *error)
{
    *image = NULL;
    if (files < 1)
        return error_set(error, EXIT_USAGE, "expected a capture FILE");
    if (options->elf != NULL && !image_open(image, options->elf, error))
        return false;
    if (read_files(options, files, paths, profile, *image, error) &&
        keep_task(options, profile, error))
        return true;
    image_close(*image);
    *image = NULL;
    return false;
}
