/* SPDX-License-Identifier: MIT */
/* Arm's CMSDK UART, which interrupts once for each byte sent. The board sets BAUDDIV, and
 * CTRL to 1 | 4: transmit, with its interrupt. */
#include "mcuprof_link.h"

#define FN MCUPROF_NOT_PROFILED

enum { DATA = 0x00 / 4, STATE = 0x04 / 4, INTCLEAR = 0x0C / 4 }; /* words */
enum { TX_FULL = 1 };                                            /* in STATE */
enum { TX = 1 };                                                 /* in INTCLEAR */

/* Whether a byte may be sent: by the sign, for which GCC needs no register for a mask. */
#define IS_READY(uart) ((int32_t)((uart)[STATE] << 31) >= 0)

/* An alias, because a call would cost each record 11 cycles. */
void mcuprof_link_start(void) __attribute__((alias("mcuprof_link_isr")));

/* It acknowledges first, and then looks: no byte that leaves meanwhile is missed, and an
 * interrupt of bytes that others have sent while the link was idle is withdrawn. */
FN void mcuprof_link_isr(void)
{
    volatile uint32_t *uart = (volatile uint32_t *)MCUPROF_LINK_ADDRESS;
    int byte;

    __asm__("" : "+r"(uart)); /* else each register's address is a constant of its own */
    uart[INTCLEAR] = TX;
    byte = mcuprof_tx_next_if(IS_READY(uart));
    if (byte >= 0) {
        uart[DATA] = (uint32_t)byte;
    }
}

FN void mcuprof_link_idle(void)
{
}
