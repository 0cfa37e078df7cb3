/* SPDX-License-Identifier: MIT */
/*
 * Finds the basic blocks of a function and their calls of the hook in the code: blocks
 * begin behind branches and at their targets. Where mapping symbols are missing, data
 * between instructions may be taken for instructions: then fewer blocks are known, but
 * none is wrong.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/name.h"
#include "../base/vector.h"
#include "internal.h"

enum { TARGETS_MAX = 16 };

/* What is read once for each image. */
struct block_reader {
    struct arch_code code;
    /* Addresses of the hook and of its veneers, which the linker makes for calls from
     * afar or from the other of ARM's two states. */
    uint64_t targets[TARGETS_MAX];
    size_t target_count;
};

/* What the marks say of each byte of a function. */
enum { BEGINS = 1, HOOK_MASK = 0xf0, HOOK_SHIFT = 4 };

struct function_code {
    const struct block_reader *reader;
    uint64_t low;
    const uint8_t *bytes;
    size_t size;
    uint8_t *marks; /* BEGINS: a block begins here; HOOK_MASK: length of the hook's call
                     * that begins here */
    bool hooked;    /* the function calls the hook */
};

static void find_targets(const struct image *image, struct block_reader *reader)
{
    for (size_t i = 0; i < image->symbol_count && reader->target_count < TARGETS_MAX; i++)
        if (name_has(image->symbols[i].name, "__sanitizer_cov_trace_pc"))
            reader->targets[reader->target_count++] = image->symbols[i].address;
}

static bool open_reader(struct image *image)
{
    if (image->blocks != NULL)
        return true;
    image->blocks = calloc(1, sizeof *image->blocks);
    if (image->blocks == NULL)
        return false;
    find_targets(image, image->blocks);
    return elf_file_code(&image->file, &image->blocks->code);
}

void image_release_blocks(struct image *image)
{
    if (image->blocks != NULL)
        arch_code_release(&image->blocks->code);
    free(image->blocks);
}

static bool is_hook(const struct block_reader *reader, uint64_t target)
{
    for (size_t i = 0; i < reader->target_count; i++)
        if (reader->targets[i] == target)
            return true;
    return false;
}

static void mark_begin(const struct function_code *code, uint64_t offset)
{
    if (offset < code->size)
        code->marks[offset] |= BEGINS;
}

static void mark_instruction(struct function_code *code, size_t at,
                             const struct arch_instruction *found)
{
    unsigned bytes = found->bytes + found->delay;
    if (found->kind == ARCH_CALL && is_hook(code->reader, found->target)) {
        code->marks[at] |= (uint8_t)(bytes << HOOK_SHIFT);
        code->hooked = true;
    }
    if (found->kind == ARCH_GOES_ON || found->kind == ARCH_CALL)
        return;
    mark_begin(code, at + bytes);
    if (found->annuls)
        mark_begin(code, at + found->bytes);
    if (found->kind != ARCH_LEAVE)
        mark_begin(code, found->target - code->low);
}

static void mark_blocks(struct function_code *code)
{
    mark_begin(code, 0);
    for (size_t at = 0; at < code->size;) {
        struct arch_instruction found;
        arch_decode(&code->reader->code, code->low + at, code->bytes + at,
                    code->size - at, &found);
        mark_instruction(code, at, &found);
        at += found.bytes;
    }
}

/* A second hook in one block shows that another block begins, to which no known branch
 * leads.
 */
static bool list_blocks(const struct function_code *code, struct image_block **blocks,
                        size_t *count)
{
    size_t most = 0;
    for (size_t i = 0; i < code->size; i++)
        most += code->marks[i] != 0;
    *blocks = calloc(most, sizeof **blocks);
    if (*blocks == NULL)
        return false;
    struct image_block *block = NULL;
    for (size_t i = 0; i < code->size; i++) {
        unsigned hook = code->marks[i] >> HOOK_SHIFT;
        if (block == NULL || (code->marks[i] & BEGINS) != 0 ||
            (hook != 0 && block->hook_bytes != 0)) {
            block = &(*blocks)[(*count)++];
            block->low = code->low + i;
        }
        block->high = code->low + i + 1;
        if (hook == 0)
            continue;
        block->hook = code->low + i;
        block->hook_bytes = hook;
    }
    return true;
}

bool image_conditional(struct image *image, uint64_t low, uint64_t high,
                       uint64_t **addresses, size_t *count)
{
    size_t size, room = 0, behind = 0;
    const uint8_t *bytes = image_bytes(image, low, &size);
    *addresses = NULL;
    *count = 0;
    if (!open_reader(image))
        return false;
    size = size < high - low ? size : (size_t)(high - low);
    for (size_t at = 0; at < size;) {
        struct arch_instruction found;
        arch_decode(&image->blocks->code, low + at, bytes + at, size - at, &found);
        if (found.conditional || (behind > 0 && found.kind != ARCH_JUMP)) {
            if (!vector_grow(addresses, *count, &room, sizeof **addresses))
                return false;
            (*addresses)[(*count)++] = low + at;
        }
        behind = behind > 0 ? behind - 1 : found.conditional_next;
        at += found.bytes;
    }
    return true;
}

bool image_blocks(struct image *image, uint64_t low, uint64_t high,
                  struct image_block **blocks, size_t *count)
{
    struct function_code code = {.low = low};
    bool done = true;
    *blocks = NULL;
    *count = 0;
    if (!open_reader(image))
        return false;
    code.reader = image->blocks;
    code.bytes = image_bytes(image, low, &code.size);
    code.size = code.size < high - low ? code.size : (size_t)(high - low);
    if (code.reader->target_count == 0 || code.size == 0)
        return true;
    code.marks = calloc(code.size, 1);
    if (code.marks == NULL)
        return false;
    mark_blocks(&code);
    if (code.hooked)
        done = list_blocks(&code, blocks, count);
    free(code.marks);
    return done;
}
