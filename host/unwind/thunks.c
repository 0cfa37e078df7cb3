/* SPDX-License-Identifier: MIT */
#include "thunks.h"

#include "mcuprof_sites.h"
#include "mcuprof_unwind.h"

/* A thunk has its caller's return address in the link register throughout. Its first
 * instruction lowers the stack pointer, its last one, or that of its tail, raises it. */
static void note(const struct code *code, const struct image_thunks *thunks, size_t place,
                 struct found *found)
{
    uint64_t begin = thunks->thunks + thunks->bytes_each * place;
    const uint8_t *bytes = thunks->bytes + thunks->bytes_each * place;
    bool is_used = (bytes[0] | bytes[1] << 8) == MCUPROF_THUNK_USED;
    bool is_tail = thunks->from != 0 && image_is_tail(thunks, place);
    for (uint64_t at = 0; at < thunks->bytes_each; at += code->unit) {
        bool lowered = is_tail || (is_used && at > 0);
        found[code_index(code, begin + at)] =
            (struct found){.begins = code_at(code, begin + at),
                           .trusted = true,
                           .code = {.where = MCUPROF_UNWIND_LINK,
                                    .size = lowered ? MCUPROF_THUNK_STACK : 0}};
    }
}

void thunks_note(const struct code *code, const struct image *image, struct found *found)
{
    struct image_thunks thunks;
    if (!image_thunks(image, &thunks))
        return;
    uint64_t end = thunks.thunks + thunks.bytes_each * thunks.places;
    if (code_end(code, thunks.thunks) < end)
        return;
    for (size_t i = 0; i < thunks.places; i++)
        note(code, &thunks, i, found);
}
