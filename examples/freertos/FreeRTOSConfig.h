/* SPDX-License-Identifier: MIT */
/* The kernel's configuration, with what the program needs and mcuprof's hooks. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#include "board.h"
#include "mcuprof_config.h"

#define configCPU_CLOCK_HZ             MCUPROF_TIMER_HZ
#define configTICK_RATE_HZ             1000
#define configUSE_PREEMPTION           1
#define configUSE_16_BIT_TICKS         0
#define configMAX_PRIORITIES           5
#define configMINIMAL_STACK_SIZE       100
#define configTOTAL_HEAP_SIZE          5632
#define configMAX_TASK_NAME_LEN        12
#define configUSE_MUTEXES              1
#define configUSE_COUNTING_SEMAPHORES  1
#define configUSE_IDLE_HOOK            1
#define configUSE_TICK_HOOK            0
#define configENABLE_MPU               0
#define configCHECK_FOR_STACK_OVERFLOW 2
#define configASSERT(holds)            ((holds) ? (void)0 : board_exit(4))

/* Sampling's priority is 0, above the kernel's. */
#define configKERNEL_INTERRUPT_PRIORITY      0xC0
#define configMAX_SYSCALL_INTERRUPT_PRIORITY 0x40

#define INCLUDE_vTaskDelay   1
#define INCLUDE_vTaskSuspend 1
#define INCLUDE_vTaskDelete  1

/* Some ports have other names for these handlers. */
#define vPortSVCHandler     SVC_Handler
#define xPortPendSVHandler  PendSV_Handler
#define xPortSysTickHandler SysTick_Handler

#include "mcuprof_freertos.h"

#endif
