/* SPDX-License-Identifier: MIT */
/* A 16550A with registers of a byte, side by side, that fills its FIFO of 16 bytes at
 * each interrupt: with MCUPROF_SPAN_BYTES of 16 and more. The board sets the divisor, LCR
 * and FCR, to 1: the FIFOs; IER is the link's alone. */
#include "mcuprof_link.h"

#if !MCUPROF_SPAN_BYTES
#error "MCUPROF_LINK = ns16550_fifo sends spans: set the knob MCUPROF_SPAN_BYTES"
#endif

#define FN MCUPROF_NOT_PROFILED

#define REGISTER(offset) (*(volatile uint8_t *)(MCUPROF_LINK_ADDRESS + (offset)))
#define THR              REGISTER(0)
#define IER              REGISTER(1)
#define LSR              REGISTER(5)

enum { TX_EMPTY = 1 << 1 }; /* in IER */
enum { THRE = 1 << 5 };     /* in LSR: the FIFO is empty */
enum { FIFO_BYTES = 16 };

FN void mcuprof_link_isr(void)
{
    if (mcuprof_state.busy && (LSR & THRE) != 0) {
        const uint8_t *bytes;
        unsigned count = mcuprof_tx_span(&bytes, FIFO_BYTES);

        if (count) {
            IER = TX_EMPTY;
        }
        for (; count; count--) {
            THR = *bytes++;
        }
    }
}

FN void mcuprof_link_idle(void)
{
    IER = 0;
}
