/* SPDX-License-Identifier: MIT */
/*
 * Profiles by UDP: lwIP's main loop with some work in it, whose calls are known. Each
 * turn sends what is ready. The PC is QEMU's host, 10.0.2.2.
 */
#include "board.h"
#include "lan9118.h"
#include "lwip/etharp.h"
#include "lwip/init.h"
#include "lwip/timeouts.h"
#include "mcuprof.h"
#include "mcuprof_lwip.h"
#include "netif/ethernet.h"

#ifndef TURNS
#define TURNS 3000
#endif
#ifndef RESET_TURN /* the turn after which the first run is reset, when its calls are    \
                    * sent; 0: none */
#define RESET_TURN 0
#endif
#define NVIC_AIRCR (*(volatile uint32_t *)0xE000ED0C)

static struct netif netif;
static unsigned now_ms;

MCUPROF_NOT_PROFILED u32_t sys_now(void)
{
    return now_ms;
}

static MCUPROF_NOT_PROFILED void tick(void)
{
    now_ms++;
}

__attribute__((noinline, noclone, noipa)) static unsigned leaf(unsigned x)
{
    return x * 3 + 1;
}

__attribute__((noinline, noclone, noipa)) static unsigned work(unsigned turn)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < turn % 16; i++) {
        sum += leaf(i);
    }
    return sum;
}

static MCUPROF_NOT_PROFILED void turn(void)
{
    lan9118_poll(&netif);
    sys_check_timeouts();
    mcuprof_lwip_poll();
}

/* Brings the interface up, and learns the PC's address, for which a first datagram would
 * wait. */
static MCUPROF_NOT_PROFILED void connect(void)
{
    ip4_addr_t address, mask, gateway;
    struct eth_addr *found;
    const ip4_addr_t *of;

    IP4_ADDR(&address, 10, 0, 2, 15);
    IP4_ADDR(&mask, 255, 255, 255, 0);
    IP4_ADDR(&gateway, 10, 0, 2, 2);
    lwip_init();
    netif_add(&netif, &address, &mask, &gateway, NULL, lan9118_init, ethernet_input);
    netif_set_default(&netif);
    netif_set_up(&netif);
    etharp_request(&netif, &gateway);
    while (etharp_find_addr(&netif, &gateway, &found, &of) < 0) {
        turn();
    }
}

static MCUPROF_NOT_PROFILED void reset(unsigned calls)
{
    mcuprof_flush();
    turn();
    board_printf("calls %u\nreset\n", calls);
    NVIC_AIRCR = 0x05FA0004;
    for (;;) {
    }
}

MCUPROF_NOT_PROFILED int main(void)
{
    volatile unsigned sink = 0;
    unsigned calls = 0;

    board_tick(1000, tick);
    connect();
    mcuprof_start();
    for (unsigned i = 0; i < TURNS; i++) {
        sink += work(i);
        calls += 1 + i % 16;
        turn();
        if (i + 1 == RESET_TURN && UDP_RUNS == 1) {
            reset(calls);
        }
    }
    mcuprof_stop();
    board_printf("calls %u\nsamples %u\n", calls, board_samples);
    mcuprof_end();
    return 0;
}
