/* SPDX-License-Identifier: MIT */
/*
 * What a link provides. target/link/ has links for some hardware: name one, and say where
 * it is by MCUPROF_LINK_ADDRESS. For any other, write one of these:
 *
 * - a serial line that bytes are put on one after the other: mcuprof_link_start(),
 *   mcuprof_link_isr(), mcuprof_link_idle(). target/template has them to fill in;
 * - hardware that takes a pointer and a length (DMA, a FIFO, USB), with the knob
 *   MCUPROF_SPAN_BYTES: mcuprof_link_isr() and mcuprof_link_idle(). The library has
 *   mcuprof_link_start(). target/link/pl080.c is one with DMA, ns16550_fifo.c one with a
 *   FIFO.
 *
 * With the knob MCUPROF_RTT a debug probe reads the ring: there is nothing to provide.
 * For UDP by lwIP see mcuprof_lwip.h.
 *
 * The board sets the hardware up (pins, rate, transmitter) and enables its interrupt
 * before mcuprof_start().
 */
#ifndef MCUPROF_LINK_H
#define MCUPROF_LINK_H

#include <stdbool.h>

#include "mcuprof.h"

#ifdef __cplusplus
extern "C" {
#endif

#include "mcuprof_core.h"

/* Called when there is something to send and the link is idle: make mcuprof_link_isr()
 * run. Where the transmitter interrupts for as long as it is ready, enable that; where
 * it interrupts once for each byte sent, call mcuprof_link_isr(). Context: any, with
 * interrupts masked since the record was appended, or the sampling interrupt: so the
 * link's interrupt finds no record while the link is idle. It must not block. */
void mcuprof_link_start(void);

/* Called when there is nothing more to send. Where the transmitter interrupts for as
 * long as it is ready, disable that; where it interrupts once for each byte or span sent,
 * do nothing. Context: from mcuprof_tx_next(), _next_if() or _span(), with interrupts
 * masked. */
void mcuprof_link_idle(void);

/* The transmit interrupt: if the transmitter is ready, take the next byte with
 * mcuprof_tx_next() and, unless it is -1, send it. Code that waits for the link calls it,
 * too. If mcuprof_link_start() calls it, it takes the byte with mcuprof_tx_next_if(), or
 * does nothing while mcuprof_state.busy is 0: else sampling could send a byte after it
 * has found the transmitter ready. Context: the link's interrupt, of no higher priority
 * than sampling; or interrupts masked; or, if mcuprof_link_start() calls it, the sampling
 * interrupt. It is `used`, for -flto does not see what assembly and MCUPROF_VECTOR()
 * name. */
__attribute__((used)) void mcuprof_link_isr(void);

#if MCUPROF_SPAN_BYTES
/* With spans, mcuprof_link_isr() does nothing if mcuprof_state.busy is 0 or a span is
 * still being sent. Else it acknowledges the interrupt, takes the next span and, if that
 * has bytes, begins to send it. Its callers are the interrupt that says that a span was
 * sent, code that fills the ring of an idle link, and code that waits for the link. */

/* Call it when the last span was sent. Sets *bytes to the next one and returns how many
 * bytes it has, `most` at most; 0: the link is idle. The bytes stay until the next call.
 * Bytes that go on from the ring's end to its start are two spans. No span ends inside a
 * record, except at the ring's end or because of `most`. Context: mcuprof_link_isr();
 * never blocks. */
unsigned mcuprof_tx_span(const uint8_t **bytes, unsigned most);
#endif

/* For the library alone: lets the link send, by a call if it is ready, or by its
 * interrupt if `irq` lets that in. It is inline to save stack, which the interrupts let
 * in here need as well. */
static inline __attribute__((always_inline)) MCUPROF_NOT_PROFILED void
mcuprof_wait(mcuprof_irq irq)
{
    mcuprof_link_isr();
    mcuprof_irq_restore(irq);
    (void)mcuprof_irq_mask();
}

/* Put this into the vector table in place of mcuprof_link_isr(): where calls are timed,
 * it keeps the link's time out of theirs; with MCUPROF_LINK_MASKED it masks interrupts.
 * The symbol is there with all knobs; in C code that needs neither, the name means
 * mcuprof_link_isr(), which is faster. */
void mcuprof_link_entry(void);
#if !MCUPROF_CALLS && !MCUPROF_LINK_MASKED
#define mcuprof_link_entry mcuprof_link_isr
#endif

/* An index as memory that is not volatile: compilers make better code of it. */
#define MCUPROF_PLAIN(index) (*(mcuprof_index *)(uintptr_t) & (index))

/* Three parts of mcuprof_tx_next() and _next_if(). Sampling may fill the ring meanwhile,
 * and start the link if that was idle: the first sets *tail to the place of the next byte
 * and returns whether the ring looks empty; the second makes the link idle unless there
 * is a byte by now, and returns whether it did. The third takes the byte at `tail`. */
static inline __attribute__((always_inline)) MCUPROF_NOT_PROFILED bool
mcuprof_tx_empty(mcuprof_index *tail)
{
    mcuprof_index head = MCUPROF_PLAIN(mcuprof_state.head);

    /* If sampling sends the byte at the tail, it does so before the tail is read, or the
     * ring looks empty. */
    __asm__ volatile("" : : "r"(head) : "memory");
    *tail = MCUPROF_PLAIN(mcuprof_state.tail);
    __asm__ volatile("" : : "r"(*tail)); /* both are read by now */
    return __builtin_expect(*tail == head, 0);
}

static inline __attribute__((always_inline)) MCUPROF_NOT_PROFILED bool
mcuprof_tx_rests(void)
{
    struct mcuprof *m = &mcuprof_state;
    mcuprof_irq irq = mcuprof_irq_mask();

#ifdef __thumb__
    /* With this in a high register, all else fits into the four low registers that need
     * not be saved: no byte pays for a push and a pop. */
    __asm__("" : "+h"(irq));
#endif
    if (m->tail != m->head) {
        mcuprof_irq_restore(irq);
        return false;
    }
    m->busy = 0;
    mcuprof_link_idle();
    mcuprof_irq_restore(irq);
    return true;
}

static inline __attribute__((always_inline)) MCUPROF_NOT_PROFILED int
mcuprof_tx_take(mcuprof_index tail)
{
    struct mcuprof *m = &mcuprof_state;
    uint8_t byte = m->ring[tail];

    __asm__ volatile("" : : "r"(byte) : "memory"); /* read before its place is free */
    MCUPROF_PLAIN(m->tail) = (mcuprof_index)((tail + 1u) % MCUPROF_RING_BYTES);
    return byte;
}

/* The next byte to send, or -1: then the link is idle, or not ready. `ready` says whether
 * the transmitter is: an expression, which is evaluated after each look at the ring. So
 * the byte is right even if sampling has started the link since the interrupt began, as
 * it may where mcuprof_link_start() calls mcuprof_link_isr(). With mcuprof_link_idle() in
 * the same file, no register is saved on a Cortex-M0. Context: mcuprof_link_isr(); never
 * blocks. */
#define mcuprof_tx_next_if(ready)                                                        \
    __extension__({                                                                      \
        int mcuprof_byte = -1;                                                           \
        mcuprof_index mcuprof_tail;                                                      \
        do {                                                                             \
            if (!mcuprof_tx_empty(&mcuprof_tail)) {                                      \
                if (ready) {                                                             \
                    mcuprof_byte = mcuprof_tx_take(mcuprof_tail);                        \
                }                                                                        \
                break;                                                                   \
            }                                                                            \
        } while ((ready) && !mcuprof_tx_rests());                                        \
        mcuprof_byte;                                                                    \
    })

/* The next byte to send, or -1: then the link is idle. It is for mcuprof_link_isr() that
 * has found the transmitter ready. Context: mcuprof_link_isr(); never blocks. */
static inline __attribute__((always_inline)) MCUPROF_NOT_PROFILED int
mcuprof_tx_next(void)
{
    return mcuprof_tx_next_if(true);
}

#ifdef __cplusplus
}
#endif

#endif
