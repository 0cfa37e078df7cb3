/* SPDX-License-Identifier: MIT */
/* Calls the hook of a Cortex-M as the compiler does, with a known value in each register.
 * For one file of a program: it defines what it declares. */
#ifndef ABI_CALL_H
#define ABI_CALL_H

#include <stdint.h>

/* The registers of the processor; .text.abi_call has these offsets too. */
struct registers {
    uint32_t r[12];  /* 0 */
    uint32_t caller; /* 48: lr before push {lr}, and after the hook */
    uint32_t flags;  /* 52: APSR */
    uint32_t sp;     /* 56 */
    uint32_t masked; /* 60: PRIMASK */
    uint32_t s[32];  /* 64 */
    uint32_t fpscr;  /* 192 */
};

struct registers abi_in, abi_out;
uint32_t abi_has_fpu;

/* Loads abi_in, calls the hook from "a function that begins here", stores abi_out. */
void abi_call(void);
extern const uint8_t abi_callee[];

__asm__(".syntax unified\n"
        ".section .text.abi_call, \"ax\", %progbits\n"
#if __ARM_ARCH >= 7
        ".fpu fpv4-sp-d16\n"
#endif
        ".global abi_call\n"
        ".type abi_call, %function\n"
        ".thumb_func\n"
        ".balign 4\n"
        "abi_call:\n"
        "    push {r4, r5, r6, r7, lr}\n"
        "    mov r4, r8\n"
        "    mov r5, r9\n"
        "    mov r6, r10\n"
        "    mov r7, r11\n"
        "    push {r3, r4, r5, r6, r7}\n" /* 40 bytes in all */
        "    ldr r7, =abi_in\n"
#if __ARM_ARCH >= 7
        "    ldr r0, =abi_has_fpu\n"
        "    ldr r0, [r0]\n"
        "    cbz r0, 1f\n"
        "    add r0, r7, #64\n"
        "    vldmia r0!, {s0-s31}\n"
        "    ldr r0, [r0]\n"
        "    vmsr fpscr, r0\n"
        "1:\n"
#endif
        "    ldr r0, [r7, #32]\n"
        "    mov r8, r0\n"
        "    ldr r0, [r7, #36]\n"
        "    mov r9, r0\n"
        "    ldr r0, [r7, #40]\n"
        "    mov r10, r0\n"
        "    ldr r0, [r7, #44]\n"
        "    mov r11, r0\n"
        "    ldr r0, [r7, #48]\n"
        "    mov lr, r0\n"
        "    mov r0, sp\n"
        "    str r0, [r7, #56]\n"
        "    mov r6, r7\n"
        "    adds r6, #16\n"
        "    ldmia r6!, {r0, r1, r2, r3}\n"
        "    push {r0, r1, r2, r3}\n"
        "    ldr r0, [r7]\n"
        "    ldr r1, [r7, #4]\n"
        "    ldr r2, [r7, #8]\n"
        "    ldr r3, [r7, #12]\n"
        "    push {r0, r1, r2, r3}\n"
        "    ldr r0, [r7, #60]\n"
        "    msr primask, r0\n"
        "    ldr r0, [r7, #52]\n"
        "    msr apsr_nzcvq, r0\n"
        "    pop {r0, r1, r2, r3, r4, r5, r6, r7}\n"
        /* as at the entry of a function */
        "    push {lr}\n"
        "    bl __gnu_mcount_nc\n"
        ".global abi_callee\n"
        "abi_callee:\n"
        "    push {r0, r1, r2, r3, r4, r5, r6, r7}\n"
        "    mrs r0, apsr\n"
        "    mrs r1, primask\n"
        "    cpsie i\n"
        "    ldr r7, =abi_out\n"
        "    str r0, [r7, #52]\n"
        "    str r1, [r7, #60]\n"
        "    mov r0, r8\n"
        "    str r0, [r7, #32]\n"
        "    mov r0, r9\n"
        "    str r0, [r7, #36]\n"
        "    mov r0, r10\n"
        "    str r0, [r7, #40]\n"
        "    mov r0, r11\n"
        "    str r0, [r7, #44]\n"
        "    mov r0, lr\n"
        "    str r0, [r7, #48]\n"
        "    mov r0, sp\n"
        "    adds r0, #32\n"
        "    str r0, [r7, #56]\n"
#if __ARM_ARCH >= 7
        "    ldr r0, =abi_has_fpu\n"
        "    ldr r0, [r0]\n"
        "    cbz r0, 2f\n"
        "    add r0, r7, #64\n"
        "    vstmia r0!, {s0-s31}\n"
        "    vmrs r1, fpscr\n"
        "    str r1, [r0]\n"
        "2:\n"
#endif
        "    pop {r0, r1, r2, r3}\n"
        "    stmia r7!, {r0, r1, r2, r3}\n"
        "    pop {r0, r1, r2, r3}\n"
        "    stmia r7!, {r0, r1, r2, r3}\n"
        "    pop {r3, r4, r5, r6, r7}\n"
        "    mov r8, r4\n"
        "    mov r9, r5\n"
        "    mov r10, r6\n"
        "    mov r11, r7\n"
        "    pop {r4, r5, r6, r7, pc}\n"
        "    .pool\n"
        "    .size abi_call, . - abi_call\n"
        ".text\n");

#endif
