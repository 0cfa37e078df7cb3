/* SPDX-License-Identifier: MIT */
#ifndef MCUPROF_HOST_UNWIND_SYMBOLS_H
#define MCUPROF_HOST_UNWIND_SYMBOLS_H

#include "code.h"

/* Finds the functions, and which code is data or A32. false: out of memory. */
bool symbols_read(struct code *code, const struct image *image);

#endif
