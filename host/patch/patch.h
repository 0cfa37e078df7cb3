/* SPDX-License-Identifier: MIT */
/*
 * Leads call sites of linked firmware through thunks that count: wire/mcuprof_sites.h has
 * their form. No byte is changed that may be data.
 */
#ifndef MCUPROF_HOST_PATCH_H
#define MCUPROF_HOST_PATCH_H

#include "../image/image.h"

/* What is to be counted. */
struct patch_wish {
    const char *const *calls;   /* calls to these, by names, files and patterns; ends with
                                   NULL. None: calls to all that have lines */
    const char *const *without; /* but not to these */
};

/* Why a site's calls are not counted. */
enum patch_reason {
    PATCH_COUNTED,
    PATCH_SHORT,   /* it is an instruction of 2 bytes, which does not reach a thunk */
    PATCH_FAR,     /* no thunk is in its reach */
    PATCH_OVERLAP, /* its bytes are also another instruction's, or are read as data */
    PATCH_FLAGS,   /* code relies on the processor's flags across the call */
    PATCH_REASONS
};
extern const char *const patch_reasons[PATCH_REASONS];

struct patch_site {
    uint64_t address, callee;
    enum patch_reason reason;
};

struct patch {
    struct patch_site *sites; /* of direct calls to the functions chosen, ascending */
    size_t site_count, counted;
    uint64_t *pointed; /* functions chosen whose addresses are in memory, ascending: calls
                          through pointers are not counted */
    size_t pointed_count;
    size_t rom, ram; /* bytes of the room that are used */
    uint8_t *bytes;  /* of the patched ELF, but for its unwind table */
    size_t size;
};

/* Makes the patched ELF. Errors, which name the file: another machine, hooks in the code,
 * an ELF that is patched already, a name that nothing has, no room, a damaged ELF. */
bool patch_make(struct patch *patch, struct image *image, const struct patch_wish *wish,
                struct error *error);
void patch_release(struct patch *patch);

#endif
