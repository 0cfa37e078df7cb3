/* SPDX-License-Identifier: MIT */
/*
 * mcuprof on my board: a serial line and a timer. Copy it into your firmware, fill in
 * what each #error says, and remove the #error. mcuprof_link.h and mcuprof_port.h have
 * the contract of each function; target/link/ and boards/microbit/board.c have some that
 * work.
 */
#include "mcuprof_port.h"

/*
 * ---- The link: any UART with a transmit interrupt ----
 *
 * If target/link/ has its type, steps 2 and 3 are done: remove these three functions, say
 * MCUPROF_LINK=TYPE to mcuprof.mk or CMake, and define MCUPROF_LINK_ADDRESS.
 */

#error "mcuprof port, step 2: make these two enable and disable the UART's interrupt"
void mcuprof_link_start(void)
{
    /* UART->CR |= READY_INTERRUPT; */
}

void mcuprof_link_idle(void)
{
    /* UART->CR &= ~READY_INTERRUPT; */
}

#error "mcuprof port, step 3: make mcuprof_link_isr() send the next byte"
void mcuprof_link_isr(void)
{
    /* if (UART->SR & READY) {
     *     int byte = mcuprof_tx_next();
     *     if (byte >= 0) {
     *         UART->DATA = byte;
     *     }
     * } */
}

/* ---- Sampling: any timer with an interrupt ---- */

#error "mcuprof port, step 4: make three functions drive a timer of that clock"
void mcuprof_timer_start(uint32_t ticks)
{
    /* TIMER->RELOAD = ticks - 1; TIMER->CR = ENABLE | INTERRUPT; */
    (void)ticks;
}

void mcuprof_timer_set(uint32_t ticks)
{
    /* TIMER->SR = 0; TIMER->RELOAD = ticks - 1; TIMER->CNT = 0; */
    (void)ticks;
}

void mcuprof_timer_stop(void)
{
    /* TIMER->CR = 0; */
}

/*
 * Last, in your start-up code:
 *   - vector table: mcuprof_sample_isr (not a function that calls it) for the timer,
 *     mcuprof_link_isr for the UART;
 *   - set-up: the UART's baud rate, the timer's clock, both interrupts enabled;
 *   - priorities: the timer's the highest of all, the UART's lower.
 */
#error "mcuprof port, step 5: set vectors, set-up and priorities as said above"
