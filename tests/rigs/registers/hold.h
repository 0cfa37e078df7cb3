/* SPDX-License-Identifier: MIT */
/* Calls the hook of ARM or RISC-V as the compiler does, with a known value in each
 * register. For one file of a program: it defines what it declares. */
#ifndef HOLD_H
#define HOLD_H

#include <stdint.h>

uint32_t hold_in[32], hold_out[32];

/* Loads hold_in, lets interrupts come, calls the hook, stores hold_out. */
void hold(void);

#if defined(__arm__)
/* r0 to r11; lr, which the hook takes as the caller; the flags. */
enum { HELD = 14 };
#define FLAGS 0xF0000000u
__asm__(".syntax unified\n"
        ".section .text.hold, \"ax\", %progbits\n"
        ".arm\n"
        ".global hold\n"
        ".type hold, %function\n"
        ".balign 4\n"
        "hold:\n"
        "    push {r4, r5, r6, r7, r8, r9, r10, r11, lr}\n"
        "    ldr ip, =hold_in\n"
        "    ldr r0, [ip, #52]\n"
        "    msr cpsr_f, r0\n"
        "    ldr lr, [ip, #48]\n"
        "    ldm ip, {r0-r11}\n"
        "    .rept 64\n"
        "    mov ip, sp\n"
        "    .endr\n"
        "    push {lr}\n"
        "    bl __gnu_mcount_nc\n"
        "    ldr ip, =hold_out\n"
        "    stm ip, {r0-r11}\n"
        "    str lr, [ip, #48]\n"
        "    mrs r0, cpsr\n"
        "    str r0, [ip, #52]\n"
        "    pop {r4, r5, r6, r7, r8, r9, r10, r11, lr}\n"
        "    bx lr\n"
        "    .pool\n"
        "    .text\n");
#elif defined(__riscv)
/* x5 to x31, or to x15. The hook is an ordinary call, so it need only preserve s0 to s11.
 * These programs do not use x4, tp. */
#define FLAGS 0xFFFFFFFFu
#ifdef __riscv_32e
enum { HELD = 11 };
#define EACH "5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15"
#define KEPT "8, 9"
#else
enum { HELD = 27 };
#define EACH                                                                             \
    "5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26," \
    "27, 28, 29, 30, 31"
#define KEPT "8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27"
#endif
__asm__(".section .text.hold, \"ax\", %progbits\n"
        ".global hold\n"
        ".type hold, %function\n"
        ".balign 4\n"
        "hold:\n"
        "    addi sp, sp, -96\n"
        "    sw ra, 92(sp)\n"
        "    .irp r, " KEPT "\n"
        "    sw x\\r, 4 * (\\r - 8)(sp)\n"
        "    .endr\n"
        "    la tp, hold_in\n"
        "    .irp r, " EACH "\n"
        "    lw x\\r, 4 * (\\r - 5)(tp)\n"
        "    .endr\n"
        "    la tp, hold_out\n"
        "    .rept 64\n"
        "    nop\n"
        "    .endr\n"
        "    .irp r, " EACH "\n"
        "    sw x\\r, 4 * (\\r - 5)(tp)\n"
        "    .endr\n"
        "    call _mcount\n"
        "    .irp r, " KEPT "\n"
        "    sw x\\r, 4 * (\\r - 5)(tp)\n"
        "    .endr\n"
        "    .irp r, " KEPT "\n"
        "    lw x\\r, 4 * (\\r - 8)(sp)\n"
        "    .endr\n"
        "    lw ra, 92(sp)\n"
        "    addi sp, sp, 96\n"
        "    ret\n"
        "    .text\n");
#else
#error "for ARM and RISC-V"
#endif

#endif
