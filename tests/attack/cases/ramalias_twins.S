/* SPDX-License-Identifier: MIT */
/* A function in RAM with a frame of 8 bytes makes a call whose return address has the low
 * bits of that of a function in flash with a frame of 24 bytes: attack.py chooses FILL and
 * FLASH_FILL so. */
    .syntax unified
    .thumb

    .section .ramcode, "ax", %progbits
    .balign 4
    .space  FILL
    .global ramf
    .thumb_func
    .type   ramf, %function
ramf:
    push    {r4, lr}
    ldr     r3, =spin
    nop
    blx     r3
    .global ramret
ramret:
    pop     {r4, pc}
    .ltorg
    .size   ramf, . - ramf

    .text
    .balign 4
    .space  FLASH_FILL
    .global twin
    .thumb_func
    .type   twin, %function
twin:
    push    {r4-r7, lr}
    sub     sp, #4
    bl      spin
    .global twinret
twinret:
    add     sp, #4
    pop     {r4-r7, pc}
    .size   twin, . - twin
