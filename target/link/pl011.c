/* SPDX-License-Identifier: MIT */
/* Arm's PL011, which interrupts once when its transmitter has room. The board sets LCR_H
 * (8 bits, no FIFO), CR (on, transmit) and IMSC (the transmit interrupt). */
#include "mcuprof_link.h"

#define FN MCUPROF_NOT_PROFILED

#define REGISTER(offset) (*(volatile uint32_t *)(MCUPROF_LINK_ADDRESS + (offset)))
#define DR               REGISTER(0x00)
#define FR               REGISTER(0x18)
#define ICR              REGISTER(0x44)

enum { TXFF = 1 << 5 }; /* in FR: full */
enum { TX = 1 << 5 };   /* in ICR */

FN void mcuprof_link_start(void)
{
    mcuprof_link_isr();
}

/* Takes back the interrupt of a byte that others sent while the link was idle. It masks
 * interrupts, for sampling may start the link before the interrupt is taken back. */
static FN void forget(void)
{
    mcuprof_irq irq = mcuprof_irq_mask();

    if (!mcuprof_state.busy) {
        ICR = TX;
    }
    mcuprof_irq_restore(irq);
}

FN void mcuprof_link_isr(void)
{
    if (!mcuprof_state.busy) {
        forget();
    } else if ((FR & TXFF) == 0) {
        int byte;

        ICR = TX;
        byte = mcuprof_tx_next();
        if (byte >= 0) {
            DR = (uint32_t)byte;
        }
    }
}

FN void mcuprof_link_idle(void)
{
}
