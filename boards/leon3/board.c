/* SPDX-License-Identifier: MIT */
/* LEON3: APBUART as the link, GPTIMER's second timer for sampling; its first is in
 * clock.c. */
#include "board.h"
#include "leon3.h"
#include "mcuprof_port.h"

int main(void);
_Noreturn void start(void);
_Noreturn void board_stop(void);
void board_interrupt(unsigned level);

void board_init(void)
{
    IRQ_MASK = 1u << LINK_IRQ | 1u << TICK_IRQ | 1u << SAMPLE_IRQ;
    TIMER_SCALER_RELOAD = CLOCK_HZ / MCUPROF_TIMER_HZ - 1;
    TIMER_SCALER = CLOCK_HZ / MCUPROF_TIMER_HZ - 1;
    timer_start(CLOCK_TIMER, 0); /* goes round after 2^32 */
#ifdef BOARD_LINK_CYCLES
    UART_CONTROL = UART_TRANSMIT;
#else
    UART_CONTROL = UART_TRANSMIT | UART_TRANSMIT_IRQ; /* once for each byte */
#endif
}

void board_put(uint8_t byte)
{
    UART_DATA = byte;
}

void mcuprof_timer_start(uint32_t ticks)
{
    timer_start(SAMPLE_TIMER, ticks);
}

volatile unsigned board_samples;

void mcuprof_timer_set(uint32_t ticks)
{
#ifdef BOARD_COUNT_SAMPLES
    board_samples++;
#endif
    TIMER_RELOAD(SAMPLE_TIMER) = ticks - 1; /* MCUPROF_TIMER_SINCE() reads it */
    TIMER_COUNTER(SAMPLE_TIMER) = ticks - 1;
}

void mcuprof_timer_stop(void)
{
    TIMER_CONTROL(SAMPLE_TIMER) = 0;
}

/* Called from an interrupt's trap, at its level. */
void board_interrupt(unsigned level)
{
    uint32_t interrupted = mcuprof_handled_irq;

    mcuprof_handled_irq = level;
    if (level == LINK_IRQ) {
        mcuprof_link_entry();
    } else {
        board_tick_entry();
    }
    mcuprof_handled_irq = interrupted;
}

bool mcuprof_may_wait(void)
{
    return mcuprof_handled_irq <= LINK_IRQ;
}

void start(void)
{
    int status;

    board_init();
    status = main();
    while (mcuprof_state.busy) { /* while the last bytes are being sent */
    }
    board_exit(status);
}

void board_exit(int status)
{
    static const char text[] = "\nexit status ";

    if (status != 0) { /* QEMU always ends with status 0 */
        for (const char *c = text; *c != '\0'; c++) {
            board_put((uint8_t)*c);
        }
        board_put((uint8_t)('0' + status / 100));
        board_put((uint8_t)('0' + status / 10 % 10));
        board_put((uint8_t)('0' + status % 10));
        board_put('\n');
    }
    board_stop();
}
