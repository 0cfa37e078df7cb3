/* SPDX-License-Identifier: MIT */
/*
 * Three tasks on RTEMS that take turns and work 4 : 2 : 1, sampled by RTEMS' own clock.
 * They are classic tasks, whose names have four characters. The end of the system sends
 * the profile's.
 */
#include "burn.h"
#include "leon3.h"
#include "mcuprof.h"
#include "mcuprof_rtems.h"

#define ALONE __attribute__((noinline, noclone, noipa))

enum { TASKS = 3, ROUNDS = 800, EVENT_DONE = RTEMS_EVENT_0 };

rtems_task Init(rtems_task_argument unused);

static rtems_id init;

static ALONE void four(void)
{
    BURN(40000);
}

static ALONE void two(void)
{
    BURN(20000);
}

static ALONE void one(void)
{
    BURN(10000);
}

static const struct {
    rtems_name name;
    void (*turn)(void);
} tasks[TASKS] = {{rtems_build_name('f', 'o', 'u', 'r'), four},
                  {rtems_build_name('t', 'w', 'o', ' '), two},
                  {rtems_build_name('o', 'n', 'e', ' '), one}};

static rtems_task run(rtems_task_argument i)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        tasks[i].turn();
        (void)rtems_task_wake_after(RTEMS_YIELD_PROCESSOR);
    }
    (void)rtems_event_send(init, EVENT_DONE << i);
    rtems_task_exit();
}

static void started(rtems_status_code status)
{
    if (status != RTEMS_SUCCESSFUL) {
        rtems_fatal_error_occurred(status);
    }
}

rtems_task Init(rtems_task_argument unused)
{
    rtems_event_set done;
    rtems_id id;

    (void)unused;
    init = rtems_task_self();
    UART_CONTROL = UART_TRANSMIT | UART_TRANSMIT_IRQ;
    if (!mcuprof_rtems_link(LINK_IRQ) || !mcuprof_rtems_hooked()) {
        rtems_fatal_error_occurred(RTEMS_RESOURCE_IN_USE);
    }
    mcuprof_start();
    for (unsigned i = 0; i < TASKS; i++) {
        started(rtems_task_create(tasks[i].name, 2, RTEMS_MINIMUM_STACK_SIZE,
                                  RTEMS_DEFAULT_MODES, RTEMS_DEFAULT_ATTRIBUTES, &id));
        started(rtems_task_start(id, run, i));
    }
    started(rtems_event_receive(EVENT_DONE << 0 | EVENT_DONE << 1 | EVENT_DONE << 2,
                                RTEMS_EVENT_ALL | RTEMS_WAIT, RTEMS_NO_TIMEOUT, &done));
    rtems_shutdown_executive(0);
}

#define CONFIGURE_APPLICATION_NEEDS_CLOCK_DRIVER
#define CONFIGURE_APPLICATION_DISABLE_FILESYSTEM
#define CONFIGURE_MICROSECONDS_PER_TICK 1000
#define CONFIGURE_MAXIMUM_TASKS         (TASKS + 1)
#define CONFIGURE_INITIAL_EXTENSIONS    MCUPROF_RTEMS_EXTENSION
#define CONFIGURE_RTEMS_INIT_TASKS_TABLE
#define CONFIGURE_INIT
#include <rtems/confdefs.h>
