/* SPDX-License-Identifier: MIT */
/* The UART of Nordic's nRF51 and nRF52 (not its UARTE). TXDRDY stays set while the link
 * is idle, so its interrupt comes as soon as that is enabled. The board sets PSELTXD,
 * BAUDRATE and ENABLE, triggers STARTTX, and sends a first byte, which sets TXDRDY. */
#include "mcuprof_link.h"

#define FN MCUPROF_NOT_PROFILED

#define REGISTER(offset) (*(volatile uint32_t *)(MCUPROF_LINK_ADDRESS + (offset)))
#define TXDRDY           REGISTER(0x11C)
#define INTENSET         REGISTER(0x304)
#define INTENCLR         REGISTER(0x308)
#define TXD              REGISTER(0x51C)

enum { TXDRDY_INT = 1 << 7 }; /* in INTENSET, INTENCLR */

FN void mcuprof_link_start(void)
{
    INTENSET = TXDRDY_INT;
}

FN void mcuprof_link_isr(void)
{
    if (TXDRDY) {
        int byte = mcuprof_tx_next();

        if (byte >= 0) {
            TXDRDY = 0;
            TXD = (uint32_t)byte;
        }
    }
}

FN void mcuprof_link_idle(void)
{
    INTENCLR = TXDRDY_INT;
}
