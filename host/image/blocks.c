/* SPDX-License-Identifier: MIT */
/*
 * Basic blocks of a function and their calls of the hook, found in the code: what a call
 * of the hook would be at an address is compared with what is there; branches and what
 * they go to part the blocks. Data between instructions may be taken for a branch, and
 * then parts a block of which one half has no hook: less is known then, nothing wrong.
 */
#include "blocks.h"

#include <stdlib.h>
#include <string.h>

enum { TARGETS_MAX = 16 };

/* The hook, and veneers of it that the linker made for calls from afar. */
struct targets {
    uint64_t items[TARGETS_MAX];
    size_t count;
};

/* What is known of each byte of a function. */
enum { BEGINS = 1, HOOK_MASK = 0xf0, HOOK_SHIFT = 4 };

struct function_code {
    const struct image *image;
    uint64_t low;
    const uint8_t *bytes;
    size_t size;
    uint8_t *marks;          /* BEGINS: a block; HOOK_MASK: bytes of the hook's call */
    const struct form *form; /* of the first such call; NULL: there is none */
    bool big_endian;
};

static void find_targets(const struct image *image, struct targets *targets)
{
    for (size_t i = 0; i < image->symbol_count && targets->count < TARGETS_MAX; i++)
        if (strstr(image->symbols[i].name, "__sanitizer_cov_trace_pc") != NULL)
            targets->items[targets->count++] = image->symbols[i].address;
}

/* Bytes of the call to one of them; 0: none is there. */
static unsigned call_at(const struct function_code *code, const struct form *form,
                        const struct targets *targets, size_t offset)
{
    uint64_t at = code->low + offset;
    uint8_t call[CALL_MAX];
    for (size_t i = 0; i < targets->count && at % form->step == 0; i++) {
        uint64_t target = targets->items[i];
        if ((target > at ? target - at : at - target) > form->reach)
            continue;
        unsigned size = form->call((uint32_t)(target - at), code->big_endian, call);
        if (size <= code->size - offset && memcmp(code->bytes + offset, call, size) == 0)
            return size;
    }
    return 0;
}

static void mark_hooks(struct function_code *code, const struct targets *targets)
{
    unsigned machine = code->image->file.header.e_machine;
    bool wide = image_word_bytes(code->image) == 8;
    for (const struct form *form = forms; form->call != NULL; form++) {
        if (form->machine != machine || (form->narrow && wide))
            continue;
        for (size_t at = 0; at < code->size; at++) {
            unsigned size = call_at(code, form, targets, at);
            if (size == 0)
                continue;
            code->marks[at] |= (uint8_t)((size + form->delay) << HOOK_SHIFT);
            code->form = code->form != NULL ? code->form : form;
        }
    }
}

static void mark_begin(const struct function_code *code, uint64_t offset)
{
    if (offset < code->size)
        code->marks[offset] |= BEGINS;
}

static void mark_blocks(const struct function_code *code)
{
    mark_begin(code, 0);
    for (size_t at = 0; at + 2 <= code->size;) {
        struct branch branch = {.bytes = 2};
        code->form->branch(code->low + at, code->bytes + at, code->size - at,
                           code->big_endian, &branch);
        if (branch.ends != 0)
            mark_begin(code, at + branch.ends);
        if (branch.also != 0)
            mark_begin(code, at + branch.also);
        if (branch.has_target)
            mark_begin(code, branch.target - code->low);
        at += branch.bytes;
    }
}

/* A second hook in a block is another block's, which a way begins that is not known here.
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
        if ((code->marks[i] & BEGINS) != 0 || (hook != 0 && block->hook_bytes != 0)) {
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

bool image_blocks(const struct image *image, uint64_t low, uint64_t high,
                  struct image_block **blocks, size_t *count)
{
    struct targets targets = {.count = 0};
    struct function_code code = {
        .image = image,
        .low = low,
        .big_endian =
            image_big_endian(image) && (image->file.header.e_machine != EM_ARM ||
                                        (image->file.header.e_flags & EF_ARM_BE8) == 0),
    };
    bool done = true;
    *blocks = NULL;
    *count = 0;
    find_targets(image, &targets);
    code.bytes = image_bytes(image, low, &code.size);
    code.size = code.size < high - low ? code.size : (size_t)(high - low);
    if (targets.count == 0 || code.size == 0)
        return true;
    code.marks = calloc(code.size, 1);
    if (code.marks == NULL)
        return false;
    mark_hooks(&code, &targets);
    if (code.form != NULL) {
        mark_blocks(&code);
        done = list_blocks(&code, blocks, count);
    }
    free(code.marks);
    return done;
}
