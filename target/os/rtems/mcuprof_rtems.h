/* SPDX-License-Identifier: MIT */
/*
 * mcuprof under RTEMS on SPARC: RTEMS' clock is the sampling timer, so samples are taken
 * at its rate. Compile mcuprof_rtems.c with the library and the knobs
 * MCUPROF_IRQ_TRAPS=1, MCUPROF_DITHER=0, MCUPROF_TIMER_HZ and MCUPROF_SAMPLE_HZ (their
 * quotient, a clock tick); link with -Wl,--wrap=rtems_interrupt_handler_install and
 * -Wl,--wrap=rtems_interrupt_entry_install, and with -T os/rtems/mcuprof_rtems.ld in
 * place of mcuprof.ld. mcuprof_start() and mcuprof_stop() are for tasks, as ever; the
 * link is the board's.
 */
#ifndef MCUPROF_RTEMS_H
#define MCUPROF_RTEMS_H

#include <rtems.h>
#include <stdbool.h>

#include "mcuprof_config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Takes samples from interrupt `irq` as well, 1 to 15, whose handler is installed. It is
 * only for a clock driver that does not install its handler, named "Clock", by one of
 * the two wrapped functions: other clocks are hooked at that call.
 * Returns false if RTEMS does not allow it. Context: task. */
bool mcuprof_rtems_hook(unsigned irq);

/* Whether the clock is hooked: else there are no samples. Context: any. */
bool mcuprof_rtems_hooked(void);

/* Makes the driver of target/link send from interrupt `irq`, 1 to 15, whose UART is set
 * up. Call it before mcuprof_start().
 * Returns false if another handler has that interrupt. Context: task. */
bool mcuprof_rtems_link(unsigned irq);

/*
 * Put this into the configuration of the system:
 *     #define CONFIGURE_INITIAL_EXTENSIONS MCUPROF_RTEMS_EXTENSION
 * The profile is then sent to its end by exit() and by rtems_shutdown_executive(), with
 * no call of mcuprof_end(). With MCUPROF_TASKS the tasks are known by their names; a
 * classic task's name has four characters.
 */
void mcuprof_rtems_ended(rtems_fatal_source source, bool unused, rtems_fatal_code code);
void mcuprof_rtems_begun(rtems_tcb *task);
void mcuprof_rtems_switched(rtems_tcb *from, rtems_tcb *to);
void mcuprof_rtems_deleted(rtems_tcb *by, rtems_tcb *task);

/* C++ wants the members in their order. */
#if MCUPROF_TASKS
#define MCUPROF_RTEMS_EXTENSION                                                          \
    {                                                                                    \
        .thread_delete = mcuprof_rtems_deleted, .thread_switch = mcuprof_rtems_switched, \
        .thread_begin = mcuprof_rtems_begun, .fatal = mcuprof_rtems_ended                \
    }
#else
#define MCUPROF_RTEMS_EXTENSION                                                          \
    {                                                                                    \
        .fatal = mcuprof_rtems_ended                                                     \
    }
#endif

#ifdef __cplusplus
}
#endif

#endif
