/* SPDX-License-Identifier: MIT */
/*
 * Channel 0 of Arm's PL080 or PL081 DMA controller, which moves spans into a UART.
 * MCUPROF_LINK_DMA is the controller's address, MCUPROF_LINK_ADDRESS that of the UART's
 * data register, and MCUPROF_LINK_DMA_CONFIG what goes into the channel's configuration
 * beside its enable bit and its interrupts: the flow (1 << 11 for memory to peripheral)
 * and the UART's request (6 bits left). The board enables the UART's requests and the
 * controller's interrupt.
 */
#include "mcuprof_link.h"

#if !MCUPROF_SPAN_BYTES
#error "MCUPROF_LINK = pl080 sends spans: set the knob MCUPROF_SPAN_BYTES"
#endif

#define FN MCUPROF_NOT_PROFILED

#define REGISTER(offset) (*(volatile uint32_t *)(MCUPROF_LINK_DMA + (offset)))
#define TC_CLEAR         REGISTER(0x008)
#define CONFIGURATION    REGISTER(0x030)
#define CHANNEL_SOURCE   REGISTER(0x100)
#define CHANNEL_TARGET   REGISTER(0x104)
#define CHANNEL_NEXT     REGISTER(0x108)
#define CHANNEL_CONTROL  REGISTER(0x10C)
#define CHANNEL_CONFIG   REGISTER(0x110)

#define COUNT_MAX 4095u
#define CONTROL   (1u << 31 | 1u << 26) /* interrupts at its end, source counts up */
enum { ENABLED = 1 };                   /* in CONFIGURATION, CHANNEL_CONFIG */
enum { TC = 1 << 15 };                  /* in CHANNEL_CONFIG: lets its end interrupt */

FN void mcuprof_link_isr(void)
{
    if (mcuprof_state.busy && (CHANNEL_CONFIG & ENABLED) == 0) {
        const uint8_t *bytes;
        unsigned count;

        TC_CLEAR = 1;
        count = mcuprof_tx_span(&bytes, COUNT_MAX);
        if (count) {
            CHANNEL_SOURCE = (uint32_t)(uintptr_t)bytes;
            CHANNEL_TARGET = MCUPROF_LINK_ADDRESS;
            CHANNEL_NEXT = 0;
            CHANNEL_CONTROL = CONTROL | count;
            CHANNEL_CONFIG = MCUPROF_LINK_DMA_CONFIG | TC | ENABLED;
            CONFIGURATION = ENABLED;
        }
    }
}

FN void mcuprof_link_idle(void)
{
}
