/* SPDX-License-Identifier: MIT */
/* A 16550 with registers of a byte, side by side: it interrupts for as long as it has
 * room. The board sets the divisor and LCR; IER is the link's alone. */
#include "mcuprof_link.h"

#define FN MCUPROF_NOT_PROFILED

#define REGISTER(offset) (*(volatile uint8_t *)(MCUPROF_LINK_ADDRESS + (offset)))
#define THR              REGISTER(0)
#define IER              REGISTER(1)
#define LSR              REGISTER(5)

enum { TX_EMPTY = 1 << 1 }; /* in IER */
enum { THRE = 1 << 5 };     /* in LSR */

FN void mcuprof_link_start(void)
{
    IER = TX_EMPTY;
}

FN void mcuprof_link_isr(void)
{
    if (LSR & THRE) {
        int byte = mcuprof_tx_next();

        if (byte >= 0) {
            THR = (uint8_t)byte;
        }
    }
}

FN void mcuprof_link_idle(void)
{
    IER = 0;
}
