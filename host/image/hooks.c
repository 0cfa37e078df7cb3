/* SPDX-License-Identifier: MIT */
/* Finds what runs outside of a function's hooks of timed calls, and which function a call
 * calls. */
#include <stdlib.h>
#include <string.h>

#include "../base/name.h"
#include "internal.h"

enum { TARGETS_MAX = 16 };

/* A call instruction's bytes, with its delay slot. */
enum { CALL_BYTES_MIN = 2, CALL_BYTES_MAX = 8 };

/* The addresses of a hook, and of veneers that the linker made for calls of it. */
struct targets {
    uint64_t addresses[TARGETS_MAX];
    size_t count;
};

/* What is read from an image once. */
struct hook_reader {
    struct arch_code code;
    struct targets enter, leave;
};

static void find_targets(const struct image *image, const char *name,
                         struct targets *targets)
{
    for (size_t i = 0; i < image->symbol_count && targets->count < TARGETS_MAX; i++)
        if (name_has(image->symbols[i].name, name))
            targets->addresses[targets->count++] = image->symbols[i].address;
}

static bool is_among(const struct targets *targets, uint64_t address)
{
    for (size_t i = 0; i < targets->count; i++)
        if (targets->addresses[i] == address)
            return true;
    return false;
}

bool image_open_hooks(struct image *image)
{
    if (image->hooks != NULL)
        return true;
    image->hooks = calloc(1, sizeof *image->hooks);
    if (image->hooks != NULL && elf_file_code(&image->file, &image->hooks->code)) {
        find_targets(image, "__cyg_profile_func_enter", &image->hooks->enter);
        find_targets(image, "__cyg_profile_func_exit", &image->hooks->leave);
        return true;
    }
    image_release_hooks(image);
    image->hooks = NULL;
    image->no_memory = true;
    return false;
}

const struct arch_code *image_code_reader(const struct image *image)
{
    return &image->hooks->code;
}

bool image_is_hook(const struct image *image, uint64_t address)
{
    return is_among(&image->hooks->enter, address) ||
           is_among(&image->hooks->leave, address);
}

void image_release_hooks(struct image *image)
{
    if (image->hooks != NULL)
        arch_code_release(&image->hooks->code);
    free(image->hooks);
}

/* How far the code of a function is read. `since` counts the instructions from the first
 * one or, if the exit's hook was called, behind the last call of it; `straight`: none of
 * them branched. */
struct reading {
    unsigned since;
    bool entered, straight;
};

static void read_instruction(const struct hook_reader *reader,
                             const struct arch_instruction *found,
                             struct reading *reading, struct image_hooks *hooks)
{
    reading->since++;
    if (found->kind == ARCH_CALL && is_among(&reader->enter, found->target)) {
        if (!reading->entered && reading->straight)
            hooks->before = reading->since - 1;
        reading->entered = true;
        reading->straight = false;
    } else if (found->kind == ARCH_CALL && is_among(&reader->leave, found->target)) {
        reading->since = 0;
        reading->straight = true;
    } else if (found->kind != ARCH_GOES_ON) {
        if (found->kind == ARCH_LEAVE && reading->entered && reading->straight)
            hooks->behind = reading->since;
        reading->straight = false;
    }
}

bool image_call_target(struct image *image, uint64_t from, uint64_t *target)
{
    if (!image_open_hooks(image))
        return false;
    for (unsigned back = CALL_BYTES_MAX; back >= CALL_BYTES_MIN; back -= 2) {
        struct arch_instruction found;
        size_t size = 0;
        const uint8_t *bytes =
            back <= from ? image_bytes(image, from - back, &size) : NULL;
        if (bytes == NULL || size < back)
            continue;
        arch_decode(&image->hooks->code, from - back, bytes, size, &found);
        *target = found.target;
        if (found.kind == ARCH_CALL && found.bytes + found.delay == back)
            return true;
    }
    return false;
}

bool image_hooks(struct image *image, uint64_t low, uint64_t high,
                 struct image_hooks *hooks)
{
    struct reading reading = {.straight = true};
    size_t size;
    *hooks = (struct image_hooks){0, 0};
    if (!image_open_hooks(image))
        return false;
    const struct hook_reader *reader = image->hooks;
    const uint8_t *bytes = image_bytes(image, low, &size);
    if (bytes == NULL && image_bytes_lost(image, low))
        return false;
    size = size < high - low ? size : (size_t)(high - low);
    if (reader->enter.count == 0 || reader->leave.count == 0)
        return true;
    for (size_t at = 0; at < size;) {
        struct arch_instruction found;
        arch_decode(&reader->code, low + at, bytes + at, size - at, &found);
        read_instruction(reader, &found, &reading, hooks);
        at += found.bytes;
    }
    return true;
}
