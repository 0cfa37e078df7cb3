/* SPDX-License-Identifier: MIT */
#include "path.h"

#include "mcuprof.h"
#include "mcuprof_port.h"

#if MCUPROF_PATHS
#include "mcuprof_sample.h"

/* Where assembly looks. */
_Static_assert(offsetof(struct mcuprof_paths, pages) == MCUPROF_PATHS_PAGES &&
                   offsetof(struct mcuprof_paths, rows) == MCUPROF_PATHS_ROWS &&
                   offsetof(struct mcuprof_paths, used) == MCUPROF_PATHS_USED &&
                   offsetof(struct mcuprof_paths, root) == MCUPROF_PATHS_ROOT &&
                   offsetof(struct mcuprof_paths, known) == MCUPROF_PATHS_KNOWN &&
                   offsetof(struct mcuprof_paths, said) == MCUPROF_PATHS_SAID &&
                   offsetof(struct mcuprof_paths, said_link) == MCUPROF_PATHS_SAID_LINK &&
                   offsetof(struct mcuprof_paths, block) == MCUPROF_PATHS_BLOCK &&
                   offsetof(struct mcuprof_paths, frame) == MCUPROF_PATHS_FRAME &&
                   offsetof(struct mcuprof_paths, slot) == MCUPROF_PATHS_SLOT &&
                   sizeof(struct mcuprof_slot) == MCUPROF_SLOT_BYTES &&
                   offsetof(struct mcuprof_context, pc) == 0 &&
                   offsetof(struct mcuprof_context, sp) == MCUPROF_CONTEXT_SP,
               "layout");

/* In path.S. */
void mcuprof_find_table(struct mcuprof_paths *paths);

FN void mcuprof_paths_start(void)
{
    mcuprof_find_table(&mcuprof_state.paths);
}

/* All of the sampling interrupt, for hooks.S. */
__attribute__((used)) FN void mcuprof_sample_path(const struct mcuprof_context *context)
{
    sample_path(context);
}
#endif
