/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/insert_frames.h"
#include "../analysis/tails.h"
#include "../arch/arch.h"
#include "../capture/tasks.h"
#include "cmd.h"
#include "counting.h"
#include "output.h"

/* The ELF tells what a gmon.out or a log of addresses does not say: word size, byte
 * order, whether bit 0 of an address means Thumb. */
void input_ask_image(const struct image *image, struct decode_options *options)
{
    if (image == NULL)
        return;
    options->word_bytes = image_word_bytes(image);
    options->big_endian = image_big_endian(image);
    options->thumb = image_arch(image)->state_bit != 0;
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

/* Warns if all static functions have lost their files, as by `strip --strip-debug`. */
static void warn_stripped(const struct image *image)
{
    const struct image_symbol *symbols;
    size_t count = image_symbols(image, &symbols), local = 0;
    struct error warning;

    for (size_t i = 0; i < count; i++) {
        local += !symbols[i].global;
        if (!symbols[i].global && symbols[i].source != NULL)
            return;
    }
    if (local == 0)
        return;
    error_set(&warning, EXIT_DONE,
              "warning: %s: no static function has its file (was it stripped of debug "
              "information?): those of one name are one row, and the profiler's are "
              "counted as the program's; name the ELF that the linker made",
              image_path(image));
    cmd_fail(NULL, &warning);
}

/* Sets the error of an earlier capture's ELF anew: it names the option that is wanted. */
static bool want_base_elf(struct error *error)
{
    const struct error found = *error;

    return error_set(error, found.status,
                     "%s; if it is of an earlier build: --base-elf OLD.elf", found.text);
}

static bool check_image(const struct input_options *options,
                        const struct profile *profile, const struct image *image,
                        const char *path, struct error *error)
{
    if (image == NULL || cmd_check_image(profile, image, path, error))
        return true;
    if (!options->force)
        return options->lacks_base ? want_base_elf(error) : false;
    warn_forced(profile, image, path);
    return true;
}

/* Warns if the last of these files, the profile's last input, is one of the others once
 * more. */
static void warn_twice(const struct profile *profile, struct content *contents, int last,
                       char **paths)
{
    struct error warning;
    int i = 0;

    contents[last] = profile->content;
    while (i < last && !input_is_same(&contents[i], &contents[last]))
        i++;
    if (i == last)
        return;
    error_set(&warning, EXIT_DONE,
              "warning: %s is the same capture as %s: what is in it counts twice",
              paths[last], paths[i]);
    cmd_fail(NULL, &warning);
}

static bool read_each(const struct input_options *options, int files, char **paths,
                      struct profile *profile, struct image *image,
                      struct content *contents, struct error *error)
{
    struct decode_options decode = options->decode;
    bool checked = false;

    input_ask_image(image, &decode);
    for (int i = 0; i < files; i++) {
        if (!decode_file(paths[i], &decode, profile, error))
            return false;
        warn_twice(profile, contents, i, paths);
        if (checked || (profile->build_id_bytes == 0 && *profile->arch == '\0'))
            continue;
        /* one check is enough: all further inputs have the same build ID or none */
        checked = profile->build_id_bytes != 0;
        if (!check_image(options, profile, image, paths[i], error))
            return false;
    }
    profile_settle(profile);
    return true;
}

bool input_is_same(const struct content *one, const struct content *other)
{
    return one->bytes == other->bytes && one->hash == other->hash && one->bytes > 0;
}

static bool read_files(const struct input_options *options, int files, char **paths,
                       struct profile *profile, struct image *image, struct error *error)
{
    struct content *contents = calloc((size_t)files, sizeof *contents);
    bool done;

    if (contents == NULL)
        return error_set(error, EXIT_BAD_INPUT, "out of memory");
    done = read_each(options, files, paths, profile, image, contents, error);
    free(contents);
    return done;
}

/* Sets the error for an unknown task, with a list of the tasks. */
static bool no_task(const struct task_sums *tasks, const char *wanted,
                    struct error *error)
{
    char names[512] = "";
    size_t used = 0;
    for (size_t i = 0; i < tasks->count && used < sizeof names - TASK_LABEL_MAX - 6; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                 i > 0 ? ", " : "", tasks->items[i].label);
    return error_set(error, EXIT_BAD_INPUT, "--task %s: nothing was counted of it; of %s",
                     wanted, names[0] != '\0' ? names : "no task");
}

static bool keep_part(struct profile *profile, const struct task_sums *tasks,
                      struct error *error)
{
    struct profile part;
    if (!profile_part(&part, profile, tasks))
        return error_set(error, EXIT_BAD_INPUT, "out of memory");
    profile_release(profile);
    *profile = part;
    profile_settle(profile);
    return true;
}

bool input_keep_task(const struct input_options *options, struct profile *profile,
                     struct error *error)
{
    struct task_sums tasks;
    if (options->task == NULL)
        return true;
    if (!task_sums_init(&tasks, profile))
        return error_set(error, EXIT_BAD_INPUT, "out of memory");
    bool done = task_sums_keep(&tasks, profile, options->task)
                    ? keep_part(profile, &tasks, error)
                    : no_task(&tasks, options->task, error);
    task_sums_release(&tasks);
    return done;
}

bool input_goes_through(const struct input_options *options,
                        const struct profile *profile, struct error *error)
{
    const struct arch_port *port = arch_port_named(profile->arch);

    if (options->through_interrupts && !profile->through_interrupts)
        return *profile->arch == '\0' || (port != NULL && port->stacks_hit)
                   ? error_set(error, EXIT_BAD_INPUT,
                               "--through-interrupts: what interrupts hit was not "
                               "recorded: build the firmware with "
                               "MCUPROF_THROUGH_INTERRUPTS=1")
                   : error_set(error, EXIT_BAD_INPUT,
                               "--through-interrupts is for a Cortex-M: firmware for %s "
                               "does not record what interrupts hit",
                               profile->arch);
    return true;
}

/* Makes of decoded stacks those that are shown. */
static bool follow_stacks(const struct input_options *options, struct profile *profile,
                          struct image *image, struct error *error)
{
    if (!input_goes_through(options, profile, error))
        return false;
    return options->as_decoded ||
           ((image == NULL || (insert_skipped_frames(profile, image) &&
                               tails_find(profile, image, options->tail_calls))) &&
            profile_follow_interrupts(profile, options->through_interrupts)) ||
           error_set(error, EXIT_BAD_INPUT, "out of memory");
}

/* Loops are found in T32 code alone: other decoders do not say what ends a path of
 * execution. */
bool input_may_ship(const struct input_options *options, const struct profile *profile,
                    struct error *error)
{
    return options->shipped == NULL || strcmp(profile->arch, "cortex-m") == 0 ||
           error_set(error, EXIT_USAGE, "--shipped is for firmware of a Cortex-M");
}

bool input_differs(const struct input_options *options, const char *out, int files,
                   char **paths, struct error *error)
{
    return output_differs(out, options->shipped, 0, NULL, error) &&
           output_differs(out, options->power, 0, NULL, error) &&
           output_differs(out, options->base_elf, 0, NULL, error) &&
           output_differs(out, options->counts_from, 0, NULL, error) &&
           output_differs(out, options->base_shipped, 0, NULL, error) &&
           output_differs(out, options->elf, files, paths, error);
}

bool input_open_shipped(const struct input_options *options, struct image *image,
                        struct error *error)
{
    struct image *shipped;
    if (options->shipped == NULL)
        return true;
    if (image == NULL)
        return error_set(error, EXIT_USAGE, "--shipped needs the firmware's ELF: -e ELF");
    if (!image_open(&shipped, options->shipped, error))
        return false;
    image_set_shipped(image, shipped);
    return image_arch(shipped) == image_arch(image) ||
           error_set(error, EXIT_BAD_INPUT, "--shipped %s: it is for %s, %s for %s",
                     options->shipped, image_machine_name(shipped), image_path(image),
                     image_machine_name(image));
}

/* Reads the captures of the ELF, and the calls of --counts-from. */
static bool read_all(const struct input_options *options, int files, char **paths,
                     struct profile *profile, struct image *image, struct error *error)
{
    struct counting counting;
    bool done;

    /* symbols are read last: by then the memory for decoding is free again */
    done = counting_read(&counting, options, files, paths, error) &&
           read_files(options, counting.other_count, counting.others, profile, image,
                      error) &&
           (image == NULL || image_read_symbols(image, error)) &&
           counting_take(&counting, profile, image, error);
    counting_release(&counting);
    return done;
}

bool input_read(const struct input_options *options, int files, char **paths,
                struct profile *profile, struct image **image, struct error *error)
{
    *image = NULL;
    if (files < 1)
        return error_set(error, EXIT_USAGE, "expected a capture FILE");
    if (options->elf != NULL && !image_begin(image, options->elf, error))
        return false;
    if (read_all(options, files, paths, profile, *image, error) &&
        (*image == NULL || input_may_ship(options, profile, error)) &&
        input_open_shipped(options, *image, error) &&
        follow_stacks(options, profile, *image, error)) {
        if (*image != NULL && !tasks_find_handlers(profile, *image))
            error_set(error, EXIT_BAD_INPUT, "out of memory");
        else if (input_keep_task(options, profile, error)) {
            if (*image != NULL)
                warn_stripped(*image);
            return true;
        }
    }
    image_close(*image);
    *image = NULL;
    return false;
}

void cmd_warn_of_same(const struct cmd *cmd, const struct profile *before,
                      const char *before_path, const struct profile *after,
                      const char *after_path)
{
    struct error warning;

    if (!input_is_same(&before->content, &after->content))
        return;
    error_set(&warning, EXIT_DONE,
              "warning: %s is the same capture as %s: it is compared with itself",
              after_path, before_path);
    cmd_fail(cmd, &warning);
}

bool input_had_memory(const struct image *image, struct error *error)
{
    return !image_no_memory(image) ||
           error_set(error, EXIT_BAD_INPUT, "%s: out of memory", image_path(image));
}

bool input_analyse(const struct input_options *options, const char *elf, int files,
                   char **paths, struct analysed *analysed, struct error *error)
{
    struct input_options with = *options;

    with.elf = elf;
    profile_init(&analysed->profile);
    analysed->done =
        input_read(&with, files, paths, &analysed->profile, &analysed->image, error) &&
        analyse(&analysed->analysis, &analysed->profile, analysed->image, error);
    return analysed->done && input_had_memory(analysed->image, error);
}

bool input_check_base(const struct input_options *options, struct error *error)
{
    if (options->base_elf != NULL &&
        (options->shipped == NULL) != (options->base_shipped == NULL))
        return error_set(error, EXIT_USAGE,
                         "with --base-elf, --shipped and --base-shipped need each other");
    if (options->shipped == NULL && options->base_shipped != NULL)
        return error_set(error, EXIT_USAGE, "--base-shipped needs --shipped");
    return true;
}

bool input_analyse_base(const struct input_options *options, char *path,
                        struct analysed *analysed, struct error *error)
{
    struct input_options with = *options;

    with.counts_from = NULL;
    if (options->base_shipped != NULL)
        with.shipped = options->base_shipped;
    with.lacks_base = options->base_elf == NULL;
    return input_analyse(&with,
                         options->base_elf != NULL ? options->base_elf : options->elf, 1,
                         &path, analysed, error);
}

void input_release(struct analysed *analysed)
{
    if (analysed->done)
        analysis_release(&analysed->analysis);
    image_close(analysed->image);
    profile_release(&analysed->profile);
}
