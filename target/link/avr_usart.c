/* SPDX-License-Identifier: MIT */
/*
 * A USART of an ATmega; MCUPROF_LINK_ADDRESS is that of its UCSRnA. It interrupts for
 * as long as UDRn is empty: call mcuprof_link_entry() in the handler of the vector
 * UDRE. The board sets UBRRn and TXENn. An AVR's interrupts have no priorities: a
 * handler that enables interrupts calls mcuprof_link_idle() before, has
 * MCUPROF_LINK_HELD() true meanwhile, and calls mcuprof_link_start() after if
 * mcuprof_state.busy is set.
 */
#include "mcuprof_link.h"

#define FN MCUPROF_NOT_PROFILED

#define REGISTER(offset) (*(volatile uint8_t *)(MCUPROF_LINK_ADDRESS + (offset)))
#define UCSRA            REGISTER(0)
#define UCSRB            REGISTER(1)
#define UDR              REGISTER(6)

enum { UDRE = 1 << 5 };  /* in UCSRA */
enum { UDRIE = 1 << 5 }; /* in UCSRB */

#ifndef MCUPROF_LINK_HELD
#define MCUPROF_LINK_HELD() 0
#endif

FN void mcuprof_link_start(void)
{
    if (!MCUPROF_LINK_HELD()) {
        UCSRB |= UDRIE;
    }
}

FN void mcuprof_link_isr(void)
{
    if (UCSRA & UDRE) {
        int byte = mcuprof_tx_next();

        if (byte >= 0) {
            UDR = (uint8_t)byte;
        }
    }
}

FN void mcuprof_link_idle(void)
{
    UCSRB &= (uint8_t)~UDRIE;
}
