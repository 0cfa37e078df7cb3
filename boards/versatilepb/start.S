/* SPDX-License-Identifier: MIT */
/* Vectors, stacks, entry and exit of interrupts. */
    .syntax unified
    .arm

    .macro begin name
    .section .text.\name, "ax", %progbits
    .global \name
    .type   \name, %function
    .balign 4
\name:
    .endm

    .section .vectors, "ax", %progbits
    b       start
    b       fault
    b       fault
    b       fault
    b       fault
    nop
    b       irq
    b       mcuprof_sample_isr

    .set    SYSTEM, 0x1F
    .set    IRQ, 0x12
    .set    FIQ, 0x11
    .set    MASK_IRQ, 0x80
    .set    MASK_ALL, 0xC0

    begin   start
    ldr     r0, =__stack_top
    msr     cpsr_c, #FIQ | MASK_ALL
    mov     sp, r0
    sub     r0, r0, #0x1000
    msr     cpsr_c, #IRQ | MASK_ALL
    mov     sp, r0
    sub     r0, r0, #0x1000
    msr     cpsr_c, #SYSTEM | MASK_ALL
    mov     sp, r0
    ldr     r0, =reset_handler
    bx      r0

    begin   fault
    mov     r0, #127
    b       board_exit

/* _Noreturn void board_exit(int status): semihosting's SYS_EXIT_EXTENDED. */
    begin   board_exit
    ldr     r1, =0x20026                /* ADP_Stopped_ApplicationExit */
    push    {r1, r2}
    str     r0, [sp, #4]
    mov     r1, sp
    mov     r0, #0x20
    svc     0x123456
0:  b       0b

    begin   irq
    sub     lr, lr, #4
    push    {r0, r1, r2, r3, ip, lr}
    mrs     r0, spsr
    push    {r0, r1}
    ldr     r0, =board_irq
    mov     lr, pc
    bx      r0
    pop     {r0, r1}
    msr     spsr_cxsf, r0
    ldm     sp!, {r0, r1, r2, r3, ip, pc}^

/* void run_open(void (*handler)(void)): calls handler in system mode with interrupts
 * enabled. The caller is an IRQ over system mode, with interrupts masked. */
    begin   run_open
    push    {r4, lr}
    msr     cpsr_c, #SYSTEM
    mov     r4, sp
    bic     sp, sp, #7                  /* the interrupted code may have pushed one word */
    push    {r4, lr}
    mov     lr, pc
    bx      r0
    pop     {r4, lr}
    mov     sp, r4
    msr     cpsr_c, #IRQ | MASK_IRQ
    pop     {r4, lr}
    bx      lr

/* void mcuprof_timer_set(uint32_t ticks): ticks is in r8; may change r9 to r11. */
    begin   mcuprof_timer_set
    ldr     r9, =0x101E2000
    str     r9, [r9, #0x0C]             /* clears the interrupt */
    str     r8, [r9]                    /* starts it over */
#ifdef BOARD_COUNT_SAMPLES
    ldr     r9, =board_samples
    ldr     r8, [r9]
    add     r8, r8, #1
    str     r8, [r9]
#endif
    bx      lr
