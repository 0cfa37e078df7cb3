/* SPDX-License-Identifier: MIT */
/* GRLIB's APBUART, which interrupts once for each byte sent. The board sets the scaler,
 * and the control register to 2 | 8: transmit, with its interrupt. */
#include "mcuprof_link.h"

#define FN MCUPROF_NOT_PROFILED

#define REGISTER(offset) (*(volatile uint32_t *)(MCUPROF_LINK_ADDRESS + (offset)))
#define DATA             REGISTER(0x00)
#define STATUS           REGISTER(0x04)

enum { TX_EMPTY = 4 }; /* in STATUS */

FN void mcuprof_link_start(void)
{
    mcuprof_link_isr();
}

FN void mcuprof_link_isr(void)
{
    int byte = mcuprof_tx_next_if((STATUS & TX_EMPTY) != 0);

    if (byte >= 0) {
        DATA = (uint32_t)byte;
    }
}

FN void mcuprof_link_idle(void)
{
}
