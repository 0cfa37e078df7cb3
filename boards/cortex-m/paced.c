/* SPDX-License-Identifier: MIT */
/*
 * What SysTick stands in for, where the emulated hardware is faster than any line.
 *
 * BOARD_LINK_CYCLES, for tests: a slow link that replaces the board's own and lets one
 * byte out every so many cycles, for the emulated UARTs take any number at once.
 *
 * BOARD_DMA_CYCLES, with LINK=pl080: the line behind the DMA controller takes a byte in
 * so many cycles. The emulated controller moves a span at once, so its interrupt waits
 * here for as long as the line would take.
 *
 * BOARD_PROBE_CYCLES, with LINK=rtt: a debug probe that reads all every so many cycles,
 * the same in each run. boards/probe.py reads whenever the PC has time.
 */
#include "board.h"
#include "cortex-m.h"
#include "mcuprof_port.h"

#if defined(BOARD_LINK_CYCLES) || defined(BOARD_DMA_CYCLES) || defined(BOARD_PROBE_CYCLES)
#define SYST_CSR REGISTER(0xE000E010u)
#define SYST_RVR REGISTER(0xE000E014u)
#define SYST_CVR REGISTER(0xE000E018u)
#define SHPR3    REGISTER(0xE000ED20u)

enum { RUN = 7 /* with the processor's clock and an interrupt */ };
enum { COUNTED = 1 << 16 }; /* the counter has reached 0 */

static void run(uint32_t cycles)
{
    SHPR3 |= 0xC0000000u; /* the lowest priority */
    SYST_RVR = cycles - 1;
    SYST_CVR = 0;
    SYST_CSR = RUN;
}
#endif

#ifdef BOARD_LINK_CYCLES
void mcuprof_link_start(void)
{
    run(BOARD_LINK_CYCLES);
}

void mcuprof_link_isr(void)
{
    if (SYST_CSR & COUNTED) {
        int byte = mcuprof_tx_next();

        if (byte >= 0) {
            board_put((uint8_t)byte);
        }
    }
}

void mcuprof_link_idle(void)
{
    SYST_CSR = 0;
}
#endif

#ifdef BOARD_DMA_CYCLES
#define NVIC_ENABLE  REGISTER(0xE000E100u + BOARD_LINK_IRQ / 32 * 4)
#define NVIC_DISABLE REGISTER(0xE000E180u + BOARD_LINK_IRQ / 32 * 4)

static volatile int taken; /* the line has taken the span */

/* The controller's interrupt, which stays pending while it is disabled. */
void board_dma_isr(void)
{
    if (taken || mcuprof_state.span == 0) { /* code that waited has taken all */
        taken = 0;
        mcuprof_link_entry();
    } else {
        NVIC_DISABLE = 1u << BOARD_LINK_IRQ % 32;
        run(mcuprof_state.span * (BOARD_DMA_CYCLES));
    }
}

void SysTick_Handler(void)
{
    SYST_CSR = 0;
    taken = 1;
    NVIC_ENABLE = 1u << BOARD_LINK_IRQ % 32;
}
#endif

#ifdef BOARD_PROBE_CYCLES
void board_probe_start(void)
{
    run(BOARD_PROBE_CYCLES);
}

void SysTick_Handler(void)
{
    uint32_t tail = mcuprof_state.tail;

    while (tail != mcuprof_state.head) {
        board_put(mcuprof_state.ring[tail]);
        tail = (tail + 1) % MCUPROF_RING_BYTES;
    }
    mcuprof_state.tail = tail;
}
#endif
