/* SPDX-License-Identifier: MIT */
/*
 * The link `lwip_udp`: spans leave as datagrams, by lwIP's raw interface (NO_SYS), for
 * `mcuprof record udp:PORT`. Name the PC in your knobs: MCUPROF_UDP_ADDRESS, as
 * 0xC0A80102 for 192.168.1.2, and MCUPROF_UDP_PORT. MCUPROF_UDP_RUN() must be a 32-bit
 * number that no earlier run had, so that the PC notices a reset: a random number, or a
 * counter in RAM that start-up code leaves alone. It must differ after power-off, too:
 * RAM that comes up alike, as an emulator's does, is no source. It is called once, before
 * the first datagram.
 *
 * A datagram is sent where the program counts, starts, flushes or waits, in a task, with
 * interrupts masked. Events that interrupts count wait for the next datagram, or for
 * mcuprof_lwip_poll(). So profiled tasks, all code that calls mcuprof, and lwIP must run
 * in one context, the main loop; and lwIP's own files must not be compiled with hooks.
 * Start the profiler when the network interface is up.
 */
#ifndef MCUPROF_LWIP_H
#define MCUPROF_LWIP_H

#ifdef __cplusplus
extern "C" {
#endif

/* Sends what is due. Call it in the main loop, beside sys_check_timeouts().
 * Context: task. */
void mcuprof_lwip_poll(void);

#ifdef __cplusplus
}
#endif

#endif
