/* SPDX-License-Identifier: MIT */
/* The macros that the assembly of this port shares. */
#ifndef MCUPROF_ASM_H
#define MCUPROF_ASM_H

/* clang-format off */
#define __SP_L__  0x3D
#define __SREG__  0x3F
#define __RAMPZ__ 0x3B

/* The size of a return address on the stack, and that of a slot (struct mcuprof_slot). */
#ifdef __AVR_3_BYTE_PC__
#define PC_BYTES   3
#define SLOT_BYTES 8
#else
#define PC_BYTES   2
#define SLOT_BYTES 4
#endif

/* Begins a function, in a section of its own or with others in \section. */
    .macro  function name, section
    .ifb    \section
    .section .text.\name, "ax", @progbits
    .else
    .section .text.\section, "ax", @progbits
    .endif
    .global \name
    .type   \name, @function
\name:
    .endm

/* Does an instruction for each of these registers. */
    .macro  for_each instruction, registers:vararg
    .irp    register, \registers
    \instruction    \register
    .endr
    .endm
/* clang-format on */

#endif
