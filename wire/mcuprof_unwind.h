/* SPDX-License-Identifier: MIT */
/*
 * The unwind table: where the return address is, at each instruction of the firmware.
 * `mcuprof unwind` makes it from the linked ELF, and writes it into the section
 * .mcuprof_unwind, which mcuprof.ld has left room for. The sampling interrupt walks the
 * stack by it. Both halves include this header; docs/unwind.md has a worked example.
 *
 * Where the stack pointer is `sp`, the table says for an address of the code
 *
 *     size    bytes: sp + size is the stack pointer of its caller at the call; where
 *             the frame is said to be BASED, fp + size is: fp the frame pointer
 *     where   the return address: in a register, or so many words below that
 *     saved   so many words below that the caller's frame pointer is; 0: in the register
 *
 * (AVR: sp is what the register says, the next free byte; `where` is in bytes, and that
 * of the return address's byte at the lowest address, its highest.) Both hold before the
 * instruction at that address is executed. A return address `r` is looked up at r - 1,
 * which is in the call.
 *
 * The table, in the target's byte order:
 *
 *     struct mcuprof_unwind     16 bytes
 *     uint32_t frames[]         frame_count different ones: size << 15 | BASED (bit 14) |
 *                               saved << 8 | where
 *     uint16_t pages[]          page_count + 1: index in rows[] of each page's first
 *     uint16_t rows[]           offset in its page, in units << 9 | index in frames[]
 *
 * A unit is the alignment of instructions, 1 << MCUPROF_ARCH_UNIT bytes, a page is 128
 * units; the first page begins at `base`. A row is valid from its address up to that of
 * the next row, of whatever page. rows[0] is at the base.
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
    uint16_t row_count, unused;
};
#endif

#define MCUPROF_UNWIND_MAGIC      0x32575550 /* "PUW2" */
#define MCUPROF_UNWIND_PAGE_UNITS 128u
#define MCUPROF_UNWIND_FRAMES_MAX 512u
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
#define MCUPROF_UNWIND_SAVED_LOST         63u /* nobody knows where it is */
#define MCUPROF_UNWIND_BASED              ((uint32_t)1 << 14)
/* The frame pointer is r7 or r11, as mcuprof_start() is Thumb code or A32; s0 in RISC-V.
 * Its fields are 0 in the table of an ELF in which no frame is BASED. */

/* `where`; 1 to 238: words below sp + size. frames[0] is FRAME(0, UNKNOWN): code that
 * nothing is known of. */
#define MCUPROF_UNWIND_UNKNOWN 0 /* it cannot be said: the walk ends, unsure */
/* Nothing called it: an interrupt's handler whose return is one of its own, as mret,
 * reti, subs pc, lr. */
#define MCUPROF_UNWIND_HANDLER 239
#define MCUPROF_UNWIND_END     240 /* nothing called it: reset handler, start of a thread */
#define MCUPROF_UNWIND_WINDOW  241 /* SPARC: in %i7, the caller's %sp in %i6 */
/* ARM: in r0, r1, r2, r3, r12 (242 to 246), as `pop {r3}; bx r3` has it. RISC-V: in t0
 * (242), and the caller's own is in ra still. */
#define MCUPROF_UNWIND_R0   242
#define MCUPROF_UNWIND_R12  246
#define MCUPROF_UNWIND_LINK 247 /* in the link register: lr, ra, %o7 */

#endif
