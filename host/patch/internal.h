/* SPDX-License-Identifier: MIT */
/* What the files of patch/ share. Nobody else includes this. */
#ifndef MCUPROF_HOST_PATCH_INTERNAL_H
#define MCUPROF_HOST_PATCH_INTERNAL_H

#include "../arch/arch.h"
#include "../unwind/unwind.h"
#include "patch.h"

/* The functions to which calls are counted: their addresses, ascending. */
struct chosen {
    uint64_t *at;
    size_t count;
};
bool chosen_find(struct chosen *chosen, struct image *image,
                 const struct patch_wish *wish, struct error *error);
bool chosen_has(const struct chosen *chosen, uint64_t address);

/* Finds the sites, and which cannot be counted. */
bool sites_find(struct patch *patch, const struct image *image,
                const struct chosen *chosen, const struct image_thunks *thunks,
                struct error *error);
/* Finds the functions chosen whose addresses are in memory. false: out of memory. */
bool sites_find_pointed(struct patch *patch, const struct image *image,
                        const struct chosen *chosen);

/* Code in which flags are followed; `starts` are its instructions. */
struct flow {
    const struct image *image;
    const struct arch_code *code;
    const struct unwind_starts *starts;
    size_t in_ram; /* the first of them that is in RAM; these may have lower addresses */
};
struct flow flow_of(const struct image *image, const struct arch_code *code,
                    const struct unwind_starts *starts);
/* Whether a function begins there. */
bool is_function(const struct image *image, uint64_t at);
/* Whether the code at an address may read a flag that it has not set. */
bool flags_are_read(const struct flow *flow, uint64_t at);
/* Whether the code behind a call relies on flags that the function left as they were. */
bool flags_are_kept(const struct flow *flow, uint64_t behind, uint64_t function);

/* Writes the thunks into patch->bytes, and leads the sites there. */
bool thunks_write(struct patch *patch, const struct image *image,
                  const struct image_thunks *thunks, struct error *error);

/* Reads the ELF's bytes. */
bool file_read(struct patch *patch, const struct image *image, struct error *error);
/* The place in patch->bytes of memory from an address on. NULL: it is not there, or not
 * there alone. */
uint8_t *file_at(const struct patch *patch, const struct image *image, uint64_t address,
                 size_t size);
/* Gives the ELF a build ID of its own, if it has one. */
bool file_rename(struct patch *patch, const struct image *image, struct error *error);

#endif
