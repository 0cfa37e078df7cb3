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

/* It acknowledges first, and then looks: no byte that leaves meanwhile is missed, and an
 * interrupt of bytes that others have sent while the link was idle is withdrawn. */
FN void mcuprof_link_isr(void)
{
    int byte;

    ICR = TX;
    byte = mcuprof_tx_next_if((FR & TXFF) == 0);
    if (byte >= 0) {
        DR = (uint32_t)byte;
    }
}

FN void mcuprof_link_idle(void)
{
}
