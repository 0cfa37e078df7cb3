/* SPDX-License-Identifier: MIT */
/* Arm's CMSDK UART, which interrupts once for each byte sent. The board sets BAUDDIV, and
 * CTRL to 1 | 4: transmit, with its interrupt. */
#include "mcuprof_link.h"

#define FN MCUPROF_NOT_PROFILED

#define REGISTER(offset) (*(volatile uint32_t *)(MCUPROF_LINK_ADDRESS + (offset)))
#define DATA             REGISTER(0x00)
#define STATE            REGISTER(0x04)
#define INTCLEAR         REGISTER(0x0C)

enum { TX_FULL = 1 }; /* in STATE */

/* Whether a byte may be sent. It tests the sign: for a mask GCC would keep 0 in a
 * register, and save another register on the stack, which costs each byte 6 cycles. */
#define IS_READY() ((int32_t)(STATE << 31) >= 0)
enum { TX = 1 }; /* in INTCLEAR */

/* An alias, because a call would cost each record 11 cycles. */
void mcuprof_link_start(void) __attribute__((alias("mcuprof_link_isr")));

/* Takes back the interrupt of a byte that others sent while the link was idle. It masks
 * interrupts, for sampling may start the link before the interrupt is taken back. */
static FN void forget(void)
{
    mcuprof_irq irq = mcuprof_irq_mask();

    if (!mcuprof_state.busy) {
        INTCLEAR = TX;
    }
    mcuprof_irq_restore(irq);
}

FN void mcuprof_link_isr(void)
{
    if (!mcuprof_state.busy) {
        forget();
    } else if (IS_READY()) {
        int byte;

        INTCLEAR = TX;
        byte = mcuprof_tx_next();
        if (byte >= 0) {
            DATA = (uint32_t)byte;
        }
    }
}

FN void mcuprof_link_idle(void)
{
}
