/* SPDX-License-Identifier: MIT */
/*
 * I2C by the TWI of an ATmega, as controller: a span is a write to the target
 * MCUPROF_LINK_TARGET (7 bits), MCUPROF_LINK_MOST bytes of it at most, the receiver's
 * buffer. MCUPROF_LINK_ADDRESS is the address of TWBR. The board sets TWBR and TWSR, the
 * rate; its handler of the vector TWI calls mcuprof_link_entry(). What the receiver does
 * not acknowledge is not sent again: it is lost, and the PC counts it. The bus has no
 * other controller.
 */
#include "mcuprof_link.h"

#if !MCUPROF_SPAN_BYTES
#error "MCUPROF_LINK = avr_twi sends spans: set the knob MCUPROF_SPAN_BYTES"
#endif
#ifndef MCUPROF_LINK_TARGET
#error "MCUPROF_LINK = avr_twi: say to which address by MCUPROF_LINK_TARGET"
#endif
#ifndef MCUPROF_LINK_MOST
#define MCUPROF_LINK_MOST 32 /* that of many libraries */
#endif

#define FN MCUPROF_NOT_PROFILED

#define REGISTER(offset) (*(volatile uint8_t *)(MCUPROF_LINK_ADDRESS + (offset)))
#define TWSR             REGISTER(1)
#define TWDR             REGISTER(3)
#define TWCR             REGISTER(4)

/* In TWCR. A flag is cleared by a 1. */
enum {
    ENABLED = 1 << 2 | 1 << 0, /* and its interrupt */
    STOP = 1 << 4,
    START = 1 << 5,
    DONE = 1 << 7
};
/* In TWSR. Any other state is that of a byte which was not acknowledged. */
enum {
    STATE = 0xF8,
    STARTED = 0x08,
    STARTED_AGAIN = 0x10,
    ADDRESSED = 0x18,
    SENT = 0x28
};

static const uint8_t *next;
static unsigned left;        /* bytes of the span from `next` on */
static volatile bool active; /* from a start to a stop */

/* Begins a span, or ends what runs. */
static FN void begin(void)
{
    uint8_t stop = active ? STOP : TWCR & STOP; /* one may still be under way */

    left = mcuprof_tx_span(&next, MCUPROF_LINK_MOST);
    active = left != 0;
    TWCR = (uint8_t)(DONE | ENABLED | stop | (active ? START : 0));
}

FN void mcuprof_link_isr(void)
{
    uint8_t state = TWSR & STATE;

    if (!mcuprof_state.busy || (active && !(TWCR & DONE))) {
        return;
    }
    if (active && (state == STARTED || state == STARTED_AGAIN)) {
        TWDR = (uint8_t)(MCUPROF_LINK_TARGET << 1); /* a write */
        TWCR = DONE | ENABLED;
    } else if (active && left && (state == ADDRESSED || state == SENT)) {
        left--;
        TWDR = *next++;
        TWCR = DONE | ENABLED;
    } else {
        begin();
    }
}

FN void mcuprof_link_idle(void)
{
}
