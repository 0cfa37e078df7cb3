/* SPDX-License-Identifier: MIT */
/* Sums of counts that come from outside: instead of overflowing they stay at the maximum.
 */
#ifndef MCUPROF_HOST_SATURATE_H
#define MCUPROF_HOST_SATURATE_H

#include <stdint.h>

static inline uint64_t add_saturating(uint64_t sum, uint64_t more)
{
    return sum > UINT64_MAX - more ? UINT64_MAX : sum + more;
}

#endif
