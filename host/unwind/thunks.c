/* SPDX-License-Identifier: MIT */
#include "thunks.h"

#include "mcuprof_sites.h"
#include "mcuprof_unwind.h"

/* A thunk has its caller's return address in the link register throughout. Its first
 * instruction lowers the stack pointer, its last one, which leaves, raises it. */
static void note(const struct code *code, uint64_t thunk, bool is_used,
                 struct found *found)
{
    for (uint64_t at = 0; at < MCUPROF_THUNK_BYTES; at += code->unit) {
        struct found *unit = &found[code_index(code, thunk + at)];
        bool lowered = is_used && at > 0;
        *unit = (struct found){.begins = code_at(code, thunk + at),
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
    for (size_t i = 0; i < thunks.room; i++) {
        uint64_t thunk = thunks.thunks + MCUPROF_THUNK_BYTES * i;
        const uint8_t *bytes = thunks.bytes + MCUPROF_THUNK_BYTES * i;
        if (code_end(code, thunk) >= thunk + MCUPROF_THUNK_BYTES)
            note(code, thunk, (bytes[0] | bytes[1] << 8) == MCUPROF_THUNK_USED, found);
    }
}
