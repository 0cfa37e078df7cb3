/* SPDX-License-Identifier: MIT */
/* A stand-in for TinyUSB: what is written waits in a buffer of a packet's size, of which
 * each turn of tud_task() sends a byte over the board's UART. When main() has returned,
 * as in any main loop, it goes on until all bytes have left. */
#include "board.h"
#include "mcuprof_port.h"
#include "tusb.h"

enum { PACKET = 64 };

static uint8_t packet[PACKET];
static uint32_t first, count;

void tud_task(void)
{
    volatile uint32_t *uart = (volatile uint32_t *)MCUPROF_LINK_ADDRESS;

    uart[2] = 1;                   /* CTRL: it transmits, and interrupts for nothing */
    if (count && !(uart[1] & 1)) { /* STATE: there is room */
        board_put(packet[first]);
        first = (first + 1) % PACKET;
        count--;
    }
}

uint32_t tud_cdc_write_available(void)
{
    return PACKET - count;
}

uint32_t tud_cdc_write(const void *bytes, uint32_t more)
{
    const uint8_t *from = bytes;

    if (more > PACKET - count) {
        board_exit(3);
    }
    for (uint32_t i = 0; i < more; i++) {
        packet[(first + count++) % PACKET] = from[i];
    }
    return more;
}

uint32_t tud_cdc_write_flush(void)
{
    return count;
}

int __real_main(void);
int __wrap_main(void);

MCUPROF_NOT_PROFILED int __wrap_main(void)
{
    int status = __real_main();

    while (mcuprof_state.busy || count) {
        usb_poll();
    }
    return status;
}
