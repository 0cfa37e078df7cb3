/* SPDX-License-Identifier: MIT */
/*
 * How `mcuprof patch` counts calls. It leads each call site of the linked ELF to a thunk
 * of its own, which counts in a word of RAM, and goes on to the callee with registers,
 * stack and link register as they were; only the flags change. A Cortex-M has this:
 *
 *     mcuprof_sites     a word: the address from which the sites are told; 0: the ELF is
 *                       not patched
 *     mcuprof_thunks    MCUPROF_SITES thunks, each as below, at a multiple of 4
 *     mcuprof_site_counts   a word of RAM for each of them
 *
 * Sites ascend. Each is given by its distance from the one before, in halfwords, which
 * `step` holds. A thunk that does not begin with MCUPROF_THUNK_USED counts nothing: it is
 * not used, or only adds its step. Both halves include this header.
 */
#ifndef MCUPROF_SITES_H
#define MCUPROF_SITES_H

#define MCUPROF_THUNK_BYTES 36
#define MCUPROF_THUNK_CODE  26     /* bytes of instructions; then, at these places: */
#define MCUPROF_THUNK_STEP  26     /* halfword */
#define MCUPROF_THUNK_TO    28     /* word: the callee, bit 0 set */
#define MCUPROF_THUNK_COUNT 32     /* word: the address of the count */
#define MCUPROF_THUNK_STACK 16     /* bytes of stack that it uses */
#define MCUPROF_THUNK_USED  0xb40f /* its first halfword */
#define MCUPROF_SITE_BYTES  4      /* from a site to its return address, as it is sent */

/*
 * The instructions, with their cycles on a Cortex-M0+ without wait states, 30 in all.
 * Interrupts are masked while the word is changed, for they may run the same site.
 *
 *     push  {r0-r3}         5   the place of r3 is for the callee
 *     ldr   r1, callee      2
 *     str   r1, [sp, #12]   2
 *     mrs   r2, primask     3
 *     cpsid i               1
 *     ldr   r0, count       2
 *     ldr   r1, [r0]        2
 *     adds  r1, #1          1
 *     str   r1, [r0]        2
 *     msr   primask, r2     3
 *     pop   {r0-r2, pc}     7
 */
#define MCUPROF_THUNK_INSTRUCTIONS                                                       \
    {                                                                                    \
        MCUPROF_THUNK_USED, 0x4906, 0x9103, 0xf3ef, 0x8210, 0xb672, 0x4804, 0x6801,      \
            0x3101, 0x6001, 0xf382, 0x8810, 0xbd07                                       \
    }

#endif
