/* SPDX-License-Identifier: MIT */
/*
 * RTEMS gives handlers put in by rtems_interrupt_catch() a pointer to the interrupted
 * registers, beside the vector: so one of ours goes before the clock driver's. The driver
 * names its handler only in the file that defines it, where the linker's --wrap does not
 * reach; but it hands it to rtems_interrupt_handler_install(), which is wrapped.
 */
#include "mcuprof_rtems.h"

#include <rtems.h>
#include <string.h>

#include "mcuprof_port.h"

#if MCUPROF_SAMPLES && MCUPROF_DITHER
#error "build with MCUPROF_DITHER=0: RTEMS' clock ticks evenly"
#endif
#if !MCUPROF_IRQ_TRAPS
#error "build with MCUPROF_IRQ_TRAPS=1: a task may go on in another window than it left"
#endif

enum { FIRST_TRAP = 0x10 }; /* interrupt n is trap 0x10 + n */

typedef void (*handler_with_frame)(rtems_vector_number, CPU_Interrupt_frame *);

static volatile bool sampling;
static handler_with_frame next;

static MCUPROF_NOT_PROFILED void sample(rtems_vector_number vector,
                                        CPU_Interrupt_frame *interrupted)
{
    if (sampling) {
        mcuprof_irq irq = mcuprof_irq_mask();

        mcuprof_sample(interrupted->pc);
        mcuprof_irq_restore(irq);
    }
    next(vector, interrupted);
}

bool mcuprof_rtems_hook(unsigned irq)
{
    rtems_interrupt_level level;
    rtems_isr_entry before = NULL;

    if (irq < 1 || irq > 15 || next != NULL) {
        return false;
    }
    rtems_interrupt_local_disable(level);
    if (rtems_interrupt_catch((rtems_isr_entry)(void (*)(void))sample, FIRST_TRAP + irq,
                              &before) == RTEMS_SUCCESSFUL) {
        next = (handler_with_frame)(void (*)(void))before;
        if (next == NULL) { /* there is no handler to go on to: undo it */
            (void)rtems_interrupt_catch(NULL, FIRST_TRAP + irq, &before);
        }
    }
    rtems_interrupt_local_enable(level);
    return next != NULL;
}

bool mcuprof_rtems_hooked(void)
{
    return next != NULL;
}

#define INSTALL_ARGUMENTS                                                                \
    rtems_vector_number vector, const char *info, rtems_option options,                  \
        rtems_interrupt_handler handler, void *argument
rtems_status_code __real_rtems_interrupt_handler_install(INSTALL_ARGUMENTS);
rtems_status_code __wrap_rtems_interrupt_handler_install(INSTALL_ARGUMENTS);

rtems_status_code __wrap_rtems_interrupt_handler_install(INSTALL_ARGUMENTS)
{
    rtems_status_code status =
        __real_rtems_interrupt_handler_install(vector, info, options, handler, argument);

    if (status == RTEMS_SUCCESSFUL && info != NULL && strcmp(info, "Clock") == 0) {
        (void)mcuprof_rtems_hook(vector);
    }
    return status;
}

/* The port's timer is RTEMS', which runs anyhow. */
void mcuprof_timer_start(uint32_t ticks)
{
    (void)ticks;
    sampling = true;
}

void mcuprof_timer_set(uint32_t ticks)
{
    (void)ticks;
}

void mcuprof_timer_stop(void)
{
    sampling = false;
}
