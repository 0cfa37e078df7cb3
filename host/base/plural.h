/* SPDX-License-Identifier: MIT */
/* The "s" behind the name of what was counted. */
#ifndef MCUPROF_HOST_PLURAL_H
#define MCUPROF_HOST_PLURAL_H

#include <stdint.h>

static inline const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

#endif
