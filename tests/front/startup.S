/* SPDX-License-Identifier: MIT */
/* In the manner of a vendor's start-up file: a fixed vector table with weak handlers. */
    .syntax unified
    .thumb
    .section .isr_vector, "a"
    .word   _estack, Reset_Handler, Default_Handler, HardFault_Handler
    .fill   7, 4, 0
    .word   SVC_Handler, 0, 0, PendSV_Handler, SysTick_Handler
    .word   0, 0, UART0_IRQHandler, 0, 0, 0, 0, 0, TIMER0_IRQHandler
    .fill   23, 4, 0

    .text
    .global Reset_Handler
    .thumb_func
Reset_Handler:
    ldr     r0, =_sdata
    ldr     r1, =_edata
    ldr     r2, =_sidata
1:  cmp     r0, r1
    bhs     2f
    ldmia   r2!, {r3}
    stmia   r0!, {r3}
    b       1b
2:  ldr     r1, =_ebss
    movs    r3, #0
3:  cmp     r0, r1
    bhs     4f
    stmia   r0!, {r3}
    b       3b
4:  bl      main

    .global Default_Handler
    .thumb_func
Default_Handler:
    b       Default_Handler

    /* Starts over, as firmware in the field does. */
    .global HardFault_Handler
    .thumb_func
HardFault_Handler:
    ldr     r0, =0xE000ED0C @ AIRCR
    ldr     r1, =0x05FA0004 @ SYSRESETREQ
    str     r1, [r0]
    b       HardFault_Handler

    .weak   UART0_IRQHandler, TIMER0_IRQHandler, SVC_Handler, PendSV_Handler, SysTick_Handler
    .thumb_set SVC_Handler, Default_Handler
    .thumb_set PendSV_Handler, Default_Handler
    .thumb_set SysTick_Handler, Default_Handler
    .thumb_set UART0_IRQHandler, Default_Handler
    .thumb_set TIMER0_IRQHandler, Default_Handler

    /* Ends the emulator, by semihosting. */
    .global park
    .thumb_func
park:
    movs    r0, #0x18
    ldr     r1, =0x20026
    bkpt    #0xab
