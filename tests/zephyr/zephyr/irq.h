/* SPDX-License-Identifier: MIT */
/* Declarations of Zephyr, by its documentation, to compile against. */
#define IRQ_DIRECT_CONNECT(irq, priority, handler, flags)                                \
    irq_connect(irq, priority, handler, flags)
void irq_connect(unsigned irq, unsigned priority, void (*handler)(void), uint32_t flags);
void irq_enable(unsigned irq);
