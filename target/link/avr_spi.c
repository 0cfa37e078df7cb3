/* SPDX-License-Identifier: MIT */
/*
 * The SPI of an ATmega as controller, which sends spans to a receiver that is always
 * ready; MCUPROF_LINK_ADDRESS is that of SPCR. The board sets the pins and SPCR: SPIE,
 * SPE, MSTR and the rate. Its handler of the vector SPI_STC calls mcuprof_spi_sent(),
 * then mcuprof_link_entry(). MCUPROF_LINK_SELECT(on), if defined, sets the receiver's
 * select pin: a span lies within. Other code may use this SPI only between mcuprof_end()
 * and mcuprof_start().
 */
#include "mcuprof_link.h"

#if !MCUPROF_SPAN_BYTES
#error "MCUPROF_LINK = avr_spi sends spans: set the knob MCUPROF_SPAN_BYTES"
#endif

#ifndef MCUPROF_LINK_SELECT
#define MCUPROF_LINK_SELECT(on) (void)(on)
#endif

#define FN MCUPROF_NOT_PROFILED

#define REGISTER(offset) (*(volatile uint8_t *)(MCUPROF_LINK_ADDRESS + (offset)))
#define SPSR             REGISTER(1)
#define SPDR             REGISTER(2)

enum { SPIF = 1 << 7 }; /* in SPSR */

void mcuprof_spi_sent(void);

static const uint8_t *next;
static unsigned left;         /* bytes of the span from `next` on */
static volatile bool sending; /* a byte */

/* The processor has cleared SPIF when the handler runs. */
FN void mcuprof_spi_sent(void)
{
    sending = false;
}

FN void mcuprof_link_isr(void)
{
    if (!mcuprof_state.busy || (sending && !(SPSR & SPIF))) {
        return;
    }
    sending = false;
    if (left == 0) {
        MCUPROF_LINK_SELECT(false);
        left = mcuprof_tx_span(&next, MCUPROF_RING_BYTES);
        if (left == 0) {
            return;
        }
        MCUPROF_LINK_SELECT(true);
    }
    left--;
    sending = true;
    SPDR = *next++; /* which clears SPIF, where it was read */
}

FN void mcuprof_link_idle(void)
{
}
