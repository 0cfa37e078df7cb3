/* SPDX-License-Identifier: MIT */
#include "counting.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../answers/counts_from.h"
#include "../base/plural.h"

static bool same_build(const struct profile *profile, const struct image *image)
{
    const uint8_t *bytes;
    size_t size = image_build_id(image, &bytes);

    return size > 0 && profile->build_id_bytes > 0 &&
           memcmp(profile->build_id, bytes,
                  size < profile->build_id_bytes ? size : profile->build_id_bytes) == 0;
}

/* Whether it can be read twice. A file that is not there is told by who reads it. */
static bool is_file(const char *path)
{
    struct stat file;

    return strcmp(path, "-") != 0 && (stat(path, &file) != 0 || S_ISREG(file.st_mode));
}

/* Reads a capture into *profile, which is empty. */
static bool read_alone(struct profile *profile, const char *path,
                       const struct decode_options *decode, struct error *error)
{
    profile_init(profile);
    return decode_file(path, decode, profile, error);
}

/* Adds a capture to what was counted, or leaves it to the caller. It is read to know
 * which. */
static bool sort_out(struct counting *counting, char *path,
                     const struct decode_options *decode, struct error *error)
{
    struct profile alone;
    bool done = read_alone(&alone, path, decode, error), counts;

    counts = done && same_build(&alone, counting->image);
    profile_release(&alone);
    if (done && !counts)
        counting->others[counting->other_count++] = path;
    return done && (!counts || decode_file(path, decode, &counting->profile, error));
}

static bool check(const struct counting *counting, const struct input_options *options,
                  int files, struct error *error)
{
    const uint8_t *bytes;

    if (image_build_id(counting->image, &bytes) == 0)
        return error_set(error, EXIT_BAD_INPUT,
                         "--counts-from %s: it has no build ID, so its captures cannot "
                         "be told from the others",
                         options->counts_from);
    if (counting->other_count == files)
        return error_set(error, EXIT_BAD_INPUT,
                         "--counts-from %s: none of the captures is of this build",
                         options->counts_from);
    if (counting->other_count == 0)
        return error_set(error, EXIT_BAD_INPUT,
                         "--counts-from %s: all captures are of this build: give one of "
                         "%s, too",
                         options->counts_from, options->elf);
    return true;
}

bool counting_read(struct counting *counting, const struct input_options *options,
                   int files, char **paths, struct error *error)
{
    bool done;

    *counting = (struct counting){.others = paths, .other_count = files};
    profile_init(&counting->profile);
    if (options->counts_from == NULL)
        return true;
    if (options->elf == NULL)
        return error_set(error, EXIT_USAGE,
                         "--counts-from needs the ELF of the build that ships: -e ELF");
    if (!image_open(&counting->image, options->counts_from, error))
        return false;
    counting->others = calloc((size_t)files + 1, sizeof *counting->others);
    counting->other_count = 0;
    done = counting->others != NULL || error_set(error, EXIT_BAD_INPUT, "out of memory");
    for (int i = 0; done && i < files; i++) {
        done = is_file(paths[i]) ||
               error_set(error, EXIT_USAGE,
                         "%s: with --counts-from, captures are files: each is read to "
                         "know of which build it is",
                         paths[i]);
        done = done && sort_out(counting, paths[i], &options->decode, error);
    }
    profile_settle(&counting->profile);
    return done && check(counting, options, files, error);
}

static void tell(const struct counts_missed *missed, const char *elf)
{
    struct error warning;

    if (missed->calls > 0) {
        error_set(&warning, EXIT_DONE,
                  "warning: %s: %llu call%s of %llu function%s are not shown: the build "
                  "that ships has none of that name, or several (%s)",
                  elf, (unsigned long long)missed->calls, plural(missed->calls),
                  (unsigned long long)missed->functions, plural(missed->functions),
                  missed->example);
        cmd_fail(NULL, &warning);
    }
    if (missed->callers > 0) {
        error_set(&warning, EXIT_DONE,
                  "warning: %s: of %llu call%s no caller is shown: the build that ships "
                  "has it inlined, or does not have it",
                  elf, (unsigned long long)missed->callers, plural(missed->callers));
        cmd_fail(NULL, &warning);
    }
}

bool counting_take(struct counting *counting, struct profile *profile,
                   struct image *image, struct error *error)
{
    struct counts_missed missed;

    if (counting->image == NULL)
        return true;
    if (profile->received[EVENT_ARC] + profile->received[EVENT_CALL] > 0)
        return error_set(error, EXIT_BAD_INPUT,
                         "--counts-from: the captures of %s have calls of their own",
                         image_path(image));
    if (!counts_from(profile, image, &counting->profile, counting->image, &missed))
        return error_set(error, EXIT_BAD_INPUT, "out of memory");
    tell(&missed, image_path(counting->image));
    return true;
}

void counting_release(struct counting *counting)
{
    if (counting->image != NULL)
        free(counting->others);
    image_close(counting->image);
    profile_release(&counting->profile);
}
