/* SPDX-License-Identifier: MIT */
/*
 * A load whose profile is known, to test mcuprof on a board: its timer, clock,
 * priorities, link, and the build. Copy selftest.c and this file into your firmware,
 * compile selftest.c with MCUPROF_PROFILE_CFLAGS and -g, and then
 *
 *     mcuprof record -e firmware.elf -o self.mprof --baud N /dev/ttyUSB0
 *     mcuprof check -e firmware.elf selftest.budgets self.mprof
 *
 * says whether all is right, or what is wrong.
 */
#ifndef SELFTEST_H
#define SELFTEST_H

#ifdef __cplusplus
extern "C" {
#endif

/* Call it from main(), in place of the program, once the UART, the sampling timer and
 * the tick run. It takes some 2 s, starts the profiler and ends it. Context: task. */
void selftest(void);

/* Call it from a handler that comes each millisecond, such as SysTick_Handler(). It must
 * not be the sampling timer's. Context: an interrupt. */
void selftest_tick(void);

#ifdef __cplusplus
}
#endif

#endif
