/* SPDX-License-Identifier: MIT */
/*
 * How `mcuprof patch` counts calls. It leads each call site of the linked ELF to a thunk
 * of its own, which counts in a word of RAM, and goes on to the callee with registers,
 * stack and link register as they were; only the flags change. A Cortex-M has this:
 *
 *     mcuprof_sites     a word: the address from which the sites are told; 0: the ELF is
 *                       not patched
 *     mcuprof_thunks    thunks, each as below, at multiples of 4
 *     mcuprof_site_counts   a word of RAM for each of them
 *
 * There are two forms; an ELF has one of them, and the sizes of the symbols tell which:
 *
 *     fast     26 bytes of instructions; the step, a halfword; the callee, a word with
 *              bit 0 set; the address of the count, a word. 36 bytes, 30 cycles.
 *     short    6 bytes of instructions; the same three. 16 bytes, 32 cycles. Of each 128
 *              places the first two have the tail that the thunks share.
 *
 * Sites ascend. Each is given by its distance from the one before, in halfwords, which is
 * its step. A thunk that does not begin with MCUPROF_THUNK_USED is not used; one whose
 * callee is 0 only adds its step. Both halves include this header.
 */
#ifndef MCUPROF_SITES_H
#define MCUPROF_SITES_H

#define MCUPROF_THUNK_FAST  36 /* bytes */
#define MCUPROF_THUNK_SHORT 16
/* Its step, callee and count are its last bytes: */
#define MCUPROF_THUNK_STEP  10 /* so many before its end */
#define MCUPROF_THUNK_TO    8
#define MCUPROF_THUNK_COUNT 4
#define MCUPROF_THUNK_STACK 16     /* bytes of stack that it uses */
#define MCUPROF_THUNK_USED  0xb40f /* its first halfword */
#define MCUPROF_SITE_BYTES  4      /* from a site to its return address, as it is sent */

/* Places of a group of short thunks, and those of its tail. */
#define MCUPROF_THUNK_GROUP 128
#define MCUPROF_THUNK_TAIL  2

/*
 * The instructions, with their cycles on a Cortex-M0+ without wait states. Interrupts are
 * masked while the word is changed, for they may run the same site.
 *
 *     fast, 30 cycles       short, 8 cycles       tail, 24 cycles
 *
 *     push  {r0-r3}      5  push {r0-r3}       5  ldm   r0!, {r1, r2}   3
 *     ldr   r1, callee   2  adr  r0, callee    1  str   r1, [sp, #12]   2
 *     str   r1, [sp,#12] 2  b    tail          2  mrs   r0, primask     3
 *     mrs   r2, primask  3                        cpsid i               1
 *     cpsid i            1                        ldr   r1, [r2]        2
 *     ldr   r0, count    2                        adds  r1, #1          1
 *     ldr   r1, [r0]     2                        str   r1, [r2]        2
 *     adds  r1, #1       1                        msr   primask, r0     3
 *     str   r1, [r0]     2                        pop   {r0-r2, pc}     7
 *     msr   primask, r2  3
 *     pop   {r0-r2, pc}  7
 *
 * The place of r3 on the stack is for the callee. The branch to the tail, the third
 * halfword of a short thunk, has the distance in its lowest 11 bits.
 */
#define MCUPROF_THUNK_FAST_CODE                                                          \
    {                                                                                    \
        MCUPROF_THUNK_USED, 0x4906, 0x9103, 0xf3ef, 0x8210, 0xb672, 0x4804, 0x6801,      \
            0x3101, 0x6001, 0xf382, 0x8810, 0xbd07                                       \
    }
#define MCUPROF_THUNK_SHORT_CODE                                                         \
    {                                                                                    \
        MCUPROF_THUNK_USED, 0xa001, 0xe000                                               \
    }
#define MCUPROF_THUNK_TAIL_CODE                                                          \
    {                                                                                    \
        0xc806, 0x9103, 0xf3ef, 0x8010, 0xb672, 0x6811, 0x3101, 0x6011, 0xf380, 0x8810,  \
            0xbd07                                                                       \
    }

#endif
