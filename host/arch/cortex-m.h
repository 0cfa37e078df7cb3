/* SPDX-License-Identifier: MIT */
/* ARM's other port. Private to arch/. */
#ifndef MCUPROF_HOST_ARCH_CORTEX_M_H
#define MCUPROF_HOST_ARCH_CORTEX_M_H

#include "arch.h"

extern const struct arch_port port_cortex_m;

#endif
