/* SPDX-License-Identifier: MIT */
/*
 * mcuprof under RTEMS on SPARC: RTEMS' clock is the sampling timer, so samples are taken
 * at its rate. Compile mcuprof_rtems.c with the library and the knobs
 * MCUPROF_IRQ_TRAPS=1, MCUPROF_DITHER=0, MCUPROF_TIMER_HZ and MCUPROF_SAMPLE_HZ (their
 * quotient, a clock tick); link with -Wl,--wrap=rtems_interrupt_handler_install and
 * -Wl,--wrap=rtems_interrupt_entry_install, and with mcuprof_flash.ld, not mcuprof.ld:
 * RTEMS' linkcmds list a ROM at address 0 first, where nothing is.
 * mcuprof_start() and mcuprof_stop() are for tasks, as ever; the link is the board's.
 */
#ifndef MCUPROF_RTEMS_H
#define MCUPROF_RTEMS_H

#include <stdbool.h>

/* Takes samples from interrupt `irq` as well, 1 to 15, whose handler is installed. Only
 * for a clock driver that does not install its handler, named "Clock", by one of these
 * two: other clocks are hooked at that call.
 * false: RTEMS does not let us. Context: task. */
bool mcuprof_rtems_hook(unsigned irq);

/* Whether the clock is hooked: else there are no samples. Context: any. */
bool mcuprof_rtems_hooked(void);

#endif
