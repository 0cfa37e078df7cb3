/* SPDX-License-Identifier: MIT */
/*
 * The part of FreeRTOS' public API that target/os/freertos uses, declared as its
 * reference manual has it: to compile against, there is nothing behind it.
 */
#ifndef FREERTOS_H
#define FREERTOS_H

#include "mcuprof_freertos.h" /* as at the end of FreeRTOSConfig.h */

#if MCUPROF_TASKS &&                                                                     \
    !(defined(traceTASK_SWITCHED_IN) && defined(traceTASK_DELETE) &&                     \
      INCLUDE_xTaskGetCurrentTaskHandle == 1 && INCLUDE_xTaskGetIdleTaskHandle == 1)
#error "not hooked"
#endif

#endif
