/* SPDX-License-Identifier: MIT */
/*
 * Landing pads: the places where code goes on after a call that has thrown an exception.
 * Nothing in the code jumps there, only the unwinder does, with the stack pointer and the
 * saved registers as they were at the call. The tables of C++ name them, also without -g.
 * Private to unwind/.
 */
#ifndef MCUPROF_HOST_UNWIND_PADS_H
#define MCUPROF_HOST_UNWIND_PADS_H

#include "code.h"

/* Reads the tables of an ARM's ELF; other processors' are not read. What is damaged is
 * left out. false: out of memory. */
bool pads_read(struct code *code, const struct elf_file *file);

/* The landing pad of a call at the address; 0: it has none. */
uint64_t pads_of(const struct code *code, uint64_t at);

#endif
