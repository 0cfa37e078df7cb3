/* SPDX-License-Identifier: MIT */
/*
 * A slow link for tests, which replaces the board's own: the emulated UARTs take any
 * number of bytes at once, so here SysTick lets one byte out every BOARD_LINK_CYCLES.
 */
#ifdef BOARD_LINK_CYCLES
#include "board.h"
#include "cortex-m.h"
#include "mcuprof_port.h"

#define SYST_CSR REGISTER(0xE000E010u)
#define SYST_RVR REGISTER(0xE000E014u)
#define SYST_CVR REGISTER(0xE000E018u)
#define SHPR3    REGISTER(0xE000ED20u)

enum { RUN = 7 /* with the processor's clock and an interrupt */ };
enum { COUNTED = 1 << 16 }; /* the counter has reached 0 */

void mcuprof_link_start(void)
{
    SHPR3 |= 0xC0000000u; /* the lowest priority */
    SYST_RVR = BOARD_LINK_CYCLES - 1;
    SYST_CVR = 0;
    SYST_CSR = RUN;
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
