/* SPDX-License-Identifier: MIT */
/*
 * The unwind table tells where the return address is at each instruction of the firmware.
 * `mcuprof unwind` makes it from the linked ELF and writes it into the section
 * .mcuprof_unwind, for which mcuprof.ld has left room. The sampling interrupt walks the
 * stack with it. Both halves include this header; docs/unwind.md has a worked example.
 *
 * The caller's stack pointer at the call is base = sp + size or, in a BASED frame,
 * fp + size, where sp is the stack pointer and fp the frame pointer. For each address of
 * the code the table says
 *
 *     size    in bytes
 *     where   the return address is: in a register, or so many words below base
 *     saved   so many words below base the caller's frame pointer is; 0: in its register
 *
 * (AVR: sp is the register's value, the address of the next free byte; `where` is in
 * bytes and tells the lowest of the return address's bytes, which is its highest-order
 * one.) All of it holds before the instruction at that address is executed. A return
 * address `r` is looked up at r - 1, which is in the call.
 *
 * No row has a return address below the stack pointer: without BASED, `where` is not more
 * than the words of `size`. A walk relies on that; in BASED frames it must look.
 *
 * A row may go past a frame: its size and where then are those of the caller's caller.
 * There is such a row where a function's return address may be overwritten, but only one
 * place in the program calls the function. passed[], which only the PC reads, names that
 * place.
 *
 * The table, in the target's byte order:
 *
 *     struct mcuprof_unwind     24 bytes
 *     uint32_t frames[]         frame_count different ones: size << 15 | BASED (bit 14) |
 *                               saved << 8 | where
 *     uint16_t pages[]          ram_page_count + page_count + 1: index in rows[] of each
 *                               page's first row; the pages of code in RAM come first
 *     uint16_t rows[]           offset in its page, in units << 9 | number of the frame
 *     struct mcuprof_unwind_passed passed[]    at a multiple of 4 bytes
 *
 * A unit is the alignment of instructions, 1 << MCUPROF_ARCH_UNIT bytes, a page is 128
 * units; the first page begins at `base`, the first one of code in RAM at `ram_base`. A
 * row is valid from its address up to the next row's, which may be in another page. There
 * is a row at the begin of each range.
 *
 * A frame's number below PLAIN is its index in frames[]. Nearly all rows have plain
 * frames, which need no entry there: number PLAIN + n is FRAME(4 * n, 1). (AVR, which has
 * sizes in bytes, has no plain frames: all numbers are indices.)
 */
#ifndef MCUPROF_UNWIND_H
#define MCUPROF_UNWIND_H

#ifndef __ASSEMBLER__
#include <stdint.h>
#endif

#ifndef __ASSEMBLER__
struct mcuprof_unwind {
    uint32_t magic; /* MCUPROF_UNWIND_MAGIC; anything else: no table was written */
    uint32_t base;  /* address; a multiple of a page's bytes */
    uint16_t page_count, frame_count;
    uint16_t row_count, passed_count;
    uint32_t ram_base; /* as `base`, of code in RAM */
    uint16_t ram_page_count;
    uint16_t fp; /* the number of the frame pointer's register; 0: no frame is BASED */
};

/* If a frame of a path is in the call that returns to `behind`, the path's next return
 * address is `back`, which the walk has not found. */
struct mcuprof_unwind_passed {
    uint32_t behind, back;
};
#endif

#define MCUPROF_UNWIND_FP_OFFSET 22 /* of `fp` in the table */

#define MCUPROF_UNWIND_MAGIC      0x35575550 /* "PUW5" */
#define MCUPROF_UNWIND_PAGE_BITS  7
#define MCUPROF_UNWIND_PAGE_UNITS 128u
#define MCUPROF_UNWIND_FRAMES_MAX 512u
#define MCUPROF_UNWIND_PLAIN      256u
#define MCUPROF_UNWIND_ROWS_MAX   65535u

#define MCUPROF_UNWIND_ROW(unit, frame) ((unit) << 9 | (frame))
#define MCUPROF_UNWIND_ROW_UNIT(row)    ((row) >> 9)
#define MCUPROF_UNWIND_ROW_FRAME(row)   ((row)&511u)

#define MCUPROF_UNWIND_FRAME(size, where)                                                \
    ((uint32_t)(size) << MCUPROF_UNWIND_SIZE_BIT | (where))
#define MCUPROF_UNWIND_FRAME_WHERE(frame) ((frame)&255u)
#define MCUPROF_UNWIND_FRAME_SAVED(frame) ((frame) >> MCUPROF_UNWIND_SAVED_BIT & 63u)
#define MCUPROF_UNWIND_FRAME_SIZE(frame)  ((frame) >> MCUPROF_UNWIND_SIZE_BIT)
#define MCUPROF_UNWIND_SIZE_BIT           15
#define MCUPROF_UNWIND_SAVED_BIT          8
#define MCUPROF_UNWIND_SAVED_LOST         63u /* its place is not known */
#define MCUPROF_UNWIND_BASED              ((uint32_t)1 << 14)
/* The frame pointer is s0 on RISC-V and r7 in Thumb code; in A32 it is r11. Where an ELF
 * has both, the table is about the one that tells more. Its fields are 0 in the table of
 * an ELF in which no frame is BASED. */

/* Values of `where`; 1 to 238: words below sp + size. frames[0] is FRAME(0, UNKNOWN), for
 * code whose frames are not known. */
#define MCUPROF_UNWIND_UNKNOWN 0 /* not known: the walk ends, unsure */
/* Nothing called it: it is an interrupt's handler, and returns by an instruction for
 * handlers, such as mret, reti or subs pc, lr. */
#define MCUPROF_UNWIND_HANDLER 239
#define MCUPROF_UNWIND_END     240 /* nothing called it: reset handler, start of a thread */
#define MCUPROF_UNWIND_WINDOW  241 /* SPARC: in %i7, the caller's %sp in %i6 */
/* ARM: the link register has an address of the caller's code, which no call returns to:
 * what is there is looked up at that address, and with this stack pointer + size. The
 * path gets that address + 2, as if a call of two bytes were there. RISC-V: so has t0,
 * behind a call, as before the `jr t0` of __riscv_save_N. */
#define MCUPROF_UNWIND_TARGET 241
/* ARM: in r0, r1, r2, r3 or r12 (242 to 246), as before the `bx` of `pop {r3}; bx r3`.
 * RISC-V: in t0 (242); the caller's own return address is where its row says. */
#define MCUPROF_UNWIND_R0   242
#define MCUPROF_UNWIND_R12  246
#define MCUPROF_UNWIND_LINK 247 /* in the link register: lr, ra, %o7 */

#endif
