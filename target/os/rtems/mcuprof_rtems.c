/* SPDX-License-Identifier: MIT */
/*
 * RTEMS gives handlers put in by rtems_interrupt_catch() a pointer to the interrupted
 * registers, beside the vector: so a handler of ours goes before the clock driver's. The
 * driver names its handler only in the file that defines it, where the linker's --wrap
 * does not reach. But the driver passes its handler to rtems_interrupt_handler_install(),
 * or from RTEMS 6 on to rtems_interrupt_entry_install(), and both are wrapped.
 */
#include "mcuprof_rtems.h"

#include <bsp/irq-generic.h>
#include <rtems.h>
#include <rtems/irq-extension.h>
#include <string.h>

#include "mcuprof.h"
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
static bool started;            /* since power-on */
static unsigned hooked;         /* the interrupt; 0: none */
static handler_with_frame next; /* NULL: RTEMS 6, whose vector table has no handlers */

static MCUPROF_NOT_PROFILED void sample(rtems_vector_number vector,
                                        CPU_Interrupt_frame *interrupted)
{
    if (sampling) {
        mcuprof_irq irq = mcuprof_irq_mask();

        mcuprof_sample(interrupted->pc);
        mcuprof_irq_restore(irq);
    }
    if (next != NULL) {
        next(vector, interrupted);
    } else {
        bsp_interrupt_handler_dispatch(hooked);
    }
}

bool mcuprof_rtems_hook(unsigned irq)
{
    rtems_interrupt_level level;
    rtems_isr_entry before = NULL;

    if (irq < 1 || irq > 15 || hooked != 0) {
        return false;
    }
    rtems_interrupt_local_disable(level);
    if (rtems_interrupt_catch((rtems_isr_entry)(void (*)(void))sample, FIRST_TRAP + irq,
                              &before) == RTEMS_SUCCESSFUL) {
        next = (handler_with_frame)(void (*)(void))before;
        hooked = irq;
    }
    rtems_interrupt_local_enable(level);
    return hooked != 0;
}

bool mcuprof_rtems_hooked(void)
{
    return hooked != 0;
}

static void hook_clock(rtems_status_code installed, rtems_vector_number vector,
                       const char *info)
{
    if (installed == RTEMS_SUCCESSFUL && info != NULL && strcmp(info, "Clock") == 0) {
        (void)mcuprof_rtems_hook(vector);
    }
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

    hook_clock(status, vector, info);
    return status;
}

#if __RTEMS_MAJOR__ >= 6
#define ENTRY_ARGUMENTS                                                                  \
    rtems_vector_number vector, rtems_option options, rtems_interrupt_entry *entry
rtems_status_code __real_rtems_interrupt_entry_install(ENTRY_ARGUMENTS);
rtems_status_code __wrap_rtems_interrupt_entry_install(ENTRY_ARGUMENTS);

rtems_status_code __wrap_rtems_interrupt_entry_install(ENTRY_ARGUMENTS)
{
    rtems_status_code status =
        __real_rtems_interrupt_entry_install(vector, options, entry);

    hook_clock(status, vector, entry->info);
    return status;
}
#endif

/* ---- The link ---- */

static MCUPROF_NOT_PROFILED void send(void *unused)
{
    (void)unused;
    mcuprof_link_entry();
}

bool mcuprof_rtems_link(unsigned irq)
{
    return rtems_interrupt_handler_install(irq, "mcuprof", RTEMS_INTERRUPT_UNIQUE, send,
                                           NULL) == RTEMS_SUCCESSFUL;
}

/* An interrupt may outrank the link's. */
MCUPROF_NOT_PROFILED bool mcuprof_may_wait(void)
{
    return !rtems_interrupt_is_in_progress();
}

/* Before a start the link may not be set up. */
MCUPROF_NOT_PROFILED void mcuprof_rtems_ended(rtems_fatal_source source, bool unused,
                                              rtems_fatal_code code)
{
    (void)unused;
    (void)code;
    if (source == RTEMS_FATAL_SOURCE_EXIT && started) {
        mcuprof_end();
    }
}

/* ---- Tasks ---- */

#if MCUPROF_TASKS
static struct {
    const rtems_tcb *task; /* NULL: free */
    char name[16];
} names[MCUPROF_TASKS];

/* Takes off the blanks with which classic names are filled up to four characters. */
static MCUPROF_NOT_PROFILED void trim(char *name)
{
    char *end = name;

    while (*end != '\0') {
        end++;
    }
    while (end > name && end[-1] == ' ') {
        *--end = '\0';
    }
}

/* The name of the task that runs, which stays until the task is deleted; "" if there are
 * more tasks than MCUPROF_TASKS. */
static MCUPROF_NOT_PROFILED const char *name_of(const rtems_tcb *task)
{
    unsigned i = 0, free = MCUPROF_TASKS;

    for (; i < MCUPROF_TASKS && names[i].task != task; i++) {
        if (names[i].task == NULL) {
            free = i;
        }
    }
    if (i < MCUPROF_TASKS) {
        return names[i].name;
    }
    if (free == MCUPROF_TASKS) {
        return "";
    }
    names[free].task = task;
    (void)rtems_object_get_name(rtems_task_self(), sizeof names[free].name,
                                names[free].name);
    trim(names[free].name);
    return names[free].name;
}

/* RTEMS idles in tasks of its internal API, and has no others there. */
MCUPROF_NOT_PROFILED void mcuprof_rtems_begun(rtems_tcb *task)
{
    mcuprof_task_switch(task, name_of(task),
                        rtems_object_id_get_api(rtems_task_self()) ==
                            OBJECTS_INTERNAL_API);
}

MCUPROF_NOT_PROFILED void mcuprof_rtems_switched(rtems_tcb *from, rtems_tcb *to)
{
    (void)from;
    mcuprof_rtems_begun(to); /* RTEMS takes it for the one that runs already */
}

MCUPROF_NOT_PROFILED void mcuprof_rtems_deleted(rtems_tcb *by, rtems_tcb *task)
{
    (void)by;
    mcuprof_task_end(task);
    for (unsigned i = 0; i < MCUPROF_TASKS; i++) {
        if (names[i].task == task) {
            names[i].task = NULL;
        }
    }
}
#endif

/* ---- The timer ---- */

/* The port's timer is RTEMS', which runs anyhow. */
void mcuprof_timer_start(uint32_t ticks)
{
    (void)ticks;
    started = true;
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
