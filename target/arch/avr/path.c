/* SPDX-License-Identifier: MIT */
#include "path.h"

#include "mcuprof.h"
#include "mcuprof_port.h"

#if MCUPROF_PATHS
/* Where assembly looks. */
_Static_assert(offsetof(struct mcuprof_paths, pages) == MCUPROF_PATHS_PAGES &&
                   offsetof(struct mcuprof_paths, rows) == MCUPROF_PATHS_ROWS &&
                   offsetof(struct mcuprof_paths, used) == MCUPROF_PATHS_USED &&
                   offsetof(struct mcuprof_paths, root) == MCUPROF_PATHS_ROOT &&
                   offsetof(struct mcuprof_paths, known) == MCUPROF_PATHS_KNOWN &&
                   offsetof(struct mcuprof_paths, said) == MCUPROF_PATHS_SAID &&
                   offsetof(struct mcuprof_paths, block) == MCUPROF_PATHS_BLOCK &&
                   offsetof(struct mcuprof_paths, frame) == MCUPROF_PATHS_FRAME &&
                   offsetof(struct mcuprof_paths, slot) == MCUPROF_PATHS_SLOT &&
                   sizeof(struct mcuprof_slot) == MCUPROF_SLOT_BYTES &&
                   offsetof(struct mcuprof_context, pc) == 0 &&
                   offsetof(struct mcuprof_context, sp) == MCUPROF_CONTEXT_SP,
               "layout");

/* In path.S. */
void mcuprof_find_table(struct mcuprof_paths *paths);

MCUPROF_NOT_PROFILED void mcuprof_paths_start(void)
{
    mcuprof_find_table(&mcuprof_state.paths);
}
#endif
