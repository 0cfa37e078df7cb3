/* SPDX-License-Identifier: MIT */
/* Architectures without a port, for the table. Private to arch/. */
#ifndef MCUPROF_HOST_ARCH_OTHERS_H
#define MCUPROF_HOST_ARCH_OTHERS_H

#include "arch.h"

extern const struct arch arch_xtensa;
extern const struct arch arch_of_bytes, arch_of_halves, arch_of_words; /* names alone */
extern const struct arch arch_unknown; /* for machines that no other has */

#endif
