/* SPDX-License-Identifier: MIT */
/* The switch hook for FreeRTOS, by its public API alone. */
#include <FreeRTOS.h>
#include <task.h>

#include "mcuprof_freertos.h"

#if MCUPROF_TASKS
/* Called by the kernel with the new task already the current one. */
MCUPROF_NOT_PROFILED void mcuprof_freertos_switched_in(void)
{
    TaskHandle_t task = xTaskGetCurrentTaskHandle();

    mcuprof_task_switch(task, pcTaskGetName(task), task == xTaskGetIdleTaskHandle());
}
#endif
