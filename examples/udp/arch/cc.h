/* SPDX-License-Identifier: MIT */
/* What lwIP asks of a compiler. */
#ifndef EXAMPLES_UDP_CC_H
#define EXAMPLES_UDP_CC_H

#include <stdint.h>

#include "board.h"

#define LWIP_NO_INTTYPES_H      1
#define LWIP_PLATFORM_DIAG(x)   (void)0
#define LWIP_PLATFORM_ASSERT(x) board_exit(126)
#define LWIP_RAND()             4u

/* Runs are counted in a word of RAM that nothing else uses, and that a reset leaves as it
 * is. */
#define UDP_RUNS          (*(volatile uint32_t *)0x21000000)
#define MCUPROF_UDP_RUN() (++UDP_RUNS)

#endif
