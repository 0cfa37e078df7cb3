/* SPDX-License-Identifier: MIT */
/*
 * mcuprof under FreeRTOS: include this at the end of FreeRTOSConfig.h, compile
 * mcuprof_freertos.c with the library, the kernel with mcuprof's include paths and
 * configuration, and choose MCUPROF_TASKS. Tasks are known from the scheduler's start on,
 * by their names; call mcuprof_start() in a task.
 *
 * Do not profile the kernel's tasks.c with MCUPROF_CALLS: it switches tasks from inside a
 * function of an interrupt. Handlers of interrupts are timed between
 * MCUPROF_INTERRUPT_ENTER() and _LEAVE(); so is the kernel's tick, if a handler of yours
 * calls it. (Only some ports of the kernel have traceISR_ENTER() and _EXIT().) The
 * timeline of MCUPROF_TIMELINE shows handlers between mcuprof_interrupt_enter(0) and
 * mcuprof_interrupt_leave(), and how long a task waits from when it may run.
 */
#ifndef MCUPROF_FREERTOS_H
#define MCUPROF_FREERTOS_H

#ifndef __ASSEMBLER__
#include "mcuprof.h"
#include "mcuprof_config.h"

#if MCUPROF_TASKS
/* The kernel's trace macros call this. */
void mcuprof_freertos_switched_in(void);

#ifndef INCLUDE_xTaskGetCurrentTaskHandle
#define INCLUDE_xTaskGetCurrentTaskHandle 1
#endif
#ifndef INCLUDE_xTaskGetIdleTaskHandle
#define INCLUDE_xTaskGetIdleTaskHandle 1
#endif
#define traceTASK_SWITCHED_IN() mcuprof_freertos_switched_in()
#define traceTASK_DELETE(task)  mcuprof_task_end(task)
#if MCUPROF_TIMELINE
#define traceMOVED_TASK_TO_READY_STATE(task) mcuprof_task_ready(task)
#endif
#endif
#endif

#endif
