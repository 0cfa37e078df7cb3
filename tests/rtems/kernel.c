/* SPDX-License-Identifier: MIT */
/*
 * What target/os/rtems calls of RTEMS, for boards/leon3, to run it without RTEMS: an
 * interrupt's vector and handler, and the end. As from RTEMS 6 on, a caught vector has no
 * handler before, and the end comes with interrupts masked.
 */
#include <bsp/irq-generic.h>
#include <rtems.h>
#include <rtems/irq-extension.h>
#include <string.h>

#include "board.h"
#include "leon3.h"
#include "mcuprof_port.h"

enum { INTERRUPTS = 16, FIRST_TRAP = 0x10 };

static struct {
    rtems_interrupt_handler handler;
    void *argument;
} handlers[INTERRUPTS];
static void (*caught)(rtems_vector_number, CPU_Interrupt_frame *); /* TICK_IRQ's */

rtems_status_code rtems_interrupt_handler_install(rtems_vector_number vector,
                                                  const char *info, rtems_option options,
                                                  rtems_interrupt_handler handler,
                                                  void *argument)
{
    (void)info;
    (void)options;
    handlers[vector].handler = handler;
    handlers[vector].argument = argument;
    return RTEMS_SUCCESSFUL;
}

void bsp_interrupt_handler_dispatch(rtems_vector_number vector)
{
    handlers[vector].handler(handlers[vector].argument);
}

rtems_status_code rtems_interrupt_catch(rtems_isr_entry handler,
                                        rtems_vector_number vector,
                                        rtems_isr_entry *before)
{
    if (vector != FIRST_TRAP + TICK_IRQ) {
        return RTEMS_INVALID_NUMBER;
    }
    *before = NULL;
    caught =
        (void (*)(rtems_vector_number, CPU_Interrupt_frame *))(void (*)(void))handler;
    return RTEMS_SUCCESSFUL;
}

bool rtems_interrupt_is_in_progress(void)
{
    return mcuprof_handled_irq != 0;
}

rtems_interrupt_level rtems_test_disable(void)
{
    return mcuprof_irq_mask();
}

void rtems_test_enable(rtems_interrupt_level level)
{
    mcuprof_irq_restore(level);
}

/* ---- The clock: the board's tick ---- */

void __real_board_tick_entry(void);
void __wrap_board_tick_entry(void);

/* All older windows go to their stacks. The trap's is the caller's caller's: there %l1 is
 * the program counter. */
__attribute__((noinline)) static uint32_t interrupted_pc(const uint32_t *callers)
{
    __asm__ volatile(".rept 6; save %%sp, -96, %%sp; .endr; .rept 6; restore; .endr" ::
                         : "memory");
    return ((const uint32_t *)callers[14])[1];
}

MCUPROF_NOT_PROFILED void __wrap_board_tick_entry(void)
{
    CPU_Interrupt_frame frame = {0};

    frame.pc = interrupted_pc(__builtin_frame_address(0));
    if (caught) {
        caught(FIRST_TRAP + TICK_IRQ, &frame);
    } else {
        bsp_interrupt_handler_dispatch(TICK_IRQ);
    }
}

MCUPROF_NOT_PROFILED void board_clock(void *unused)
{
    (void)unused;
    __real_board_tick_entry();
}

/* ---- The end ---- */

void rtems_shutdown_executive(uint32_t code)
{
    (void)mcuprof_irq_mask();
    if (rtems_extensions.fatal) {
        rtems_extensions.fatal(RTEMS_FATAL_SOURCE_EXIT, false, code);
    }
    board_exit((int)code);
}

int strcmp(const char *one, const char *other)
{
    while (*one != '\0' && *one == *other) {
        one++;
        other++;
    }
    return (unsigned char)*one - (unsigned char)*other;
}
