/* SPDX-License-Identifier: MIT */
/* Finds by which tail calls a function leads to another, in the code of all functions. */
#include <stdlib.h>
#include <string.h>

#include "../base/vector.h"
#include "internal.h"

enum { STEPS_MAX = 256 }; /* of a search */

/* A jump of one function to the begin of another. */
struct tail {
    uint32_t from, to; /* numbers of symbols */
    uint64_t behind;
};

struct image_tails {
    struct tail *tails; /* by `from` */
    size_t count, room;
    size_t *first; /* of each function */
    bool *open;    /* it may go on where nobody knows */
};

static uint32_t number_of(const struct image *image, const struct image_symbol *symbol)
{
    return (uint32_t)(symbol - image->symbols);
}

/* An instruction that may leave the function. false: out of memory. */
static bool add(struct image_tails *tails, const struct image *image, uint32_t from,
                const struct arch_instruction *found, uint64_t behind)
{
    const struct image_symbol *self = &image->symbols[from], *to;
    if (found->kind == ARCH_LEAVE)
        tails->open[from] = tails->open[from] || found->by_pointer;
    if ((found->kind != ARCH_JUMP && found->kind != ARCH_BRANCH) ||
        (found->target >= self->address && found->target < self->end))
        return true;
    to = image_symbol_at(image, found->target);
    if (to == NULL || to->address != found->target) {
        tails->open[from] = true;
        return true;
    }
    if (!vector_grow(&tails->tails, tails->count, &tails->room, sizeof *tails->tails))
        return false;
    tails->tails[tails->count++] = (struct tail){from, number_of(image, to), behind};
    return true;
}

/* Whether it fills the room up to the next function: T32's NOP, or the linker's 0. */
static bool is_filler(const uint8_t *bytes, size_t size)
{
    static const uint8_t wide[] = {0xaf, 0xf3, 0x00, 0x80};
    return (size >= 2 && bytes[0] == 0x00 && (bytes[1] == 0xbf || bytes[1] == 0)) ||
           (size >= 2 && bytes[0] == 0xc0 && bytes[1] == 0x46) ||
           (size >= 4 && memcmp(bytes, wide, sizeof wide) == 0);
}

static bool read_function(struct image_tails *tails, const struct image *image,
                          uint32_t function)
{
    const struct image_symbol *symbol = &image->symbols[function];
    size_t size = 0;
    const uint8_t *bytes = image_bytes(image, symbol->address, &size);
    bool falls = bytes == NULL; /* it goes on into the next function */
    if (size > symbol->end - symbol->address)
        size = (size_t)(symbol->end - symbol->address);
    for (size_t at = 0; at < size;) {
        struct arch_instruction found;
        arch_decode(image_code_reader(image), symbol->address + at, bytes + at, size - at,
                    &found);
        if (!found.data && !is_filler(bytes + at, size - at))
            falls = found.kind == ARCH_GOES_ON;
        at += found.bytes + found.delay;
        if (!add(tails, image, function, &found, symbol->address + at))
            return false;
    }
    tails->open[function] = tails->open[function] || falls;
    return true;
}

static bool make(struct image_tails *tails, const struct image *image)
{
    size_t functions = image->symbol_count;
    tails->first = calloc(functions + 1, sizeof *tails->first);
    tails->open = calloc(functions + 1, sizeof *tails->open);
    if (tails->first == NULL || tails->open == NULL)
        return false;
    for (size_t i = 0; i < functions; i++) {
        tails->first[i] = tails->count;
        if (!read_function(tails, image, (uint32_t)i))
            return false;
    }
    tails->first[functions] = tails->count;
    return true;
}

void image_release_tails(struct image *image)
{
    if (image->tails == NULL)
        return;
    free(image->tails->tails);
    free(image->tails->first);
    free(image->tails->open);
    free(image->tails);
}

static const struct image_tails *the_tails(struct image *image)
{
    if (image->tails != NULL || !image_open_hooks(image))
        return image->tails;
    image->tails = calloc(1, sizeof *image->tails);
    if (image->tails != NULL && make(image->tails, image))
        return image->tails;
    image_release_tails(image);
    image->tails = NULL;
    image->no_memory = true;
    return NULL;
}

/* The search for all chains from a function to `to`. */
struct search {
    const struct image_tails *tails;
    uint32_t to;
    uint32_t at[IMAGE_TAILS_MAX]; /* the functions of this chain */
    size_t jumps[IMAGE_TAILS_MAX], depth;
    size_t found[IMAGE_TAILS_MAX], found_count; /* the chain */
    unsigned chains, steps;
    bool unsure; /* there may be others */
};

static bool is_on_chain(const struct search *search, uint32_t function)
{
    for (size_t i = 0; i < search->depth; i++)
        if (search->at[i] == function)
            return true;
    return false;
}

/* The chain that is followed has come to its end. */
static void add_chain(struct search *search)
{
    search->chains++;
    search->found_count = search->depth;
    for (size_t i = 0; i < search->depth; i++)
        search->found[i] = search->jumps[i];
}

static void follow(struct search *search, uint32_t function)
{
    const struct image_tails *tails = search->tails;
    size_t depth = search->depth, end = tails->first[function + 1];
    search->unsure = search->unsure || depth == IMAGE_TAILS_MAX || tails->open[function];
    if (depth == IMAGE_TAILS_MAX)
        return;
    search->at[search->depth++] = function;
    for (size_t i = tails->first[function]; i < end && search->chains < 2; i++) {
        uint32_t to = tails->tails[i].to;
        search->jumps[depth] = i;
        if (++search->steps > STEPS_MAX)
            search->unsure = true;
        else if (to == search->to)
            add_chain(search);
        else if (!is_on_chain(search, to))
            follow(search, to);
    }
    search->depth = depth;
}

size_t image_tail_calls(struct image *image, const struct image_symbol *from,
                        const struct image_symbol *to, uint64_t behind[IMAGE_TAILS_MAX],
                        bool *more)
{
    struct search search = {.tails = the_tails(image), .to = number_of(image, to)};
    if (search.tails != NULL && from != to)
        follow(&search, number_of(image, from));
    *more = search.chains > 1 || (search.chains == 1 && search.unsure);
    if (search.chains != 1 || search.unsure)
        return 0;
    for (size_t i = 0; i < search.found_count; i++)
        behind[i] = search.tails->tails[search.found[search.found_count - 1 - i]].behind;
    return search.found_count;
}
